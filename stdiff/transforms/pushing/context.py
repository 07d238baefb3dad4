"""What the parts of the forward pass share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import gast

from stdiff import syntax
from stdiff.analyses.activity import activity
from stdiff.analyses.flow import flow
from stdiff.analyses.kinds import Kind
from stdiff.analyses.memory import memory
from stdiff.program import Program
from stdiff.syntax import Names, Node
from stdiff.transforms.reversing import context as shared
from stdiff.transforms.reversing.context import Callees


@dataclass
class Context(shared.Context):
    """The facts of the reverse pass's context, and the tangents' names. `exact`: tangents that are never the 0.0."""

    dots: dict[str, str] = field(default_factory=dict)
    exact: set[str] = field(default_factory=set)
    # No name of a program: stands for a result whose name an operand still has.
    result_mark: str = "result of the statement"
    guarded: bool = False  # inside a `try`, where a statement that raises must not have changed a tangent
    owned: set[str] = field(default_factory=set)  # names updated in place: their tangents must be objects of their own

    def dot(self, name: str) -> str:
        """The name of the tangent of a name."""
        if name not in self.dots:
            self.dots[name] = self.names.fresh(f"{name}_dot")
            if name in self.made:
                self.made.add(self.dots[name])
        return self.dots[name]

    def tangent(self, node: Node) -> Node:
        """The tangent of an atom: 0.0 where it carries none."""
        if self.is_active(node):
            self.refuse_caught(node, node.id)
        return syntax.name(self.dot(node.id)) if self.is_active(node) else syntax.constant(0.0)

    def is_exact(self, node: Node) -> bool:
        return isinstance(node, gast.Name) and node.id in self.exact


def context(
    program: Program, active: tuple[bool, ...], kinds: Mapping[str, Kind], callees: Callees, made: frozenset[str]
) -> Context:
    """The facts that the forward pass needs."""
    facts = flow(program.tree)
    held = memory(program, kinds, facts, callees.check)
    parameters = syntax.parameters(program.tree)
    chosen = {p for p, a in zip(parameters, active, strict=True) if a}
    varied = activity(program, chosen, kinds)
    names = Names(set(facts.definitions) | syntax.reads(program.tree) | set(program.namespace))
    ctx = Context(program, facts, kinds, varied, callees, names, dict(program.namespace))
    ctx.made |= made
    ctx.owned = held.updated | held.built
    ctx.exact = {p for p in chosen if len(facts.definitions[p]) == 1 and kinds[p].numeric}
    return ctx
