"""Memory: which names hold storage that something writes into, and which writes can be followed."""

from __future__ import annotations

import functools
import inspect
import math
import types
from collections.abc import Callable, Mapping
from typing import Any

import gast
import numpy as np

from stdiff import containers, errors, syntax
from stdiff.analyses import calls
from stdiff.analyses.flow import Flow, Spot
from stdiff.analyses.kinds import ANY, Kind, kind_of
from stdiff.analyses.sharing import INSTEAD, WHY, Memory, Sharing, Uses, shares
from stdiff.program import Program
from stdiff.rules import table
from stdiff.syntax import Node

MUTATING = {
    "append", "extend", "insert", "remove", "clear", "sort", "reverse", "pop", "popitem", "update", "setdefault",
    "add", "discard", "fill", "resize", "put", "itemset", "appendleft", "popleft", "rotate", "partition", "setflags",
    "byteswap", "__setitem__",
}



def memory(
    program: Program, kinds: Mapping[str, Kind], flow: Flow, check: Callable[[Any, list[Kind]], None]
) -> Memory:
    """Tell values from storage, and refuse each write that is not followed.

    Arguments: `kinds`, of the local names; `check(function, kinds)`, which refuses a user function that writes into
    anything but its own.
    Raises: UnsupportedError at the first write into storage that may be shared.
    """
    walk = _Walk(program, kinds, flow, check)
    for statement in _statements(program.tree.body):
        walk.statement(statement)
    sharing = Sharing(program, kinds, flow)
    for name, uses in walk.uses.items():
        if uses.updates:
            sharing.settle(name, uses, walk.found)
    return walk.found


def _statements(body: list[Node]) -> list[Node]:
    found: list[Node] = []
    for node in body:
        found.append(node)
        for block in ("body", "orelse", "finalbody"):
            found += _statements(getattr(node, block, None) or [])
        for handler in getattr(node, "handlers", None) or []:
            found += _statements(handler.body)
    return found


