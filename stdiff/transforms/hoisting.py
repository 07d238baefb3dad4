"""Expressions without inner control flow: what they need is computed by statements put before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from stdiff import syntax
from stdiff.analyses.calls import MISSING, known
from stdiff.analyses.plain import plain
from stdiff.syntax import Node
from stdiff.transforms import comprehensions, functional
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.nodes import assigned, at, named, negated

_OPERANDS: dict[type, tuple[str, ...]] = {
    gast.BinOp: ("left", "right"),
    gast.UnaryOp: ("operand",),
    gast.Attribute: ("value",),
    gast.Subscript: ("value", "slice"),
    gast.Slice: ("lower", "upper", "step"),
    gast.Starred: ("value",),
    gast.Tuple: ("elts",),
    gast.List: ("elts",),
    gast.Set: ("elts",),
    gast.Dict: ("keys", "values"),
    gast.Compare: ("left", "comparators"),
    gast.Call: ("func", "args", "keywords"),
    gast.keyword: ("value",),
    gast.JoinedStr: ("values",),
    gast.FormattedValue: ("value", "format_spec"),
}


def value(node: Node, out: Statements, context: Context, into: str | None = None) -> Node:
    """An expression with the value of `node` and without control flow of its own.

    Arguments: `node`, an expression, not changed; `out`, where the statements go that have to run before it; `into`, a
    name to which the caller assigns the value: where statements make the value they may assign it there themselves.
    Returns: the expression, `node` itself where there is nothing to do; Name(into) where the value is there already.
    Raises: UnsupportedError at a generator expression that outlives its place.
    """
    handler = _HANDLERS.get(type(node))
    return node if handler is None else handler(node, out, context, into)


def condition(node: Node, out: Statements, context: Context) -> Node:
    """The same for the test of an `if`, which stays as it is written where evaluating it twice changes nothing."""
    return node if plain(node, context.namespace) else value(node, out, context)


def settle(node: Node, out: Statements, context: Context) -> Node:
    """`node` itself where no later operand can change what it gives, else a temporary that keeps its value."""
    kind = type(node)
    if kind is gast.Constant or kind is gast.Lambda or (kind is gast.Name and node.id not in context.rebound):
        return node
    if kind is gast.Attribute and known(node, context.namespace) is not MISSING:
        return node
    if kind is gast.UnaryOp and type(node.operand) is gast.Constant:
        return node
    if kind is gast.Starred:
        node = at(gast.List([node], gast.Load()), node)
        return at(gast.Starred(settle(node, out, context), gast.Load()), node)
    if kind is gast.FormattedValue:
        spec = node.format_spec and settled_operands(node.format_spec, out, context)
        return at(gast.FormattedValue(settle(node.value, out, context), node.conversion, spec), node)
    if kind is gast.Slice or kind is gast.keyword or _slices(node):
        return settled_operands(node, out, context)
    name = context.names.temporary()
    out.append(assigned(name, node, node))
    return named(name, node)


def operands(node: Node) -> list[Node]:
    """The operands of an expression, in the order of evaluation."""
    if type(node) is gast.Dict:
        return [part for pair in zip(node.keys, node.values, strict=True) for part in pair if part is not None]
    found: list[Node] = []
    for field in _OPERANDS[type(node)]:
        part = getattr(node, field)
        if type(part) is list:
            found += part
        elif part is not None:
            found.append(part)
    return found


def settled_operands(node: Node, out: Statements, context: Context) -> Node:
    """The expression (or place that is assigned) with operands that no later one can change."""
    return _rebuilt(node, [settle(part, out, context) for part in operands(node)])


def _rebuilt(node: Node, parts: list[Node]) -> Node:
    """`node` with other operands, in the order in which `operands` gives them."""
    rest = iter(parts)
    new = type(node)(*[getattr(node, field, None) for field in node._fields])
    if type(node) is gast.Dict:
        pairs = [(None if key is None else next(rest), next(rest)) for key in node.keys]
        new.keys, new.values = [key for key, _ in pairs], [item for _, item in pairs]
        return at(new, node)
    for field in _OPERANDS[type(node)]:
        part = getattr(node, field)
        if type(part) is list:
            setattr(new, field, [next(rest) for _ in part])
        elif part is not None:
            setattr(new, field, next(rest))
    return at(new, node)


def _slices(node: Node) -> bool:
    return type(node) is gast.Tuple and any(isinstance(part, gast.Slice) for part in node.elts)


def _plain_operands(node: Node, out: Statements, context: Context, into: str | None = None) -> Node:
    """An expression whose operands are all evaluated, from left to right."""
    parts: list[Node] = []
    changed = False
    for operand in operands(node):
        start = len(out)
        part = value(operand, out, context)
        if len(out) > start:
            before: Statements = []
            parts = [_settled_operand(node, k, earlier, before, context) for k, earlier in enumerate(parts)]
            out[start:start] = before
            changed = True
        changed = changed or part is not operand
        parts.append(part)
    return _rebuilt(node, parts) if changed else node


def _settled_operand(node: Node, number: int, part: Node, out: Statements, context: Context) -> Node:
    """The function of a method call stays an attribute: it is looked up on the object that the call was written for."""
    if number == 0 and type(node) is gast.Call and type(part) is gast.Attribute:
        if known(part, context.namespace) is not MISSING:
            return part
        return at(gast.Attribute(settle(part.value, out, context), part.attr, gast.Load()), part)
    return settle(part, out, context)


# Control flow in expressions


def assign(target: str, node: Node, out: Statements, context: Context, like: Node) -> None:
    """Appends what assigns the value of `node` to a name."""
    found = value(node, out, context, into=target)
    if not (type(found) is gast.Name and found.id == target):
        out.append(assigned(target, found, like))


def _conditional(node: Node, out: Statements, context: Context, into: str | None) -> Node:
    target = into or context.names.temporary()
    test = condition(node.test, out, context)
    body: Statements = []
    orelse: Statements = []
    assign(target, node.body, body, context, node)
    assign(target, node.orelse, orelse, context, node)
    out.append(_if(test, body, orelse, node))
    return named(target, node)


def _if(test: Node, body: Statements, orelse: Statements, like: Node) -> Node:
    if orelse and not body:
        test, body, orelse = negated(test), orelse, []
    return at(gast.If(test, body or [at(gast.Pass(), like)], orelse), like)


def _boolean(node: Node, out: Statements, context: Context, into: str | None) -> Node:
    """`a and b` is `t = a`, then `if t: t = b`; one more `if` for each further operand."""
    target = _half_made(node.values[1:], context, into)
    first, *others = node.values
    assign(target, first, out, context, node)
    for other in others:
        body: Statements = []
        assign(target, other, body, context, node)
        reached = named(target, node)
        if isinstance(node.op, gast.And):
            out.append(_if(reached, body, [], node))
        else:
            out.append(_if(reached, [], body, node))
    return named(target, node)


def _half_made(later: list[Node], context: Context, into: str | None) -> str:
    """The name in which a value is made in steps: `into`, unless what runs between the steps might see it."""
    if into is None or context.guarded or into in context.rebound or into in context.captured:
        return context.names.temporary()
    if any(into in syntax.reads(part) for part in later):
        return context.names.temporary()
    return into


def _comparison(node: Node, out: Statements, context: Context, into: str | None) -> Node:
    """`a < b < c` is `t = a < b`, then `if t: t = b < c`."""
    if len(node.ops) == 1:
        return _plain_operands(node, out, context)
    target = _half_made(node.comparators[1:], context, into)
    _links(node, node.left, 0, target, out, context)
    return named(target, node)


def _links(node: Node, left: Node, number: int, target: str, out: Statements, context: Context) -> None:
    """One link of the chain, from its left operand, and in an `if` those after it."""
    pair = at(gast.Compare(left, [node.ops[number]], [node.comparators[number]]), node)
    pair = _plain_operands(pair, out, context)
    if number == len(node.ops) - 1:
        out.append(assigned(target, pair, node))
        return
    left, right = _both_kept(pair, out, context)
    out.append(assigned(target, at(gast.Compare(left, pair.ops, [right]), node), node))
    body: Statements = []
    _links(node, right, number + 1, target, body, context)
    out.append(_if(named(target, node), body, [], node))


def _both_kept(pair: Node, out: Statements, context: Context) -> tuple[Node, Node]:
    """The operands of a comparison, the right one kept for the next comparison."""
    left, right = pair.left, pair.comparators[0]
    if not isinstance(right, gast.Name | gast.Constant):
        left, right = settle(left, out, context), settle(right, out, context)
    return left, right


def _walrus(node: Node, out: Statements, context: Context, into: str | None) -> Node:
    out.append(assigned(node.target.id, value(node.value, out, context), node))
    return named(node.target.id, node)


# Functions and loops in expressions


def _lambda(node: Node, out: Statements, context: Context, into: str | None) -> Node:
    a = node.args
    if not a.defaults and not any(a.kw_defaults):
        return node
    a = with_defaults(a, out, context)
    a.defaults = [settle(default, out, context) for default in a.defaults]
    a.kw_defaults = [default and settle(default, out, context) for default in a.kw_defaults]
    return at(gast.Lambda(a, node.body), node)


def with_defaults(a: Node, out: Statements, context: Context) -> Node:
    """The parameters of an inner function with defaults as `value` gives them: they are evaluated where it stands."""
    given = gast.Tuple([*a.defaults, *(default for default in a.kw_defaults if default)], gast.Load())
    parts = list(value(given, out, context).elts)
    positional, rest = parts[: len(a.defaults)], iter(parts[len(a.defaults) :])
    keywords = [default and next(rest) for default in a.kw_defaults]
    return gast.arguments(a.args, a.posonlyargs, a.vararg, a.kwonlyargs, keywords, a.kwarg, positional)


def _comprehension(node: Node, out: Statements, context: Context, into: str | None) -> Node:
    later = [node.elt] if hasattr(node, "elt") else [node.key, node.value]
    target = _half_made([*later, *node.generators], context, into)
    out += context.block(comprehensions.collected(node, target, context), context)
    return named(target, node)


def _generator(node: Node, out: Statements, context: Context, into: str | None) -> Node:
    raise context.refuse(
        node,
        "a generator expression that is not consumed where it stands",
        "its parts would be evaluated later, between other statements",
        "write a list: `[...]`",
    )


def _starred(node: Node, out: Statements, context: Context, into: str | None) -> Node:
    inner = _generated(node.value, out, context)
    if isinstance(inner, gast.GeneratorExp):
        node = at(gast.Starred(comprehensions.listed(inner), gast.Load()), node)
    return _plain_operands(node, out, context)


def _generated(node: Node, out: Statements, context: Context) -> Node:
    """The generator expression that a call of `map` or `filter` stands for, any other node itself."""
    before, found = functional.generator(node, context)
    out += context.block(before, context)
    return found or node


def _call(node: Node, out: Statements, context: Context, into: str | None) -> Node:
    """A call that consumes a generator at once gets a list; `any` and `all` become loops that stop."""
    function = known(node.func, context.namespace)
    if function is super and not node.args:
        node = at(gast.Call(node.func, [named("__class__", node), named(context.first, node)], []), node)
    searches = function in (any, all) and len(node.args) == 1
    if node.args and (searches or comprehensions.consumes(node.func, function)):
        first = _generated(node.args[0], out, context)
        if searches and isinstance(first, gast.GeneratorExp):
            target = _half_made([first], context, into)
            out += context.block(comprehensions.searched(first, function is any, target, context), context)
            return named(target, node)
        given = [comprehensions.listed(a) if isinstance(a, gast.GeneratorExp) else a for a in (first, *node.args[1:])]
        if any(new is not old for new, old in zip(given, node.args, strict=True)):
            node = at(gast.Call(node.func, given, node.keywords), node)
    statements, found = functional.folded(node, context)
    out += context.block(statements, context)
    return _plain_operands(node, out, context) if found is None else found


Handler = Callable[[Any, Statements, Context, "str | None"], Node]

_HANDLERS: dict[type, Handler] = {
    **dict.fromkeys(_OPERANDS, _plain_operands),
    **dict.fromkeys((gast.ListComp, gast.SetComp, gast.DictComp), _comprehension),
    gast.IfExp: _conditional,
    gast.BoolOp: _boolean,
    gast.Compare: _comparison,
    gast.NamedExpr: _walrus,
    gast.Lambda: _lambda,
    gast.GeneratorExp: _generator,
    gast.Starred: _starred,
    gast.Call: _call,
}
