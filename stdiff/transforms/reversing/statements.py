"""statements: the adjoint of an assignment, by the form of its right-hand side."""

from __future__ import annotations

import gast
import numpy as np

from stdiff import containers, runtime, syntax
from stdiff.analyses import calls
from stdiff.analyses.kinds import Kind
from stdiff.rules import table
from stdiff.rules.python import OPERATORS
from stdiff.syntax import Node
from stdiff.transforms.reversing.adding import Contribution, add, items, zero
from stdiff.transforms.reversing.callees import pull_dynamic, pull_function
from stdiff.transforms.reversing.context import Context, Live, call, read
from stdiff.transforms.reversing.formulas import pull_rule
from stdiff.transforms.reversing.shapes import shape_of


def pull(ctx: Context, statement: Node, live: Live) -> list[Node]:
    """The backward statements of one simple statement; `live` becomes the set of adjoints before it."""
    label = calls.popped(getattr(statement, "value", None))
    if label is not None and label in ctx.built:
        return _pull_pop(ctx, statement, label, live)
    if isinstance(statement, gast.Expr):
        return _pull_append(ctx, statement, live)
    if isinstance(statement, gast.AugAssign):
        return _pull_update(ctx, statement, live)
    if not isinstance(statement, gast.Assign):
        return []
    target = statement.targets[0]
    if isinstance(target, gast.Tuple | gast.List):
        return _pull_unpack(ctx, statement, target, live)
    if isinstance(target, gast.Subscript):
        return _pull_write(ctx, statement, target, live)
    if not isinstance(target, gast.Name) or target.id not in live:
        return []
    result, value = target.id, statement.value
    if not ctx.active.get(result):
        live.pop(result)
        return []
    kind = type(value).__name__
    if kind == "Call":
        return _pull_call(ctx, statement, result, value, live)
    if kind in ("BinOp", "UnaryOp"):
        return _pull_operator(ctx, statement, result, value, live)
    pullers = {"Name": _of_name, "Attribute": _of_attribute, "Subscript": _of_subscript, "Dict": _of_dict,
               "Tuple": _of_display, "List": _of_display, "Set": _of_display}
    found = pullers[kind](ctx, statement, result, value, live) if kind in pullers else []
    return add(ctx, statement, result, found, live)


def _of_name(ctx: Context, statement: Node, result: str, value: Node, live: Live) -> list[Contribution]:
    if not ctx.is_active(value):
        return []
    return [Contribution(value.id, read(ctx.bar(result)), zero=live[result])]


def _of_display(ctx: Context, statement: Node, result: str, value: Node, live: Live) -> list[Contribution]:
    return items(ctx, statement, read(ctx.bar(result)), value.elts)


def _of_dict(ctx: Context, statement: Node, result: str, value: Node, live: Live) -> list[Contribution]:
    found = []
    part = ctx.inject("part", containers.part)
    for k, (key, element) in enumerate(zip(value.keys, value.values, strict=True)):
        if not ctx.is_active(element):
            continue
        if key is None:
            if None in value.keys[k + 1 :]:
                raise ctx.error(
                    statement,
                    "several `**` in one dict display",
                    "which items come from which is not known",
                    "merge them in two steps",
                )
            later = gast.Tuple([ctx.primal(later, statement) for later in value.keys[k + 1 :]], gast.Load())
            found.append(
                Contribution(
                    element.id, call(ctx.inject("without", containers.without), ctx.bar(result), later), zero=True
                )
            )
            continue
        found.append(Contribution(element.id, call(part, ctx.bar(result), ctx.primal(key, statement)), zero=True))
    return found


