"""placing: which statements of a sweep come from a line of the source, and which only keep the record."""

from __future__ import annotations

from collections.abc import Collection

import gast

from stdiff import syntax
from stdiff.syntax import Node


def unplace(tree: Node, kept: Collection[str], bars: Collection[str]) -> None:
    """Give the statements that come from no line of the source in particular the place of the `def`, in place.

    Such are those that keep the record or ask how a block was left, and a zero to which a loop then adds. What is
    printed shows no line beside them.

    Arguments: `tree`, a sweep; `kept`, the names that only the record needs; `bars`, the adjoints.
    """
    for node in syntax.walk(tree):
        if isinstance(node, gast.Expr | gast.Assign):
            of_none = _keeps(node, kept) or _zero(node, bars)
        else:
            of_none = isinstance(node, gast.If) and getattr(node.test, "id", None) in kept
        if of_none:
            gast.copy_location(node, tree)


def _keeps(node: Node, kept: Collection[str]) -> bool:
    """`tape = []`, `x_0 = x`, `tape.append(...)`, `x, s = saved`, `x, s = tape[k]`"""
    if isinstance(node, gast.Assign):
        target, value = node.targets[0], node.value
        source = value.value if isinstance(value, gast.Subscript) else value
        return getattr(target, "id", None) in kept or getattr(source, "id", None) in kept
    func = getattr(node.value, "func", None)
    return isinstance(func, gast.Attribute) and getattr(func.value, "id", None) in kept


def _zero(node: Node, bars: Collection[str]) -> bool:
    if not isinstance(node, gast.Assign) or getattr(node.targets[0], "id", None) not in bars:
        return False
    called = getattr(getattr(node.value, "func", None), "attr", None)
    return called == "zeros_like" or (isinstance(node.value, gast.Constant) and node.value.value == 0.0)
