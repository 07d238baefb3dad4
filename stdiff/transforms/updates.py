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

    def in_place(node: Node, target: Node, spelled: str) -> list[Node]:
        """`b[i] *= v` as a read, an operation and a write; `b[i] += v` stays, where the index names no element twice."""
        base = target.value
        if not isinstance(base, gast.Name) or kinds.get(base.id, ANY).name != "array":
            return [node]
        target.spelled = spelled
        if isinstance(node.op, gast.Add | gast.Sub) and plain_index(target.slice, kinds):
            return [gast.copy_location(gast.AugAssign(target, node.op, node.value), node)]
        item, changed = names.temporary(), names.temporary()
        read = gast.Subscript(syntax.copy(base), syntax.copy(target.slice), gast.Load())
        operation = gast.BinOp(syntax.name(item), node.op, node.value)
        write = gast.Assign([target], syntax.name(changed), None)
        return [syntax.assign(item, read, node), syntax.assign(changed, operation, node), gast.copy_location(write, node)]

    def update(node: Node) -> list[Node]:
        if not isinstance(node, gast.AugAssign) or isinstance(node.target, gast.Attribute):
            return [node]
        if isinstance(node.target, gast.Subscript):
            return in_place(node, node.target, "an update of an item")
        name = node.target.id
        kind = kinds.get(name, ANY)
        if kind.name == "array":
            whole = gast.Subscript(syntax.name(name), syntax.constant(...), gast.Store())
            return in_place(node, gast.copy_location(whole, node.target), f"`{operator(node.op)}=` on an array")
        if kind.name in ("list", "dict"):
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


def plain_index(index: Node, kinds: Mapping[str, Kind]) -> bool:
    """Whether an index is made of numbers and slices, so that it names no element twice."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return all(
        isinstance(p, gast.Slice | gast.Constant) or kinds.get(getattr(p, "id", ""), ANY).name == "number" for p in parts
    )


def operator(op: Node) -> str:
    """How an operator is written."""
    return {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "MatMult": "@", "FloorDiv": "//", "Mod": "%",
            "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>"}[type(op).__name__]  # fmt: skip
