"""splicing: the formula of a rule, as an expression on the operands of one call."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import gast

from stdiff import runtime, runtime_reductions, syntax
from stdiff.program import lambda_source
from stdiff.rules import table
from stdiff.syntax import Node


@dataclass(frozen=True)
class Formula:
    """A rule's lambda taken apart: its first parameters (`g`, `y`; or `y`), its body's parts, the globals it reads."""

    first: tuple[str, ...]
    parts: tuple[Any, ...]  # one an operand, None where an operand carries nothing
    namespace: Mapping[str, object]


@functools.cache
def formula(function: Any, own: int) -> Formula:
    """The formula in a lambda; `own` is how many of its parameters are not the differentiated function's."""
    found = lambda_source(function)
    if found is None:
        raise TypeError(f"a rule's formula must be a lambda, not {function!r}")
    node, namespace = found
    body = node.body
    parts = tuple(body.elts) if isinstance(body, gast.Tuple) else (body,)
    parts = tuple(None if isinstance(p, gast.Constant) and p.value is None else _marked(p, namespace) for p in parts)
    return Formula(tuple(p.id for p in node.args.args[:own]), parts, namespace)


_SHAPED: dict[Any, int] = {  # by the function, the place of what it reads for its shape and precision
    runtime.unbroadcast: 1, runtime.filled: 1, runtime_reductions.spread: 1, runtime_reductions.count: 0,
}  # fmt: skip


def shape(parameter: str) -> str:
    """What a parameter is called in a part of a formula where only its shape and precision matter."""
    return f"shape of {parameter}"


def _marked(part: Node, namespace: Mapping[str, object]) -> Node:
    """A copy of a part in which the parameters that are read for their shape alone are marked as such."""
    part = syntax.copy(part)
    for node in syntax.walk(part):
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Name):
            continue
        called = namespace.get(node.func.id)
        place = _SHAPED.get(called, len(node.args)) if isinstance(called, FunctionType) else len(node.args)
        if place < len(node.args) and isinstance(node.args[place], gast.Name):
            node.args[place] = syntax.name(shape(node.args[place].id))
    return part


def operands(rule: table.Rule, args: list[Node], keywords: Mapping[str, Node]) -> dict[str, Any]:
    """The argument nodes of a call by the rule's parameter names; what the call leaves out as Constants.

    A `*operands` parameter gets a tuple of nodes, or the one node that is starred in the call.

    Raises: table.BindError for an argument that the rule does not cover, TypeError for a call that does not fit.
    """
    if None in keywords:
        raise table.BindError(rule, "`**`")
    starred = [k for k, a in enumerate(args) if isinstance(a, gast.Starred)]
    if starred:
        places = rule.parameters.index(rule.star) if rule.star is not None else 0
        if rule.star is None or starred != [len(args) - 1] or starred[0] != places:
            raise table.BindError(rule, "`*`")
    bound = table.bind(rule, args, keywords)
    if starred and rule.star is not None:
        bound[rule.star] = args[-1].value
    for name, default in rule.defaults.items():
        bound.setdefault(name, _constant(default))
    if rule.star is not None:
        bound.setdefault(rule.star, ())
    return bound


def _constant(value: Any) -> Node:
    """A default value as a node: a literal, or a tuple of literals."""
    if isinstance(value, tuple):
        return gast.Tuple([_constant(v) for v in value], gast.Load())
    return syntax.constant(value)


def splice(part: Node, values: Mapping[str, Any]) -> Node:
    """A copy of a formula's part with its parameters replaced by nodes; a tuple of nodes becomes a tuple display."""
    nodes = {
        name: gast.Tuple(list(value), gast.Load()) if isinstance(value, tuple) else value
        for name, value in values.items()
    }
    return syntax.substitute(syntax.copy(part), nodes)


def without_defaults(node: Node, namespace: Mapping[str, object]) -> Node:
    """A formula, in place, without the keyword arguments that say what the function takes anyway.

    >>> from stdiff.program import unparse
    >>> def total(x, axis=None): ...
    >>> unparse(without_defaults(syntax.expression("total(x, axis=None)"), {"total": total}))
    'total(x)'
    """
    for part in syntax.walk(node):
        path = (syntax.dotted(part.func) or "").split(".") if isinstance(part, gast.Call) and part.keywords else [""]
        if path[0] in namespace:
            defaults = _defaults(functools.reduce(getattr, path[1:], namespace[path[0]]))
            part.keywords = [
                k
                for k in part.keywords
                if not (
                    isinstance(k.value, gast.Constant) and k.arg in defaults and _same(defaults[k.arg], k.value.value)
                )
            ]
    return node


def _defaults(function: Any) -> Mapping[str, Any]:
    code = getattr(function, "__code__", None)
    if code is None:  # its entry says what it takes
        rule = table.lookup(function)
        return rule.defaults if rule is not None else {}
    names, values = code.co_varnames[: code.co_argcount], function.__defaults__ or ()
    return dict(zip(names[len(names) - len(values) :], values, strict=True)) | (function.__kwdefaults__ or {})


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def free_names(part: Node, values: Mapping[str, Any]) -> frozenset[str]:
    """The names in a formula that are neither its parameters nor bound inside it."""
    return free(part).difference(values)


@functools.cache
def free(part: Node) -> frozenset[str]:
    """The names in a formula that it does not bind itself."""
    names = syntax.walk_names(part)
    return frozenset(
        {n.id for n in names if isinstance(n.ctx, gast.Load)}
        - {n.id for n in names if not isinstance(n.ctx, gast.Load)}
    )
