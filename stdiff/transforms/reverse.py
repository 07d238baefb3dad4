"""reverse: the forward sweep, which is the function and what it records, and the backward sweep, its adjoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import gast

from stdiff import containers, syntax
from stdiff.analyses.activity import activity
from stdiff.analyses.flow import flow
from stdiff.analyses.kinds import Kind
from stdiff.analyses.masking import masking
from stdiff.analyses.memory import memory
from stdiff.analyses.recording import exposed, recording
from stdiff.program import Program
from stdiff.syntax import Names, Node
from stdiff.transforms.purity import purity
from stdiff.transforms.reversing.adding import zero
from stdiff.transforms.reversing.assembly import assemble
from stdiff.transforms.reversing.context import Callees, Context, read
from stdiff.transforms.reversing.control import pull_block
from stdiff.transforms.reversing.headers import header
from stdiff.transforms.reversing.naming import number, rename
from stdiff.transforms.reversing.placing import unplace
from stdiff.transforms.simplify import simplify
from stdiff.transforms.simplifying.records import hoist_records


@dataclass(frozen=True)
class Sweeps:
    """The two halves of a derivative, and which of their names are functions derived elsewhere."""

    forward: Program
    backward: Program
    links: Mapping[str, tuple[Any, str]]


def reverse(
    program: Program,
    active: tuple[bool, ...],
    kinds: Mapping[str, Kind],
    callees: Callees,
    made: frozenset[str],
    names: tuple[str, str],
) -> Sweeps:
    """Derive the sweeps of a function in the language after `anf`.

    Arguments: `active`, for each parameter, whether to differentiate by it; `kinds`, of the local names; `callees`,
    which derives other functions; `made`, the local names that the compiler made; `names`, of the two sweeps.

        def f(x):                          def f_forward(x):                def f_backward(saved, y_bar):
            y = x * np.sin(x)       ->         s = np.sin(x)                    x, s = saved
            return y                           return x * s, (x, s)             return y_bar * s + y_bar * x * np.cos(x)
    """
    ctx = _context(program, active, kinds, callees, made)
    parameters = [p for p, a in zip(syntax.parameters(program.tree), active, strict=True) if a]
    body = _backward(ctx, parameters)
    tree = _function(names[1], [], body, program.tree)
    tree = simplify(tree, ctx.made, purity(ctx.namespace), derivative=True)
    known = recording(
        tree.body,
        lambda n, tape: _belongs(ctx, n, tape),
        lambda n: _is_local(ctx, n),
        lambda n: _order(ctx, n),
        lambda node, tape, needed: header(ctx, node, tape, needed),
    )
    saved = sorted((n for n in exposed(tree.body) if _is_local(ctx, n)), key=lambda n: _order(ctx, n))
    known.saved[:] = saved
    used = {n.id for n in syntax.walk_names(tree)}
    forward = _function(names[0], [], assemble(ctx, known, used), program.tree)
    forward.args = _plain_arguments(program.tree)
    forward = simplify(forward, ctx.made, purity(ctx.namespace))
    forward, renamed = hoist_records(forward, frozenset(ctx.made))
    rename(tree, renamed)
    _receive(ctx, tree, saved)
    counted = {label for (_, wanted), label in ctx.given.items() if wanted == "trips"}
    kept = counted.union(ctx.tapes, ctx.copies, ctx.flags.values(), syntax.parameters(tree)[:1])
    for sweep in (forward, tree):
        unplace(sweep, kept, ctx.bars.values())
    number(forward, tree, ctx.tapes, {*ctx.namespace, *syntax.parameters(tree), *syntax.parameters(forward)})
    namespace = ctx.namespace
    return Sweeps(
        replace(program, tree=forward, namespace=namespace), replace(program, tree=tree, namespace=namespace), ctx.links
    )


def _context(
    program: Program, active: tuple[bool, ...], kinds: Mapping[str, Kind], callees: Callees, made: frozenset[str]
) -> Context:
    facts = flow(program.tree)
    held = memory(program, kinds, facts, callees.check)
    parameters = syntax.parameters(program.tree)
    varied = activity(program, {p for p, a in zip(parameters, active, strict=True) if a}, kinds)
    taken = set(facts.definitions) | syntax.reads(program.tree) | set(program.namespace)
    ctx = Context(program, facts, kinds, varied, callees, Names(taken), dict(program.namespace))
    ctx.made |= made
    ctx.updated, ctx.built, ctx.views = held.updated, held.built, held.views
    ctx.masked = masking(program, kinds)
    for node in syntax.walk(program.tree):
        if isinstance(node, gast.Call) and ctx.namespace.get(getattr(node.func, "id", "")) is containers.accumulate_at:
            ctx.handed_over |= {a.id for a in node.args[:1] if isinstance(a, gast.Name)}
        base = None
        if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
            base = node.value.id
        elif isinstance(node, gast.For):
            ctx.buffers |= {n.id for n in syntax.walk_names(node.iter) if ctx.is_active(n)}
        if base is not None and varied.get(base):
            ctx.buffers.add(base)
    ctx.buffers |= {n for n in held.built | held.updated if varied.get(n)}
    returns = [n for n in syntax.walk(program.tree) if isinstance(n, gast.Return) and isinstance(n.value, gast.Name)]
    lasting = len(returns) == 1 and returns[0] is program.tree.body[-1] and varied.get(returns[0].value.id)
    if lasting and returns[0].value.id not in made:
        ctx.result_bar = ctx.bar(returns[0].value.id)
    else:
        ctx.result_bar = ctx.names.fresh("result_bar")
        if lasting:
            ctx.bars[returns[0].value.id] = ctx.result_bar
    return ctx


def _backward(ctx: Context, parameters: list[str]) -> list[Node]:
    live: dict[str, bool] = {}
    body = pull_block(ctx, ctx.program.tree.body, live)
    first = ctx.program.tree.body[0]
    for name in parameters:
        if name not in live:
            body.append(gast.copy_location(zero(ctx, name, name), first))
    bars = [read(ctx.bar(name)) for name in parameters]
    value = bars[0] if len(bars) == 1 else gast.Tuple(bars, gast.Load())
    body.append(gast.copy_location(gast.Return(value), ctx.program.tree))
    return body


def _receive(ctx: Context, tree: Node, saved: list[str]) -> None:
    """The backward sweep's parameters: what the forward sweep saved, and the cotangent."""
    first = saved[0] if len(saved) == 1 else ctx.names.fresh("saved")
    tree.args = gast.arguments([_parameter(first), _parameter(ctx.result_bar)], [], None, [], [], None, [])
    if len(saved) > 1:
        target = gast.Tuple([syntax.store(n) for n in saved], gast.Store())
        tree.body.insert(0, gast.copy_location(gast.Assign([target], read(first), None), tree.body[0]))


