"""adding: bring the contributions of one statement into the adjoints of what it read."""

from __future__ import annotations

from dataclasses import dataclass

import gast

from stdiff import containers, syntax
from stdiff.syntax import Node
from stdiff.transforms.reversing.context import Context, Live, call, read


@dataclass(frozen=True)
class Contribution:
    """What a statement adds to the adjoint of `operand` (of `operand[index]`).

    `fresh` says that the expression makes an object that nothing else holds; `zero` that its value may be the float
    0.0.
    """

    operand: str
    value: Node
    index: Node | None = None
    fresh: bool = False
    zero: bool = False


def add(ctx: Context, statement: Node, result: str | None, contributions: list[Contribution], live: Live) -> list[Node]:
    """The statements that bring the contributions in. `live` is brought up to date; `result`'s adjoint ends here."""
    found: list[Node] = []
    last = [c for c in contributions if c.operand == result]
    for c in sorted(contributions, key=lambda c: c.operand not in live):  # first what is added to, then what is new
        if c.operand != result:
            found += _add(ctx, statement, c, live, alias_stays=bool(last) and result in ctx.buffers)
    if result is not None:
        zero = live.pop(result, False)
        if last:
            found += _replace(ctx, statement, last, zero, live)
    for node in found:
        gast.copy_location(node, statement)
    return found


def _replace(ctx: Context, statement: Node, last: list[Contribution], zero: bool, live: Live) -> list[Node]:
    """A statement that reads the name that it writes: all that it adds to the new adjoint of that name, in one go."""
    bar = ctx.bar(last[0].operand)
    if any(c.index is not None for c in last):
        old = ctx.temporary(f"{last[0].operand}_old_bar", statement)
        found: list[Node] = [syntax.assign(old, read(bar))]
        renamed = [
            Contribution(c.operand, syntax.substitute(syntax.copy(c.value), {bar: read(old)}), c.index, c.fresh, c.zero)
            for c in last
        ]
        for c in renamed:
            found += _add(ctx, statement, c, live, alias_stays=False)
        return found
    value = last[0].value
    for c in last[1:]:
        value = _sum(ctx, c.operand, value, c.value)
    live[last[0].operand] = zero or any(c.zero for c in last)
    if isinstance(value, gast.Name) and value.id == bar:
        return []
    return [syntax.assign(bar, value)]


def _sum(ctx: Context, operand: str, a: Node, b: Node) -> Node:
    kind = ctx.kinds.get(operand)
    if kind is not None and kind.numeric:
        return gast.BinOp(a, gast.Add(), b)
    return call(ctx.inject("accumulate", containers.accumulate), a, b)


def _add(ctx: Context, statement: Node, c: Contribution, live: Live, alias_stays: bool) -> list[Node]:
    ctx.refuse_caught(statement, c.operand)
    bar = ctx.bar(c.operand)
    if c.index is not None:
        return _add_at(ctx, statement, c, bar, live)
    known = live.get(c.operand)
    live[c.operand] = c.zero and known is not False
    if known is not None:
        return [syntax.assign(bar, _sum(ctx, c.operand, read(bar), c.value))]
    value = c.value
    updated = c.operand in ctx.updated
    if (not c.fresh or updated) and (c.operand in ctx.buffers or alias_stays):
        helper = (
            ctx.inject("as_list", containers.as_list) if c.operand in ctx.built else ctx.inject("own", containers.own)
        )
        value = call(helper, value, c.operand if updated else ctx.before(c.operand, statement))
        live[c.operand] = False
    return [syntax.assign(bar, value)]


def _add_at(ctx: Context, statement: Node, c: Contribution, bar: str, live: Live) -> list[Node]:
    """Add to one item: `x_bar[i] += g` where `x` is an array made once and the index is plain, else by a helper."""
    known = c.operand in live
    primal = c.operand if c.operand in ctx.updated else ctx.before(c.operand, statement)
    made = ctx.overwritten_buffer(c.operand) and not live.get(c.operand)  # the adjoint is an array, or becomes one here
    if (made or c.operand in ctx.updated) and plain_index(ctx, c.index):
        found = [] if known else [zero(ctx, c.operand, primal)]
        live[c.operand] = False
        target = gast.Subscript(read(bar), ctx.primal(c.index, statement), gast.Store())
        return [*found, gast.AugAssign(target, gast.Add(), c.value)]
    old = read(bar) if known else syntax.constant(0.0)
    if not known and c.operand in ctx.built:
        old = call(ctx.inject("as_list", containers.as_list), old, primal)
    helper = ctx.inject("accumulate_at", containers.accumulate_at)
    live[c.operand] = False
    return [syntax.assign(bar, call(helper, old, primal, as_key(ctx, ctx.primal(c.index, statement)), c.value))]


