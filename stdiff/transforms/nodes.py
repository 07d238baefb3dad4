"""New nodes that stand where another one stood, so that errors point there."""

from __future__ import annotations

import gast

from stdiff import syntax
from stdiff.syntax import Node

_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def at(new: Node, old: Node) -> Node:
    """`new`, placed where `old` stands."""
    place = vars(old)
    for attribute in _PLACE:
        if attribute in place:
            setattr(new, attribute, place[attribute])
    return new


def everywhere_at(new: Node, old: Node) -> Node:
    """`new` and all that is in it, placed where `old` stands."""
    for node in gast.walk(new):
        at(node, old)
    return new


def named(name: str, old: Node) -> Node:
    """A Name that is read."""
    return at(gast.Name(name, gast.Load(), None, None), old)


def stored(name: str, old: Node) -> Node:
    """A Name that is assigned."""
    return at(gast.Name(name, gast.Store(), None, None), old)


def constant(value: object, old: Node) -> Node:
    """A Constant."""
    return at(syntax.constant(value), old)


def negated(test: Node) -> Node:
    """`not test`."""
    return at(gast.UnaryOp(gast.Not(), test), test)


def assigned(target: str, value: Node, old: Node) -> Node:
    """`target = value`."""
    return at(gast.Assign([stored(target, old)], value, None), old)


def filled(block: list[Node], old: Node) -> list[Node]:
    """The block, or `pass` where it has no statement."""
    return block or [at(gast.Pass(), old)]
