"""formulas: the adjoint of a call of a function with a rule, its formula spliced in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import gast
import numpy as np

from stdiff import containers, runtime, syntax
from stdiff.analyses import splicing
from stdiff.analyses.kinds import Kind
from stdiff.analyses.results import gives_several
from stdiff.errors import NoRuleError, StdiffError
from stdiff.rules import table
from stdiff.syntax import Node
from stdiff.transforms.reversing.adding import Contribution
from stdiff.transforms.reversing.context import Context, Live, call, read
from stdiff.transforms.reversing.shapes import shape_of
from stdiff.transforms.simplifying.folding import fold


def bind(
    ctx: Context, statement: Node, rule: table.Rule, args: list[Node], keywords: Mapping[str, Node]
) -> dict[str, Any]:
    """The operands of a call by the rule's parameters; a call that the rule does not cover is refused."""
    atoms = [a.value if isinstance(a, gast.Starred) else a for a in (*args, *keywords.values())]
    ours = str(getattr(rule.function, "__module__", "")).startswith("stdiff.")
    if not ours and any(ctx.is_active(a) and ctx.kind(a).name == "object" for a in atoms):
        raise ctx.error(
            statement,
            f"`{rule.name}` of an object",
            "its class may give it a meaning of its own",
            "call it on the object's fields",
        )
    try:
        return splicing.operands(rule, args, keywords)
    except table.BindError as error:
        raise ctx.error(
            statement, f"`{rule.name}` with its argument {error.option}", "its rule does not cover that argument",
            "leave the argument out, or write the step in other functions", NoRuleError,
        ) from None
    except TypeError as error:
        raise ctx.error(
            statement, f"this call of `{rule.name}`", str(error), "call it as its documentation says"
        ) from None


def pull_rule(
    ctx: Context,
    statement: Node,
    result: str,
    rule: table.Rule,
    args: list[Node],
    keywords: Mapping[str, Node],
    live: Live,
) -> list[Contribution]:
    """What `result = rule.function(*args)` contributes to the adjoints of its operands."""
    atoms = [a.value if isinstance(a, gast.Starred) else a for a in (*args, *keywords.values())]
    if rule.form == "constant" or not any(ctx.is_active(a) for a in atoms):
        return []
    if rule.form == "refused":
        raise reason(ctx, statement, rule)
    bound = bind(ctx, statement, rule, args, keywords)
    elementwise = rule.form == "elementwise"
    formula = splicing.formula(rule.pullback, 1 if elementwise else 2)
    several = gives_several(rule.function) or ctx.kinds.get(result, Kind("any")).container  # some may not be used
    keeps_zero = elementwise or takes_zero(rule)
    values = _values(
        ctx, statement, result, bound, formula.first, elementwise, not keeps_zero and (live[result] or several)
    )
    found: list[Contribution] = []
    for (_, operand), part in zip(_ordered(rule, bound).items(), formula.parts, strict=False):
        if part is None:
            continue
        value = spliced(ctx, part, values, formula)
        if isinstance(operand, tuple):
            found += _star(ctx, operand, value)
        elif ctx.is_active(operand):
            if elementwise:
                value = _product(ctx, statement, result, rule, operand, value, bound)
            found.append(Contribution(operand.id, value, fresh=_is_fresh(value), zero=keeps_zero and live[result]))
    return found


def takes_zero(rule: table.Rule) -> bool:
    """Whether a rule's formula takes the 0.0 of unknown shape: those of the helpers for adjoints of containers do."""
    return getattr(rule.function, "__module__", "") in ("stdiff.containers", "stdiff.structures")


def reason(ctx: Context, statement: Node, rule: table.Rule) -> StdiffError:
    """The refusal that an entry states."""
    why, _, instead = rule.reason.partition("; ")
    instead = instead or "leave it out of what is differentiated"
    return ctx.error(statement, f"`{rule.name}`", why or "it has no derivative", instead, NoRuleError)


def _ordered(rule: table.Rule, bound: dict[str, Any]) -> dict[str, Any]:
    return {name: bound[name] for name in rule.parameters}


def _values(
    ctx: Context,
    statement: Node,
    result: str,
    bound: dict[str, Any],
    first: tuple[str, ...],
    elementwise: bool,
    zero: bool,
) -> dict[str, Any]:
    """The nodes that a formula's parameters stand for."""
    values: dict[str, Any] = {}
    for name, operand in bound.items():
        if isinstance(operand, tuple):
            values[name] = tuple(ctx.primal(o, statement) for o in operand)
        else:
            values[name] = ctx.primal(operand, statement)
            values[splicing.shape(name)] = values[name]
            if isinstance(operand, gast.Name):
                values[splicing.shape(name)] = _Lazy(partial(_shape, ctx, operand.id, statement, False))
    after = _Lazy(lambda: ctx.result(result, statement))
    if elementwise:
        values[first[0]] = after
    else:
        g: Node = read(ctx.bar(result))
        if zero and ctx.kinds.get(result, Kind("any")).name != "number":
            g = call(ctx.inject("filled", runtime.filled), g, shape_of(ctx, result, statement, after=True))
        values[first[0]], values[first[1]] = g, after
        values[splicing.shape(first[1])] = _Lazy(partial(_shape, ctx, result, statement, True))
    return values


