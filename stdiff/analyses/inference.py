"""Inferring kinds: what is known, before running, of each local name."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from stdiff.analyses import calls, results
from stdiff.analyses.kinds import ANY, DICT, LIST, NUMBER, NUMERIC, TEXT, Kind, cover, join, kind_of, of_constant
from stdiff.program import Program
from stdiff.syntax import Node, parameters, statements, store_names, writes

MISSING = calls.MISSING
_MADE = {dict: DICT, set: ANY, frozenset: ANY, object: ANY, super: ANY}

Results = Callable[[Any, list[Kind]], Kind | None]


def kinds(program: Program, given: dict[str, Kind], of_user: Results) -> dict[str, Kind]:
    """The kind of every local name, by one forward fixed point; a name that may hold different things gets what covers
    them.

    Arguments: `given`, the parameters' kinds; `of_user(function, kinds)`, the kind of a user function's result.
    """
    inference = _Inference(program, dict(given), of_user)
    for _ in range(12):
        before = dict(inference.found)
        for statement in inference.assignments:
            inference.assign(statement)
        if inference.found == before:
            break
    else:
        return {**dict.fromkeys(inference.found, ANY), **given}
    return inference.found


class _Inference:
    def __init__(self, program: Program, found: dict[str, Kind], of_user: Results) -> None:
        self.program, self.found, self.of_user = program, found, of_user
        self.assignments = [
            node
            for node in statements(program.tree.body)
            if isinstance(
                node,
                gast.Assign
                | gast.AugAssign
                | gast.For
                | gast.With
                | gast.ExceptHandler
                | gast.Import
                | gast.ImportFrom,
            )
            or (isinstance(node, gast.Expr) and isinstance(node.value, gast.Call))
        ]
        self.once = _once(program.tree)

    def set(self, name: str, kind: Kind | None) -> None:
        if kind is not None:
            self.found[name] = join(self.found.get(name), kind)

    def bind(self, target: Node, kind: Kind | None) -> None:
        if kind is None:
            return
        if isinstance(target, gast.Name):
            self.set(target.id, kind)
        elif isinstance(target, gast.Tuple | gast.List):
            items = (
                kind.items
                if kind.name == "tuple" and not any(isinstance(t, gast.Starred) for t in target.elts)
                else None
            )
            if items is None or len(items) != len(target.elts):
                element = results.element(kind)
                items = (element,) * len(target.elts)
            for part, item in zip(target.elts, items, strict=True):
                if isinstance(part, gast.Starred):
                    self.set(part.value.id, Kind("list", items=(item,)))
                else:
                    self.bind(part, item)

    def assign(self, node: Node) -> None:
        if isinstance(node, gast.Assign):
            for target in node.targets:
                if isinstance(target, gast.Name | gast.Tuple | gast.List):
                    kind = self.of(node.value)
                    if isinstance(target, gast.Name) and target.id in self.once and kind and kind.name == "array":
                        kind = replace(kind, shape=target.id if kind.shape is None else kind.shape)
                    self.bind(target, kind)
        elif isinstance(node, gast.AugAssign):
            if isinstance(node.target, gast.Name):
                self.set(node.target.id, results.binary(self.found.get(node.target.id), node.op, self.of(node.value)))
        elif isinstance(node, gast.For):
            kind = self.iterated(node.iter)
            self.bind(node.target, kind)
        elif isinstance(node, gast.Expr):
            target = calls.appended(node.value)
            if target is not None and self.found.get(target, LIST).name == "list":
                self.set(target, Kind("list", items=(self.of(node.value.args[0]) or ANY,)))
        elif isinstance(node, gast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    for name in store_names(item.optional_vars):
                        self.set(name, ANY)
        elif isinstance(node, gast.ExceptHandler):
            if node.name:
                self.set(node.name if isinstance(node.name, str) else node.name.id, ANY)
        else:
            for alias in node.names:
                self.set((alias.asname or alias.name).split(".")[0], ANY)

    def iterated(self, node: Node) -> Kind | None:
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id not in self.found:
            callee = self.program.namespace.get(node.func.id)
            if callee is range:
                return NUMBER
            if callee is enumerate and node.args:
                inner = self.iterated(node.args[0])
                return inner and Kind("tuple", items=(NUMBER, inner))
            if callee is reversed and node.args:
                return self.iterated(node.args[0])
            if callee is zip and not node.keywords and not any(isinstance(a, gast.Starred) for a in node.args):
                parts = [self.iterated(a) for a in node.args]
                return None if None in parts else Kind("tuple", items=tuple(p for p in parts if p))
        kind = self.of(node)
        return None if kind is None else results.element(kind)

    def of(self, node: Node) -> Kind | None:
        """The kind of an expression; None while nothing is known of a name it needs."""
        if isinstance(node, gast.Constant):
            return NUMERIC if isinstance(node.value, complex) else kind_of(node.value)
        if isinstance(node, gast.Name):
            if node.id in self.found:
                return self.found[node.id]
            value = self.program.namespace.get(node.id, MISSING)
            return None if value is MISSING else of_constant(value)
        method = getattr(self, "of_" + type(node).__name__.lower(), None)
        return ANY if method is None else method(node)

    def of_joinedstr(self, node: Node) -> Kind:
        return TEXT

    def of_tuple(self, node: Node) -> Kind | None:
        items = [self.of(e) for e in node.elts]
        if any(isinstance(e, gast.Starred) for e in node.elts):
            return Kind("tuple")
        return None if None in items else Kind("tuple", items=tuple(i for i in items if i))

    def of_list(self, node: Node) -> Kind | None:
        items = [self.of(e) for e in node.elts]
        return None if None in items else Kind("list", items=(cover([i for i in items if i]),) if items else None)

    def of_starred(self, node: Node) -> Kind | None:
        kind = self.of(node.value)
        return kind and results.element(kind)

    def of_dict(self, node: Node) -> Kind:
        return DICT

    def of_compare(self, node: Node) -> Kind:
        left, right = self.of(node.left) or ANY, self.of(node.comparators[0]) or ANY
        if isinstance(node.ops[0], gast.Is | gast.IsNot | gast.In | gast.NotIn) or left == right == NUMBER:
            return NUMBER
        return NUMERIC if left.numeric and right.numeric else ANY

    def of_unaryop(self, node: Node) -> Kind | None:
        kind = self.of(node.operand)
        if isinstance(node.op, gast.Not):
            return NUMBER
        return results.broadcast([kind]) if kind and kind.numeric else kind

    def of_binop(self, node: Node) -> Kind | None:
        return results.binary(self.of(node.left), node.op, self.of(node.right))

    def of_attribute(self, node: Node) -> Kind | None:
        value = calls.known(node, self.program.namespace) if calls.root(node) not in self.found else MISSING
        if value is not MISSING:
            return of_constant(value)
        base = self.of(node.value)
        if base is None:
            return None
        if base.name == "known":
            value = calls.member(base.value, node.attr)
            return ANY if value is MISSING else of_constant(value)
        if base.numeric:
            if node.attr == "T" and base.name == "array":
                return Kind("array", rank=base.rank, shape=base.shape if base.rank in (0, 1) else None)
            if node.attr == "shape":
                return Kind(
                    "tuple", items=(NUMBER,) * base.rank if base.name == "array" and base.rank is not None else None
                )
            return (
                NUMBER
                if node.attr in ("size", "ndim", "nbytes", "itemsize")
                else NUMERIC
                if node.attr in ("T", "real", "imag")
                else ANY
            )
        if base.name == "tuple" and base.type is not None and base.items is not None:
            fields = getattr(base.type, "_fields", ())
            return base.items[fields.index(node.attr)] if node.attr in fields else ANY
        return ANY

    def of_subscript(self, node: Node) -> Kind | None:
        base, index = self.of(node.value), node.slice
        if base is None:
            return None
        if base.name in ("tuple", "list"):
            if isinstance(index, gast.Slice):
                return Kind(base.name) if base.name == "tuple" else base
            at = index.value if isinstance(index, gast.Constant) else None
            if base.name == "tuple" and isinstance(at, int) and base.items and -len(base.items) <= at < len(base.items):
                return base.items[at]
            return results.element(base)
        if not base.numeric:
            return TEXT if base.name == "text" else ANY
        parts = list(index.elts) if isinstance(index, gast.Tuple) else [index]
        numbers = sum(not isinstance(p, gast.Slice) and self.of(p) == NUMBER for p in parts)
        slices = sum(isinstance(p, gast.Slice) for p in parts)
        if base.name != "array" or base.rank is None or numbers + slices < len(parts):
            return NUMERIC
        rank = base.rank - numbers
        return Kind("array", rank=rank) if rank > 0 else NUMBER

    def of_call(self, node: Node) -> Kind | None:
        if isinstance(node.func, gast.Name) and self.program.namespace.get(node.func.id) is __import__:
            name = node.args[0].value if node.args and isinstance(node.args[0], gast.Constant) else None
            return Kind("known", value=sys.modules[name]) if name in sys.modules and "." not in name else ANY
        found = calls.target(node, self.found, self.program.namespace)
        if found.form == "rule":
            return results.of_rule(found, [self.of(a) for a in found.arguments])
        if found.form == "function" and not any(a is None for a in found.arguments):
            given = [self.of(a) for a in found.arguments]
            return None if None in given else self.of_user(found.function, [g for g in given if g])
        if found.form == "construct" and not node.keywords and issubclass(found.function, tuple):
            items = [self.of(a) for a in node.args]
            fields = getattr(found.function, "_fields", ())
            return (
                Kind("tuple", items=tuple(i or ANY for i in items), type=found.function)
                if len(items) == len(fields)
                else ANY
            )
        if found.function is super and len(node.args) == 2:
            receiver = self.of(node.args[1])
            owner = self.of(node.args[0])
            if receiver and receiver.type and owner and owner.value and isinstance(node.args[1], gast.Name):
                return Kind("super", value=owner.value, type=receiver.type, shape=node.args[1].id)
        if found.form == "construct":
            return _MADE.get(found.function) or Kind("object", type=found.function)
        return ANY


def _once(tree: Node) -> set[str]:
    """The names that have one value in a call, whose shape can be called after them: assigned once, in no loop."""
    counts = Counter(parameters(tree))
    for node in statements(tree.body):
        if isinstance(node, gast.For | gast.While):
            counts.update([*writes(node)] * 2)
        else:
            counts.update(store_names(node))
    return {name for name, count in counts.items() if count == 1}
