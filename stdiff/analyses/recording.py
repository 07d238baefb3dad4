"""What the forward sweep must record for the backward sweep: read off the backward statements, scope by scope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import gast

from stdiff import syntax
from stdiff.syntax import Node


@dataclass
class Record:
    """What one loop records: a tuple of `names` an iteration on the tape, or only how many iterations there were.

    `form`: tape (the names), trips (a counter), range (nothing: the loop's own `range` says it all), none.
    """

    form: str
    names: list[str] = field(default_factory=list)


@dataclass
class Recording:
    """The loops' records by the name of their tape, and what the function's own scope saves."""

    loops: dict[str, Record]
    saved: list[str]


def exposed(body: list[Node]) -> dict[str, None]:
    """The names that a block reads before it writes them on some path, in the order of reading.

    >>> from stdiff.syntax import parse
    >>> list(exposed(parse("a = b\\nfor i in c:\\n  d = a + i + e").body))
    ['b', 'c', 'e']
    """
    found: dict[str, None] = {}
    _exposed(body, set(), found)
    return found


def _exposed(body: list[Node], written: set[str], found: dict[str, None]) -> None:
    for node in body:
        if isinstance(node, gast.If):
            _note(node.test, written, found)
            sides = [set(written), set(written)]
            _exposed(node.body, sides[0], found)
            _exposed(node.orelse, sides[1], found)
            written |= sides[0] & sides[1]
        elif isinstance(node, gast.For | gast.While):
            inside = set(written)
            _note(node.iter if isinstance(node, gast.For) else node.test, written, found)
            if isinstance(node, gast.For):
                inside |= set(syntax.store_names(node.target))
            _exposed(node.body, inside, found)
            _exposed(node.orelse, set(written), found)
        elif isinstance(node, gast.With):
            for item in node.items:
                _note(item.context_expr, written, found)
            _exposed(node.body, written, found)
        elif isinstance(node, gast.Try):
            _exposed(node.body, set(written), found)
            for handler in node.handlers:
                _exposed(handler.body, set(written), found)
            _exposed(node.orelse, set(written), found)
            _exposed(node.finalbody, set(written), found)
        else:
            _note(node, written, found)
            written |= set(syntax.store_names(node))


def _note(node: Node, written: set[str], found: dict[str, None]) -> None:
    names = [n.id for n in syntax.walk_names(node) if isinstance(n.ctx, gast.Load)]
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
        names.append(node.target.id)
    for name in names:
        if name not in written:
            found.setdefault(name)


def recording(
    backward: list[Node],
    belongs: Callable[[str, str], bool],
    local: Callable[[str], bool],
    order: Callable[[str], tuple[int, int]],
    header: Callable[[Node, str, list[str]], Record],
) -> Recording:
    """Decide what every loop and the function record, and write the backward loops' headers.

    Arguments: `backward`, the backward sweep's statements, whose loops are `for _ in tape:`; `belongs(name, tape)`,
    whether the forward loop of that tape makes the name; `local(name)`, whether the forward sweep has it as a local;
    `order(name)`, where it is made; `header(loop, tape, names)`, which writes the header of a backward loop and says
    what its forward loop is to record.
    """
    loops: dict[str, Record] = {}

    def visit(body: list[Node]) -> None:
        for node in body:
            for inner in ("body", "orelse"):
                visit(getattr(node, inner, None) or [])
            if isinstance(node, gast.For) and isinstance(node.iter, gast.Name):
                tape = node.iter.id
                needed = sorted((n for n in exposed(node.body) if belongs(n, tape)), key=order)
                loops[tape] = header(node, tape, needed)

    visit(backward)
    saved = sorted((n for n in exposed(backward) if local(n)), key=order)
    return Recording(loops, saved)