def _parameter(name: str) -> Node:
    return gast.Name(name, gast.Param(), None, None)


def _plain_arguments(tree: Node) -> Node:
    """The parameters in the order of the inside calling convention, all positional, without defaults."""
    return gast.arguments([_parameter(p) for p in syntax.parameters(tree)], [], None, [], [], None, [])


def _function(name: str, arguments: list[str], body: list[Node], like: Node) -> Node:
    args = gast.arguments([_parameter(a) for a in arguments], [], None, [], [], None, [])
    return gast.copy_location(gast.FunctionDef(name, args, body, [], None, None, []), like)


def _belongs(ctx: Context, name: str, tape: str) -> bool:
    """Whether the forward loop of a tape makes a name, so that each iteration may have its own."""
    position = ctx.spot(ctx.tapes[tape]).position
    if name in ctx.saves:
        return position in ctx.spot(ctx.saves[name]).loops
    if name in ctx.copies:
        return position in ctx.spot(ctx.copies[name].statement).loops or ctx.copies[name].top == position
    return any(position in d.loops for d in ctx.flow.definitions.get(name, ()))


def _is_local(ctx: Context, name: str) -> bool:
    return name in ctx.flow.definitions or name in ctx.saves or name in ctx.copies


def _order(ctx: Context, name: str) -> tuple[int, int]:
    """Where the value of a name is first made: the order in which records list their names."""
    if name in ctx.saves:
        return ctx.spot(ctx.saves[name]).position, 0
    if name in ctx.copies:
        return ctx.copies[name].since, 0
    parameters = syntax.parameters(ctx.program.tree)
    if name in parameters:
        return parameters.index(name) - len(parameters), 0
    position = min((d.position for d in ctx.flow.definitions.get(name, ())), default=0)
    made = ctx.flow.statements.get(position)
    side_by_side = syntax.store_names(made) if isinstance(made, gast.Assign) else []
    return position, side_by_side.index(name) if name in side_by_side else 0
