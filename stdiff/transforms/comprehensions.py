"""Comprehensions as loops that collect, and generator expressions that are consumed at once as comprehensions."""

from __future__ import annotations

import math

import gast

from stdiff.analyses import scopes
from stdiff.syntax import Node
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


def collected(node: Node, target: str, context: Context) -> Statements:
    """The loops that make what a list, set or dict comprehension gives, in the variable `target`.

    `[v * v for v in x if v > 0]` becomes

        target = []
        for v in x:
            if v > 0:
                target.append(v * v)

    A set or a dict is made of the list of its items. The loop variables are new ones where the function uses their
    names otherwise.
    """
    node = _own_variables(node, context)
    listed = isinstance(node, gast.ListComp)
    items = target if listed else context.names.fresh("pairs" if isinstance(node, gast.DictComp) else "items")
    item = at(gast.Tuple([node.key, node.value], gast.Load()), node) if isinstance(node, gast.DictComp) else node.elt
    func = at(gast.Attribute(named(items, node), "append", gast.Load()), node)
    body = [at(gast.Expr(at(gast.Call(func, [item], []), node)), node)]
    made = [assigned(items, at(gast.List([], gast.Load()), node), node), _loops(node.generators, body)]
    if not listed:
        whole = ("dict", dict) if isinstance(node, gast.DictComp) else ("set", set)
        made.append(
            assigned(target, at(gast.Call(named(context.bind(*whole), node), [named(items, node)], []), node), node)
        )
    return made


def searched(node: Node, stops: bool, target: str, context: Context) -> Statements:
    """The loops that find what `any` or `all` of a generator expression gives, in the variable `target`.

    `stops` is the truth of a value at which the search ends: True for `any`. `any(v > 0 for v in x)` becomes

        target = False
        for v in x:
            if v > 0:
                target = True
                break
    """
    node = _own_variables(node, context)
    leave = at(gast.Break(), node)
    found = [assigned(target, constant(stops, node), node), leave]
    name = named(target, node)
    done = at(gast.If(name if stops else negated(name), [leave], []), node)
    body = [at(gast.If(node.elt if stops else negated(node.elt), found, []), node)]
    return [assigned(target, constant(not stops, node), node), _loops(node.generators, body, [done])]


def _loops(generators: list[Node], body: Statements, after: Statements | None = None) -> Node:
    """The nested loops of a comprehension around `body`; `after` follows each inner loop."""
    for number, generator in reversed([*enumerate(generators)]):
        for condition in reversed(generator.ifs):
            body = [at(gast.If(condition, body, []), condition)]
        loop = at(gast.For(generator.target, generator.iter, body, [], None), generator.target)
        body = [loop, *(after or [])] if number else [loop]
    return loop


def _own_variables(node: Node, context: Context) -> Node:
    """The comprehension with loop variables that mean nothing else in the function."""
    own = sorted(scopes.targets(node.generators) - context.new)
    fresh = {name: context.names.fresh(name) for name in own}
    return scopes.rename_targets(node, {name: new for name, new in fresh.items() if name != new})
