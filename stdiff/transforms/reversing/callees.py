"""callees: the adjoint of a call of a user's function: two sweeps, and what the first saves for the second."""

from __future__ import annotations

from typing import Any

import gast

from stdiff import containers, functions, runtime, syntax
from stdiff.analyses import calls
from stdiff.analyses.kinds import ANY, FUNCTION, Kind
from stdiff.syntax import Node
from stdiff.transforms.reversing.adding import Contribution, add, items
from stdiff.transforms.reversing.context import Context, Live, call, name_of, read


def pull_function(ctx: Context, statement: Node, result: str, found: calls.Target, live: Live) -> list[Node]:
    """`y = g(a)` of a known function: `y, y_saved = g_forward(a)`, backward `a_bar = g_backward(y_saved, y_bar)`."""
    arguments = [renamed(ctx, node, found) for node in found.arguments]
    active = tuple(carries(ctx, node) for node in arguments)
    if not any(active):
        live.pop(result)
        return []
    kinds = tuple(kind_of_argument(ctx, node) for node in arguments)
    derived = ctx.callees.sweeps(found.function, active, kinds)
    stem = stem_of(found.function)
    forward = link(ctx, f"{stem}_forward", derived, "forward")
    backward = link(ctx, f"{stem}_backward", derived, "backward")
    saved = ctx.save(f"{result}_saved", statement)
    both = gast.Tuple([syntax.store(result), syntax.store(saved)], gast.Store())
    ctx.replaced[id(statement)] = [gast.Assign([both], call(forward, *map(syntax.copy, arguments)), None)]
    pulled = call(backward, saved, cotangent(ctx, statement, result, live))
    carrying = [node for node, carries in zip(arguments, active, strict=True) if carries]
    return _distribute(ctx, statement, result, pulled, carrying, live)


def _distribute(
    ctx: Context, statement: Node, result: str, pulled: Node, carrying: list[Node], live: Live
) -> list[Node]:
    """Hand the adjoints that a backward sweep returned to the arguments that they belong to."""
    if len(carrying) == 1:
        return add(ctx, statement, result, _spread(ctx, pulled, carrying[0]), live)
    bars = []
    for node in carrying:
        fits = isinstance(node, gast.Name) and node.id not in live and node.id not in ctx.buffers and node.id != result
        if fits and sum(isinstance(c, gast.Name) and c.id == node.id for c in carrying) == 1:
            bars.append(ctx.bar(node.id))
        else:
            stem = node.id if isinstance(node, gast.Name) else "args"
            bars.append(ctx.temporary(f"{stem}_bar_{len(bars) + 1}", statement))
    unpack = gast.Assign([gast.Tuple([syntax.store(b) for b in bars], gast.Store())], pulled, None)
    contributions: list[Contribution] = []
    for bar, node in zip(bars, carrying, strict=True):
        if isinstance(node, gast.Name) and bar == ctx.bars.get(node.id):
            live[node.id] = True
        else:
            contributions += _spread(ctx, read(bar), node)
    return [gast.copy_location(unpack, statement), *add(ctx, statement, result, contributions, live)]


def _spread(ctx: Context, bar: Node, argument: Node) -> list[Contribution]:
    """The contributions of one argument's adjoint; an argument may be a display (of `*args`, of `**kwargs`)."""
    if isinstance(argument, gast.Name):
        return [Contribution(argument.id, bar, zero=True)]
    part = ctx.inject("part", containers.part)
    keys = argument.keys if isinstance(argument, gast.Dict) else [syntax.constant(k) for k in range(len(argument.elts))]
    values = argument.values if isinstance(argument, gast.Dict) else argument.elts
    return [
        Contribution(value.id, call(part, syntax.copy(bar), syntax.copy(key)), zero=True)
        for key, value in zip(keys, values, strict=True)
        if ctx.is_active(value)
    ]


def renamed(ctx: Context, node: Node, found: calls.Target) -> Node:
    """A default that is no literal becomes a name of the namespace."""
    if isinstance(node, gast.Name) and node.id in found.bound:
        return read(ctx.inject(node.id, found.bound[node.id]))
    return node


def cotangent(ctx: Context, statement: Node, result: str, live: Live) -> Node:
    """The adjoint of a call's result at its full shape: a callee's backward sweep counts on it."""
    bar = read(ctx.bar(result))
    if not live[result] or ctx.kinds.get(result, ANY).name == "number":
        return bar
    return call(ctx.inject("filled", runtime.filled), bar, ctx.after(result, statement))


def stem_of(function: Any) -> str:
    """A function's name as the stem of other names."""
    return "".join(c if c.isalnum() else "_" for c in function.__name__).strip("_") or "function"


def carries(ctx: Context, node: Node) -> bool:
    """Whether an argument, perhaps a display of `*args` or `**kwargs`, carries a derivative."""
    if isinstance(node, gast.Tuple):
        return any(ctx.is_active(e) for e in node.elts)
    if isinstance(node, gast.Dict):
        return any(ctx.is_active(v) for v in node.values)
    return ctx.is_active(node)


