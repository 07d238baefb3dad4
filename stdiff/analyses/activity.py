"""Activity: which names carry a derivative from the active parameters."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import gast
import numpy as np

from stdiff import errors, syntax
from stdiff.analyses import calls, splicing
from stdiff.analyses.kinds import ANY, Kind, kind_of, of_constant
from stdiff.program import Program
from stdiff.rules import table
from stdiff.rules.python import OPERATORS
from stdiff.syntax import Node

_READS_TEXT = {float, int, complex, np.float64, np.float32, np.array, np.asarray}

_OWN_MEANING = "its class may give it a meaning of its own"
_COMPLEX = "complex numbers carry no derivative here"

Activity = Any  # False, True, or a tuple of these for a tuple whose items differ


def activity(program: Program, parameters: set[str], kinds: Mapping[str, Kind]) -> dict[str, Activity]:
    """The names whose value depends differentiably on the parameters given, by one fixed point over the assignments.

    A name assigned in several places is active if any of them makes it so. Whether the result depends on a name is not
    asked here: the backward sweep follows that itself.
    """
    walk = _Walk(program, dict.fromkeys(parameters, True), kinds)
    walk.assignments = [
        n
        for n in syntax.statements(program.tree.body)
        if isinstance(n, gast.Assign | gast.AugAssign | gast.For | gast.Expr | gast.With | gast.Try)
    ]
    changed = True
    while changed:
        before = dict(walk.active)
        for node in walk.assignments:
            walk.assign(node)
        changed = walk.active != before
    return walk.active


def join(a: Activity, b: Activity) -> Activity:
    """The least activity that covers both.

    >>> join((True, False), (False, False)), join((True, False), True)
    ((True, False), True)
    """
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(map(join, a, b))
    if not a or a == b:
        return b
    return a if not b else True


def carries(kind: Kind | None) -> bool:
    """Whether a value of a kind can carry a derivative at all."""
    return kind is None or kind.name not in ("text", "none", "super")


class _Walk:
    assignments: list[Node]

    def __init__(self, program: Program, active: dict[str, Activity], kinds: Mapping[str, Kind]) -> None:
        self.program, self.active, self.kinds = program, active, kinds
        self.spelled: set[str] = set()

    def set(self, name: str, found: Activity) -> None:
        if any_active(found) and carries(self.kinds.get(name)):
            self.active[name] = join(self.active.get(name, False), found)

    def bind(self, target: Node, found: Activity) -> None:
        if isinstance(target, gast.Name):
            self.set(target.id, found)
        elif isinstance(target, gast.Starred):
            self.bind(target.value, any_active(found))
        elif isinstance(target, gast.Tuple | gast.List):
            same = isinstance(found, tuple) and len(found) == len(target.elts)
            starred = any(isinstance(t, gast.Starred) for t in target.elts)
            for k, part in enumerate(target.elts):
                self.bind(part, found[k] if same and not starred else any_active(found))

    def assign(self, node: Node) -> None:
        if isinstance(node, gast.Assign):
            found = self.of(node.value)
            self.spell(node)
            for target in node.targets:
                self.bind(target, found)
                if isinstance(target, gast.Subscript | gast.Attribute) and isinstance(target.value, gast.Name):
                    self.set(target.value.id, any_active(found))
        elif isinstance(node, gast.AugAssign):
            base = node.target if isinstance(node.target, gast.Name) else node.target.value
            if isinstance(base, gast.Name):
                self.set(base.id, any_active(self.of(node.value)))
        elif isinstance(node, gast.For):
            self.bind(node.target, self.iterated(node.iter))
        elif isinstance(node, gast.Expr):
            label = calls.appended(node.value)
            if label is not None:
                self.set(label, any_active(self.of(node.value.args[0])))
        elif isinstance(node, gast.Try):
            self.caught(node)
        elif isinstance(node, gast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self.bind(item.optional_vars, any_active(self.of(item.context_expr)))

    def spell(self, node: Node) -> None:
        """Text that is made of an active value has no derivative, but a number made of that text would have one."""
        names = {n.id for n in syntax.walk_names(node.value) if isinstance(n.ctx, gast.Load)}
        if isinstance(node.value, gast.Call):
            function = calls.target(node.value, self.kinds, self.program.namespace).function
            if function in _READS_TEXT and names & self.spelled:
                raise errors.at(
                    node.value,
                    self.program.origin,
                    "a number read from text that was made of an active value",
                    "the derivative does not go through text",
                    "keep the number itself",
                )
        target = node.targets[0]
        if isinstance(target, gast.Name) and self.kinds.get(target.id, ANY).name == "text":
            made = isinstance(node.value, gast.JoinedStr | gast.Call | gast.BinOp | gast.Name)
            if names & self.spelled or (
                made and not self.active.get(target.id) and any(any_active(self.active.get(n, False)) for n in names)
            ):
                self.spelled.add(target.id)

    def caught(self, node: Node) -> None:
        """An exception may carry whatever its `try` read."""
        names = {n.id for s in node.body for n in syntax.walk_names(s) if isinstance(n.ctx, gast.Load)}
        if any(any_active(self.active.get(n, False)) for n in names):
            for handler in node.handlers:
                if handler.name:
                    self.active[handler.name if isinstance(handler.name, str) else handler.name.id] = True

    def iterated(self, node: Node) -> Activity:
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id not in self.kinds:
            callee = self.program.namespace.get(node.func.id)
            if callee is range:
                return False
            if callee is enumerate:
                inner = self.iterated(node.args[0])
                return (False, inner) if any_active(inner) else False
            if callee is zip:
                parts = tuple(self.iterated(a) for a in node.args)
                return parts if any(map(any_active, parts)) else False
            if callee is reversed:
                return self.iterated(node.args[0])
        found = self.of(node)
        return any_active(found)

    def of(self, node: Node) -> Activity:
        """The activity of an expression."""
        if isinstance(node, gast.Name):
            return self.active.get(node.id, False)
        if isinstance(node, gast.Tuple) and not any(isinstance(e, gast.Starred) for e in node.elts):
            parts = tuple(self.of(e) for e in node.elts)
            return parts if any(map(any_active, parts)) else False
        if isinstance(node, gast.Tuple | gast.List | gast.Set):
            return any(any_active(self.of(e)) for e in node.elts)
        if isinstance(node, gast.Starred):
            return any_active(self.of(node.value))
        if isinstance(node, gast.Dict):
            return any(any_active(self.of(v)) for v in node.values)
        if isinstance(node, gast.BinOp):
            return self.of_operator(node.op, [node.left, node.right])
        if isinstance(node, gast.UnaryOp):
            return not isinstance(node.op, gast.Not) and self.of_operator(node.op, [node.operand])
        if isinstance(node, gast.Attribute):
            return self.of_attribute(node)
        if isinstance(node, gast.Subscript):
            return self.of_item(node)
        if isinstance(node, gast.Call):
            return self.of_call(node)
        return False

    def of_operator(self, op: Node, operands: list[Node]) -> Activity:
        rule = table.lookup(OPERATORS[type(op).__name__])
        if isinstance(op, gast.BitOr | gast.BitAnd | gast.BitXor) and any(
            any_active(self.of(o)) and not self.is_numeric(o) for o in operands
        ):
            raise errors.at(
                operands[0],
                self.program.origin,
                "an operator on dicts or sets that carry derivatives",
                "how it combines them is not known",
                "write a dict display, `{**a, **b}`",
            )
        if rule is not None and any(any_active(self.of(o)) for o in operands):
            self.require_numbers("an operator", operands)
        return rule is None or self.of_rule(rule, operands, {})

    def is_numeric(self, node: Node) -> bool:
        return isinstance(node, gast.Constant) or (
            isinstance(node, gast.Name) and (kind := self.kinds.get(node.id)) is not None and kind.numeric
        )

    def of_rule(self, rule: table.Rule, args: list[Node], keywords: Mapping[str, Node]) -> Activity:
        if rule.form == "constant" or not any(any_active(self.of(a)) for a in (*args, *keywords.values())):
            return False
        if rule.form == "refused":
            return True
        if rule.form == "elementwise":
            self.require_numbers(f"`{rule.name}`", [*args, *keywords.values()])
        try:
            bound = splicing.operands(rule, args, keywords)
        except TypeError:
            return True  # refused where the statement is differentiated
        parts = splicing.formula(rule.pullback, 1 if rule.form == "elementwise" else 2).parts
        for name, part in zip(rule.parameters, parts, strict=False):
            operand = bound[name]
            operands = operand if isinstance(operand, tuple) else (operand,)
            if part is not None and any(any_active(self.of(o)) for o in operands):
                return True
        return False

    def require_numbers(self, what: str, operands: list[Node]) -> None:
        """Refuse an operator or a function of numbers that is given an object, even one that carries nothing."""
        for node in operands:
            kind = self.kind(node)
            if kind.name != "object" or _like_numbers(kind.type):
                continue
            if issubclass(kind.type, complex):
                met, why, instead = "a complex number", _COMPLEX, "keep the real and the imaginary part apart"
            else:
                met, why, instead = f"a {kind.type.__name__}", _OWN_MEANING, "use numbers and plain arrays"
            raise errors.at(node, self.program.origin, f"{what} on {met}", why, instead)

    def kind(self, node: Node) -> Kind:
        """The kind of an atom."""
        if isinstance(node, gast.Constant):
            return kind_of(node.value)
        name = str(getattr(node, "id", ""))
        known = name not in self.kinds and name in self.program.namespace
        return of_constant(self.program.namespace[name]) if known else self.kinds.get(name, ANY)

    def of_attribute(self, node: Node) -> Activity:
        base = self.of(node.value)
        if not any_active(base):
            return False
        kind = self.kinds.get(node.value.id) if isinstance(node.value, gast.Name) else None
        if kind is not None and (
            kind.numeric or (kind.name == "any" and node.attr in ("shape", "ndim", "size", "dtype"))
        ):
            rule = table.lookup(getattr(np.ndarray, node.attr, None))
            return rule is None or rule.form != "constant"
        return True

    def of_item(self, node: Node) -> Activity:
        base = self.of(node.value)
        key = node.slice.value if isinstance(node.slice, gast.Constant) else None
        known = isinstance(base, tuple) and isinstance(key, int) and -len(base) <= key < len(base)
        return base[key] if known else any_active(base)

    def of_call(self, node: Node) -> Activity:
        atoms = [*node.args, *(k.value for k in node.keywords)]
        found = calls.target(node, self.kinds, self.program.namespace)
        if found.form == "rule":
            assert found.rule is not None
            return self.of_rule(found.rule, list(found.arguments), found.keywords)
        if isinstance(node.func, gast.Attribute) and isinstance(node.func.value, gast.Name):
            atoms.append(node.func.value)
        elif isinstance(node.func, gast.Name):
            atoms.append(node.func)
        return any(any_active(self.of(a)) for a in atoms)


def _like_numbers(kind: type) -> bool:
    return issubclass(kind, numbers.Real) or hasattr(kind, "__cuda_array_interface__")


def any_active(found: Activity) -> bool:
    """Whether any part is active.

    >>> any_active((False, (True, False)))
    True
    """
    return any(map(any_active, found)) if isinstance(found, tuple) else bool(found)