class _Walk:
    def __init__(
        self, program: Program, kinds: Mapping[str, Kind], flow: Flow, check: Callable[[Any, list[Kind]], None]
    ) -> None:
        self.program, self.kinds, self.flow, self.check = program, kinds, flow, check
        self.found = Memory()
        self.uses: dict[str, Uses] = {}

    def refuse(self, node: Node, met: str, why: str = WHY, instead: str = INSTEAD) -> errors.StdiffError:
        return errors.at(node, self.program.origin, met, why, instead)

    def kind(self, node: Node) -> Kind:
        return self.kinds.get(node.id, ANY) if isinstance(node, gast.Name) else ANY

    def statement(self, node: Node) -> None:
        spot = self.flow.spots[id(node)]
        if isinstance(node, gast.Assign):
            for target in node.targets:
                if isinstance(target, gast.Subscript | gast.Attribute):
                    self.write(target, spot)
                    return
            if self.view(node, spot):
                return
            self.expression(node.value, node, spot)
        elif isinstance(node, gast.AugAssign):
            self.update(node, spot)
        elif isinstance(node, gast.Delete):
            raise self.refuse(node, "`del` of an item or attribute")
        elif isinstance(node, gast.For):
            self.note(node.iter, spot)
            self.expression(node.iter, node, spot)
        elif isinstance(node, gast.With):
            for item in node.items:
                self.expression(item.context_expr, node, spot)
        elif isinstance(node, gast.If | gast.While | gast.Assert):
            self.expression(node.test, node, spot)
        elif not isinstance(node, gast.Try):
            self.expression(getattr(node, "value", None) or getattr(node, "exc", None), node, spot)

    def write(self, target: Node, spot: Spot) -> None:
        """`b[i] = v`: the value is copied, so that nothing is shared by it."""
        what = "an item" if isinstance(target, gast.Subscript) else "an attribute"
        plain = isinstance(target, gast.Subscript) and self._plain(target.slice)
        if not plain or not isinstance(target.value, gast.Name) or self.kind(target.value).name != "array":
            raise self.refuse(target, f"an assignment to {what}")
        if not hasattr(target, "refusal"):
            target.refusal = f"an assignment to {what}", WHY, INSTEAD
        self.uses.setdefault(target.value.id, Uses()).updates.append((target, spot))

    def view(self, node: Node, spot: Spot) -> bool:
        """Whether a statement reads a part of an array: a number is a copy, a view is looked at when all is known."""
        target, value = node.targets[0], node.value
        if not isinstance(value, gast.Subscript) or not isinstance(target, gast.Name):
            return False
        if self.kind(value.value).name != "array":
            return False
        if self.kind(target).name != "number":
            self.uses.setdefault(value.value.id, Uses()).views.append((target.id, spot))
        return True

    def expression(self, value: Node, node: Node, spot: Spot) -> None:
        if value is None:
            return
        for part in syntax.walk(value):
            if isinstance(part, gast.Call):
                self.call(part, node, spot)
        self.note(value, spot)

    def note(self, value: Node, spot: Spot) -> None:
        """The names that another name may share memory with from here on."""
        if isinstance(value, gast.BinOp | gast.UnaryOp | gast.Compare | gast.JoinedStr | gast.Constant):
            self.note_lists(value, spot)
            return
        if isinstance(value, gast.Call):
            if calls.popped(value) is not None and self._is_list(value.func.value):
                return
            found = calls.target(value, self.kinds, self.program.namespace)
            if found.function is containers.accumulate_at:
                return  # what it takes over is its result from here on; what it adds is copied
            if found.form == "append" or (found.form == "rule" and found.rule is not None and not shares(found.rule)):
                names = [a.id for a in (value.args if found.form == "append" else []) if isinstance(a, gast.Name)]
                for name in names:
                    self.uses.setdefault(name, Uses()).reads.append(spot)
                if found.rule is not None and found.rule.form != "constant":
                    self.note_lists(value, spot)
                return
        for part in syntax.walk_names(value):
            if isinstance(part.ctx, gast.Load):
                self.uses.setdefault(part.id, Uses()).reads.append(spot)

    def note_lists(self, value: Node, spot: Spot) -> None:
        """A list that is read while it is built: its adjoint would have one length there and another in the end."""
        for part in syntax.walk_names(value):
            if self._is_list(part):
                self.uses.setdefault(part.id, Uses()).reads.append(spot)

    def update(self, node: Node, spot: Spot) -> None:
        target = node.target
        if isinstance(target, gast.Attribute):
            raise self.refuse(target, "an update of an attribute")
        if isinstance(target, gast.Name):
            kind = self.kind(target)
            if kind.name in ("array", "list", "dict"):
                raise self.refuse(
                    node,
                    f"`{_operator(node.op)}=` on {'an array' if kind.name == 'array' else 'a ' + kind.name}",
                    "it writes into the object that the name holds, which other names may share",
                    f"write `{target.id} = {target.id} {_operator(node.op)} ...`, which makes a new value",
                )
            self.expression(node.value, node, spot)
            return
        if (
            not isinstance(target.value, gast.Name)
            or self.kind(target.value).name != "array"
            or not isinstance(node.op, gast.Add | gast.Sub)
            or not self._plain(target.slice)
        ):
            raise self.refuse(target, "an update of an item")
        self.uses.setdefault(target.value.id, Uses()).updates.append((target, spot))
        self.expression(node.value, node, spot)

    def _plain(self, index: Node) -> bool:
        """Whether an index is made of numbers and slices, so that it names no element twice."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        return all(isinstance(p, gast.Slice | gast.Constant) or self.kind(p).name == "number" for p in parts)

    def call(self, call: Node, node: Node, spot: Spot) -> None:
        found = calls.target(call, self.kinds, self.program.namespace)
        if any(k.arg == "out" for k in call.keywords) or _gives_out(found):
            raise self.refuse(
                call,
                "`out=`",
                "it writes into an array that other names may share",
                "use the value that the function returns",
            )
        if found.form == "append" or (
            isinstance(call.func, gast.Attribute) and call.func.attr == "pop" and self._is_list(call.func.value)
        ):
            self.built(call, node, spot)
        elif found.form == "rule":
            assert found.rule is not None
            if found.rule.writes or (found.rule.form == "refused" and isinstance(node, gast.Expr)):
                raise self.refuse(
                    call,
                    f"`{found.rule.name}`",
                    "it writes into its argument" if found.rule.writes else found.rule.reason,
                )
        elif (
            isinstance(call.func, gast.Attribute)
            and call.func.attr in MUTATING
            and found.form in ("method", "unknown")
            and not isinstance(calls.owner(call.func, self.kinds, self.program.namespace), types.ModuleType)
        ):
            raise self.refuse(call, f"`.{call.func.attr}()`", "it changes the object that it is called on")
        elif found.form == "function":
            try:
                self.check(found.function, [self.of_argument(a) for a in found.arguments])
            except errors.StdiffError as error:
                error.called_at(errors.place(call, self.program.origin))
                raise
        elif found.form == "unknown":
            self.unknown(call, found)

    def of_argument(self, node: Node) -> Kind:
        if isinstance(node, gast.Constant):
            return kind_of(node.value)
        if isinstance(node, gast.Tuple):
            return Kind("tuple", items=tuple(map(self.of_argument, node.elts)))
        return Kind("dict") if isinstance(node, gast.Dict) else self.kind(node)

    def _is_list(self, node: Node) -> bool:
        return isinstance(node, gast.Name) and self.kind(node).name == "list"

    def built(self, call: Node, node: Node, spot: Spot) -> None:
        plain = isinstance(node, gast.Expr) or (isinstance(node, gast.Assign) and node.value is call)
        if not plain or (call.func.attr == "pop" and (call.args or call.keywords)):
            raise self.refuse(call, f"`.{call.func.attr}()`", "it changes the list that it is called on")
        self.uses.setdefault(call.func.value.id, Uses()).updates.append((call, spot))

    def unknown(self, call: Node, found: calls.Target) -> None:
        """A function without rule and source: harmless only where it can neither carry a derivative nor write."""
        atoms = [*call.args, *(k.value for k in call.keywords)]
        if (
            isinstance(call.func, gast.Attribute)
            and isinstance(call.func.value, gast.Name)
            and call.func.value.id in self.kinds
        ):
            atoms.append(call.func.value)
        harmless = all(
            isinstance(a, gast.Constant | gast.JoinedStr)
            or (isinstance(a, gast.Name) and self.kind(a).name in ("text", "none", "known"))
            for a in atoms
        )
        if not harmless:
            raise no_rule(call, self.program, found.function)


# Places of an array method's `out`.
_OUT = {
    "sum": 3, "mean": 3, "prod": 3, "std": 3, "var": 3, "cumsum": 3, "cumprod": 3, "max": 2, "min": 2, "argmax": 2,
    "argmin": 2, "any": 2, "all": 2, "clip": 3, "round": 2, "dot": 2, "take": 3, "trace": 5, "choose": 2,
    "compress": 3, "ptp": 2,
}


def _gives_out(found: calls.Target) -> bool:
    """Whether a call gives the array to write into by position."""
    function, given = found.function, list(found.arguments)
    if isinstance(function, np.ufunc):
        place: float = function.nin
    elif getattr(function, "__objclass__", None) is np.ndarray:
        place = _OUT.get(function.__name__, math.inf)
    else:
        place = _out_place(function)
    return place < len(given) and getattr(given[int(place)], "value", given) is not None


@functools.cache
def _out_place(function: Any) -> float:
    """The place of a function's parameter `out`; infinite where it has none."""
    if not str(getattr(function, "__module__", "")).startswith("numpy"):
        return math.inf
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return math.inf
    by_place = "out" in parameters and parameters["out"].kind is not inspect.Parameter.KEYWORD_ONLY
    return list(parameters).index("out") if by_place else math.inf


def _operator(op: Node) -> str:
    return {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "MatMult": "@", "FloorDiv": "//", "Mod": "%",
            "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>"}[type(op).__name__]


def no_rule(call: Node, program: Program, function: Any) -> errors.StdiffError:
    """The error at a call of a function without an entry."""
    return table.missing(function, len(call.args) + len(call.keywords), errors.place(call, program.origin))
