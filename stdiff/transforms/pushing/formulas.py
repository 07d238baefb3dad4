"""formulas: the tangent of a call of a function with a rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast
import numpy as np

from stdiff import containers, runtime, syntax
from stdiff.analyses import splicing
from stdiff.analyses.kinds import ANY, NUMBER
from stdiff.rules import table
from stdiff.syntax import Node
from stdiff.transforms.pushing.context import Context
from stdiff.transforms.reversing.context import call
from stdiff.transforms.reversing.formulas import bind, reason, reduction, spliced, strangers
from stdiff.transforms.simplifying.folding import fold


def push_rule(
    ctx: Context, statement: Node, result: str, rule: table.Rule, args: list[Node], keywords: Mapping[str, Node]
) -> Node | None:
    """The tangent of `result = rule.function(*args)`, None where no operand carries one.

    The result itself is called `ctx.result_mark` in it where the statement overwrites an operand.
    """
    atoms = [a.value if isinstance(a, gast.Starred) else a for a in (*args, *keywords.values())]
    if rule.form == "constant" or not any(ctx.is_active(a) for a in atoms):
        return None
    if rule.form == "refused":
        raise reason(ctx, statement, rule)
    bound = bind(ctx, statement, rule, args, keywords)
    own = result if result not in {a.id for a in atoms if isinstance(a, gast.Name)} else ctx.result_mark
    found = (
        _linear(ctx, rule, args, keywords, bound)
        if rule.form == "linear"
        else _sum(ctx, result, own, rule, bound)
    )
    if (
        found is not None
        and all(ctx.is_exact(a) or not ctx.is_active(a) for a in atoms)
        and len(ctx.flow.definitions[result]) == 1
    ):
        ctx.exact.add(result)
    return found


def filled(ctx: Context, operand: Node) -> Node:
    """The tangent of an operand at its full shape."""
    if ctx.is_exact(operand) or ctx.kind(operand).name == "number" or not ctx.is_active(operand):
        return ctx.tangent(operand)
    return call(ctx.inject("filled", runtime.filled), ctx.tangent(operand), syntax.copy(operand))


def _linear(
    ctx: Context, rule: table.Rule, args: list[Node], keywords: Mapping[str, Node], bound: Mapping[str, Any]
) -> Node | None:
    """The function itself, on the tangent of its first operand."""
    first = rule.parameters[0]
    operand = bound[first]
    if not ctx.is_active(operand):
        return None
    if rule.attribute:
        return gast.Attribute(filled(ctx, operand), rule.function.__name__, gast.Load())
    given = [syntax.copy(a) for a in args]
    named = {k: syntax.copy(v) for k, v in keywords.items()}
    if first in named:
        named[first] = filled(ctx, operand)
    else:
        given[0] = filled(ctx, operand)
    function = (
        syntax.name(ctx.inject(rule.name.rsplit(".", 1)[-1], rule.function))
        if not _path(ctx, rule)
        else syntax.expression(_path(ctx, rule))
    )
    return gast.Call(function, given, [gast.keyword(k, v) for k, v in named.items()])


def _path(ctx: Context, rule: table.Rule) -> str:
    """How the generated code writes a function: `np.sum` for NumPy's own, else a name of its own."""
    root, _, rest = rule.name.partition(".")
    found: Any = np
    for part in rest.split("."):
        found = getattr(found, part, None)
    return f"{ctx.inject('np', np)}.{rest}" if root == "np" and found is rule.function else ""


def _sum(ctx: Context, result: str, own: str, rule: table.Rule, bound: dict[str, Any]) -> Node | None:
    """The sum of what the operands' tangents contribute."""
    elementwise = rule.form == "elementwise"
    formula = splicing.formula(rule.pullback if elementwise else rule.pushforward, 1 if elementwise else 2)
    terms: list[Node] = []
    full = False
    for name, part in zip(rule.parameters, formula.parts, strict=False):
        operand = bound[name]
        operands = list(operand) if isinstance(operand, tuple) else [operand]
        if part is None or not any(ctx.is_active(o) for o in operands):
            continue
        values = {
            n: syntax.copy(o) if not isinstance(o, tuple) else tuple(map(syntax.copy, o)) for n, o in bound.items()
        }
        values[formula.first[-1]] = syntax.name(own)
        values |= {splicing.shape(n): v for n, v in values.items()}
        if not elementwise:
            tangent: Any = tuple(filled(ctx, o) if ctx.is_active(o) else syntax.constant(0.0) for o in operands)
            values[formula.first[0]] = tangent if isinstance(operand, tuple) else tangent[0]
        term = spliced(ctx, part, values, formula)
        if elementwise:
            term = fold(gast.BinOp(term, gast.Mult(), ctx.tangent(operand)))
            others = [ctx.kind(o) for o in bound.values() if isinstance(o, gast.Name | gast.Constant)]
            full = full or (
                reduction(ctx.kind(operand), others, len(bound)) == "none"
                and (ctx.is_exact(operand) or ctx.kind(operand).name == "number")
            )
        terms.append(term)
    if not terms:
        return None
    total = terms[0]
    for term in terms[1:]:
        if elementwise or ctx.kinds.get(result, ANY).numeric:
            total = fold(gast.BinOp(total, gast.Add(), term))
        else:
            total = call(ctx.inject("accumulate", containers.accumulate), total, term)
    if not elementwise or full or ctx.kinds.get(result) == NUMBER:
        return total
    others = strangers(ctx, [o for o in bound.values() if not isinstance(o, tuple)])
    return call(ctx.inject("broadcast", runtime.broadcast), total, own, *map(syntax.copy, others))

