"""What the parts of the reverse pass share: the facts about the function, and where new names and objects are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import gast

from stdiff import errors, syntax
from stdiff.analyses.activity import any_active
from stdiff.analyses.flow import Flow, Spot
from stdiff.analyses.kinds import ANY, Kind
from stdiff.program import Program
from stdiff.syntax import Names, Node

Live = dict[str, bool]  # names whose adjoint is assigned here; True where it may be the float 0.0


class Callees(Protocol):
    """How the reverse pass has other functions derived; the pipeline is one."""

    def sweeps(self, function: Any, active: tuple[bool, ...], kinds: tuple[Kind, ...]) -> Any:
        """The derived sweeps of a function known now, an object that the namespace binds until they exist."""

    def check(self, function: Any, kinds: list[Kind]) -> None:
        """Refuse a user function that, called with these kinds, writes into what is not its own."""

    @property
    def at_run_time(self) -> Any:
        """`sweeps(function, args, kwargs)` for functions known only when running."""


    @property
    def guard(self) -> Any:
        """`check_call(function, args, kwargs)`, for a call known only when running that is not differentiated."""


@dataclass
class Snapshot:
    """A copy `label = source` made in the forward sweep, because `source` is overwritten before its scope ends."""

    label: str
    source: str
    statement: Node  # the copy stands before this one (after it, where `after`)
    after: bool
    top: int  # position of the loop at whose body's start the copy stands instead, 0 for none
    since: int  # position of the assignment of what is copied, -1 for the scope's start


@dataclass
class Context:
    """Facts and records of one derivation. Keys are `id(statement)` of the primal's statements."""

    program: Program
    flow: Flow
    kinds: Mapping[str, Kind]
    active: Mapping[str, Any]
    callees: Callees
    names: Names
    namespace: dict[str, object]
    # Namespace name -> (derived function, "forward" or "backward")
    links: dict[str, tuple[Any, str]] = field(default_factory=dict)
    bars: dict[str, str] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    snapshots: dict[tuple[Any, ...], Snapshot] = field(default_factory=dict)
    copies: dict[str, Snapshot] = field(default_factory=dict)  # the same by label
    replaced: dict[int, list[Node]] = field(default_factory=dict)  # forward statements instead of the primal's
    # "was the rest of the block reached", by the statement that may leave
    flags: dict[int, str] = field(default_factory=dict)
    buffers: set[str] = field(default_factory=set)  # names whose adjoint is added into in place
    tests: dict[int, str] = field(default_factory=dict)  # names that hold a test, "completed" or the handler's number
    # By statement of a `try` body: the counter, and its value after it
    steps: dict[int, tuple[str, int]] = field(default_factory=dict)
    counters: dict[int, str] = field(default_factory=dict)  # the backward counter of a loop over an active value
    # Loops by the name of their tape, which marks their backward loop
    tapes: dict[str, Node] = field(default_factory=dict)
    given: dict[tuple[int, str], str] = field(default_factory=dict)
    built: set[str] = field(default_factory=set)  # names of lists that are appended to
    alike: dict[object, list[str]] = field(default_factory=dict)  # the user's names by the shape of their arrays
    masked: set[str] = field(default_factory=set)  # names whose value a choice like `np.where` may leave out
    handed_over: set[str] = field(default_factory=set)  # names of adjoints that a later statement adds into in place
    views: set[str] = field(default_factory=set)  # names of parts of such arrays
    updated: set[str] = field(default_factory=set)  # names whose array is updated in place
    result_bar: str = "result_bar"
    # Names that only the forward sweep makes, by the statement that does
    saves: dict[str, Node] = field(default_factory=dict)

    def error(
        self, node: Node, met: str, why: str, instead: str, kind: type[errors.StdiffError] = errors.UnsupportedError
    ) -> errors.StdiffError:
        return errors.at(node, self.program.origin, met, why, instead, kind)

    def spot(self, statement: Node) -> Spot:
        return self.flow.spots[id(statement)]

    def kind(self, node: Node) -> Kind:
        """The kind of an atom."""
        if isinstance(node, gast.Name):
            from stdiff.analyses.kinds import of_constant

            found = self.kinds.get(node.id)
            if found is None and node.id in self.program.namespace:
                return of_constant(self.program.namespace[node.id])
            return found or ANY
        from stdiff.analyses.kinds import kind_of

        return kind_of(node.value) if isinstance(node, gast.Constant) else ANY

    def is_active(self, node: Node) -> bool:
        """Whether an atom carries a derivative."""
        return isinstance(node, gast.Name) and any_active(self.active.get(node.id, False))

    def refuse_caught(self, statement: Node, name: str) -> None:
        """Refuse a derivative by way of an exception."""
        if name in self.flow.caught:
            raise self.error(
                statement,
                f"a value taken from the exception `{name}`",
                "what an exception carries is not followed",
                "assign the value before raising",
            )

    def bar(self, name: str) -> str:
        """The name of the adjoint of a name."""
        if name not in self.bars:
            self.bars[name] = self.names.fresh(f"{name}_bar")
            if name in self.made:
                self.made.add(self.bars[name])
        return self.bars[name]

    def temporary(self, wanted: str, statement: Node) -> str:
        """A made name that belongs to a statement; asking again gives the same."""
        key = (id(statement), wanted)
        if key not in self.given:
            self.given[key] = self.names.fresh(wanted)
            self.made.add(self.given[key])
        return self.given[key]

    def save(self, wanted: str, statement: Node) -> str:
        """The same, of a name that the forward sweep assigns at the statement and the backward sweep may read."""
        label = self.temporary(wanted, statement)
        self.saves[label] = statement
        return label

    def inject(self, label: str, value: object) -> str:
        """A name that means `value` in the generated code: `label` if that is free or means it already."""
        bound = self.namespace.get(label, self)
        if bound is value:
            return label
        if bound is self and label not in self.names.taken:
            self.names.taken.add(label)
            self.namespace[label] = value
            return label
        for other, known in self.namespace.items():
            if known is value and other.startswith(label):
                return other
        label = self.names.fresh(label)
        self.namespace[label] = value
        return label

    def before(self, name: str, statement: Node) -> str:
        """The name under which the backward sweep finds the value that `name` has before the statement."""
        return self._primal(name, statement, after=False)

    def result(self, name: str, statement: Node) -> Node:
        """The value of a name after the statement that assigns it."""
        return self.again(name) or syntax.name(self.after(name, statement))

    def after(self, name: str, statement: Node) -> str:
        """The same for the value after the statement."""
        return self._primal(name, statement, after=True)

    def primal(self, node: Node, statement: Node) -> Node:
        """A copy of an atom or index in which every name is the one under which the backward sweep finds its value."""
        parts = {}
        for part in syntax.walk_names(node):
            again = self.again(part.id)
            parts[part.id] = again if again is not None else syntax.name(self.before(part.id, statement))
        return syntax.substitute(syntax.copy(node), parts)

    def again(self, name: str) -> Node | None:
        """The expression `x[i]` of a made name that is cheaper to ask for again than to record, else None."""
        definitions = self.flow.definitions.get(name, ())
        if name not in self.made or len(definitions) != 1:
            return None
        source = self.flow.statements.get(definitions[0].position)
        value = getattr(source, "value", None)
        if not isinstance(source, gast.Assign) or not isinstance(value, gast.Subscript) or not self._element(value):
            return None
        spot = self.flow.spots[id(source)]
        names = {n.id for n in syntax.walk_names(value)}
        if names & self.updated or any(
            self.flow.overwritten(n, spot, spot.end) for n in names if n in self.flow.definitions
        ):
            return None
        return syntax.copy(value)

    def _element(self, value: Node) -> bool:
        """Whether a subscript reads an element by numbers: a read that makes no new array."""
        parts = value.slice.elts if isinstance(value.slice, gast.Tuple) else [value.slice]
        plain = all(
            (isinstance(p, gast.Constant) and isinstance(p.value, int))
            or (isinstance(p, gast.Name) and self.kind(p).name == "number")
            for p in parts
        )
        return (
            plain and isinstance(value.value, gast.Name) and self.kind(value.value).name in ("array", "tuple", "list")
        )

    def _primal(self, name: str, statement: Node, after: bool) -> str:
        if name not in self.flow.definitions:
            return name
        spot = self.spot(statement)
        known_here = spot.end if after else spot.position - 1
        if name not in self.handed_over and not self.flow.overwritten(name, spot, known_here):
            return name
        depth = self.flow.scope(name, spot)
        last = spot.position if after else self.flow.last_before(name, spot)
        entry = last < 0 and depth > 0 and not after
        key = (name, spot.loops[:depth], last, None if entry else spot.block)
        known = self.snapshots.get(key)
        if known is None:
            label = self.names.fresh(f"{name}_0")
            self.made.add(label)
            top = spot.loops[depth - 1] if entry else 0
            known = self.snapshots[key] = self.copies[label] = Snapshot(
                label, name, self._outermost(statement, depth), after, top, last
            )
        elif after:
            known.statement, known.after = statement, True
        elif not entry and not known.after:
            first = self._outermost(statement, depth)
            if self.spot(first).position < self.spot(known.statement).position:
                known.statement = first
        return known.label

    def _outermost(self, statement: Node, depth: int) -> Node:
        """The statement itself, or the loop around it that is directly in the scope of that depth."""
        loops = self.spot(statement).loops
        return statement if len(loops) == depth else self.flow.loops[loops[depth]]

    def may_hold(self, name: str, spot: Spot) -> bool:
        """Whether `name` may have been assigned when control comes to the spot."""
        for d in self.flow.definitions.get(name, ()):
            if d.position < spot.position and not d.excludes(spot):
                return True
            if spot.loops and d.loops[:1] == spot.loops[:1]:
                return True
        return False

    def bound(self, name: str, spot: Spot) -> bool:
        """Whether `name` is surely assigned when control comes to the spot."""
        return any(
            d.position < spot.position
            and spot.loops[: len(d.loops)] == d.loops
            and spot.branches[: len(d.branches)] == d.branches
            for d in self.flow.definitions.get(name, ())
        )

    def overwritten_buffer(self, name: str) -> bool:
        """Whether a name's adjoint can be one array made once: its value is an array that is assigned once."""
        return self.kinds.get(name, ANY).name == "array" and len(self.flow.definitions.get(name, ())) == 1


def name_of(node: Node) -> str:
    """The name of an atom that is a Name."""
    assert isinstance(node, gast.Name)
    return str(node.id)


def call(function: str, *args: Node | str) -> Node:
    """A call node; strings are names."""
    nodes = [syntax.name(a) if isinstance(a, str) else a for a in args]
    return gast.Call(syntax.name(function), nodes, [])


def read(label: str) -> Node:
    return syntax.name(label)
