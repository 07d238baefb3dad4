"""`map`, `filter` and `reduce`, `max` and `min` with a key, as loops."""

from __future__ import annotations

import functools

import gast

from stdiff import syntax
from stdiff.analyses.calls import known
from stdiff.syntax import Node
from stdiff.transforms import hoisting  # each calls the other
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.nodes import assigned, at, constant, everywhere_at, named, stored


def generator(node: Node, out: Statements, context: Context) -> Node | None:
    """The generator expression that a call of `map` or `filter` stands for; None for anything else.

    `map(f, x, y)` is `(f(v, w) for v, w in zip(x, y))`, `filter(f, x)` is `(v for v in x if f(v))`.
    """
    if not isinstance(node, gast.Call) or node.keywords or len(node.args) < 2:
        return None
    function = known(node.func, context.namespace)
    if function not in (map, filter) or any(isinstance(argument, gast.Starred) for argument in node.args):
        return None
    f = _kept(node.args[0], out, context)
    iterables = node.args[1:]
    items = [context.new_variable("item") for _ in iterables]
    call = at(gast.Call(f, [named(item, node) for item in items], []), node)
    if function is filter:
        test = named(items[0], node) if isinstance(f, gast.Constant) else call
        clause = gast.comprehension(stored(items[0], node), iterables[0], [test], 0)
        return at(gast.GeneratorExp(named(items[0], node), [clause]), node)
    target, iterable = stored(items[0], node), iterables[0]
    if len(items) > 1:
        target = at(gast.Tuple([stored(item, node) for item in items], gast.Store()), node)
        iterable = at(gast.Call(named(context.bind("zip", zip), node), iterables, []), node)
    return at(gast.GeneratorExp(call, [gast.comprehension(target, iterable, [], 0)]), node)


def folded(node: Node, out: Statements, context: Context) -> Node | None:
    """The value of a call of `reduce`, or of `max` or `min` with a key, made by a loop; None for anything else."""
    function = known(node.func, context.namespace)
    if any(isinstance(argument, gast.Starred) for argument in node.args):
        return None
    if function is functools.reduce and len(node.args) in (2, 3) and not node.keywords:
        return _reduced(node, out, context)
    by_key = len(node.args) == 1 and [k.arg for k in node.keywords] == ["key"]
    if function in (max, min) and by_key and not isinstance(node.keywords[0].value, gast.Constant):
        return _best(node, gast.Gt() if function is max else gast.Lt(), out, context)
    return None


def _reduced(node: Node, out: Statements, context: Context) -> Node:
    f = _kept(node.args[0], out, context)
    given = hoisting.value(at(gast.Tuple(node.args[1:], gast.Load()), node), out, context).elts
    result = context.names.temporary()
    item = context.new_variable("item")
    if len(given) == 2:
        iterable = hoisting.settle(given[0], out, context)
        out.append(assigned(result, given[1], node))
    else:
        text = 'if not items:\n    raise TypeError("reduce() of empty iterable with no initial value")\n'
        error = context.bind("TypeError", TypeError)
        iterable = _listed(given[0], text, {"TypeError": error}, result, node, out, context)
    step = at(gast.Call(f, [named(result, node), named(item, node)], []), node)
    out.append(at(gast.For(stored(item, node), iterable, [assigned(result, step, node)], [], None), node))
    return named(result, node)


def _best(node: Node, better: Node, out: Statements, context: Context) -> Node:
    best, best_key = context.names.temporary(), context.names.fresh("best_key")
    item, item_key = context.new_variable("item"), context.names.fresh("item_key")
    given = hoisting.value(node.args[0], out, context)
    rest = _listed(
        given, "if not items:\n    best(items)\n", {"best": syntax.dotted(node.func)}, best, node, out, context
    )
    key = _kept(node.keywords[0].value, out, context)
    for variable, argument, block in ((best_key, best, out), (item_key, item, body := [])):
        block.append(assigned(variable, at(gast.Call(key, [named(argument, node)], []), node), node))
    test = at(gast.Compare(named(item_key, node), [better], [named(best_key, node)]), node)
    kept = [assigned(best, named(item, node), node), assigned(best_key, named(item_key, node), node)]
    body.append(at(gast.If(test, kept, []), node))
    out.append(at(gast.For(stored(item, node), rest, body, [], None), node))
    return named(best, node)


def _listed(
    given: Node, text: str, parts: dict[str, str | None], first: str, node: Node, out: Statements, context: Context
) -> Node:
    """All items but the first, which is assigned to `first`; `text` is what happens where there is none."""
    items = context.names.fresh("items")
    out.append(assigned(items, at(gast.Call(named(context.bind("list", list), node), [given], []), node), node))
    (check,) = syntax.quote(text)
    out.append(syntax.substitute(everywhere_at(check, node), {**parts, "items": items}))
    out.append(assigned(first, at(gast.Subscript(named(items, node), constant(0, node), gast.Load()), node), node))
    others = at(gast.Slice(constant(1, node), None, None), node)
    return at(gast.Subscript(named(items, node), others, gast.Load()), node)


def _kept(function: Node, out: Statements, context: Context) -> Node:
    """A function that can be called again and again: a lambda gets a name."""
    function = hoisting.value(function, out, context)
    if not isinstance(function, gast.Lambda):
        return hoisting.settle(function, out, context)
    name = context.names.fresh("function")
    out.append(assigned(name, function, function))
    return named(name, function)