def _of_attribute(ctx: Context, statement: Node, result: str, value: Node, live: Live) -> list[Contribution]:
    if not ctx.is_active(value.value):
        return []
    base, kind = value.value.id, ctx.kind(value.value)
    if kind.numeric:
        descriptor = getattr(np.ndarray, value.attr, None)
        rule = table.lookup(descriptor) if descriptor is not None else None
        if rule is None:
            raise ctx.error(
                statement, f"the attribute `{value.attr}` of an array", "it has no rule", "use a function that has one"
            )
        return pull_rule(ctx, statement, result, rule, [value.value], {}, live)
    helper = ctx.inject("attribute_bar", containers.attribute_bar)
    bar = call(helper, ctx.before(base, statement), syntax.constant(value.attr), ctx.bar(result))
    return [Contribution(base, bar, zero=True)]


def _of_subscript(ctx: Context, statement: Node, result: str, value: Node, live: Live) -> list[Contribution]:
    if not ctx.is_active(value.value):
        return []
    base, index = value.value.id, value.slice
    return [Contribution(base, read(ctx.bar(result)), index=index)]


def _pull_operator(ctx: Context, statement: Node, result: str, value: Node, live: Live) -> list[Node]:
    operands = [value.left, value.right] if isinstance(value, gast.BinOp) else [value.operand]
    rule = table.lookup(OPERATORS[type(value.op).__name__])
    if isinstance(value.op, gast.Add) and all(ctx.kind(o).name in ("list", "tuple") for o in operands):
        return add(ctx, statement, result, _concatenated(ctx, statement, result, operands), live)
    if isinstance(value.op, gast.Mult) and any(
        ctx.kind(o).name in ("list", "tuple") and ctx.is_active(o) for o in operands
    ):
        repeated = next(o for o in operands if ctx.kind(o).name in ("list", "tuple"))
        bar = call(
            ctx.inject("repeated_bar", containers.repeated_bar), ctx.before(repeated.id, statement), ctx.bar(result)
        )
        return add(ctx, statement, result, [Contribution(repeated.id, bar, zero=True)], live)
    for operand in operands:
        if ctx.is_active(operand) and (ctx.kind(operand).container or ctx.kind(operand).name == "object"):
            raise ctx.error(
                statement,
                "an operator on a container or an object",
                "its derivative is not known",
                "use a comprehension",
            )
    assert rule is not None
    return add(ctx, statement, result, pull_rule(ctx, statement, result, rule, operands, {}, live), live)


def _concatenated(ctx: Context, statement: Node, result: str, operands: list[Node]) -> list[Contribution]:
    """`a + b` of two lists or tuples: the first `len(a)` adjoints are those of `a`."""
    found = []
    a = ctx.primal(operands[0], statement)
    length = call(ctx.inject("len", len), a)
    ends = [(syntax.constant(None), length), (length, syntax.constant(None))]
    part, cut = ctx.inject("part", containers.part), ctx.inject("slice", slice)
    for operand, (low, high) in zip(operands, ends, strict=True):
        if ctx.is_active(operand):
            value = call(part, ctx.bar(result), call(cut, syntax.copy(low), syntax.copy(high)))
            found.append(Contribution(operand.id, value, zero=True))
    return found


def _pull_call(ctx: Context, statement: Node, result: str, value: Node, live: Live) -> list[Node]:
    found = calls.target(value, ctx.kinds, ctx.program.namespace)
    if found.form == "rule":
        assert found.rule is not None
        args, keywords = list(found.arguments), dict(found.keywords)
        return add(ctx, statement, result, pull_rule(ctx, statement, result, found.rule, args, keywords, live), live)
    if found.form == "function":
        return pull_function(ctx, statement, result, found, live)
    if found.form in ("construct", "closure", "captures", "transform"):
        return add(ctx, statement, result, _constructed(ctx, statement, result, found), live)
    if found.form in ("dynamic", "method"):
        return pull_dynamic(ctx, statement, result, value, found, live)
    return []


