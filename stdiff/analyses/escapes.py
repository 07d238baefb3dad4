"""Which functions given to a call are only called by it, and not kept."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Mapping

import gast

from stdiff import program
from stdiff.analyses.calls import known
from stdiff.errors import SourceError
from stdiff.syntax import Node

_CALL_AT_ONCE = (sorted, min, max, functools.reduce)
_GO_THROUGH = (list, tuple, set, frozenset, dict, sum, any, all, sorted, min, max)
_LAZY = (map, filter)


def only_called(call: Node, namespace: Mapping[str, object]) -> list[Node]:
    """The arguments of a call that, if they are functions, it calls (if at all) and forgets when it returns.

    >>> from stdiff.program import unparse
    >>> from stdiff.syntax import expression
    >>> print(*map(unparse, only_called(expression("sorted(x, key=f)"), {"sorted": sorted})))
    x f
    >>> print(*map(unparse, only_called(expression("list(map(f, x))"), {"list": list, "map": map})))
    map(f, x) f x
    """
    function = known(call.func, namespace)
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    found: list[Node] = []
    if function in _CALL_AT_ONCE:
        found += given
    elif isinstance(function, types.FunctionType):
        found += _of_python(call, function)
    if function in _GO_THROUGH:
        found += [argument for argument in given if argument not in found]
        for argument in given:
            if isinstance(argument, gast.Call) and known(argument.func, namespace) in _LAZY:
                found += argument.args
    return found


def _of_python(call: Node, function: types.FunctionType) -> list[Node]:
    """The arguments for those parameters of a Python function that its body uses only in front of `(`."""
    try:
        tree = program.of(function).tree
        bound = inspect.signature(function, follow_wrapped=False).bind(
            *call.args, **{k.arg: k.value for k in call.keywords}
        )
    except (SourceError, TypeError):
        return []
    starred = [argument for argument in call.args if isinstance(argument, gast.Starred)]
    if starred or any(keyword.arg is None for keyword in call.keywords):
        return []
    return [node for name, node in bound.arguments.items() if isinstance(node, gast.AST) and _only_in_calls(name, tree)]


def _only_in_calls(name: str, tree: Node) -> bool:
    called = 0
    waiting: list[Node] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, gast.FunctionDef | gast.Lambda | gast.GeneratorExp):  # may run later
            called -= sum(isinstance(part, gast.Name) and part.id == name for part in gast.walk(node))
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == name:
            called += 1
        if isinstance(node, gast.Name) and node.id == name:
            called -= 1
        waiting.extend(gast.iter_child_nodes(node))
    return called == 0
