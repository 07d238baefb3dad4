"""remove: take out what is computed and never read.

t2 = np.cos(x)
y = t1 * x         ->     y = t1 * x
"""

from __future__ import annotations

from typing import NamedTuple

import gast

from stdiff.syntax import Node
from stdiff.transforms.simplifying.facts import ACTS, Facts, assigned, binds, blocks, statements


def remove(tree: Node, facts: Facts) -> bool:
    """Takes out assignments without side effects to made names that are not read afterwards.

    In a derivative this goes for every name, and for expressions, unpackings, loops and branches without any effect.
    The value that an adjoint has before it is assigned again goes too, if nothing reads it.

    Arguments: `tree`, a function, changed in place. Returns: whether anything was taken out.

    >>> from stdiff.program import unparse
    >>> from stdiff.syntax import parse
    >>> tree = parse("def f(x, t1):\\n  t2 = np.cos(x)\\n  y = t1 * x\\n  return y").body[0]
    >>> remove(tree, Facts(frozenset({"t2"}), pure=lambda f: True))
    True
    >>> print(unparse(tree))
    def f(x, t1):
        y = t1 * x
        return y
    """
    remover = _Remover(facts)
    remover.block(tree.body, set(), _Jumps(set(), set()), set(facts.shared))
    if not tree.body:
        tree.body.append(gast.copy_location(gast.Pass(), tree))
    return remover.changed


class _Jumps(NamedTuple):
    """The names that are read after a `break` and after a `continue`."""

    broken: set[str]
    continued: set[str]


class _Remover:
    """Walks through the text backwards; `live` are the names that may be read from a point on."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.changed = False

    def block(self, body: list[Node], live: set[str], jumps: _Jumps, pinned: set[str]) -> set[str]:
        """Takes dead statements out of a block and turns `live` (which it returns) from after the block to before it.

        `pinned` names are never dead: an exception may lead to where they are read.
        """
        kept: list[Node] = []
        for statement in reversed(body):
            if isinstance(statement, gast.Pass):
                continue
            if self._dead(statement, live, pinned) or not self._compound(statement, live, jumps, pinned):
                self.changed = True
                continue
            if isinstance(statement, gast.Break | gast.Continue | gast.Return):
                after = {gast.Break: jumps.broken, gast.Continue: jumps.continued}.get(type(statement), set())
                live.clear()
                live.update(after)
            live.difference_update(_surely_bound(statement))
            live.update(self.facts.reads(statement))
            kept.append(statement)
        if len(kept) < len(body):
            body[:] = reversed(kept)
        return live

    def _dead(self, statement: Node, live: set[str], pinned: set[str]) -> bool:
        """Whether a statement without blocks has no effect and binds nothing that is read."""
        if isinstance(statement, gast.Expr):
            return self.facts.derivative and self.facts.effect(statement) < ACTS
        if not isinstance(statement, gast.Assign):
            return False
        if not self.facts.derivative and assigned(statement) not in self.facts.made:
            return False
        if any(name in live or name in pinned for name in binds(statement)):
            return False
        return self.facts.effect(statement) < ACTS

    def _compound(self, statement: Node, live: set[str], jumps: _Jumps, pinned: set[str]) -> bool:
        """Turns `live` from after the blocks of a statement to before them; False if the statement does nothing."""
        if isinstance(statement, gast.If):
            other = self.block(statement.orelse, set(live), jumps, pinned)
            self.block(statement.body, live, jumps, pinned)
            live |= other
            return self._branches(statement)
        if isinstance(statement, gast.For | gast.While):
            return self._loop(statement, live, jumps, pinned)
        inner = [block for block in blocks(statement) if block]
        if inner:
            inside = {name for part in statements([statement]) for name in self.facts.reads(part)}
            live |= inside.union(*(self.facts.summary(h.type).reads for h in getattr(statement, "handlers", ())))
            kept = pinned | live | jumps.broken | jumps.continued
            for block in inner:
                self.block(block, set(live), jumps, kept)
                _fill(block, statement)
        return True

    def _branches(self, statement: Node) -> bool:
        """Puts an `if` with an empty branch in order; False if it does nothing."""
        if self.facts.derivative and not statement.body:
            if statement.orelse:
                test = gast.copy_location(gast.UnaryOp(gast.Not(), statement.test), statement.test)
                statement.test, statement.body, statement.orelse = test, statement.orelse, []
            elif self.facts.summary(statement.test).effect < ACTS:
                return False
        _fill(statement.body, statement)
        return True

    def _loop(self, loop: Node, live: set[str], jumps: _Jumps, pinned: set[str]) -> bool:
        after = set(live)
        targets = set(binds(loop))
        self.block(loop.orelse, live, jumps, pinned)
        live |= after | self._exposed([loop])[0]
        before = self.block(loop.body, set(live), _Jumps(after, set(live)), pinned)
        if self.facts.derivative and not loop.body and not loop.orelse and self._harmless(loop, after | pinned):
            live.clear()
            live |= after
            return False
        live |= before - targets
        _fill(loop.body, loop)
        return True

    def _harmless(self, loop: Node, read: set[str]) -> bool:
        """Whether a loop with nothing in it may go."""
        return (
            isinstance(loop, gast.For) and read.isdisjoint(binds(loop)) and self.facts.summary(loop.iter).effect < ACTS
        )

    def _exposed(self, body: list[Node]) -> tuple[set[str], set[str]]:
        """The names that a block may read before it binds them, and those that it surely binds."""
        exposed: set[str] = set()
        bound: set[str] = set()
        for statement in body:
            read = set(self.facts.reads(statement))
            surely = _surely_bound(statement)
            inner = [self._exposed(block) for block in blocks(statement)]
            for part, _ in inner:
                read |= part - set(binds(statement)) if isinstance(statement, gast.For) else part
            if isinstance(statement, gast.If):
                surely = inner[0][1] & inner[1][1]
            exposed |= read - bound
            bound |= surely
        return exposed, bound


def _fill(block: list[Node], statement: Node) -> None:
    if not block:
        block.append(gast.copy_location(gast.Pass(), statement))


def _surely_bound(statement: Node) -> set[str]:
    return set(binds(statement)) if isinstance(statement, gast.Assign | gast.Import | gast.ImportFrom) else set()
