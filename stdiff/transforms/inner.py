"""The inner functions of a function: where they stand, what they read, and how their names are used."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import gast

from stdiff import syntax
from stdiff.analyses import scopes
from stdiff.analyses.escapes import only_called
from stdiff.syntax import Node


@dataclass(frozen=True)
class Spot:
    """A place in a function: position in the order of the source, the loops around it, its index in each block."""

    position: int
    loops: frozenset[int] = frozenset()
    blocks: tuple[tuple[int, int], ...] = ()

    def precedes(self, other: Spot) -> bool:
        """Whether the statement here has always been executed when control is at `other`."""
        block, index = self.blocks[-1]
        return any(block == b and index < i for b, i in other.blocks)

    def may_follow(self, other: Spot) -> bool:
        """Whether the statement here may be executed after that at `other`."""
        return self.position >= other.position or bool(self.loops & other.loops)


@dataclass(eq=False)
class Inner:
    """An inner `def` or `lambda`: its node, the variable it is assigned to ("": a lambda in an expression), place."""

    node: Node
    name: str
    spot: Spot


@dataclass
class Survey:
    """The inner functions of a function, and where it binds and reads its names.

    `called`: the nodes in front of a `(`; `passing`: the arguments that, if they are functions, a call does not keep.
    """

    functions: list[Inner] = field(default_factory=list)
    bindings: dict[str, list[Spot]] = field(default_factory=dict)
    reads: dict[str, list[tuple[Node, Spot]]] = field(default_factory=dict)
    called: set[int] = field(default_factory=set)
    passing: set[int] = field(default_factory=set)
    clock: Iterator[int] = field(default_factory=itertools.count)


def survey(tree: Node, body: list[Node], namespace: Mapping[str, object]) -> Survey:
    """Look through the statements of a function, which is desugared but for its inner functions.

    Arguments: `tree`, the function (for its parameters); `body`, its statements; `namespace`, what its free names mean.
    """
    found = Survey(bindings={name: [Spot(-1)] for name in syntax.parameters(tree)})
    _block(body, Spot(-1), found, namespace)
    return found


def _block(body: list[Node], around: Spot, found: Survey, namespace: Mapping[str, object]) -> None:
    for index, statement in enumerate(body):
        loop = isinstance(statement, gast.For | gast.While)
        inside = around.loops | {id(statement)} if loop else around.loops
        here = Spot(next(found.clock), inside, (*around.blocks, (id(body), index)))
        _statement(statement, here, found, namespace)
        for name in ("body", "handlers", "orelse", "finalbody"):
            part = [] if isinstance(statement, gast.FunctionDef) else getattr(statement, name, [])
            within = here if name == "body" else Spot(here.position, around.loops, here.blocks)
            if name == "handlers":
                for handler in part:
                    _expressions([handler.type, handler.name], here, found, namespace)
                    _block(handler.body, within, found, namespace)
            else:
                _block(part, within, found, namespace)


def _statement(statement: Node, here: Spot, found: Survey, namespace: Mapping[str, object]) -> None:
    """What the statement itself binds, reads and defines, without the blocks in it."""
    for name in scopes.bound_as_text(statement):
        found.bindings.setdefault(name, []).append(here)
    if isinstance(statement, gast.FunctionDef):
        found.functions.append(Inner(statement, statement.name, here))
        _expressions(defaults(statement), here, found, namespace)
        return
    target = statement.targets[0] if isinstance(statement, gast.Assign) else None
    if isinstance(target, gast.Name) and isinstance(statement.value, gast.Lambda):
        found.functions.append(Inner(statement.value, target.id, here))
        _expressions([target, *defaults(statement.value)], here, found, namespace)
        return
    parts = [value for value in vars(statement).values() if isinstance(value, gast.AST)]
    parts += [item for value in vars(statement).values() if isinstance(value, list) for item in value]
    _expressions(
        [part for part in parts if not isinstance(part, gast.stmt | gast.excepthandler)], here, found, namespace
    )


def _expressions(nodes: list[Node], here: Spot, found: Survey, namespace: Mapping[str, object]) -> None:
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if isinstance(node, gast.Name):
            if isinstance(node.ctx, gast.Load):
                found.reads.setdefault(node.id, []).append((node, here))
            else:
                found.bindings.setdefault(node.id, []).append(here)
        elif isinstance(node, gast.Lambda):
            found.functions.append(Inner(node, "", here))
            waiting += reversed(defaults(node))
        elif isinstance(node, gast.AST):
            if isinstance(node, gast.Call):
                found.called.add(id(node.func))
                found.passing.update(map(id, only_called(node, namespace)))
            waiting += scopes.children(node)


def defaults(function: Node) -> list[Node]:
    """The default expressions of a function, which are evaluated where it is defined."""
    return [default for default in (*function.args.defaults, *function.args.kw_defaults) if default is not None]
