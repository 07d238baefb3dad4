"""assembly: the forward sweep, which is the function itself and what it records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import gast

from stdiff import containers, syntax
from stdiff.analyses.kinds import ANY
from stdiff.analyses.recording import Record, Recording, exposed
from stdiff.syntax import Node
from stdiff.transforms.reversing.callees import guarded
from stdiff.transforms.reversing.context import Context, Snapshot, call, read


@dataclass
class _Scope:
    """A loop around the statement at hand (the body at the bottom), and what this iteration has perhaps assigned."""

    loop: Node | None
    tape: str | None
    record: Record
    carried: set[str]
    possible: set[str] = field(default_factory=set)
    reached: set[str] = field(default_factory=set)


def assemble(ctx: Context, recording: Recording, used: set[str]) -> list[Node]:
    """The body of the forward sweep. `used` are the names that the backward sweep reads."""
    work = _run(ctx, recording, used, {})
    users = [n for n in sorted(work.unbound) if n not in ctx.made and n not in ctx.saves]
    # A name of the user's must stay unbound where it is: what is recorded is a copy made after each assignment
    if users:
        work = _run(ctx, recording, used, {n: ctx.names.fresh(f"{n}_0") for n in users})
        ctx.made |= set(work.mirrored.values())
    return [syntax.assign(n, _nothing(ctx, n), ctx.program.tree.body[0]) for n in sorted(work.unbound)] + work.body


def _run(ctx: Context, recording: Recording, used: set[str], mirrored: dict[str, str]) -> _Assembly:
    work = _Assembly(ctx, recording, used)
    work.mirrored = mirrored
    scope = _Scope(None, None, Record("saved", recording.saved), set())
    work.scopes.append(scope)
    definite = set(syntax.parameters(ctx.program.tree))
    scope.possible = set(definite)
    work.body = work.block(ctx.program.tree.body, definite)
    return work


def _nothing(ctx: Context, name: str) -> Node:
    """What a recorded name holds where no path has assigned it: of the name's kind if known, never looked at."""
    if name in ctx.tapes:
        return gast.List([], gast.Load())
    return syntax.constant(0.0 if ctx.kinds.get(name, ANY).name == "number" else None)