def kind_of_argument(ctx: Context, node: Node) -> Kind:
    """The kind under which a callee is derived."""
    if isinstance(node, gast.Tuple):
        return Kind("tuple", items=tuple(kind_of_argument(ctx, e) for e in node.elts))
    if isinstance(node, gast.Dict):
        return Kind("dict")
    kind = ctx.kind(node)
    return FUNCTION if kind.name == "known" and not hasattr(kind.value, "__code__") else kind


def link(ctx: Context, wanted: str, derived: Any, which: str) -> str:
    """The name that a part of a derived function has in the generated code."""
    for label, link in ctx.links.items():
        if link == (derived, which):
            return label
    label = ctx.names.fresh(wanted)
    ctx.links[label] = (derived, which)
    ctx.namespace[label] = None  # bound when the function is there
    return label


def pull_dynamic(
    ctx: Context, statement: Node, result: str, value: Node, found: calls.Target, live: Live
) -> list[Node]:
    """A call of what is known only when running: its sweeps are derived on first sight.

    Forward: `f_forward, f_backward = sweeps(f, args, kwargs)` and `y, saved = f_forward(f, args, kwargs)`; backward:
    `f_bar, args_bar, kwargs_bar = f_backward(saved, y_bar)`.
    """
    carrying, function, setup = callee(ctx, statement, value, found)
    positional = [*carrying, *value.args]
    keys = [None if k.arg is None else syntax.constant(k.arg) for k in value.keywords]
    values = [k.value for k in value.keywords]
    atoms = [a.value if isinstance(a, gast.Starred) else a for a in (*positional, *values)]
    if not any(ctx.is_active(a) for a in (*atoms, function)):
        live.pop(result)
        return []
    stem = value.func.attr if isinstance(value.func, gast.Attribute) else value.func.id
    args, kwargs, forward = (ctx.temporary(f"{stem}_{w}", statement) for w in ("args", "kwargs", "forward"))
    backward, saved = (ctx.save(f"{stem}_{w}", statement) for w in ("backward", "saved"))
    sweeps = ctx.inject("sweeps", ctx.callees.at_run_time)
    ctx.replaced[id(statement)] = [
        *setup,
        syntax.assign(args, gast.Tuple([syntax.copy(p) for p in positional], gast.Load())),
        syntax.assign(
            kwargs, gast.Dict([syntax.copy(k) if k else None for k in keys], [syntax.copy(v) for v in values])
        ),
        _unpack([forward, backward], call(sweeps, syntax.copy(function), args, kwargs)),
        _unpack([result, saved], call(forward, syntax.copy(function), args, kwargs)),
    ]
    bars = [ctx.temporary(f"{stem}_{w}", statement) for w in ("bar", "args_bar", "kwargs_bar")]
    pulled = _unpack(bars, call(backward, saved, cotangent(ctx, statement, result, live)))
    contributions = items(ctx, statement, read(bars[1]), positional)
    part = ctx.inject("part", containers.part)
    for key, node in zip(keys, values, strict=True):
        if ctx.is_active(node):
            bar = read(bars[2]) if key is None else call(part, bars[2], syntax.copy(key))
            contributions.append(Contribution(name_of(node), bar, zero=True))
    if ctx.is_active(function):
        contributions.append(Contribution(name_of(function), read(bars[0]), zero=True))
    return [gast.copy_location(pulled, statement), *add(ctx, statement, result, contributions, live)]


def guarded(ctx: Context, statement: Node) -> list[Node]:
    """Before a statement that is not differentiated: a check, where it calls what is known only when running."""
    value = getattr(statement, "value", None)
    if not isinstance(value, gast.Call) or calls.appended(value) or calls.popped(value):
        return []
    found = calls.target(value, ctx.kinds, ctx.program.namespace)
    if found.form not in ("dynamic", "method"):
        return []
    first, function, setup = callee(ctx, statement, value, found)
    args = gast.Tuple([syntax.copy(a) for a in (*first, *value.args)], gast.Load())
    kwargs = gast.Dict(
        [syntax.constant(k.arg) if k.arg else None for k in value.keywords],
        [syntax.copy(k.value) for k in value.keywords],
    )
    return [*setup, gast.Expr(call(ctx.inject("check_call", ctx.callees.guard), syntax.copy(function), args, kwargs))]


def callee(ctx: Context, statement: Node, value: Node, found: calls.Target) -> tuple[list[Node], Node, list[Node]]:
    """The arguments that come before those written, the node of the function, and what must run to have it."""
    if found.form == "dynamic" and not (found.function is None and isinstance(value.func, gast.Attribute)):
        return [], value.func, []
    label = ctx.temporary(value.func.attr, statement)
    helper = ctx.inject("method", functions.method)
    setup = syntax.assign(label, call(helper, syntax.copy(value.func.value), syntax.constant(value.func.attr)))
    return [value.func.value], read(label), [setup]


def _unpack(targets: list[str], value: Node) -> Node:
    return gast.Assign([gast.Tuple([syntax.store(t) for t in targets], gast.Store())], value, None)
