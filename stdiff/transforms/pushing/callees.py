"""callees: a call of a user's function gives its value and its tangent together."""

from __future__ import annotations

import gast

from stdiff import syntax
from stdiff.analyses import calls
from stdiff.syntax import Node
from stdiff.transforms.pushing.context import Context
from stdiff.transforms.pushing.displays import element, mapping
from stdiff.transforms.pushing.formulas import filled
from stdiff.transforms.reversing.callees import callee, carries, kind_of_argument, link, renamed, stem_of
from stdiff.transforms.reversing.context import call


def push_function(ctx: Context, result: str, found: calls.Target) -> list[Node]:
    """`y = g(a)` -> `y, y_dot = g_tangent(a, a_dot)`; nothing where no argument carries a tangent."""
    arguments = [renamed(ctx, node, found) for node in found.arguments]
    active = tuple(carries(ctx, node) for node in arguments)
    if not any(active):
        return []
    kinds = tuple(kind_of_argument(ctx, node) for node in arguments)
    derived = ctx.callees.sweeps(found.function, active, kinds)
    tangent = link(ctx, f"{stem_of(found.function)}_tangent", derived, "tangent")
    dots = [_dot(ctx, node) for node, is_active in zip(arguments, active, strict=True) if is_active]
    both = gast.Tuple([syntax.store(result), syntax.store(ctx.dot(result))], gast.Store())
    return [gast.Assign([both], call(tangent, *map(syntax.copy, arguments), *dots), None)]


def _dot(ctx: Context, node: Node) -> Node:
    """The tangent of an argument, of full shape where it is an array; that of a display is a display."""
    if isinstance(node, gast.Tuple):
        return gast.Tuple([ctx.tangent(e) for e in node.elts], gast.Load())
    if isinstance(node, gast.Dict):
        return gast.Dict([syntax.copy(k) for k in node.keys], [ctx.tangent(v) for v in node.values])
    return filled(ctx, node)


def push_dynamic(ctx: Context, statement: Node, result: str, found: calls.Target) -> list[Node]:
    """A call of what is known only when running: `f_tangent = tangent(f, args, kwargs)`, then
    `y, y_dot = f_tangent(f, args, kwargs, f_dot, args_dot, kwargs_dot)`."""
    value = statement.value
    first, function, setup = callee(ctx, statement, value, found)
    positional = [*first, *value.args]
    keys = [None if k.arg is None else syntax.constant(k.arg) for k in value.keywords]
    values = [k.value for k in value.keywords]
    atoms = [a.value if isinstance(a, gast.Starred) else a for a in (*positional, *values)]
    if not any(ctx.is_active(a) for a in (*atoms, function)):
        return []
    stem = value.func.attr if isinstance(value.func, gast.Attribute) else value.func.id
    args, kwargs, tangent = (ctx.temporary(f"{stem}_{w}", statement) for w in ("args", "kwargs", "tangent"))
    args_dot, kwargs_dot = (ctx.temporary(f"{stem}_{w}_dot", statement) for w in ("args", "kwargs"))
    derive = ctx.inject("tangent", ctx.callees.at_run_time)
    both = gast.Tuple([syntax.store(result), syntax.store(ctx.dot(result))], gast.Store())
    return [
        *setup,
        syntax.assign(args, gast.Tuple([syntax.copy(p) for p in positional], gast.Load())),
        syntax.assign(
            kwargs, gast.Dict([syntax.copy(k) if k else None for k in keys], [syntax.copy(v) for v in values])
        ),
        syntax.assign(args_dot, gast.Tuple([element(ctx, p) for p in positional], gast.Load())),
        syntax.assign(
            kwargs_dot,
            gast.Dict(
                [syntax.copy(k) if k else None for k in keys],
                [mapping(ctx, k, v) for k, v in zip(keys, values, strict=True)],
            ),
        ),
        syntax.assign(tangent, call(derive, syntax.copy(function), args, kwargs)),
        gast.Assign(
            [both],
            call(tangent, syntax.copy(function), args, kwargs, ctx.tangent(function), args_dot, kwargs_dot),
            None,
        ),
    ]
