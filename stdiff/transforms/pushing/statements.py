"""statements: an assignment and the one that keeps its tangent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast
import numpy as np

from stdiff import containers, syntax
from stdiff.analyses import calls
from stdiff.rules import table
from stdiff.rules.python import OPERATORS
from stdiff.syntax import Node
from stdiff.transforms.pushing.callees import push_dynamic, push_function
from stdiff.transforms.pushing.context import Context
from stdiff.transforms.pushing.displays import element, mapping
from stdiff.transforms.pushing.formulas import push_rule
from stdiff.transforms.reversing.adding import as_key
from stdiff.transforms.reversing.callees import guarded
from stdiff.transforms.reversing.context import call


def push(ctx: Context, node: Node) -> list[Node]:
    """A simple statement with its tangent: after it, but before it where it overwrites what the tangent reads."""
    primal = syntax.copy(node)
    if not isinstance(node, gast.Assign):
        return [*guarded(ctx, node), primal]
    target = node.targets[0]
    if isinstance(target, gast.Tuple | gast.List):
        return _unpack(ctx, node, target)
    if isinstance(target, gast.Subscript):
        return _write(ctx, node, target)
    if not isinstance(target, gast.Name) or not ctx.active.get(target.id):
        return [*guarded(ctx, node), primal]
    name = target.id
    if isinstance(node.value, gast.Call):
        found = calls.target(node.value, ctx.kinds, ctx.program.namespace)
        if found.form == "function":
            return push_function(ctx, name, found) or [primal, syntax.assign(ctx.dot(name), _zero(ctx, name))]
        if found.form in ("dynamic", "method") and not _is_pop(ctx, node.value):
            return push_dynamic(ctx, node, name, found) or [
                *guarded(ctx, node),
                primal,
                syntax.assign(ctx.dot(name), _zero(ctx, name)),
            ]
    value = _tangent(ctx, node, name)
    if value is None:
        value = _zero(ctx, name)
    elif (name in ctx.owned and not isinstance(value, gast.BinOp | gast.UnaryOp | gast.List)) or _held(ctx, value):
        value = call(ctx.inject("own", containers.own), value, syntax.name(name))
    tangent = syntax.assign(ctx.dot(name), value)
    if name not in {n.id for n in syntax.walk_names(node.value)}:
        return [primal, tangent]
    reads = {n.id for n in syntax.walk_names(value)}
    if ctx.result_mark not in reads and not ctx.guarded:
        return [tangent, primal]
    old = ctx.temporary(f"{name}_0", node)
    syntax.substitute(value, {name: syntax.name(old), ctx.result_mark: syntax.name(name)})
    return [syntax.assign(old, syntax.name(name)), primal, tangent]


def _held(ctx: Context, value: Node) -> bool:
    """Whether a tangent may be the very object that keeps the tangent of an array which is updated in place."""
    if not isinstance(value, gast.Name) and not isinstance(getattr(value, "func", None), gast.Name):
        return False
    return bool({ctx.dots.get(n) for n in ctx.owned} & syntax.reads(value))


def _write(ctx: Context, node: Node, target: Node) -> list[Node]:
    """`b[i] = v` -> `b_dot[i] = v_dot`"""
    if not ctx.is_active(target.value):
        return [syntax.copy(node)]
    place = gast.Subscript(syntax.name(ctx.dot(target.value.id)), syntax.copy(target.slice), gast.Store())
    return [syntax.copy(node), gast.Assign([place], ctx.tangent(node.value), None)]


def _zero(ctx: Context, name: str) -> Node:
    if name in ctx.owned:
        return call(ctx.inject("zeros_like", containers.zeros_like), name)
    return syntax.constant(0.0)


def _is_pop(ctx: Context, value: Node) -> bool:
    func = value.func
    return (
        isinstance(func, gast.Attribute)
        and func.attr == "pop"
        and isinstance(func.value, gast.Name)
        and func.value.id in ctx.owned
    )


def _tangent(ctx: Context, node: Node, name: str) -> Node | None:
    """The tangent of an assignment's right-hand side, None where it carries none."""
    value = node.value
    if isinstance(value, gast.Name):
        return ctx.tangent(value) if ctx.is_active(value) else None
    if isinstance(value, gast.Tuple | gast.List):
        return type(value)([element(ctx, e) for e in value.elts], gast.Load())
    if isinstance(value, gast.Dict):
        return gast.Dict(
            [syntax.copy(k) for k in value.keys],
            [mapping(ctx, k, v) for k, v in zip(value.keys, value.values, strict=True)],
        )
    if isinstance(value, gast.BinOp | gast.UnaryOp):
        return _of_operator(ctx, node, name, value)
    if isinstance(value, gast.Attribute):
        return _of_attribute(ctx, node, name, value)
    if isinstance(value, gast.Subscript):
        return _of_subscript(ctx, name, value)
    return _of_call(ctx, node, name, value) if isinstance(value, gast.Call) else None


def _of_operator(ctx: Context, node: Node, name: str, value: Node) -> Node | None:
    operands = [value.left, value.right] if isinstance(value, gast.BinOp) else [value.operand]
    if isinstance(value.op, gast.Add) and all(ctx.kind(o).name in ("list", "tuple") for o in operands):
        components = ctx.inject("components", containers.components)
        sides = [gast.Starred(call(components, ctx.tangent(o), syntax.copy(o)), gast.Load()) for o in operands]
        return gast.List(sides, gast.Load())
    if isinstance(value.op, gast.Mult) and any(
        ctx.kind(o).name in ("list", "tuple") and ctx.is_active(o) for o in operands
    ):
        first, second = operands if ctx.kind(operands[0]).name in ("list", "tuple") else reversed(operands)
        return call(ctx.inject("repeated_dot", containers.repeated_dot), ctx.tangent(first), syntax.copy(second))
    for operand in operands:
        if ctx.is_active(operand) and (ctx.kind(operand).container or ctx.kind(operand).name == "object"):
            raise ctx.error(
                node, "an operator on a container or an object", "its derivative is not known", "use a comprehension"
            )
    rule = table.lookup(OPERATORS[type(value.op).__name__])
    assert rule is not None
    return push_rule(ctx, node, name, rule, operands, {})