class _Assembly:
    body: list[Node]
    mirrored: dict[str, str]  # users' names that a path may leave unbound, and the copies that are recorded instead

    def __init__(self, ctx: Context, recording: Recording, used: set[str]) -> None:
        self.ctx, self.recording, self.used = ctx, recording, used
        self.scopes: list[_Scope] = []
        self.unbound: set[str] = set()
        self.before: dict[int, list[Snapshot]] = {}
        self.after: dict[int, list[Snapshot]] = {}
        self.top: dict[int, list[Snapshot]] = {}
        for snapshot in ctx.snapshots.values():
            if snapshot.label in used:
                if snapshot.top:
                    self.top.setdefault(snapshot.top, []).append(snapshot)
                else:
                    place = self.after if snapshot.after else self.before
                    place.setdefault(id(snapshot.statement), []).append(snapshot)

    def assigned(self, names: list[str], definite: set[str]) -> None:
        definite.update(names)
        for scope in self.scopes:
            scope.possible.update(names)

    def copies(self, snapshots: list[Snapshot], like: Node, definite: set[str]) -> Iterator[Node]:
        for snapshot in snapshots:
            self.assigned([snapshot.label], definite)
            changed = snapshot.source in self.ctx.updated | self.ctx.built
            source = snapshot.source
            if source in self.ctx.handed_over:
                value = call(self.ctx.inject("own", containers.own), source, source)
                yield syntax.assign(snapshot.label, value, like)
                continue
            if source not in definite and not changed:
                source = self.mirrored.get(source, source)
                self.unbound.add(source)
            value = read(source)
            if changed:  # what is changed in place must be copied
                value = gast.Call(gast.Attribute(value, "copy", gast.Load()), [], [])
            yield syntax.assign(snapshot.label, value, like)

    def block(self, body: list[Node], definite: set[str]) -> list[Node]:
        found: list[Node] = []
        for statement in body:
            found += self.copies(self.before.get(id(statement), []), statement, definite)
            found += [gast.copy_location(n, statement) for n in self.statement(statement, definite)]
            found += self.copies(self.after.get(id(statement), []), statement, definite)
            found += self.mirror(syntax.store_names(statement), statement)
            label, number = self.ctx.steps.get(id(statement), ("", 0))
            if label in self.used and not isinstance(statement, gast.If):
                found.append(syntax.assign(label, syntax.constant(number), statement))
            if id(statement) in self.ctx.flags:
                self.scopes[-1].reached.add(self.ctx.flags[id(statement)])
        return found

    def mirror(self, names: list[str], like: Node) -> list[Node]:
        """The copies of what was assigned."""
        return [syntax.assign(self.mirrored[n], read(n), like) for n in names if n in self.mirrored]

    def statement(self, node: Node, definite: set[str]) -> list[Node]:
        if isinstance(node, gast.If):
            return self.branch(node, definite)
        if isinstance(node, gast.For | gast.While):
            return self.loop(node, definite)
        if isinstance(node, gast.Try):
            return self.attempt(node, definite)
        if isinstance(node, gast.With):
            names = [n for i in node.items if i.optional_vars is not None for n in syntax.store_names(i.optional_vars)]
            self.assigned(names, definite)
            return [gast.With(node.items, self.block(node.body, definite), None)]
        if isinstance(node, gast.Break | gast.Continue):
            return [*self.leave(1, definite), node]
        if isinstance(node, gast.Return):
            return [*self.leave(len(self.scopes) - 1, definite), self.result(node, definite)]
        self.assigned(syntax.store_names(node), definite)
        return self.simple(node, definite)

    def simple(self, node: Node, definite: set[str]) -> list[Node]:
        replaced = self.ctx.replaced.get(id(node))
        if replaced is None:
            return [*guarded(self.ctx, node), self.kept(syntax.copy(node))]
        made = [n for r in replaced for n in syntax.store_names(r)]
        if not any(n in self.used for n in made if n in self.ctx.saves):
            return [*guarded(self.ctx, node), syntax.copy(node)]
        self.assigned(made, definite)
        return [syntax.copy(r) for r in replaced]

    def kept(self, node: Node) -> Node:
        """A part of an array that is updated later is copied, if the backward sweep reads it."""
        names = syntax.store_names(node)
        if names and names[0] in self.ctx.views and names[0] in self.used:
            node.value = call(self.ctx.inject("kept", containers.kept), node.value)
        return node

    def branch(self, node: Node, definite: set[str]) -> list[Node]:
        found: list[Node] = []
        test = syntax.copy(node.test)
        label = self.ctx.tests.get(id(node))
        if label in self.used:
            found.append(syntax.assign(label, test, node))
            self.assigned([label], definite)
            test = read(label)
        scopes = [set(s.reached) for s in self.scopes]
        sides = [set(definite), set(definite)]
        body = self.block(node.body, sides[0])
        passed = [s.reached for s in self.scopes]
        for scope, reached in zip(self.scopes, scopes, strict=True):
            scope.reached = reached
        orelse = self.block(node.orelse, sides[1])
        for scope, reached in zip(self.scopes, passed, strict=True):
            scope.reached |= reached  # a flag of the branch not taken is never read
        ends = [side for side, block in zip(sides, (node.body, node.orelse), strict=True) if not leaves(block)]
        definite.clear()
        definite.update(set.intersection(*ends) if ends else sides[0] | sides[1])
        return [*found, gast.If(test, body, orelse)]

    def loop(self, node: Node, definite: set[str]) -> list[Node]:
        tape = self.ctx.given.get((id(node), "tape"))
        record = self.recording.loops.get(tape or "", Record("none"))
        found: list[Node] = []
        trips = self.ctx.given.get((id(node), "trips"), "")
        if record.form == "tape":
            assert tape is not None
            found.append(syntax.assign(tape, gast.List([], gast.Load()), node))
            self.assigned([tape], definite)
        elif record.form == "trips":
            found.append(syntax.assign(trips, syntax.constant(0), node))
            self.assigned([trips], definite)
        label = self.ctx.tests.get(id(node))
        if label in self.used:
            found.append(syntax.assign(label, syntax.constant(False), node))
            self.assigned([label], definite)
        scope = _Scope(node, tape, record, set(exposed(node.body)))
        self.scopes.append(scope)
        inside = set(definite)
        if isinstance(node, gast.For):
            self.assigned(syntax.store_names(node.target), inside)
        body: list[Node] = []
        if record.form == "trips":
            body.append(syntax.assign(trips, syntax.expression(f"{trips} + 1"), node))
        if isinstance(node, gast.For):
            body += self.mirror(syntax.store_names(node.target), node)
        position = self.ctx.spot(node).position
        body += self.copies(self.top.get(position, []), node.body[0], inside)
        body += self.block(node.body, inside)
        if not leaves(node.body):
            body += self.entry(scope, inside, node.body[-1])
        self.scopes.pop()
        for outer in self.scopes:
            outer.possible |= scope.possible
        orelse = self.block(node.orelse, set(definite))
        if label in self.used:
            orelse.insert(0, syntax.assign(label, syntax.constant(True), node))
        if isinstance(node, gast.For):
            made: Node = gast.For(syntax.copy(node.target), syntax.copy(node.iter), body, orelse, None)
        else:
            made = gast.While(syntax.copy(node.test), body, orelse)
        return [*found, made]

    def attempt(self, node: Node, definite: set[str]) -> list[Node]:
        label = self.ctx.tests.get(id(node))
        found: list[Node] = []
        if label in self.used:
            found.append(syntax.assign(label, syntax.constant(0), node))
            self.assigned([label], definite)
        done = self.ctx.given.get((id(node), "done"))
        if done in self.used:
            found.append(syntax.assign(done, syntax.constant(0), node))
            self.assigned([done], definite)
        start = set(definite)
        body = self.block(node.body, definite)
        orelse = self.block(node.orelse, definite)
        ends = [definite]
        handlers = []
        for k, handler in enumerate(node.handlers):
            caught = set(start)
            if handler.name:
                self.assigned([handler.name if isinstance(handler.name, str) else handler.name.id], caught)
            inner = self.block(handler.body, caught)
            if label in self.used:
                inner.insert(0, syntax.assign(label, syntax.constant(k + 1), handler.body[0]))
            handlers.append(gast.copy_location(gast.ExceptHandler(handler.type, handler.name, inner), handler))
            if not leaves(handler.body):
                ends.append(caught)
        definite.intersection_update(*ends)
        final = self.block(node.finalbody, definite)
        return [*found, gast.Try(body, handlers, orelse, final)]

    def leave(self, count: int, definite: set[str]) -> list[Node]:
        """The records of the innermost `count` loops, whose iterations end here."""
        found: list[Node] = []
        for k in range(count):
            found += self.entry(self.scopes[-1 - k], definite, None)
            tape = self.scopes[-1 - k].tape
            if tape is not None:
                definite = definite | {tape}
        return found

    def entry(self, scope: _Scope, definite: set[str], like: Node | None) -> list[Node]:
        """`tape.append((x, t))`"""
        if scope.record.form != "tape":
            return []
        values = [self.value(n, scope, definite) for n in scope.record.names]
        item = values[0] if len(values) == 1 else gast.Tuple(values, gast.Load())
        append = gast.Expr(gast.Call(gast.Attribute(read(scope.tape or ""), "append", gast.Load()), [item], []))
        return [gast.copy_location(append, like) if like is not None else append]

    def value(self, name: str, scope: _Scope, definite: set[str]) -> Node:
        """The value of a name in a record: a flag is known here, and what this path cannot have assigned is None."""
        if name in self.ctx.flags.values():
            return syntax.constant(any(name in s.reached for s in self.scopes))
        if name in definite:
            return self.recorded(name, scope)
        if name not in scope.possible and name not in scope.carried:
            return syntax.constant(None)
        name = self.mirrored.get(name, name)
        self.unbound.add(name)
        return read(name)

    def recorded(self, name: str, scope: _Scope) -> Node:
        """A name in a record; an array that later iterations write into is copied."""
        if scope.loop is None or name not in self.ctx.updated:
            return read(name)
        spot = self.ctx.spot(scope.loop)
        renewed = changed_later = False
        for d in self.ctx.flow.definitions[name]:
            statement = self.ctx.flow.statements.get(d.position)
            inside = spot.position in d.loops
            if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
                renewed |= inside and d.branches == spot.branches  # made anew in each iteration
            else:
                changed_later |= not inside and d.position > spot.position
        if renewed and not changed_later:
            return read(name)
        return gast.Call(gast.Attribute(read(name), "copy", gast.Load()), [], [])

    def result(self, node: Node, definite: set[str]) -> Node:
        scope = self.scopes[0]
        values = [self.value(n, scope, definite) for n in scope.record.names]
        saved = values[0] if len(values) == 1 else gast.Tuple(values, gast.Load())
        return gast.Return(gast.Tuple([syntax.copy(node.value), saved], gast.Load()))


def leaves(body: list[Node]) -> bool:
    """Whether control never falls off the end of a block."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, gast.If):
        return leaves(last.body) and leaves(last.orelse)
    if isinstance(last, gast.With):
        return leaves(last.body)
    return isinstance(last, gast.Return | gast.Raise | gast.Break | gast.Continue)


