"""inline: write a value that is used once where it is used.

t1 = v * v
s = s + t1     ->     s = s + v * v
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import gast

from stdiff.syntax import Node
from stdiff.transforms.simplifying.facts import (
    ACTS,
    HEADERS,
    JUMPS,
    OPAQUE,
    READS,
    VALUE,
    Facts,
    assigned,
    binds,
    blocks,
    census,
    evaluated,
    replace,
)  # fmt: skip

COLUMNS = 90
BRACKETS = 4


def inline(tree: Node, facts: Facts) -> bool:
    """Moves the value of a made name that is read once into the statement that reads it, if that is in the same block.

    Nothing changes places with what it might disturb: names that are bound, arrays that may be written, output. Lines
    stay shorter than 90 columns and brackets at most 4 deep. Nothing goes into a `while` test. In a derivative a first
    contribution to an adjoint goes into the statement that adds the second (`x_bar = a; x_bar = x_bar + b`), unless
    they come from different lines and others are between.

    Arguments: `tree`, a function, changed in place. Returns: whether anything was moved.

    >>> from stdiff.program import unparse
    >>> from stdiff.syntax import parse
    >>> tree = parse("def f(v, s):\\n  t1 = v * v\\n  s = s + t1\\n  return s").body[0]
    >>> inline(tree, Facts(frozenset({"t1"}), pure=lambda f: True))
    True
    >>> print(unparse(tree))
    def f(v, s):
        s = s + v * v
        return s
    """
    reads, bound = census(tree.body, facts)
    inliner = _Inliner(facts, reads, bound)
    inliner.block(tree.body, 4, False)
    return inliner.changed


class Spot(NamedTuple):
    """Where a statement reads a name: the largest effect of what it evaluates before that, and brackets around it."""

    name: str
    before: int
    brackets: int


class _Place:
    """A block on the way through it: the assignments that wait for their use, and what has been passed, by position."""

    def __init__(self, body: list[Node], indent: int) -> None:
        self.body = body
        self.indent = indent
        self.values: dict[str, int] = {}  # of names that are read once
        self.first: dict[str, int] = {}  # of adjoints to which more may be added
        self.gone: set[int] = set()
        self._bound_at: dict[str, int] = {}
        self.loop_at = -1
        self._at: dict[int, list[int]] = {READS: [], ACTS: []}

    def add(self, position: int, effect: int, names: set[str], loop: bool) -> None:
        """Passes a statement that binds `names`."""
        if loop:
            self.loop_at = position
        for name in names:
            self._bound_at[name] = position
        for least in (READS, ACTS):
            if effect >= least:
                self._at[least].append(position)

    def drop(self, statement: Node, read: tuple[str, ...], bound: set[str]) -> None:
        """What is in `first` waits only for the next statement that has to do with its name."""
        for name in bound:
            self.values.pop(name, None)
        if not self.first:
            return
        if blocks(statement) or isinstance(statement, JUMPS):
            self.first.clear()
        for name in (*read, *bound):
            self.first.pop(name, None)

    def take(self, name: str, position: int) -> None:
        """Takes the statement at a position out."""
        self.gone.add(position)
        self.values.pop(name, None)
        self.first.pop(name, None)

    def may_move(self, position: int, reads: tuple[str, ...], effect: int, before: int) -> bool:
        """Whether a value may move from a position into a statement that does `before` before reading it."""
        if any(self._bound_at.get(name, -1) > position for name in reads):
            return False
        if effect == VALUE:
            return True
        disturbing = ACTS if effect == READS else READS
        return before < disturbing and self._last(disturbing) <= position

    def _last(self, least: int) -> int:
        """The position of the last statement that is still there and has at least this effect."""
        positions = self._at[least]
        while positions and positions[-1] in self.gone:
            positions.pop()
        return positions[-1] if positions else -1


class _Inliner:
    def __init__(self, facts: Facts, reads: Counter[str], bound: Counter[str]) -> None:
        self.facts = facts
        self.reads = reads
        self.bound = bound
        self.changed = False

    def block(self, body: list[Node], indent: int, guarded: bool) -> tuple[set[str], int]:
        """Inlines within a block (`guarded`: in a try or with). Returns the names that it binds, and its effect."""
        place = _Place(body, indent)
        names: set[str] = set()
        effect = VALUE
        for position, statement in enumerate(body):
            read = self.facts.reads(statement)
            if not place.values.keys().isdisjoint(read) or assigned(statement) in place.first:
                self._fill(statement, place)
            inside, acts = self._inside(statement, indent, guarded)
            place.add(position, acts, inside, isinstance(statement, gast.For | gast.While))
            names |= inside
            effect = max(effect, acts)
            place.drop(statement, self.facts.reads(statement), inside)
            name = assigned(statement)
            if name is None or name in self.facts.shared:
                continue
            if self._single(name):
                place.values[name] = position
            elif self.facts.derivative and not guarded and _called(statement.value) != "accumulate_at":
                place.first[name] = position
        if place.gone:
            body[:] = [statement for k, statement in enumerate(body) if k not in place.gone]
            self.changed = True
        return names, effect

    def _inside(self, statement: Node, indent: int, guarded: bool) -> tuple[set[str], int]:
        """The names that a statement with its blocks binds, and its effect."""
        names = set(binds(statement))
        if _called(getattr(statement, "value", None)) == "accumulate_at":  # it writes into what it is given
            names |= self.facts.buffers.intersection(self.facts.reads(statement))
        effect = ACTS if isinstance(statement, JUMPS) else self.facts.effect(statement)
        inner = guarded or isinstance(statement, gast.Try | gast.With)
        for block in blocks(statement):
            more, acts = self.block(block, indent + 4, inner)
            names |= more
            effect = max(effect, acts)
        return names, effect

    def _single(self, name: str) -> bool:
        """A made name with one assignment and one read: what is assigned can only be read there."""
        return (
            self.reads[name] == 1
            and self.bound[name] == 1
            and name in self.facts.made
            and name not in self.facts.buffers
        )

    def _free(self, reads: tuple[str, ...]) -> bool:
        return any(name not in self.facts.local for name in reads)

    def _fill(self, statement: Node, place: _Place) -> None:
        """Moves what is waiting into a statement: what is evaluated last comes first, as it has the least to pass."""
        fields = HEADERS[type(statement)]
        width = place.indent + 4 + sum(self.facts.summary(getattr(statement, field)).width for field in fields)
        moved: dict[str, Node] = {}
        for spot in reversed(_spots(statement, self.facts)):
            position = place.values.get(spot.name)
            if position is None:
                position = place.first.get(spot.name)
                if position is None or not self._adds(statement, spot.name, place, position):
                    continue
            value = place.body[position].value
            summary = self.facts.summary(value)
            longer = width + summary.width - len(spot.name)
            if longer > COLUMNS or spot.brackets + summary.depth > BRACKETS:
                continue
            if self._free(summary.reads) and place.loop_at > position:
                continue
            if place.may_move(position, summary.reads, summary.effect, spot.before):
                width = longer
                moved[spot.name] = value
                place.take(spot.name, position)
                self.reads[spot.name] -= 1
                self.bound[spot.name] -= 1
        if moved:
            for field in fields:
                setattr(statement, field, replace(getattr(statement, field), moved, self.facts))

    def _adds(self, statement: Node, name: str, place: _Place, position: int) -> bool:
        """Whether the statement is `name = name + ...` and next to the assignment, or comes from the same line."""
        if assigned(statement) != name or not isinstance(statement.value, gast.BinOp):
            return False
        value = statement.value
        if not isinstance(value.op, gast.Add | gast.Sub) or getattr(value.left, "id", None) != name:
            return False
        if name in self.facts.summary(value.right).reads:
            return False
        first = place.body[position]
        line = getattr(statement, "lineno", None)
        if line is not None and line == getattr(first, "lineno", None):
            return True
        if name in self.facts.summary(first.value).reads:
            return False  # a long sum of contributions from everywhere
        following = next(k for k in range(position + 1, len(place.body)) if k not in place.gone)
        return place.body[following] is statement


def _called(value: Node) -> str | None:
    func = getattr(value, "func", None)
    return getattr(func, "attr", getattr(func, "id", None))


def _spots(statement: Node, facts: Facts) -> list[Spot]:
    """Where a value may be put in a statement, in the order of evaluation: what is surely evaluated, and once."""
    walk = _Spots(facts)
    if isinstance(statement, gast.With):
        walk.visit(statement.items[0].context_expr, 0)
    elif isinstance(statement, gast.Assert):
        walk.visit(statement.test, 0)
    elif isinstance(statement, gast.For):
        walk.visit(statement.iter, 0)
    elif not isinstance(statement, gast.While | gast.Delete):
        for field in HEADERS[type(statement)]:
            part = getattr(statement, field)
            for node in part if isinstance(part, list) else [part]:
                walk.visit(node, 0)
    return walk.found


class _Spots:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.found: list[Spot] = []
        self.before = VALUE

    def visit(self, node: Node, brackets: int) -> None:
        kind = type(node)
        if kind is gast.Name:
            if isinstance(node.ctx, gast.Load):
                self.found.append(Spot(node.id, self.before, brackets))
            return
        certain = _certain(node)
        if isinstance(node, gast.AST):
            inner = brackets + (kind in (gast.Call, gast.Subscript, gast.Tuple, gast.List, gast.Dict))
            for part in certain:
                self.visit(part, inner)
            self.before = max(self.before, self.facts.summary(node).effect)


def _certain(node: Node) -> list[Node]:
    """The parts of an expression that are evaluated whenever it is, up to the first that may not be."""
    kind = type(node)
    if kind in (gast.IfExp, gast.BoolOp):
        return evaluated(node)[:1]
    if kind is gast.Compare:
        return evaluated(node)[:2]
    if kind is gast.Subscript and isinstance(node.ctx, gast.Store) and type(node.value) is gast.Name:
        return [node.slice]  # `f(x)[i] = v` is not what one writes
    if kind is gast.Attribute and isinstance(node.ctx, gast.Store):
        return []
    if kind in OPAQUE:
        return []
    return evaluated(node) if node is not None else []