def _constructed(ctx: Context, statement: Node, result: str, found: calls.Target) -> list[Contribution]:
    bar = read(ctx.bar(result))
    if found.form == "closure":
        return items(ctx, statement, bar, list(found.arguments[1:]))
    if found.form in ("captures", "transform"):
        return (
            [Contribution(found.arguments[0].id, bar, zero=True)]
            if found.arguments and ctx.is_active(found.arguments[0])
            else []
        )
    if found.function is dict:
        return _dict(ctx, statement, result, found)
    if found.function is super:
        return []
    names = calls.fields(found.function)
    active = [a for a in (*found.arguments, *found.keywords.values()) if ctx.is_active(a)]
    if not active:
        return []
    if names is None:
        raise ctx.error(
            statement,
            f"making a `{found.function.__name__}`",
            "its constructor runs code that is not followed",
            "use a dataclass, a namedtuple or a tuple",
        )
    given = dict(zip(names, found.arguments, strict=False)) | dict(found.keywords)
    part = ctx.inject("part", containers.part)
    by_name = not issubclass(found.function, tuple)
    return [
        Contribution(
            node.id, call(part, syntax.copy(bar), syntax.constant(name if by_name else names.index(name))), zero=True
        )
        for name, node in given.items()
        if ctx.is_active(node)
    ]


def _dict(ctx: Context, statement: Node, result: str, found: calls.Target) -> list[Contribution]:
    """`dict(pairs, a=x)`"""
    keys = gast.Tuple([syntax.constant(k) for k in found.keywords], gast.Load())
    part = ctx.inject("part", containers.part)
    contributions = [
        Contribution(node.id, call(part, ctx.bar(result), syntax.constant(key)), zero=True)
        for key, node in found.keywords.items()
        if key is not None and ctx.is_active(node)
    ]
    if any(key is None and ctx.is_active(node) for key, node in found.keywords.items()):
        raise ctx.error(
            statement, "`**` in a call of `dict`", "which items come from it is not known", "write a dict display"
        )
    for node in found.arguments:
        if ctx.is_active(node):
            rest = call(ctx.inject("without", containers.without), ctx.bar(result), keys)
            if ctx.kind(node).name != "dict":
                rest = call(ctx.inject("pairs_bar", containers.pairs_bar), ctx.before(node.id, statement), rest)
            contributions.append(Contribution(node.id, rest, zero=True))
    return contributions


def _pull_unpack(ctx: Context, statement: Node, target: Node, live: Live) -> list[Node]:
    """`a, b = t`: the adjoint of `t` is that of `a` and `b` side by side."""
    source = statement.value
    names = [t.value.id if isinstance(t, gast.Starred) else t.id for t in target.elts]
    alive = [n for n in names if n in live]
    contributions = []
    if alive and ctx.is_active(source):
        elements: list[Node] = []
        for part, name in zip(target.elts, names, strict=True):
            bar = read(ctx.bar(name)) if name in live else syntax.constant(0.0)
            if isinstance(part, gast.Starred):
                filled = call(ctx.inject("filled", runtime.filled), bar, ctx.after(name, statement))
                bar = gast.Starred(filled, gast.Load())
            elements.append(bar)
        whole: Node = gast.Tuple(elements, gast.Load())
        if ctx.kind(source).name not in ("tuple", "list"):
            whole = call(ctx.inject("unpacked", containers.unpacked), ctx.before(source.id, statement), whole)
        contributions = [Contribution(source.id, whole, fresh=False)]
    for name in alive:
        if not (isinstance(source, gast.Name) and name == source.id):
            live.pop(name)
    result = source.id if isinstance(source, gast.Name) and source.id in names else None
    if result is None:
        return add(ctx, statement, None, contributions, live)
    live.setdefault(result, False)
    return add(ctx, statement, result, contributions, live)


