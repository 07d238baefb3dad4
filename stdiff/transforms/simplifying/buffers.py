"""buffers: the names whose arrays the function itself writes into, and those that may share memory with them."""

from __future__ import annotations

from collections.abc import Iterable

import gast

from stdiff import syntax
from stdiff.syntax import Node
from stdiff.transforms.simplifying.facts import Facts, binds, statements

_FRESH = (gast.BinOp, gast.UnaryOp, gast.Compare, gast.BoolOp, gast.Constant, gast.JoinedStr)


def buffers(tree: Node, facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
    """What `accumulate_at` is given to write into; and all that may be written into, or be a view or part of it.

    Operators make new arrays; anything else may hand on what it is given.

    Arguments: `tree`, a function; `facts`, for what its statements read. Returns: the two sets of names.

    >>> from stdiff.syntax import parse
    >>> text = "def f(y_bar, a_bar, g, i):\\n  x_bar = y_bar[1:]\\n  x_bar = accumulate_at(x_bar, i, g)\\n  z = -a_bar"
    >>> written, storage = buffers(parse(text).body[0], Facts(frozenset(), pure=lambda f: True))
    >>> sorted(written), sorted(storage)
    (['x_bar'], ['x_bar', 'y_bar'])
    """
    accumulated: set[str] = set()
    written: set[str] = set()
    for statement in statements(tree.body):
        accumulated.update(_accumulated(statement))
        written.update(_written(statement))
    written |= accumulated
    if not written:
        return frozenset(), frozenset()
    local = {*syntax.parameters(tree), *(name for s in statements(tree.body) for name in binds(s))}
    groups = _Groups()
    for statement in statements(tree.body):
        groups.join(local.intersection(_sharing(statement, facts)))
    return frozenset(accumulated), frozenset(written).union(*(groups.of(name) for name in written))


def _written(statement: Node) -> list[str]:
    """The names of what a statement writes into: of `x[i] = v`, `x.a = v`, `x += v`."""
    if isinstance(statement, gast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, gast.Assign):
        targets = [target for target in statement.targets if type(target) is not gast.Name]
    else:
        return []
    return [root for target in targets if (root := _root(target))]


def _call_of(statement: Node) -> Node | None:
    value = getattr(statement, "value", None)
    called = syntax.dotted(value.func) if isinstance(value, gast.Call) else None
    return value if called and called.split(".")[-1].startswith("accumulate_at") else None


def _accumulated(statement: Node) -> list[str]:
    call = _call_of(statement)
    return [call.args[0].id] if call is not None and call.args and type(call.args[0]) is gast.Name else []


def _root(target: Node) -> str | None:
    while isinstance(target, gast.Subscript | gast.Attribute):
        target = target.value
    return target.id if type(target) is gast.Name else None


def _sharing(statement: Node, facts: Facts) -> Iterable[str]:
    """The names that may hold parts of one array after a statement if they did not before."""
    if _call_of(statement) is not None:
        return [*_accumulated(statement), *binds(statement)]
    if isinstance(statement, gast.Assign) and isinstance(statement.value, _FRESH):
        return []
    return [*binds(statement), *facts.reads(statement)]


class _Groups:
    """Names in groups, which are joined."""

    def __init__(self) -> None:
        self.members: dict[str, set[str]] = {}

    def of(self, name: str) -> set[str]:
        return self.members.setdefault(name, {name})

    def join(self, names: Iterable[str]) -> None:
        groups = {id(group): group for group in map(self.of, names)}
        if len(groups) < 2:
            return
        largest, *others = sorted(groups.values(), key=len, reverse=True)
        for group in others:
            largest |= group
            for name in group:
                self.members[name] = largest
