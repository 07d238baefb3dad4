"""What the parts of `desugar` share while they rewrite one function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import gast

from stdiff import errors, syntax
from stdiff.analyses import scopes
from stdiff.analyses.calls import MISSING, known
from stdiff.program import Origin, Program
from stdiff.syntax import Names, Node
from stdiff.transforms.nodes import assigned, named

Statements = list[Node]


@dataclass
class Context:
    """The names of a function as far as they matter to the rewriting of its expressions.

    `rebound`: names that a walrus assigns, so that an operand that reads one is not stable while a later operand runs;
    `captured`: names that inner functions read; `guarded`: the function has a `try`, so that a half-made value can be
    seen; `nested`: it has inner functions; `first`: its first parameter; `block`: what rewrites a list of statements,
    such as an expression needs; `new`: loop variables that were made.
    """

    names: Names
    namespace: dict[str, object]
    origin: Origin
    rebound: frozenset[str]
    captured: frozenset[str]
    guarded: bool
    nested: bool
    first: str
    block: Callable[[Statements, Context], Statements]
    new: set[str] = field(default_factory=set)

    def new_variable(self, wanted: str) -> str:
        """A variable for a loop that is made."""
        name = self.names.fresh(wanted)
        self.new.add(name)
        return name

    def bind(self, wanted: str, value: object) -> str:
        """A name that means `value`: `wanted` where the function itself means that by it, else a fresh name."""
        if self.namespace.get(wanted) is value:
            return wanted
        name = self.names.fresh(wanted)
        self.namespace[name] = value
        return name

    def kept(self, node: Node, wanted: str) -> tuple[Statements, Node]:
        """What gives the value of `node`, as written here, again and again; before it, what keeps that in `wanted`."""
        stable = isinstance(node, gast.Constant) or (isinstance(node, gast.Name) and node.id not in self.rebound)
        if stable or known(node, self.namespace) is not MISSING:
            return [], node
        name = self.names.fresh(wanted)
        return [assigned(name, node, node)], named(name, node)

    def refuse(self, node: Node, met: str, why: str, instead: str) -> errors.StdiffError:
        """The error, to be raised, that points at `node`."""
        return errors.at(node, self.origin, met, why, instead)


def of(program: Program, block: Callable[[Statements, Context], Statements]) -> Context:
    """The Context in which `program` is rewritten, its lists of statements by `block`."""
    tree = program.tree
    used = {tree.name, *program.namespace, *scopes.used(tree)}  # what only a comprehension binds is not in it
    rebound: set[str] = set()
    captured: set[str] = set()
    guarded = nested = False
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, gast.NamedExpr):
            rebound.add(node.target.id)
        elif isinstance(node, gast.Try):
            guarded = True
        elif isinstance(node, gast.Lambda | gast.FunctionDef):
            nested = True
            captured |= scopes.free(node)
            used |= scopes.bound_anywhere(node)
        waiting += scopes.children(node)
    names, first = Names(used), next(iter(syntax.parameters(tree)), "")
    return Context(
        names,
        dict(program.namespace),
        program.origin,
        frozenset(rebound),
        frozenset(captured),
        guarded,
        nested,
        first,
        block,
    )
