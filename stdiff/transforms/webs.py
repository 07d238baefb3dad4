"""webs: a name for each independent live range of a variable, so that values stay at hand for the backward sweep."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import gast

from stdiff import syntax
from stdiff.program import Program
from stdiff.syntax import Names, Node

Environment = dict[str, frozenset[int]]
Loops = tuple[int, ...]


def webs(program: Program) -> Program:
    """Rename so that a name's assignments are those that some common read can see, and no others.

    >>> from stdiff.program import of, unparse
    >>> def f(x):
    ...     x = x * x
    ...     if x > 1:
    ...         x = x + 1
    ...     return x
    >>> print(unparse(webs(of(f)).tree))
    def f(x):
        x_1 = x * x
        if x_1 > 1:
            x_1 = x_1 + 1
        return x_1

    Two ranges that live in different loops may share their name: the second of two loops over `i` keeps its `i`.
    """
    tree = syntax.copy(program.tree)
    walk = _Walk()
    environment: Environment = {}
    for parameter in syntax.parameters(tree):
        environment[parameter] = frozenset({walk.define(parameter, None, ())})
    walk.block(tree.body, environment, ())
    _rename(walk, Names(syntax.reads(tree) | syntax.writes(tree) | set(environment) | set(program.namespace)))
    return replace(program, tree=tree)


@dataclass
class _Walk:
    """Reaching definitions, walked once; those that one read can see are united (union-find over their numbers)."""

    parent: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    nodes: list[tuple[Node, int]] = field(default_factory=list)
    homes: list[Loops] = field(default_factory=list)
    fixed: set[int] = field(default_factory=set)
    pending: dict[int, frozenset[int]] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)
    jumps: list[dict[str, list[Environment]]] = field(default_factory=list)
    seen: list[dict[str, set[int]]] = field(default_factory=list)
    loops: int = 0

    def find(self, d: int) -> int:
        while self.parent[d] != d:
            self.parent[d] = self.parent[self.parent[d]]
            d = self.parent[d]
        return d

    def define(self, name: str, node: Node | None, loops: Loops) -> int:
        d = len(self.parent)
        self.parent.append(d)
        self.names.append(name)
        self.homes.append(loops)
        if node is None:
            self.fixed.add(d)
        else:
            self.nodes.append((node, d))
        for guarded in self.seen:
            guarded.setdefault(name, set()).add(d)
        return d

    def unite(self, definitions: frozenset[int], loops: Loops) -> int:
        """One web of all these, and of what the loop placeholders among them stand for."""
        work = list(definitions)
        first = work[0]
        while work:
            d = work.pop()
            a, b = self.find(first), self.find(d)
            if a != b:
                self.parent[b] = a
                self.homes[a] = _common(self.homes[a], self.homes[b])
            if d in self.pending and d not in self.touched:
                work.extend(self.pending[d])
            self.touched.add(d)
        root = self.find(first)
        self.homes[root] = _common(self.homes[root], loops)
        return root

    def read(self, node: Node, environment: Environment, loops: Loops) -> None:
        for name in syntax.walk_names(node):
            if isinstance(name.ctx, gast.Load) and environment.get(name.id):
                self.nodes.append((name, self.unite(environment[name.id], loops)))

    def bind(self, target: Node, environment: Environment, loops: Loops) -> None:
        for name in syntax.walk_names(target):
            if not isinstance(name.ctx, gast.Load):
                environment[name.id] = frozenset({self.define(name.id, name, loops)})

    def block(self, body: list[Node], environment: Environment | None, loops: Loops) -> Environment | None:
        """The environment after a block, None if control never gets there. Changes the environment given."""
        for statement in body:
            if environment is None:
                break
            environment = self.statement(statement, environment, loops)
        return environment

    def statement(self, node: Node, environment: Environment, loops: Loops) -> Environment | None:
        if isinstance(node, gast.If):
            self.read(node.test, environment, loops)
            other = dict(environment)
            return _merge(self.block(node.body, environment, loops), self.block(node.orelse, other, loops))
        if isinstance(node, gast.For | gast.While):
            return self.loop(node, environment, loops)
        if isinstance(node, gast.Try):
            return self.attempt(node, environment, loops)
        if isinstance(node, gast.With):
            for item in node.items:
                self.read(item.context_expr, environment, loops)
                if item.optional_vars is not None:
                    self.bind(item.optional_vars, environment, loops)
            return self.swallowing(node, environment, loops)
        return self.simple(node, environment, loops)

    def simple(self, node: Node, environment: Environment, loops: Loops) -> Environment | None:
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            self.read(node.value, environment, loops)
            old = environment.get(node.target.id, frozenset())
            new = self.define(node.target.id, node.target, loops)
            self.unite(old | {new}, loops)
            environment[node.target.id] = frozenset({new})
            return environment
        self.read(node, environment, loops)
        if isinstance(node, gast.Assign):
            for target in node.targets:
                self.bind(target, environment, loops)
        elif isinstance(node, gast.Import | gast.ImportFrom):
            for name in syntax.writes(node):
                environment[name] = frozenset({self.define(name, None, loops)})
        elif isinstance(node, gast.Break | gast.Continue):
            self.jumps[-1]["break" if isinstance(node, gast.Break) else "continue"].append(environment)
            return None
        elif isinstance(node, gast.Return | gast.Raise):
            return None
        return environment

    def loop(self, node: Node, environment: Environment, loops: Loops) -> Environment | None:
        self.loops += 1
        inside = (*loops, self.loops)
        if isinstance(node, gast.For):
            self.read(node.iter, environment, loops)
        phis = {}
        for name in sorted(syntax.writes(node)):
            phi = phis[name] = self.define(name, None, loops)
            self.fixed.discard(phi)
            environment[name] = environment.get(name, frozenset()) | {phi}
        header = dict(environment)
        if isinstance(node, gast.For):
            self.bind(node.target, environment, inside)
        else:
            self.read(node.test, environment, inside)
        self.jumps.append({"break": [], "continue": []})
        end = self.block(node.body, environment, inside)
        jumps = self.jumps.pop()
        for again in jumps["continue"]:
            end = _merge(end, again)
        for name, phi in phis.items():
            back = (end or {}).get(name, frozenset()) - {phi}
            self.pending[phi] = back
            if phi in self.touched and back:
                self.touched.discard(phi)
                self.unite(frozenset({phi}), loops)
        after = self.block(node.orelse, header, loops)
        for left in jumps["break"]:
            after = _merge(after, left)
        return after

    def swallowing(self, node: Node, environment: Environment, loops: Loops) -> Environment | None:
        """The body of a `with`: its manager may swallow an exception that leaves the body anywhere."""
        before = dict(environment)
        self.seen.append({})
        end = self.block(node.body, environment, loops)
        for name, definitions in self.seen.pop().items():
            before[name] = before.get(name, frozenset()) | definitions
        return _merge(before, end)

    def attempt(self, node: Node, environment: Environment, loops: Loops) -> Environment | None:
        before = dict(environment)
        jumps = [(left, len(left)) for left in self.jumps[-1].values()] if self.jumps else []
        self.seen.append({})
        end = self.block(node.body, environment, loops)
        seen = self.seen.pop()
        at_handler = {
            name: before.get(name, frozenset()) | frozenset(seen.get(name, ())) for name in before.keys() | seen.keys()
        }
        end = self.block(node.orelse, end, loops)
        for handler in node.handlers:
            caught = dict(at_handler)
            if handler.type is not None:
                self.read(handler.type, caught, loops)
            if handler.name:
                name = handler.name if isinstance(handler.name, str) else handler.name.id
                caught[name] = frozenset({self.define(name, None, loops)})
            end = _merge(end, self.block(handler.body, caught, loops))
        if not node.finalbody:
            return end
        # the last block also runs on the way out of an exception or a jump: it sees whatever may have been assigned
        final = _merge(dict(at_handler), end)
        after = self.block(node.finalbody, final, loops)
        for left, known in jumps:
            for jumped in left[known:]:
                _merge(jumped, after)
        return None if end is None else after


def _common(a: Loops, b: Loops) -> Loops:
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return a[:n]


def _merge(a: Environment | None, b: Environment | None) -> Environment | None:
    if a is None or b is None:
        return b if a is None else a
    for name, definitions in b.items():
        mine = a.get(name)
        if mine is None:
            a[name] = definitions
        elif mine is not definitions:
            a[name] = mine | definitions
    return a


def _rename(walk: _Walk, names: Names) -> None:
    """Choose names: a web keeps the user's unless one that has it may be alive in the same loop or outside of loops."""
    groups: dict[str, list[tuple[str, list[Loops]]]] = {}
    chosen: dict[int, str] = {}
    fixed = {walk.find(d) for d in walk.fixed}
    order = sorted({walk.find(d) for _, d in walk.nodes} | fixed, key=lambda d: (d not in fixed, d))
    for web in order:
        name, home = walk.names[web], walk.homes[web]
        for label, homes in groups.setdefault(name, []):
            if web in fixed or (home and all(h and _common(h, home) not in (h, home) for h in homes)):
                homes.append(home)
                chosen[web] = label
                break
        else:
            label = name if not groups[name] else names.fresh(name if name[-1:].isdigit() else f"{name}_1")
            groups[name].append((label, [home]))
            chosen[web] = label
    for node, d in walk.nodes:
        node.id = chosen[walk.find(d)]
