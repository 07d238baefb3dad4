"""Kinds: what is known, before running, of the value that a name holds."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from stdiff import containers, runtime, runtime_reductions
from stdiff.analyses import calls
from stdiff.program import Program
from stdiff.structures import conform
from stdiff.syntax import Node, store_names, walk_names

MISSING = calls.MISSING


@dataclass(frozen=True)
class Kind:
    """One of: number (a Python or NumPy scalar), array, numeric (either), text, none, tuple, list, dict, known, object, function, any.

    `rank` is an array's number of dimensions where it is known; `shape` tells shapes apart: two arrays with the same `shape` token
    have the same shape. `items` are a tuple's kinds, or the one kind of a list's elements. `value` is a known object (a module, a
    function), `type` an object's class.
    """

    name: str
    rank: int | None = None
    shape: object = None
    items: tuple[Kind, ...] | None = None
    value: Any = None
    type: Any = None

    @property
    def numeric(self) -> bool:
        """Whether the value is a number or an array, so that array methods and arithmetic mean what they mean in NumPy."""
        return self.name in ("number", "array", "numeric")

    @property
    def container(self) -> bool:
        return self.name in ("tuple", "list", "dict")


ANY, NUMBER, NUMERIC, TEXT, NONE = (Kind(n) for n in ("any", "number", "numeric", "text", "none"))
FUNCTION, DICT, LIST = Kind("function"), Kind("dict"), Kind("list")
ARRAY = Kind("array")


def kind_of(value: object, token: object = None) -> Kind:
    """The kind of an argument; `token` names its shape.

    >>> kind_of(1.5).name, kind_of(np.zeros((2, 3))).rank, kind_of((1.0, [2.0])).name
    ('number', 2, 'tuple')
    """
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return NUMBER
    if isinstance(value, np.ndarray):
        return Kind("array", rank=value.ndim, shape=token)
    if value is None:
        return NONE
    if isinstance(value, str | bytes):
        return TEXT
    if isinstance(value, tuple):
        kind = type(value)
        items = tuple(kind_of(v, (token, k)) for k, v in enumerate(value))
        return Kind("tuple", items=items, type=None if kind is tuple else kind)
    if type(value) is list:
        return Kind("list", items=(_all([kind_of(v) for v in value]),))
    if type(value) is dict:
        return DICT
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.MethodType | type):
        return FUNCTION
    return Kind("object", type=type(value))


def of_constant(value: object) -> Kind:
    """The kind of an object that the namespace binds: functions, classes and modules are known themselves."""
    if isinstance(value, types.ModuleType | type) or (callable(value) and not isinstance(value, np.ndarray)):
        return Kind("known", value=value)
    return kind_of(value)


def join(a: Kind | None, b: Kind | None) -> Kind:
    """The least kind that covers both; None is nothing yet."""
    if a is None or b is None:
        return b or a or ANY
    if a == b:
        return a
    if a.numeric and b.numeric:
        if a.name == b.name == "array":
            return Kind("array", rank=a.rank if a.rank == b.rank else None, shape=a.shape if a.shape == b.shape else None)
        return NUMERIC
    if a.name == b.name == "tuple" and a.type is b.type and a.items and b.items and len(a.items) == len(b.items):
        return Kind("tuple", items=tuple(map(join, a.items, b.items)), type=a.type)
    if a.name == b.name == "list":
        return Kind("list", items=(join((a.items or (None,))[0], (b.items or (None,))[0]),) if a.items or b.items else None)
    if a.name == b.name and a.container:
        return Kind(a.name)
    return ANY


def _all(kinds: list[Kind]) -> Kind:
    found: Kind | None = None
    for kind in kinds:
        found = join(found, kind)
    return found or ANY


Results = Callable[[Any, list[Kind]], Kind]


def kinds(program: Program, given: dict[str, Kind], results: Results) -> dict[str, Kind]:
    """The kind of every local name, by one forward fixed point; a name that may hold different things gets what covers them.

    Arguments: `given`, the parameters' kinds; `results(function, kinds)`, the kind of a user function's result.
    """
    inference = _Inference(program, dict(given), results)
    for _ in range(12):
        before = dict(inference.found)
        for statement in inference.assignments:
            inference.assign(statement)
        if inference.found == before:
            break
    else:
        return {**{name: ANY for name in inference.found}, **given}
    return inference.found


class _Inference:
    def __init__(self, program: Program, found: dict[str, Kind], results: Results) -> None:
        self.program, self.found, self.results = program, found, results
        self.assignments = [
            node
            for node in gast.walk(program.tree)
            if isinstance(node, gast.Assign | gast.AugAssign | gast.For | gast.With | gast.ExceptHandler | gast.Import | gast.ImportFrom)
            or (isinstance(node, gast.Expr) and isinstance(node.value, gast.Call))
        ]
        self.assignments.sort(key=lambda n: (getattr(n, "lineno", 0) or 0))

    def set(self, name: str, kind: Kind | None) -> None:
        if kind is not None:
            self.found[name] = join(self.found.get(name), kind)

    def bind(self, target: Node, kind: Kind | None) -> None:
        if kind is None:
            return
        if isinstance(target, gast.Name):
            self.set(target.id, kind)
        elif isinstance(target, gast.Tuple | gast.List):
            items = kind.items if kind.name == "tuple" and not any(isinstance(t, gast.Starred) for t in target.elts) else None
            if items is None or len(items) != len(target.elts):
                element = self.element(kind)
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
                    self.bind(target, self.of(node.value))
        elif isinstance(node, gast.AugAssign):
            if isinstance(node.target, gast.Name):
                self.set(node.target.id, self.binary(self.found.get(node.target.id), node.op, self.of(node.value)))
        elif isinstance(node, gast.For):
            kind = self.iterated(node.iter)
            self.bind(node.target, kind)
        elif isinstance(node, gast.Expr):
            target = calls.appended(node.value)
            if target is not None and self.found.get(target, LIST).name == "list":
                self.set(target, Kind("list", items=(self.of(node.value.args[0]) or ANY,)))
        else:
            for part in walk_names(node):
                if not isinstance(part.ctx, gast.Load) and not isinstance(node, gast.With):
                    self.set(part.id, ANY)
            if isinstance(node, gast.With):
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

    def element(self, kind: Kind) -> Kind:
        """What iterating over, or unpacking, a value of this kind gives."""
        if kind.name == "array":
            if kind.rank is None:
                return NUMERIC
            return NUMBER if kind.rank == 1 else Kind("array", rank=kind.rank - 1, shape=(kind.shape, "row") if kind.shape else None)
        if kind.name == "numeric":
            return NUMERIC
        if kind.name in ("tuple", "list"):
            return _all(list(kind.items or ()))
        return TEXT if kind.name == "text" else ANY

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
        return None if kind is None else self.element(kind)

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
        return None if None in items else Kind("list", items=(_all([i for i in items if i]),) if items else None)

    def of_starred(self, node: Node) -> Kind | None:
        kind = self.of(node.value)
        return kind and self.element(kind)

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
        return self.broadcast([kind]) if kind and kind.numeric else kind

    def of_binop(self, node: Node) -> Kind | None:
        return self.binary(self.of(node.left), node.op, self.of(node.right))

    def binary(self, left: Kind | None, op: Node, right: Kind | None) -> Kind | None:
        if left is None or right is None:
            return None
        if isinstance(op, gast.MatMult):
            if left.name == right.name == "array" and left.rank and right.rank:
                rank = max(left.rank, right.rank, 2) - (left.rank == 1) - (right.rank == 1)
                return Kind("array", rank=rank) if rank else NUMBER
            return NUMERIC if left.numeric and right.numeric else ANY
        if left.numeric and right.numeric:
            return self.broadcast([left, right])
        if isinstance(op, gast.Add) and left.name == right.name and left.name in ("list", "tuple", "text"):
            if left.name == "tuple":
                return Kind("tuple", items=left.items + right.items) if left.items is not None and right.items is not None else Kind("tuple")
            return join(left, right)
        if isinstance(op, gast.Mod) and left.name == "text":
            return TEXT
        if left.name == "list" and right == NUMBER:
            return left
        return ANY

    def broadcast(self, parts: list[Kind | None]) -> Kind:
        """The kind of an elementwise function of operands of these kinds. Arrays without dimensions turn into scalars."""
        if any(p is None or not p.numeric for p in parts):
            return ANY
        arrays = [p for p in parts if p and p.name != "number"]
        if not arrays:
            return NUMBER
        ranks = [p.rank for p in arrays]
        if any(p.name == "array" and p.rank for p in arrays):
            same = {p.shape for p in arrays if p.name == "array"}
            known = all(p.name == "array" for p in arrays) and None not in ranks
            return Kind("array", rank=max(r for r in ranks if r) if known else None, shape=same.pop() if len(same) == 1 and known else None)
        return NUMBER if all(r == 0 for r in ranks) else NUMERIC

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
                return Kind("tuple", items=(NUMBER,) * base.rank if base.name == "array" and base.rank is not None else None)
            return NUMBER if node.attr in ("size", "ndim", "nbytes", "itemsize") else NUMERIC if node.attr in ("T", "real", "imag") else ANY
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
            return self.element(base)
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
            return self.of_rule(found)
        if found.form == "function" and not any(a is None for a in found.arguments):
            given = [self.of(a) for a in found.arguments]
            return None if None in given else self.results(found.function, [g for g in given if g])
        if found.form == "construct" and not node.keywords and issubclass(found.function, tuple):
            items = [self.of(a) for a in node.args]
            fields = getattr(found.function, "_fields", ())
            return Kind("tuple", items=tuple(i or ANY for i in items), type=found.function) if len(items) == len(fields) else ANY
        if found.form == "construct":
            return _MADE.get(found.function) or Kind("object", type=found.function)
        return ANY

    def of_rule(self, found: calls.Target) -> Kind | None:
        operands = [self.of(a) for a in found.arguments]
        if None in operands:
            return None
        function = found.function
        if function in _NUMBERS:
            return NUMBER
        if function in _SAME:
            return _SAME[function]
        if found.rule is not None and found.rule.form == "elementwise":
            return self.broadcast(operands)
        first = operands[0] if operands else None
        if function in _REDUCTIONS and len(operands) == 1 and not found.keywords and first and first.numeric:
            return NUMBER
        if function in (list, sorted, reversed) and first:
            return Kind("list", items=(self.element(first),))
        if function is tuple and first:
            return Kind("tuple")
        if function in (np.zeros_like, np.ones_like, np.copy, np.ndarray.copy, np.empty_like) and first and first.name == "array":
            return first
        if function in (containers.accumulate, containers.accumulate_at) and any(o and o.name == "list" for o in operands[:2]):
            return LIST
        if function in _LIKE and len(operands) > _LIKE[function]:
            shaped = operands[_LIKE[function]]
            return shaped if shaped and shaped.numeric else ANY
        module = getattr(function, "__module__", None) or getattr(getattr(function, "__objclass__", None), "__module__", "")
        if function is runtime.scale or module in ("stdiff.runtime_numbers", "stdiff.runtime_reductions"):
            return NUMERIC
        return NUMERIC if str(module).startswith("numpy") and function not in _STRUCTURED else ANY


_MADE = {dict: DICT, set: ANY, frozenset: ANY, object: ANY, super: ANY}
_NUMBERS = {len, float, int, bool, isinstance, issubclass, hasattr, callable, id, hash}
_SAME = {str: TEXT, repr: TEXT, np.zeros: ARRAY, np.ones: ARRAY, np.empty: ARRAY, np.full: ARRAY, np.eye: Kind("array", rank=2),
         np.arange: Kind("array", rank=1), np.linspace: Kind("array", rank=1), range: Kind("list", items=(NUMBER,)), np.ndarray.tolist: ANY, containers.as_list: LIST,
         dict.items: Kind("list", items=(Kind("tuple", items=(ANY, ANY)),)), dict.values: Kind("list", items=(ANY,)), dict.keys: Kind("list", items=(ANY,)),
         dict.copy: DICT, np.shape: Kind("tuple")}
_REDUCTIONS = {np.sum, np.mean, np.prod, np.var, np.std, np.max, np.min, np.ndarray.sum, np.ndarray.mean, np.ndarray.prod,
               np.ndarray.var, np.ndarray.std, np.ndarray.max, np.ndarray.min, np.linalg.norm, np.vdot}
_LIKE = {runtime.unbroadcast: 1, runtime.astype: 1, runtime.broadcast: 1, runtime.filled: 1, runtime_reductions.spread: 1,
         containers.own: 1, conform: 1, containers.accumulate_at: 1, containers.unpacked: 0}  # results shaped like an argument
_STRUCTURED = {np.split, np.array_split, np.hsplit, np.vsplit, np.linalg.eigh, np.linalg.svd, np.linalg.slogdet, np.meshgrid,
               np.broadcast_arrays, np.ix_, np.nonzero, np.where, np.divmod, np.unstack, np.atleast_1d, np.atleast_2d, np.atleast_3d}