def items(ctx: Context, statement: Node, bar: Node, elements: list[Node]) -> list[Contribution]:
    """The adjoints of a display's elements as parts of the display's adjoint `bar`."""
    part = ctx.inject("part", containers.part)
    found = []
    for k, element in enumerate(elements):
        starred = isinstance(element, gast.Starred)
        if not ctx.is_active(element.value if starred else element):
            continue
        start = _place(ctx, statement, elements[:k])
        if starred:
            if ctx.kind(element.value).name == "object":
                raise ctx.error(
                    statement,
                    "the items of an object",
                    "its class gives them in a way of its own",
                    "name its attributes",
                )
            whole = _place(ctx, statement, elements[: k + 1])
            key = call(ctx.inject("slice", slice), start, whole)
            value = call(part, syntax.copy(bar), key)
            if ctx.kind(element.value).name not in ("tuple", "list"):
                value = call(
                    ctx.inject("unpacked", containers.unpacked), ctx.before(element.value.id, statement), value
                )
            found.append(Contribution(element.value.id, value, zero=True))
        else:
            found.append(Contribution(element.id, call(part, syntax.copy(bar), start), zero=True))
    return found


def _place(ctx: Context, statement: Node, before: list[Node]) -> Node:
    """How many items a display has before a place: a number, and the lengths of the starred parts."""
    place: Node = syntax.constant(sum(not isinstance(e, gast.Starred) for e in before))
    for element in before:
        if isinstance(element, gast.Starred):
            length = call(ctx.inject("len", len), ctx.primal(element.value, statement))
            place = (
                length if place == 0 or getattr(place, "value", None) == 0 else gast.BinOp(length, gast.Add(), place)
            )
    return place


def plain_index(ctx: Context, index: Node | None) -> bool:
    """Whether an index is made of numbers, slices, None and Ellipsis, so that it names no element twice."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    for part in parts:
        if isinstance(part, gast.Slice) or (isinstance(part, gast.Constant) and not isinstance(part.value, str)):
            continue
        if isinstance(part, gast.Name) and (ctx.kind(part).name == "number" or part.id in ctx.counters.values()):
            continue
        if isinstance(part, gast.BinOp):  # of a counter
            continue
        return False
    return True


def as_key(ctx: Context, index: Node | None) -> Node:
    """An index as an argument: a slice becomes `slice(a, b, c)`."""
    if isinstance(index, gast.Slice):
        ends = [syntax.constant(None) if e is None else e for e in (index.lower, index.upper, index.step)]
        return call(ctx.inject("slice", slice), *(ends if index.step is not None else ends[:2]))
    if isinstance(index, gast.Tuple):
        return gast.Tuple([as_key(ctx, e) for e in index.elts], gast.Load())
    assert index is not None
    return index


def zero(ctx: Context, name: str, primal: str) -> Node:
    """`x_bar = 0.0`, or the array of zeros that is then added into."""
    if name in ctx.buffers and ctx.overwritten_buffer(name):
        import numpy as np

        zeros = gast.Call(gast.Attribute(read(ctx.inject("np", np)), "zeros_like", gast.Load()), [read(primal)], [])
        return syntax.assign(ctx.bar(name), zeros)
    if name in ctx.updated:
        return syntax.assign(ctx.bar(name), call(ctx.inject("zeros_like", containers.zeros_like), name))
    if name in ctx.built:
        return syntax.assign(
            ctx.bar(name), call(ctx.inject("as_list", containers.as_list), syntax.constant(0.0), primal)
        )
    return syntax.assign(ctx.bar(name), syntax.constant(0.0))