def _of_attribute(ctx: Context, node: Node, name: str, value: Node) -> Node | None:
    base = value.value
    if not ctx.is_active(base):
        return None
    if ctx.kind(base).numeric:
        descriptor = getattr(np.ndarray, value.attr, None)
        rule = table.lookup(descriptor) if descriptor is not None else None
        if rule is None:
            raise ctx.error(
                node, f"the attribute `{value.attr}` of an array", "it has no rule", "use a function that has one"
            )
        return push_rule(ctx, node, name, rule, [base], {})
    helper = ctx.inject("attribute_dot", containers.attribute_dot)
    return call(helper, syntax.copy(base), syntax.constant(value.attr), ctx.tangent(base))


def _of_subscript(ctx: Context, name: str, value: Node) -> Node | None:
    if not ctx.is_active(value.value):
        return None
    if ctx.is_exact(value.value):
        ctx.exact |= {name} & _assigned_once(ctx, name)
        return gast.Subscript(ctx.tangent(value.value), syntax.copy(value.slice), gast.Load())
    helper = ctx.inject("item_dot", containers.item_dot)
    return call(helper, ctx.tangent(value.value), syntax.copy(value.value), as_key(ctx, syntax.copy(value.slice)))


def _assigned_once(ctx: Context, name: str) -> set[str]:
    return {name} if len(ctx.flow.definitions[name]) == 1 else set()


def _of_call(ctx: Context, node: Node, name: str, value: Node) -> Node | None:
    if _is_pop(ctx, value):
        return gast.Call(gast.Attribute(ctx.tangent(value.func.value), "pop", gast.Load()), [], [])
    found = calls.target(value, ctx.kinds, ctx.program.namespace)
    if found.form == "rule":
        assert found.rule is not None
        return push_rule(ctx, node, name, found.rule, list(found.arguments), dict(found.keywords))
    if found.form == "closure":
        return gast.Tuple([element(ctx, a) for a in found.arguments[1:]], gast.Load())
    if found.form in ("captures", "transform"):
        return ctx.tangent(found.arguments[0]) if found.arguments else None
    if found.form == "construct":
        return _constructed(ctx, node, found)
    return None


def _constructed(ctx: Context, node: Node, found: calls.Target) -> Node | None:
    if not any(ctx.is_active(a) for a in (*found.arguments, *found.keywords.values())):
        return None
    if found.function is super:
        return None
    if found.function is dict:
        return _dict(ctx, found)
    names = calls.fields(found.function)
    if names is None:
        raise ctx.error(node, f"making a `{found.function.__name__}`", "its constructor runs code that is not followed",
                        "use a dataclass, a namedtuple or a tuple")
    given: Mapping[str, Any] = dict(zip(names, found.arguments, strict=False)) | dict(found.keywords)
    if issubclass(found.function, tuple):
        return gast.Tuple([ctx.tangent(given[n]) if n in given else syntax.constant(0.0) for n in names], gast.Load())
    return gast.Dict([syntax.constant(n) for n in given], [ctx.tangent(v) for v in given.values()])


def _dict(ctx: Context, found: calls.Target) -> Node:
    """`dict(pairs, a=x)`"""
    keys: list[Node | None] = [None if k is None else syntax.constant(k) for k in found.keywords]
    values = [mapping(ctx, k, v) for k, v in zip(keys, found.keywords.values(), strict=True)]
    for node in found.arguments:
        dot = ctx.tangent(node)
        if ctx.kind(node).name != "dict":
            dot = call(ctx.inject("pairs_dot", containers.pairs_dot), syntax.copy(node), dot)
        keys.insert(0, None)
        values.insert(0, call(ctx.inject("as_dict", containers.as_dict), dot))
    return gast.Dict(keys, values)


def _unpack(ctx: Context, node: Node, target: Node) -> list[Node]:
    names = [t.value.id if isinstance(t, gast.Starred) else t.id for t in target.elts]
    source = node.value
    primal = syntax.copy(node)
    if not ctx.is_active(source):
        zeros = [syntax.assign(ctx.dot(n), _zero(ctx, n)) for n in names if ctx.active.get(n)]
        return [primal, *zeros]
    dots: list[Node] = []
    for part, name in zip(target.elts, names, strict=True):
        dot = syntax.store(ctx.dot(name))
        dots.append(gast.Starred(dot, gast.Store()) if isinstance(part, gast.Starred) else dot)
    value = call(ctx.inject("components", containers.components), ctx.tangent(source), syntax.copy(source))
    if ctx.is_exact(source) and not any(isinstance(t, gast.Starred) for t in target.elts):
        value = ctx.tangent(source)
    tangent = gast.Assign([gast.Tuple(dots, gast.Store())], value, None)
    if source.id not in names:
        return [primal, tangent]
    if not ctx.guarded:
        return [tangent, primal]
    old = ctx.temporary(f"{source.id}_0", node)
    syntax.substitute(tangent.value, {source.id: syntax.name(old)})
    return [syntax.assign(old, syntax.name(source.id)), primal, tangent]


