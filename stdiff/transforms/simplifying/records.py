"""hoist_records: record what an iteration needs before it is overwritten, instead of keeping a copy until the end.

x_0 = x
t = x_0 * 2                    t = x * 2
x = x + t              ->      tape.append((x, t))
tape.append((x_0, t))          x = x + t
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import gast

from stdiff import syntax
from stdiff.syntax import Node
from stdiff.transforms.simplifying.facts import (
    HEADERS,
    JUMPS,
    OPAQUE,
    Facts,
    assigned,
    blocks,
    census,
    replace,
    statements,
)


def hoist_records(tree: Node, made: frozenset[str]) -> tuple[Node, dict[str, str]]:
    """Moves the append to a tape before the first assignment of a name that is copied only for it; drops the copy.

    Done where the append stands in the same block of a loop as the copy, nothing between leaves the block, and
    everything that is recorded has its final value (for this iteration) by then.

    Arguments: `tree`, a forward sweep, changed in place; `made`, the names that the compiler made.
    Returns: the tree, and for each copy that went the name that is recorded instead of it.

    >>> from stdiff.program import unparse
    >>> from stdiff.syntax import parse
    >>> text = '''def f(x, tape):
    ...     for i in range(3):
    ...         x_0 = x
    ...         t = x_0 * 2
    ...         x = x + t
    ...         tape.append((x_0, t))
    ...     return x, tape'''
    >>> tree, renamed = hoist_records(parse(text).body[0], frozenset({"x_0", "tape"}))
    >>> print(unparse(tree), renamed)
    def f(x, tape):
        for i in range(3):
            t = x * 2
            tape.append((x, t))
            x = x + t
        return x, tape {'x_0': 'x'}
    """
    facts = Facts(made, pure=lambda func: False)
    read, bound = census(tree.body, facts)
    renamed: dict[str, str] = {}
    for body in _loop_bodies(tree.body):
        for copy in [statement for statement in body if assigned(statement) in made]:
            snapshot: str = copy.targets[0].id
            if type(copy.value) is not gast.Name or bound[snapshot] != 1:
                continue
            move = _move(body, copy, read[snapshot], facts)
            if move is not None:
                for part in statements(body[body.index(copy) + 1 : move.at + 1]):
                    _rename(part, snapshot, copy.value, facts)
                body.insert(move.to, body.pop(move.at))
                body.remove(copy)
                renamed[snapshot] = copy.value.id
    return tree, renamed


class _Move(NamedTuple):
    """Where an append to a tape stands in its block, and where it goes to."""

    at: int
    to: int


def _loop_bodies(body: list[Node]) -> Iterator[list[Node]]:
    """The bodies of loops that no exception can leave half done while the function still goes on."""
    waiting = [body]
    while waiting:
        for statement in waiting.pop():
            if isinstance(statement, gast.For | gast.While):
                yield statement.body
            if not isinstance(statement, gast.Try | gast.With):
                waiting.extend(blocks(statement))


def _move(body: list[Node], copy: Node, reads: int, facts: Facts) -> _Move | None:
    """The move that makes a copy needless: all that read it then stand before its name is bound again."""
    snapshot, name, start = copy.targets[0].id, copy.value.id, body.index(copy)
    counts = [_reads(statement, facts).count(snapshot) for statement in body[start + 1 :]]
    readers = [start + 1 + k for k, count in enumerate(counts) if count]
    if not readers or sum(counts) != reads or not _records(body[readers[-1]]):
        return None
    last = readers[-1]
    first = next((k for k in range(start + 1, last) if name in syntax.writes(body[k])), last)
    if any(k > first or (k == first and blocks(body[k])) for k in readers[:-1]) or _hidden(
        body[start + 1 : last + 1], snapshot
    ):
        return None
    recorded = set(_reads(body[last], facts)) - {snapshot}
    tape = body[last].value.func.value.id
    for statement in body[first:last]:
        leaves = any(isinstance(part, JUMPS) for part in statements([statement]))
        if leaves or tape in _reads(statement, facts) or not recorded.isdisjoint(syntax.writes(statement)):
            return None
    return _Move(last, first)


def _reads(statement: Node, facts: Facts) -> list[str]:
    return [name for part in statements([statement]) for name in facts.reads(part)]


def _records(statement: Node) -> bool:
    """Whether a statement is `tape.append(name)` or `tape.append((name, name))`."""
    call = getattr(statement, "value", None)
    if (
        not isinstance(statement, gast.Expr)
        or not isinstance(call, gast.Call)
        or not isinstance(call.func, gast.Attribute)
    ):
        return False
    if call.func.attr != "append" or type(call.func.value) is not gast.Name or len(call.args) != 1:
        return False
    items = call.args[0].elts if isinstance(call.args[0], gast.Tuple) else call.args
    return all(type(item) is gast.Name for item in items)


def _hidden(body: list[Node], name: str) -> bool:
    """Whether a name is read where nothing can be replaced."""
    parts = (part for statement in body for part in gast.walk(statement) if isinstance(part, OPAQUE))
    return any(name in syntax.reads(part) for part in parts)


def _rename(statement: Node, name: str, by: Node, facts: Facts) -> None:
    for field in HEADERS.get(type(statement), ()):
        setattr(statement, field, replace(getattr(statement, field), {name: by}, facts))
