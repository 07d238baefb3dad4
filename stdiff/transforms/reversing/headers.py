"""headers: how a backward loop walks what its forward loop recorded."""

from __future__ import annotations

import gast

from stdiff import syntax
from stdiff.analyses.recording import Record
from stdiff.syntax import Node
from stdiff.transforms.reversing.context import Context, call, read
from stdiff.transforms.reversing.control import may_leave


def header(ctx: Context, node: Node, tape: str, names: list[str]) -> Record:
    """Write the header of a backward loop, and say what the forward loop is to record.

    `for i in reversed(range(n))` where the loop's own range says it all, `for x, t in reversed(tape)` where values are
    needed, `for _ in range(trips)` where only their number is.
    """
    loop = ctx.tapes[tape]
    counter = ctx.counters.get(id(loop))
    if counter is not None and counter not in {n.id for s in node.body for n in syntax.walk_names(s)}:
        counter = None
    span = _range(ctx, loop)
    target = loop.target.id if isinstance(loop, gast.For) and isinstance(loop.target, gast.Name) else None
    if span is not None and counter is None and set(names) <= {target}:
        if names:
            node.target, node.iter = syntax.store(names[0]), call(ctx.inject("reversed", reversed), span)
        else:
            node.iter = span
        return Record("range")
    if not names:
        size = _size(ctx, loop)
        count = size if size is not None else read(ctx.save("trips", loop))
        span = call(ctx.inject("range", range), count)
        if counter is None:
            node.iter = span
        else:
            node.target, node.iter = syntax.store(counter), call(ctx.inject("reversed", reversed), span)
        return Record("none" if size is not None else "trips")
    item: Node = (
        syntax.store(names[0]) if len(names) == 1 else gast.Tuple([syntax.store(n) for n in names], gast.Store())
    )
    if counter is None:
        node.target, node.iter = item, call(ctx.inject("reversed", reversed), tape)
    else:
        length = call(ctx.inject("range", range), call(ctx.inject("len", len), tape))
        node.target, node.iter = syntax.store(counter), call(ctx.inject("reversed", reversed), length)
        entry = gast.Assign([item], gast.Subscript(read(tape), read(counter), gast.Load()), None)
        node.body.insert(0, gast.copy_location(entry, node))
    return Record("tape", names)


def _runs_through(loop: Node) -> bool:
    """Whether every iteration is begun: nothing in the body leaves the loop."""
    return not any(_breaks(s) for s in loop.body)


def _breaks(statement: Node) -> bool:
    if isinstance(statement, gast.Break | gast.Return):
        return True
    if isinstance(statement, gast.For | gast.While):
        return may_leave(statement)
    return any(
        _breaks(s) for block in ("body", "orelse", "finalbody") for s in getattr(statement, block, None) or []
    ) or any(_breaks(s) for h in getattr(statement, "handlers", None) or [] for s in h.body)


def _range(ctx: Context, loop: Node) -> Node | None:
    """The `range(...)` of a loop that runs through it all, if the backward sweep can ask for it again."""
    if (
        not isinstance(loop, gast.For)
        or not isinstance(loop.iter, gast.Call)
        or not isinstance(loop.iter.func, gast.Name)
    ):
        return None
    if ctx.program.namespace.get(loop.iter.func.id) is not range or not _runs_through(loop):
        return None
    return _lasting(ctx, loop.iter, loop)


def _size(ctx: Context, loop: Node) -> Node | None:
    """The number of iterations of a loop over an array, a list or a tuple that runs through it all."""
    if not isinstance(loop, gast.For) or not _runs_through(loop):
        return None
    if isinstance(loop.iter, gast.Call):
        return None
    if isinstance(loop.iter, gast.Name) and ctx.kind(loop.iter).name in ("array", "list", "tuple"):
        found = _lasting(ctx, loop.iter, loop)
        return None if found is None else call(ctx.inject("len", len), found)
    return None


def _lasting(ctx: Context, node: Node, loop: Node) -> Node | None:
    """A copy of an expression whose names keep their values from the loop's start until its scope ends, else None."""
    spot = ctx.spot(loop)
    for part in syntax.walk_names(node):
        if part.id in ctx.flow.definitions and (
            ctx.flow.overwritten(part.id, spot, spot.position)
            or any(
                d.loops[: len(spot.loops) + 1] == (*spot.loops, spot.position) for d in ctx.flow.definitions[part.id]
            )
        ):
            return None
    return syntax.copy(node)
