"""updates: write `s += v` as what it is, a rebinding of a number or a write into an array."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import gast

from stdiff import containers, errors, syntax
from stdiff.analyses.kinds import ANY, Kind
from stdiff.program import Program
from stdiff.syntax import Names, Node


def updates(program: Program, kinds: Mapping[str, Kind]) -> Program:
    """Rebindings spelled out, and writes into arrays as `b[i] += v`, `b[i] -= v` or `b[i] = v`.

    >>> from stdiff.analyses.kinds import ARRAY, NUMBER
    >>> from stdiff.program import of, unparse
    >>> def f(s, v, b):
    ...     s += v
    ...     b *= v
    ...     return s
    >>> print(unparse(updates(of(f), {"s": NUMBER, "v": NUMBER, "b": ARRAY}).tree))
    def f(s, v, b):
        s = s + v
        t1 = b[...]
        t2 = t1 * v
        b[...] = t2
        return s
    """
    if not any(isinstance(n, gast.AugAssign) for n in syntax.walk(program.tree)):
        return program
    tree = syntax.copy(program.tree)
    work = _Work(program, kinds, Names(syntax.reads(tree) | syntax.writes(tree) | set(program.namespace)))
    tree.body = work.block(tree.body)
    return replace(program, tree=tree, namespace=work.namespace)


class _Work:
    def __init__(self, program: Program, kinds: Mapping[str, Kind], names: Names) -> None:
        self.program, self.kinds, self.names = program, kinds, names
        self.namespace = dict(program.namespace)

    def block(self, body: list[Node]) -> list[Node]:
        found: list[Node] = []
        for node in body:
            for inner in ("body", "orelse", "finalbody"):
                if getattr(node, inner, None):
                    setattr(node, inner, self.block(getattr(node, inner)))
            for handler in getattr(node, "handlers", None) or []:
                handler.body = self.block(handler.body)
            found += self.update(node) if isinstance(node, gast.AugAssign) else [node]
        return found

    def update(self, node: Node) -> list[Node]:
        target = node.target
        if isinstance(target, gast.Subscript):
            return self.write(node, target)
        if not isinstance(target, gast.Name):
            return [node]
        kind = self.kinds.get(target.id, ANY)
        if kind.name == "array":
            whole = gast.Subscript(syntax.name(target.id), syntax.constant(...), gast.Store())
            sign = operator(node.op)
            whole.refusal = (
                f"`{sign}=` on an array",
                "it writes into the object that the name holds, which other names may share",
                f"write `{target.id} = {target.id} {sign} ...`, which makes a new value",
            )
            return self.write(node, gast.copy_location(whole, node))
        if kind.name in ("list", "dict"):
            return [node]
        return self.rebinding(node, target.id, kind)

    def rebinding(self, node: Node, name: str, kind: Kind) -> list[Node]:
        """`s = s + v`, behind a check where `s` may hold an array."""
        read = gast.copy_location(syntax.name(name), node.target)
        rebound = syntax.assign(name, gast.copy_location(gast.BinOp(read, node.op, node.value), node), node)
        if kind.name in ("number", "tuple", "text"):
            return [rebound]
        place = self.names.fresh(f"line_{node.lineno}")
        self.namespace[place] = errors.place(node, self.program.origin)
        known = (k for k, v in self.namespace.items() if v is containers.rebinds)
        helper = next(known, None) or self.names.fresh("rebinds")
        self.namespace[helper] = containers.rebinds
        check = gast.Expr(gast.Call(syntax.name(helper), [syntax.name(name), syntax.name(place)], []))
        return [gast.copy_location(check, node), rebound]

    def write(self, node: Node, target: Node) -> list[Node]:
        """`b[i] *= v` as a read, an operation and a write; `b[i] += v` stays, if the index names no element twice."""
        base = target.value
        if not isinstance(base, gast.Name) or self.kinds.get(base.id, ANY).name != "array":
            return [node]
        if isinstance(node.op, gast.Add | gast.Sub) and plain_index(target.slice, self.kinds):
            return [gast.copy_location(gast.AugAssign(target, node.op, node.value), node)]
        item, changed = self.names.temporary(), self.names.temporary()
        read = gast.Subscript(syntax.copy(base), syntax.copy(target.slice), gast.Load())
        operation = gast.BinOp(syntax.name(item), node.op, node.value)
        write = gast.copy_location(gast.Assign([target], syntax.name(changed), None), node)
        return [syntax.assign(item, read, node), syntax.assign(changed, operation, node), write]


def plain_index(index: Node, kinds: Mapping[str, Kind]) -> bool:
    """Whether an index is made of numbers and slices, so that it names no element twice."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return all(
        isinstance(p, gast.Slice | gast.Constant) or kinds.get(getattr(p, "id", ""), ANY).name == "number"
        for p in parts
    )


def operator(op: Node) -> str:
    """How an operator is written."""
    return {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "MatMult": "@", "FloorDiv": "//", "Mod": "%",
            "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>"}[type(op).__name__]  # fmt: skip
