"""updates: write `s += v` as `s = s + v` where it makes a new value; if that is unknown, with a check before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import gast

from stdiff import containers, errors, syntax
from stdiff.analyses.kinds import ANY, Kind
from stdiff.program import Program
from stdiff.syntax import Names, Node


def updates(program: Program, kinds: Mapping[str, Kind]) -> Program:
    """Rebindings spelled out; an update of an array or list stays as it is, for `analyses.memory` to judge.

    >>> from stdiff.analyses.kinds import NUMBER
    >>> from stdiff.program import of, unparse
    >>> def f(s, v):
    ...     s += v
    ...     return s
    >>> print(unparse(updates(of(f), {"s": NUMBER, "v": NUMBER}).tree))
    def f(s, v):
        s = s + v
        return s
    """
    if not any(isinstance(n, gast.AugAssign) for n in syntax.walk(program.tree)):
        return program
    tree = syntax.copy(program.tree)
    names = Names(syntax.reads(tree) | syntax.writes(tree) | set(program.namespace))
    namespace = dict(program.namespace)

    def block(body: list[Node]) -> list[Node]:
        found: list[Node] = []
        for node in body:
            for inner in ("body", "orelse", "finalbody"):
                if getattr(node, inner, None):
                    setattr(node, inner, block(getattr(node, inner)))
            for handler in getattr(node, "handlers", None) or []:
                handler.body = block(handler.body)
            found += update(node)
        return found

    def update(node: Node) -> list[Node]:
        if not isinstance(node, gast.AugAssign) or not isinstance(node.target, gast.Name):
            return [node]
        name = node.target.id
        kind = kinds.get(name, ANY)
        if kind.name in ("array", "list", "dict"):
            return [node]
        operation = gast.copy_location(
            gast.BinOp(gast.copy_location(syntax.name(name), node.target), node.op, node.value), node
        )
        rebinding = syntax.assign(name, operation, node)
        if kind.name in ("number", "tuple", "text"):
            return [rebinding]
        place = names.fresh(f"line_{node.lineno}")
        namespace[place] = errors.place(node, program.origin)
        helper = next((k for k, v in namespace.items() if v is containers.rebinds), None) or names.fresh("rebinds")
        namespace[helper] = containers.rebinds
        check = gast.Expr(gast.Call(syntax.name(helper), [syntax.name(name), syntax.name(place)], []))
        return [gast.copy_location(check, node), rebinding]

    tree.body = block(tree.body)
    return replace(program, tree=tree, namespace=namespace)
