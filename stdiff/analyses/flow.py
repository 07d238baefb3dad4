"""Where each statement stands: its position, its loops, its branches; and what that says of a name's later writes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import gast

from stdiff.syntax import Node, parameters, store_names


@dataclass(frozen=True)
class Spot:
    """A statement's place: position in source order, enclosing loops from the outside in, branches of enclosing ifs."""

    position: int
    loops: tuple[int, ...]
    branches: tuple[tuple[int, int], ...]
    block: int
    end: int = 0  # the position of the last statement within it

    def excludes(self, other: Spot) -> bool:
        """Whether the two stand in different branches of one statement: one pass of control cannot meet both."""
        # Ways down one tree: where they part says it all.
        for mine, its in zip(self.branches, other.branches, strict=False):
            if mine != its:
                return mine[0] == its[0]
        return False


@dataclass
class Flow:
    """The spots of all statements and of all assignments to each name. Keys of `spots` are `id(statement)`."""

    spots: dict[int, Spot] = field(default_factory=dict)
    definitions: dict[str, list[Spot]] = field(default_factory=dict)
    loops: dict[int, Node] = field(default_factory=dict)
    statements: dict[int, Node] = field(default_factory=dict)  # by position
    # By name, the loops around its assignments, once asked for.
    around: dict[str, set[int]] = field(default_factory=dict)
    caught: set[str] = field(default_factory=set)  # names of exceptions

    def scope(self, name: str, spot: Spot) -> int:
        """How many of the spot's loops enclose both it and some assignment of `name`: 0 is the function body."""
        around = self.around.get(name)
        if around is None:
            around = self.around[name] = {
                loop for definition in self.definitions.get(name, ()) for loop in definition.loops
            }
        return sum(loop in around for loop in spot.loops)

    def overwritten(self, name: str, spot: Spot, known: int) -> bool:
        """Whether `name` may get another value after position `known` before its scope ends.

        The scope is the innermost loop around the spot in which `name` is assigned, else the function body. For the
        value that a statement reads `known` is `spot.position - 1` (its own assignment counts), for the value after it
        `spot.end`.
        """
        found = self.definitions.get(name, ())
        if not found or (len(found) == 1 and found[0].position <= known):
            return False
        depth = self.scope(name, spot)
        return any(
            d.position > known and d.loops[:depth] == spot.loops[:depth] and not d.excludes(spot)
            for d in reversed(found)
        )

    def last_before(self, name: str, spot: Spot) -> int:
        """The position of the last assignment before the spot in its scope, -1 if the value comes from its start."""
        depth = self.scope(name, spot)
        before = (
            d.position
            for d in reversed(self.definitions.get(name, ()))
            if d.position < spot.position and d.loops[:depth] == spot.loops[:depth] and not d.excludes(spot)
        )
        return next(before, -1)


def flow(tree: Node) -> Flow:
    """The flow facts of a function in the language after `anf`.

    >>> from stdiff.syntax import parse
    >>> f = parse("def f(x):\\n  for i in range(3):\\n    y = x * i\\n    x = y\\n  return x").body[0]
    >>> facts = flow(f)
    >>> spot = facts.spots[id(f.body[0].body[0])]
    >>> facts.overwritten("x", spot, spot.end), facts.overwritten("i", spot, spot.position - 1)
    (True, False)
    """
    facts = Flow()
    start = Spot(0, (), (), 0)
    for parameter in parameters(tree):
        facts.definitions.setdefault(parameter, []).append(start)
    _Walk(facts).block(tree.body, (), ())
    return facts


class _Walk:
    def __init__(self, facts: Flow) -> None:
        self.facts = facts
        self.position = 0
        self.blocks = 0

    def block(self, body: list[Node], loops: tuple[int, ...], branches: tuple[tuple[int, int], ...]) -> None:
        self.blocks += 1
        number = self.blocks
        for statement in body:
            self.statement(statement, number, loops, branches)

    def statement(self, node: Node, block: int, loops: tuple[int, ...], branches: tuple[tuple[int, int], ...]) -> None:
        self.position += 1
        spot = self.facts.spots[id(node)] = Spot(self.position, loops, branches, block, self.position)
        self.facts.statements[self.position] = node
        key = self.position
        if isinstance(node, gast.If):
            self.block(node.body, loops, (*branches, (key, 0)))
            self.block(node.orelse, loops, (*branches, (key, 1)))
        elif isinstance(node, gast.For | gast.While):
            self.facts.loops[key] = node
            inside = (*loops, key)
            if isinstance(node, gast.For):
                self.define(node.target, Spot(key, inside, branches, block))
            self.block(node.body, inside, branches)
            self.block(node.orelse, loops, branches)
        elif isinstance(node, gast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self.define(item.optional_vars, spot)
            self.block(node.body, loops, branches)
        elif isinstance(node, gast.Try):
            self.block(node.body, loops, branches)
            for k, handler in enumerate(node.handlers):
                if handler.name:
                    name = handler.name if isinstance(handler.name, str) else handler.name.id
                    self.facts.caught.add(name)
                    self.facts.definitions.setdefault(name, []).append(Spot(self.position, loops, branches, block))
                self.block(handler.body, loops, (*branches, (key, k + 1)))
            self.block(node.orelse, loops, (*branches, (key, 0)))
            self.block(node.finalbody, loops, branches)
        else:
            for name in store_names(node):
                self.facts.definitions.setdefault(name, []).append(spot)
        if self.position > key:
            self.facts.spots[id(node)] = replace(spot, end=self.position)

    def define(self, target: Node, spot: Spot) -> None:
        for name in store_names(target):
            self.facts.definitions.setdefault(name, []).append(spot)
