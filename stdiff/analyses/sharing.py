"""Sharing: whether anything else may see what is written into an array or appended to a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import gast
import numpy as np

from stdiff import containers, errors, syntax
from stdiff.analyses import calls
from stdiff.analyses.flow import Flow, Spot
from stdiff.analyses.kinds import Kind
from stdiff.program import Program
from stdiff.rules import table
from stdiff.syntax import Node

WHY = "what is written into may be read through another name, and earlier reads of it must see what they saw"
INSTEAD = "make a new value: np.where, np.concatenate, a comprehension"


@dataclass
class Memory:
    """Names updated in place that nothing else shares: arrays (`b[i] += v`) and lists under construction."""

    updated: set[str] = field(default_factory=set)
    built: set[str] = field(default_factory=set)
    views: set[str] = field(default_factory=set)  # parts of the updated arrays: to be copied if recorded


@dataclass
class Uses:
    """What a function does with one name."""

    updates: list[tuple[Node, Spot]] = field(default_factory=list)
    views: list[tuple[str, Spot]] = field(default_factory=list)  # names that hold a part of the array
    reads: list[Spot] = field(default_factory=list)  # those after which another name may share the object


class Sharing:
    """Judges the updates of the names of one function."""

    def __init__(self, program: Program, kinds: Mapping[str, Kind], flow: Flow) -> None:
        self.program, self.kinds, self.flow = program, kinds, flow
        self.last = _last_runs(program.tree.body, flow)

    def _refuse(self, node: Node, met: str) -> errors.StdiffError:
        """The error at an update; some say themselves what they are (`refusal`)."""
        return errors.at(node, self.program.origin, *getattr(node, "refusal", (met, WHY, INSTEAD)))

    def settle(self, name: str, uses: Uses, found: Memory) -> None:
        """Accept the updates of a name if nothing else can see them."""
        updates = {id(s) for _, s in uses.updates}
        made = [d for d in self.flow.definitions.get(name, []) if id(d) not in updates]
        node = uses.updates[0][0]
        if not made or any(d.position == 0 for d in made):
            raise self._refuse(node, "a write into a value that this function did not make")
        if not all(map(self._fresh, made)):
            raise self._refuse(node, "a write into a value that may be shared")
        lasting = [spot for view, spot in uses.views if not self._brief(view, spot, uses)]
        found.views |= {view for view, spot in uses.views if spot not in lasting}
        if any(self._sees(read, update, made) for read in (*uses.reads, *lasting) for _, update in uses.updates):
            raise self._refuse(node, "a write into a value that another name may hold already")
        (found.built if isinstance(node, gast.Call) else found.updated).add(name)

    def _brief(self, view: str, spot: Spot, uses: Uses) -> bool:
        """Whether a view of an array is read only before the array changes next, by what makes new values of it."""
        if len(self.flow.definitions[view]) != 1:
            return False
        readers = [n for n in self.flow.statements.values() if view in _reads(n)]
        spots = [self.flow.spots[id(n)] for n in readers]
        last = max((s.position for s in spots), default=spot.position)
        if any(spot.position < u.position < last for _, u in uses.updates):
            return False
        return all(s.loops == spot.loops for s in spots) and all(map(self._copies, readers))

    def _copies(self, node: Node) -> bool:
        """Whether a statement makes new values of what it reads."""
        if isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Subscript):
            return True
        value = getattr(node, "value", None)
        if not isinstance(node, gast.Assign) or not isinstance(node.targets[0], gast.Name):
            return isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Subscript)
        if isinstance(value, gast.Call):
            found = calls.target(value, self.kinds, self.program.namespace)
            return found.form == "rule" and found.rule is not None and not shares(found.rule)
        return isinstance(value, gast.BinOp | gast.UnaryOp | gast.Compare)

    def _sees(self, read: Spot, update: Spot, made: list[Spot]) -> bool:
        """Whether an update may change the object that was read before, and not one made since."""
        if read.position >= self.last.get(read.block, read.position + 1):  # a return follows at once
            return update.block == read.block and update.position > read.position
        renewed = [
            d
            for d in made
            if d.position < update.position
            and update.loops[: len(d.loops)] == d.loops
            and update.branches[: len(d.branches)] == d.branches
        ]
        if (
            update.position >= read.position
            and not update.excludes(read)
            and not any(d.position > read.position for d in renewed)
        ):
            return True
        common = sum(1 for a, b in zip(read.loops, update.loops, strict=False) if a == b)
        return common > 0 and not any(len(d.loops) >= common for d in renewed)

    def _fresh(self, spot: Spot) -> bool:
        """Whether the assignment at a spot makes a new object."""
        statement = self.flow.statements.get(spot.position)
        value = getattr(statement, "value", None)
        if isinstance(statement, gast.AugAssign):
            return True
        if not isinstance(statement, gast.Assign) or not isinstance(statement.targets[0], gast.Name):
            return False
        if isinstance(value, gast.Call):
            found = calls.target(value, self.kinds, self.program.namespace)
            if found.function is containers.accumulate_at:
                return True  # it takes over the object that it is given
            if any(k.arg == "copy" for k in value.keywords):
                return False
            if found.form == "rule" and found.rule is not None:
                return found.function in _MAKERS or (found.rule.form != "constant" and not shares(found.rule))
            return False
        return isinstance(value, gast.BinOp | gast.UnaryOp | gast.List)


_MAKERS = {
    np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.eye, np.arange,
    np.linspace, np.copy, np.ndarray.copy, np.array, containers.own, containers.zeros_like, list,
}


# Helpers of these modules hand on what they are given where there is nothing to do.
_PASSING = ("stdiff.runtime", "stdiff.runtime_shapes", "stdiff.runtime_lists", "stdiff.runtime_reductions")


def shares(rule: table.Rule) -> bool:
    """Whether the result of a function may hold, or share memory with, one of its arguments."""
    module = str(getattr(rule.function, "__module__", ""))
    if rule.view or rule.function is np.diff or (module in _PASSING and rule.form != "elementwise"):
        return True
    return rule.form != "constant" and rule.function in (list, tuple, sorted, reversed, zip, enumerate, map, min, max)


def _reads(node: Node) -> set[str]:
    """The names that a statement itself reads, not the statements in it."""
    names = ("value", "test", "iter", "items", "exc", "msg", "targets", "target")
    parts = [getattr(node, name, None) for name in names]
    found: set[str] = set()
    for part in parts:
        for item in part if isinstance(part, list) else [part]:
            if item is not None:
                found |= syntax.reads(item)
    return found


def _last_runs(body: list[Node], flow: Flow) -> dict[int, int]:
    """The blocks that end in simple statements and a return, with the position where that run begins."""
    found: dict[int, int] = {}
    blocks = [body]
    while blocks:
        block = blocks.pop()
        for node in block:
            blocks += [inner for part in ("body", "orelse", "finalbody") if (inner := getattr(node, part, None))]
            blocks += [handler.body for handler in getattr(node, "handlers", None) or []]
        if isinstance(block[-1], gast.Return):
            start = len(block) - 1
            while start and not hasattr(block[start - 1], "body"):
                start -= 1
            spot = flow.spots[id(block[start])]
            found[spot.block] = spot.position
    return found
