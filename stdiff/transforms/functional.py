"""`map`, `filter` and `reduce`, `max` and `min` with a key, as loops."""

from __future__ import annotations

import functools

import gast

from stdiff import syntax
from stdiff.analyses.calls import known
from stdiff.syntax import Node
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.nodes import assigned, at, constant, everywhere_at, named, stored


def generator(node: Node, context: Context) -> tuple[Statements, Node | None]:
    """The generator expression that a call of `map` or `filter` stands for, and what comes before it; else None.

    `map(f, x, y)` is `(f(v, w) for v, w in zip(x, y))`, `filter(f, x)` is `(v for v in x if f(v))`.
    """
    if not isinstance(node, gast.Call) or node.keywords or len(node.args) < 2:
        return [], None
    function = known(node.func, context.namespace)
    if function not in (map, filter) or any(isinstance(argument, gast.Starred) for argument in node.args):
        return [], None
    before, f = context.kept(node.args[0], "function")
    iterables = node.args[1:]
    items = [context.new_variable("item") for _ in iterables]
    call = at(gast.Call(f, [named(item, node) for item in items], []), node)
    if function is filter:
        test = named(items[0], node) if isinstance(f, gast.Constant) else call
        clause = gast.comprehension(stored(items[0], node), iterables[0], [test], 0)
        return before, at(gast.GeneratorExp(named(items[0], node), [clause]), node)
    target, iterable = stored(items[0], node), iterables[0]
    if len(items) > 1:
        target = at(gast.Tuple([stored(item, node) for item in items], gast.Store()), node)
        iterable = at(gast.Call(named(context.bind("zip", zip), node), iterables, []), node)
    return before, at(gast.GeneratorExp(call, [gast.comprehension(target, iterable, [], 0)]), node)


def folded(node: Node, context: Context) -> tuple[Statements, Node | None]:
    """The loop that does what `reduce`, or `max` or `min` with a key, does, and where its result is; else None."""
    function = known(node.func, context.namespace)
    if any(isinstance(argument, gast.Starred) for argument in node.args):
        return [], None
    if function is functools.reduce and len(node.args) in (2, 3) and not node.keywords:
        return _reduced(node, context)
    by_key = len(node.args) == 1 and [k.arg for k in node.keywords] == ["key"]
    if function in (max, min) and by_key and not isinstance(node.keywords[0].value, gast.Constant):
        return _best(node, gast.Gt() if function is max else gast.Lt(), context)
    return [], None


def _reduced(node: Node, context: Context) -> tuple[Statements, Node]:
    out, f = context.kept(node.args[0], "function")
    result, item = context.names.temporary(), context.new_variable("item")
    if len(node.args) == 3:
        before, rest = context.kept(node.args[1], "items")
        out += [*before, assigned(result, node.args[2], node)]
    else:
        text = 'if not items:\n    raise TypeError("reduce() of empty iterable with no initial value")\n'
        parts = {"TypeError": context.bind("TypeError", TypeError)}
        before, rest = _listed(node.args[1], text, parts, result, node, context)
        out += before
    step = at(gast.Call(f, [named(result, node), named(item, node)], []), node)
    loop = at(gast.For(stored(item, node), rest, [assigned(result, step, node)], [], None), node)
    return [*out, loop], named(result, node)


def _best(node: Node, better: Node, context: Context) -> tuple[Statements, Node]:
    best, best_key = context.names.temporary(), context.names.fresh("best_key")
    item, item_key = context.new_variable("item"), context.names.fresh("item_key")
    parts = {"best": syntax.dotted(node.func) or ""}
    out, rest = _listed(node.args[0], "if not items:\n    best(items)\n", parts, best, node, context)
    before, key = context.kept(node.keywords[0].value, "function")

    def keyed(variable: str, argument: str) -> Node:
        return assigned(variable, at(gast.Call(key, [named(argument, node)], []), node), node)

    test = at(gast.Compare(named(item_key, node), [better], [named(best_key, node)]), node)
    kept = [assigned(best, named(item, node), node), assigned(best_key, named(item_key, node), node)]
    body = [keyed(item_key, item), at(gast.If(test, kept, []), node)]
    loop = at(gast.For(stored(item, node), rest, body, [], None), node)
    return [*out, *before, keyed(best_key, best), loop], named(best, node)


def _listed(
    given: Node, text: str, parts: dict[str, str], first: str, node: Node, context: Context
) -> tuple[Statements, Node]:
    """All items but the first, which is assigned to `first`; `text` is what happens where there is none."""
    items = context.names.fresh("items")
    all_items = at(gast.Call(named(context.bind("list", list), node), [given], []), node)
    (check,) = syntax.quote(text)
    check = syntax.substitute(everywhere_at(check, node), {**parts, "items": items})
    start = at(gast.Subscript(named(items, node), constant(0, node), gast.Load()), node)
    others = at(gast.Slice(constant(1, node), None, None), node)
    rest = at(gast.Subscript(named(items, node), others, gast.Load()), node)
    return [assigned(items, all_items, node), check, assigned(first, start, node)], rest
