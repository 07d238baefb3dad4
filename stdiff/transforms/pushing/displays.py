"""displays: the tangents of the items of tuples, lists and dicts."""

from __future__ import annotations

import gast

from stdiff import containers, syntax
from stdiff.syntax import Node
from stdiff.transforms.pushing.context import Context
from stdiff.transforms.reversing.context import call


def element(ctx: Context, element: Node) -> Node:
    """The tangent of an item of a display."""
    if not isinstance(element, gast.Starred):
        return ctx.tangent(element)
    inner = call(
        ctx.inject("components", containers.components), ctx.tangent(element.value), syntax.copy(element.value)
    )
    return gast.Starred(inner, gast.Load())


def mapping(ctx: Context, key: Node | None, value: Node) -> Node:
    """The tangent of an item of a dict display; of a `**` item, a dict."""
    if key is None and ctx.is_active(value):
        return call(ctx.inject("as_dict", containers.as_dict), ctx.tangent(value))
    return gast.Dict([], []) if key is None else ctx.tangent(value)
