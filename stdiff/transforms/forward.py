"""forward: the function with its tangent beside it: each value is followed by its derivative in the given direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import gast

from stdiff import syntax
from stdiff.analyses.kinds import Kind
from stdiff.program import Program
from stdiff.syntax import Node
from stdiff.transforms.purity import purity
from stdiff.transforms.pushing.blocks import push_block
from stdiff.transforms.pushing.context import context
from stdiff.transforms.reversing.context import Callees
from stdiff.transforms.simplify import simplify


@dataclass(frozen=True)
class Tangent:
    """The derived function, and which of its names are functions derived elsewhere."""

    program: Program
    links: Mapping[str, tuple[Any, str]]


def forward(
    program: Program,
    active: tuple[bool, ...],
    kinds: Mapping[str, Kind],
    callees: Callees,
    made: frozenset[str],
    name: str,
) -> Tangent:
    """Derive the tangent of a function in the language after `anf`: its parameters, then a tangent for each active one.

        def f(x):                      def f_tangent(x, x_dot):
            y = x * np.sin(x)    ->        y = x * np.sin(x)
            return y                       y_dot = np.sin(x) * x_dot + x * (np.cos(x) * x_dot)
                                           return y, y_dot
    """
    ctx = context(program, active, kinds, callees, made)
    body = push_block(ctx, program.tree.body)
    parameters = syntax.parameters(program.tree)
    late = [p for p, a in zip(parameters, active, strict=True) if not a and ctx.active.get(p)]
    body = [syntax.assign(ctx.dot(p), syntax.constant(0.0), program.tree.body[0]) for p in late] + body
    dots = [ctx.dot(p) for p, a in zip(parameters, active, strict=True) if a]
    names = [gast.Name(p, gast.Param(), None, None) for p in (*parameters, *dots)]
    arguments = gast.arguments(names, [], None, [], [], None, [])
    tree: Node = gast.copy_location(gast.FunctionDef(name, arguments, body, [], None, None, []), program.tree)
    tree = simplify(tree, ctx.made, purity(ctx.namespace))
    return Tangent(replace(program, tree=tree, namespace=ctx.namespace), ctx.links)