def _pull_append(ctx: Context, statement: Node, live: Live) -> list[Node]:
    """`xs.append(v)`: the last adjoint of the list is that of `v`."""
    label = calls.appended(statement.value)
    if label is None or label not in live or ctx.kinds.get(label, Kind("any")).name != "list":
        return []
    bar, value = ctx.bar(label), statement.value.args[0]
    popped = gast.Call(gast.Attribute(read(bar), "pop", gast.Load()), [], [])
    if not (ctx.is_active(value) and ctx.active.get(label)):
        return [gast.copy_location(gast.Expr(popped), statement)]
    return add(ctx, statement, None, [Contribution(value.id, popped, zero=True)], live)


def _pull_pop(ctx: Context, statement: Node, label: str, live: Live) -> list[Node]:
    """`v = xs.pop()`: the adjoint of `v` becomes that of the list's last item."""
    target = statement.targets[0].id if isinstance(statement, gast.Assign) else None
    value: Node = syntax.constant(0.0)
    if target is not None and target in live:
        live.pop(target)
        value = read(ctx.bar(target))
    if not ctx.active.get(label):
        return []
    found = [] if label in live else [zero(ctx, label, label)]
    live[label] = False
    append = gast.Call(gast.Attribute(read(ctx.bar(label)), "append", gast.Load()), [value], [])
    return [gast.copy_location(n, statement) for n in (*found, gast.Expr(append))]


def _pull_write(ctx: Context, statement: Node, target: Node, live: Live) -> list[Node]:
    """`b[i] = v` on an array that nothing else holds: the item's adjoint is that of `v`, and then it is zero."""
    base, value = target.value.id, statement.value
    if base not in live:
        return []
    if isinstance(value, gast.Name) and value.id == base:
        raise ctx.error(statement, "an array written into itself", "which elements it reads is not known", "copy it")
    place = gast.Subscript(read(ctx.bar(base)), ctx.primal(target.slice, statement), gast.Load())
    found: list[Node] = []
    if ctx.is_active(value):
        item: Node = syntax.copy(place)
        if not (_is_element(ctx, target) and ctx.kind(value).name == "number"):
            shape = shape_of(ctx, value.id, statement)
            item = call(ctx.inject("unbroadcast", runtime.unbroadcast), item, shape)
            if ctx.kind(value).name != "number":  # else it would be a view of what is cleared next
                item = call(ctx.inject("own", containers.own), item, shape)
        found = add(ctx, statement, None, [Contribution(value.id, item, zero=True)], live)
    cleared = gast.Assign([gast.Subscript(place.value, place.slice, gast.Store())], syntax.constant(0.0), None)
    return [*found, gast.copy_location(cleared, statement)]


def _is_element(ctx: Context, target: Node) -> bool:
    """Whether a place is one element: an index of numbers, one for each dimension."""
    parts = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
    return ctx.kind(target.value).rank == len(parts) and all(ctx.kind(p).name == "number" for p in parts)


def _pull_update(ctx: Context, statement: Node, live: Live) -> list[Node]:
    """`b[i] += v` on an array that nothing else holds: `v` has the item's adjoint, and the array's adjoint stays."""
    target, value = statement.target, statement.value
    if not isinstance(target, gast.Subscript) or target.value.id not in live or not ctx.is_active(value):
        return []
    whole = read(ctx.bar(target.value.id))
    if live[target.value.id]:
        whole = call(ctx.inject("filled", runtime.filled), whole, ctx.after(target.value.id, statement))
    bar = gast.Subscript(whole, ctx.primal(target.slice, statement), gast.Load())
    if isinstance(statement.op, gast.Sub):
        bar = gast.UnaryOp(gast.USub(), bar)
    elif not isinstance(statement.op, gast.Add):
        raise ctx.error(
            statement, "this update in place", "only `+=` and `-=` of an item are followed", "assign to a new name"
        )
    spread = call(ctx.inject("unbroadcast", runtime.unbroadcast), bar, ctx.before(value.id, statement))
    if ctx.kind(value).name != "number":  # it would be a view of what is added into later
        spread = call(ctx.inject("own", containers.own), spread, ctx.before(value.id, statement))
    return add(ctx, statement, None, [Contribution(value.id, spread, zero=True)], live)
