"""Plain expressions: those that can be evaluated twice without changing anything."""

from __future__ import annotations

import builtins
import inspect
import math
import types
from collections.abc import Mapping

import gast
import numpy as np

from stdiff.analyses.calls import known
from stdiff.rules import table
from stdiff.syntax import Node

_PARTS = (
    gast.BoolOp, gast.BinOp, gast.UnaryOp, gast.IfExp, gast.Compare, gast.Constant, gast.Attribute, gast.Subscript,
    gast.Name, gast.List, gast.Tuple, gast.Slice, gast.Set, gast.Dict, gast.JoinedStr, gast.FormattedValue,
    gast.keyword, gast.Starred,
    gast.boolop, gast.operator, gast.unaryop, gast.cmpop, gast.expr_context,
)  # fmt: skip

_ASK = {
    "abs",
    "bool",
    "callable",
    "complex",
    "divmod",
    "float",
    "hasattr",
    "id",
    "int",
    "isinstance",
    "issubclass",
    "len",
    "pow",
    "range",
}
_CONSUME = {"max", "min"}  # of one argument they go through it, and an iterator is then used up


def plain(node: Node, namespace: Mapping[str, object]) -> bool:
    """Whether evaluating an expression twice changes nothing: no walrus, no call but of functions known to be pure.

    >>> from stdiff.syntax import expression
    >>> plain(expression("np.abs(x) > 1e-3 and n < 3"), {"np": np}), plain(expression("f(x) > 0"), {"f": print})
    (True, False)
    """
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, gast.Call):
            if not _pure(part, namespace):
                return False
        elif not isinstance(part, _PARTS):
            return False
        waiting.extend(gast.iter_child_nodes(part))
    return True


def _pure(call: Node, namespace: Mapping[str, object]) -> bool:
    function = known(call.func, namespace)
    if any(keyword.arg in ("out", None) for keyword in call.keywords):
        return False
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return False  # a method: of a random generator, say
    name = getattr(function, "__name__", "")
    if getattr(builtins, name, None) is function:
        return name in _ASK or (name in _CONSUME and len(call.args) > 1)
    if isinstance(function, np.ufunc):
        return len(call.args) <= function.nin
    if getattr(math, name, None) is function:
        return True
    entry = table.lookup(function)
    return (
        entry is not None
        and entry.form in ("elementwise", "linear", "rule", "constant")
        and not entry.writes
        and _numpy(function)
    )


def _numpy(function: object) -> bool:
    module = getattr(inspect.unwrap(function), "__module__", None) or ""  # type: ignore[arg-type]
    return module.partition(".")[0] in ("numpy", "scipy") and not module.startswith("numpy.random")
