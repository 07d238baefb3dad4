"""propagate: read what a name that the compiler made is a copy of.

t1_bar = y_bar                 t1_bar = y_bar
a_bar = t1_bar * b      ->     a_bar = y_bar * b
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import gast

from stdiff.syntax import Node
from stdiff.transforms.simplifying.facts import HEADERS, Facts, assigned, binds, blocks, census, replace, statements


def propagate(tree: Node, facts: Facts) -> bool:
    """Replaces reads of `t` after `t = a` by `a`, until one of them is bound again; `t` is made, `a` a name or literal.

    The assignments stay, for `remove` to take out. Where the value goes into a name of the user at once
    (`t1 = v * v; y = t1`) that name takes its place. Names whose buffers `accumulate_at` writes into are left alone.

    Arguments: `tree`, a function, changed in place. Returns: whether anything was replaced.

    >>> from stdiff.program import unparse
    >>> from stdiff.syntax import parse
    >>> tree = parse("def f(y_bar, b):\\n  t1_bar = y_bar\\n  a_bar = t1_bar * b\\n  return a_bar").body[0]
    >>> propagate(tree, Facts(frozenset({"t1_bar"}), pure=lambda f: True))
    True
    >>> print(unparse(tree))
    def f(y_bar, b):
        t1_bar = y_bar
        a_bar = y_bar * b
        return a_bar
    """
    changed = _hand_over(tree, facts)
    if not any(_copy(statement, facts) is not None for statement in statements(tree.body)):
        return changed
    return _Copies(facts, _bound_within(tree.body)).block(tree.body) or changed


def _hand_over(tree: Node, facts: Facts) -> bool:
    """`t1 = E; y = t1` becomes `y = E; t1 = y` where t1 is read again and y is the user's."""
    reads: Counter[str] | None = None
    changed = False
    for body in [tree.body, *(block for s in statements(tree.body) for block in blocks(s))]:
        for first, second in pairwise(body):
            made, name = assigned(first), assigned(second)
            if made not in facts.made or name is None or name in facts.made or getattr(second.value, "id", "") != made:
                continue
            if (
                second.value.id != made
                or type(first.value) in (gast.Name, gast.Constant)
                or facts.buffers & {made, name}
            ):
                continue
            reads = census(tree.body, facts)[0] if reads is None else reads
            if reads[made] > 1:
                first.targets, second.targets = second.targets, first.targets
                second.value = gast.copy_location(gast.Name(name, gast.Load(), None, None), second.value)
                changed = True
    return changed


def _copy(statement: Node, facts: Facts) -> Node | None:
    """What a made name is a copy of, if the statement makes one; else None."""
    name = assigned(statement)
    if name not in facts.made or name in facts.buffers:
        return None
    value = statement.value
    if type(value) is gast.Constant:
        return value
    if type(value) is gast.Name and value.id != name and value.id not in facts.buffers and value.id not in facts.shared:
        return value
    return None


def _bound_within(body: list[Node]) -> dict[int, set[str]]:
    """For each statement with blocks (by id), the names bound in it, blocks and all."""
    found: dict[int, set[str]] = {}

    def collect(block: list[Node]) -> set[str]:
        names: set[str] = set()
        for statement in block:
            names.update(binds(statement))
            inner = blocks(statement)
            if inner:
                found[id(statement)] = set(binds(statement)).union(*map(collect, inner))
                names |= found[id(statement)]
        return names

    collect(body)
    return found


class _Copies:
    """The copies that hold at a point of the text, on a walk through it in order."""

    def __init__(self, facts: Facts, bound_within: dict[int, set[str]]) -> None:
        self.facts = facts
        self.bound_within = bound_within
        self.values: dict[str, Node] = {}
        self.copies_of: dict[str, set[str]] = {}
        self.journal: list[tuple[str, Node | None]] = []  # what to undo where a block ends

    def block(self, body: list[Node]) -> bool:
        changed = False
        for statement in body:
            inner = [block for block in blocks(statement) if block]
            bound = self.bound_within[id(statement)] if inner else binds(statement)
            if not isinstance(statement, gast.While):
                changed |= self._header(statement)
            if isinstance(statement, gast.For | gast.While | gast.Try | gast.With):
                self._forget(bound)  # not even at the start of the block: it may be a later iteration
                self._forget([name for name in self.copies_of if name not in self.facts.local])
            if isinstance(statement, gast.While):
                changed |= self._header(statement)
            for block in inner:
                mark = len(self.journal)
                changed |= self.block(block)
                self._undo(mark)
            self._forget(bound)
            value = _copy(statement, self.facts)
            if value is not None:
                self._set(statement.targets[0].id, value)
        return changed

    def _header(self, statement: Node) -> bool:
        if self.values.keys().isdisjoint(self.facts.reads(statement)) or isinstance(statement, gast.Delete):
            return False
        changed = False
        for name in HEADERS[type(statement)]:
            part = getattr(statement, name)
            new = replace(part, self.values, self.facts)
            if new is not part:
                setattr(statement, name, new)
                changed = True
        return changed

    def _set(self, name: str, value: Node | None) -> None:
        self.journal.append((name, self.values.get(name)))
        self._put(name, value)

    def _put(self, name: str, value: Node | None) -> None:
        if value is None:
            self.values.pop(name, None)
            return
        self.values[name] = value
        if type(value) is gast.Name:
            self.copies_of.setdefault(value.id, set()).add(name)

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self.values:
                self._set(name, None)
            for copy in self.copies_of.pop(name, ()):
                value = self.values.get(copy)
                if value is not None and getattr(value, "id", None) == name:
                    self._set(copy, None)

    def _undo(self, mark: int) -> None:
        while len(self.journal) > mark:
            self._put(*self.journal.pop())
