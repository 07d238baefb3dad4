"""shapes: which name to ask for a shape, so that an array is not recorded for its shape alone."""

from __future__ import annotations

from stdiff import syntax
from stdiff.analyses.activity import any_active
from stdiff.analyses.flow import Spot
from stdiff.syntax import Node
from stdiff.transforms.reversing.context import Context


def shape_of(ctx: Context, name: str, statement: Node, after: bool = False) -> str:
    """The name under which the backward sweep finds an array with the shape that `name` has at a statement.

    A parameter of that shape, which costs nothing to keep; else `name` itself if the user chose it; else another name
    of the user's, or the array that had the shape first. Only arrays that carry derivatives stand in: of floats.
    """
    if name in ctx.updated:
        return name  # its elements change, its shape does not
    kind = ctx.kinds.get(name)
    if kind is not None and kind.name == "array" and kind.shape is not None and any_active(ctx.active.get(name, False)):
        mine = [name] if name not in ctx.made else []
        for other in (*syntax.parameters(ctx.program.tree), *mine, *_alike(ctx, kind.shape), kind.shape):
            if other in mine:
                break
            if ctx.kinds.get(str(other)) == kind and _stands(ctx, str(other), ctx.spot(statement)):
                return str(other)
    return ctx.after(name, statement) if after else ctx.before(name, statement)


def _alike(ctx: Context, shape: object) -> list[str]:
    """The names of the user's that have a shape, in the order of their assignments."""
    if not ctx.alike:
        for name in ctx.flow.definitions:
            kind = ctx.kinds.get(name)
            if kind is not None and kind.name == "array" and kind.shape is not None and name not in ctx.made:
                ctx.alike.setdefault(kind.shape, []).append(name)
    return ctx.alike.get(shape, [])[:4]


def _stands(ctx: Context, name: str, spot: Spot) -> bool:
    """Whether a name has its one value wherever control comes to a place, and carries a derivative."""
    definitions = ctx.flow.definitions[name]
    first = definitions[0]
    above = not first.loops and first.branches == spot.branches[: len(first.branches)]
    lasting = len(definitions) == 1 and first.position < spot.position and above
    return lasting and any_active(ctx.active.get(name, False))