def _shape(ctx: Context, name: str, statement: Node, after: bool) -> Node:
    return read(shape_of(ctx, name, statement, after))


@dataclass(frozen=True)
class _Lazy:
    """A name that is asked for only where a formula reads it (asking may cost a copy)."""

    node: Callable[[], Node]


def spliced(ctx: Context, part: Node, values: Mapping[str, Any], formula: splicing.Formula) -> Node:
    """A part of a formula on the operands of a call; what else it names is bound in the generated code's namespace."""
    used = splicing.free(part)
    nodes = {name: v.node() if isinstance(v, _Lazy) else v for name, v in values.items() if name in used}
    builtin = formula.namespace.get("__builtins__", {})
    builtin = builtin if isinstance(builtin, dict) else vars(builtin)
    for name in splicing.free_names(part, values):
        value = formula.namespace[name] if name in formula.namespace else builtin[name]
        label = ctx.inject(name, value)
        if label != name:
            nodes[name] = read(label)
    return splicing.without_defaults(splicing.splice(part, nodes), ctx.namespace)


def _star(ctx: Context, operands: tuple[Node, ...], whole: Node) -> list[Contribution]:
    """The adjoints of `*operands` are the items of one tuple."""
    active = [k for k, o in enumerate(operands) if ctx.is_active(o)]
    part = ctx.inject("part", containers.part)
    return [Contribution(operands[k].id, call(part, syntax.copy(whole), syntax.constant(k)), zero=True) for k in active]


def _product(
    ctx: Context, statement: Node, result: str, rule: table.Rule, operand: Node, local: Node, bound: Mapping[str, Any]
) -> Node:
    """The cotangent times the local derivative, summed to the operand's shape where the shapes may differ."""
    g = read(ctx.bar(result))
    plain = fold(local)
    infinite = rule.singular or (result in ctx.masked and _may_be_infinite(ctx, plain))
    if (
        infinite
        and not isinstance(plain, gast.Constant)
        and not (isinstance(local, gast.Call) and not isinstance(plain, gast.Call))
    ):
        product = call(ctx.inject("scale", runtime.scale), g, local)
    else:
        product = fold(gast.BinOp(g, gast.Mult(), plain))
    atoms = {getattr(o, "id", o): o for o in bound.values() if isinstance(o, gast.Name | gast.Constant)}
    need = reduction(ctx.kind(operand), [ctx.kind(o) for o in atoms.values()], len(bound))
    if need == "none":
        return product
    if need == "sum":
        total = gast.Attribute(read(ctx.inject("np", np)), "sum", gast.Load())
        return gast.Call(total, [product], [])
    others = [ctx.primal(o, statement) for o in strangers(ctx, atoms.values())]
    shape = shape_of(ctx, operand.id, statement)
    return call(ctx.inject("unbroadcast", runtime.unbroadcast), product, shape, *others)


def strangers(ctx: Context, operands: Iterable[Node]) -> list[Node]:
    """The operands of which nothing is known: constants that may have operators of their own."""
    return [o for o in operands if isinstance(o, gast.Name) and not ctx.is_active(o) and ctx.kind(o).name == "any"]


_POLES = {
    "log", "log2", "log10", "log1p", "reciprocal", "divide", "power", "float_power", "pow", "arctanh", "atanh", "tan",
    "gamma",
}


def _may_be_infinite(ctx: Context, local: Node) -> bool:
    """Whether a local derivative may be infinite or NaN: it divides, calls, takes a power, or reads what did."""
    if any(isinstance(n, gast.Call | gast.Div | gast.Pow) for n in gast.walk(local)):
        return True
    for name in syntax.reads(local):
        for definition in ctx.flow.definitions.get(name, ()):
            value = getattr(ctx.flow.statements.get(definition.position), "value", None)
            func = getattr(value, "func", None)
            if getattr(func, "attr", getattr(func, "id", "")) in _POLES or isinstance(
                getattr(value, "op", None), gast.Div | gast.Pow
            ):
                return True
    return False


def reduction(kind: Kind, operands: list[Kind], count: int) -> str:
    """How an elementwise cotangent is brought to its operand's shape: not at all, by a sum, or as shapes say.

    Arguments: `kind`, the operand's; `operands`, those of the different operands of the call, itself among them;
    `count`, of parameters.

    >>> from stdiff.analyses.kinds import ARRAY, NUMBER
    >>> [reduction(NUMBER, [NUMBER, NUMBER], 2), reduction(ARRAY, [ARRAY, NUMBER], 2)]
    ['none', 'none']
    >>> reduction(ARRAY, [ARRAY, ARRAY], 2)
    'shape'
    """
    if count == 1:
        return "none"
    if kind.name == "number":
        if all(o.name in ("number", "none", "text") for o in operands):
            return "none"
        return "sum" if all(o.numeric or o.name in ("none", "text") for o in operands) else "shape"
    if kind.numeric:
        arrays = [o for o in operands if o.name not in ("number", "none", "text")]
        if len(arrays) == 1:
            return "none"
        if kind.shape is not None and all(o.shape == kind.shape and o.rank == kind.rank for o in arrays):
            return "none"
    return "shape"


def _is_fresh(node: Node) -> bool:
    """Whether an expression makes a new object: arithmetic does, a name or a view does not."""
    return isinstance(node, gast.BinOp | gast.UnaryOp)
