"""blocks: statement lists with their tangents."""

from __future__ import annotations

import itertools

import gast

from stdiff import containers, syntax
from stdiff.analyses import calls
from stdiff.syntax import Node
from stdiff.transforms.pushing.context import Context
from stdiff.transforms.pushing.statements import push
from stdiff.transforms.reversing.context import call


def push_block(ctx: Context, body: list[Node]) -> list[Node]:
    """The statements of a block, each with what keeps its tangent."""
    found: list[Node] = []
    for statement in body:
        found += [gast.copy_location(n, statement) for n in _push(ctx, statement)]
    return found


def _push(ctx: Context, node: Node) -> list[Node]:
    if isinstance(node, gast.If):
        return [gast.If(syntax.copy(node.test), push_block(ctx, node.body), push_block(ctx, node.orelse))]
    if isinstance(node, gast.While):
        return [gast.While(syntax.copy(node.test), push_block(ctx, node.body), push_block(ctx, node.orelse))]
    if isinstance(node, gast.For):
        return [_push_for(ctx, node)]
    if isinstance(node, gast.With):
        if any(
            ctx.active.get(n)
            for i in node.items
            if i.optional_vars is not None
            for n in syntax.store_names(i.optional_vars)
        ):
            raise ctx.error(
                node,
                "a context manager that hands out a value which carries a derivative",
                "what it does to the value is not known",
                "compute the value before or inside the `with`",
            )
        return [gast.With([syntax.copy(i) for i in node.items], push_block(ctx, node.body), None)]
    if isinstance(node, gast.Try):
        handlers = [
            gast.copy_location(gast.ExceptHandler(syntax.copy(h.type), syntax.copy(h.name), push_block(ctx, h.body)), h)
            for h in node.handlers
        ]
        outer, ctx.guarded = ctx.guarded, True
        body = push_block(ctx, node.body)
        ctx.guarded = outer
        return [gast.Try(body, handlers, push_block(ctx, node.orelse), push_block(ctx, node.finalbody))]
    if isinstance(node, gast.Return):
        return [gast.Return(gast.Tuple([syntax.copy(node.value), ctx.tangent(node.value)], gast.Load()))]
    if isinstance(node, gast.Expr) and calls.appended(node.value) is not None:
        return _push_append(ctx, node)
    if isinstance(node, gast.Expr) and calls.popped(node.value) in ctx.owned:
        return _push_pop(ctx, node)
    if isinstance(node, gast.AugAssign):
        return _push_update(ctx, node)
    return push(ctx, node)


def _push_append(ctx: Context, node: Node) -> list[Node]:
    label = node.value.func.value.id
    if not ctx.active.get(label):
        return [syntax.copy(node)]
    append = gast.Attribute(syntax.name(ctx.dot(label)), "append", gast.Load())
    return [syntax.copy(node), gast.Expr(gast.Call(append, [ctx.tangent(node.value.args[0])], []))]


def _push_pop(ctx: Context, node: Node) -> list[Node]:
    label = node.value.func.value.id
    if not ctx.active.get(label):
        return [syntax.copy(node)]
    pop = gast.Call(gast.Attribute(syntax.name(ctx.dot(label)), "pop", gast.Load()), [], [])
    return [syntax.copy(node), gast.Expr(pop)]


def _push_update(ctx: Context, node: Node) -> list[Node]:
    """`b[i] += v`"""
    base = node.target.value if isinstance(node.target, gast.Subscript) else node.target
    if not ctx.is_active(node.value) or not ctx.is_active(base):
        return [syntax.copy(node)]
    target = gast.Subscript(syntax.name(ctx.dot(base.id)), syntax.copy(node.target.slice), gast.Store())
    return [syntax.copy(node), gast.AugAssign(target, node.op, ctx.tangent(node.value))]


def _push_for(ctx: Context, node: Node) -> Node:
    """`for v in x` -> `for v, v_dot in zip(x, x_dot)`"""
    body = push_block(ctx, node.body)
    orelse = push_block(ctx, node.orelse)
    if not isinstance(node.target, gast.Name) or not ctx.active.get(node.target.id):
        return gast.For(syntax.copy(node.target), syntax.copy(node.iter), body, orelse, None)
    both = gast.Tuple([syntax.copy(node.target), syntax.store(ctx.dot(node.target.id))], gast.Store())
    pairs = call(ctx.inject("zip", zip), syntax.copy(node.iter), _tangents(ctx, node.iter))
    return gast.For(both, pairs, body, orelse, None)


def _tangents(ctx: Context, node: Node) -> Node:
    """An iterable of the tangents of the items of another."""
    if isinstance(node, gast.Call):
        callee = ctx.program.namespace.get(getattr(node.func, "id", ""))
        if callee is enumerate:
            return call(ctx.inject("zip", zip), _zeros(ctx), _tangents(ctx, node.args[0]))
        if callee is zip:
            return call(ctx.inject("zip", zip), *(_tangents(ctx, a) for a in node.args))
        if callee is reversed:
            return call(ctx.inject("reversed", reversed), _tangents(ctx, node.args[0]))
        return _zeros(ctx)
    if not ctx.is_active(node):
        return _zeros(ctx)
    if ctx.is_exact(node):
        return ctx.tangent(node)
    return call(ctx.inject("components", containers.components), ctx.tangent(node), syntax.copy(node))


def _zeros(ctx: Context) -> Node:
    return call(ctx.inject("repeat", itertools.repeat), syntax.constant(0.0))
