"""Comprehensions as loops that collect, and generator expressions that are consumed at once as comprehensions."""

from __future__ import annotations

import math
from collections.abc import Callable

import gast

from stdiff.analyses import scopes
from stdiff.syntax import Node
from stdiff.transforms import hoisting  # each calls the other
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.nodes import assigned, at, constant, named, negated

_CONSUMERS = (sum, max, min, list, tuple, set, frozenset, dict, sorted, math.prod, math.fsum)


def consumes(func: Node, function: object) -> bool:
    """Whether a call of `function`, written `func`, goes through an iterator at once and keeps nothing of it."""
    if isinstance(func, gast.Attribute) and func.attr == "join" and isinstance(func.value, gast.Constant):
        return isinstance(func.value.value, str | bytes)
    return any(function is consumer for consumer in _CONSUMERS)


def listed(node: Node) -> Node:
    """A generator expression as the list comprehension of its values."""
    return at(gast.ListComp(node.elt, node.generators), node)


def collected(node: Node, target: str, out: Statements, context: Context) -> None:
    """Appends the loops that make what a list, set or dict comprehension gives, in the variable `target`.

    `[v * v for v in x if v > 0]` becomes

        target = []
        for v in x:
            if v > 0:
                target.append(v * v)

    The loop variables are new ones where the function uses their names otherwise.
    """
    node = _own_variables(node, context)
    empty = {gast.ListComp: gast.List([], gast.Load()), gast.DictComp: gast.Dict([], [])}.get(type(node))
    if empty is None:
        empty = gast.Call(named(context.bind("set", set), node), [], [])
    start: Statements = [assigned(target, at(empty, node), node)]

    def innermost(body: Statements) -> None:
        if isinstance(node, gast.DictComp):
            pair = hoisting.value(at(gast.Tuple([node.key, node.value], gast.Load()), node), body, context)
            item = at(gast.Subscript(named(target, node), pair.elts[0], gast.Store()), node)
            body.append(at(gast.Assign([item], pair.elts[1], None), node))
            return
        method = "append" if isinstance(node, gast.ListComp) else "add"
        func = at(gast.Attribute(named(target, node), method, gast.Load()), node)
        call = at(gast.Call(func, [hoisting.value(node.elt, body, context)], []), node)
        body.append(at(gast.Expr(call), node))

    # The outermost iterable is evaluated before the collection is made: it may fail, or read the target's old value.
    first = hoisting.value(node.generators[0].iter, out, context)
    out += start
    _loops(node.generators, first, innermost, out, context)


def searched(node: Node, stops: bool, target: str, out: Statements, context: Context) -> None:
    """Appends the loops that find what `any` or `all` of a generator expression gives, in the variable `target`.

    `stops` is the truth of a value at which the search ends: True for `any`. `any(v > 0 for v in x)` becomes

        target = False
        for v in x:
            if v > 0:
                target = True
                break
    """
    node = _own_variables(node, context)
    found = [assigned(target, constant(stops, node), node), at(gast.Break(), node)]

    def innermost(body: Statements) -> None:
        test = hoisting.condition(node.elt, body, context)
        if not stops:
            test = negated(test)
        body.append(at(gast.If(test, found, []), node))

    first = hoisting.value(node.generators[0].iter, out, context)
    out.append(assigned(target, constant(not stops, node), node))
    name = named(target, node)
    done = name if stops else negated(name)
    leave = at(gast.If(done, [at(gast.Break(), node)], []), node)
    _loops(node.generators, first, innermost, out, context, leave)


def _loops(
    generators: list[Node],
    first: Node,
    innermost: Callable[[Statements], None],
    out: Statements,
    context: Context,
    leave: Node = None,
) -> None:
    """The nested loops of a comprehension around what `innermost` appends; `leave` follows each inner loop."""
    block = out
    for number, generator in enumerate(generators):
        iterable = hoisting.value(generator.iter, block, context) if number else first
        body: Statements = []
        block.append(at(gast.For(generator.target, iterable, body, [], None), generator.target))
        if number and leave is not None:
            block.append(leave)
        block = body
        for condition in generator.ifs:
            inner: Statements = []
            block.append(at(gast.If(hoisting.condition(condition, block, context), inner, []), condition))
            block = inner
    innermost(block)


def _own_variables(node: Node, context: Context) -> Node:
    """The comprehension with loop variables that mean nothing else in the function."""
    own = sorted(scopes.targets(node.generators) - context.new)
    fresh = {name: context.names.fresh(name) for name in own}
    return scopes.rename_targets(node, {name: new for name, new in fresh.items() if name != new})
