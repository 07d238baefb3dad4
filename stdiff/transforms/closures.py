"""Inner functions as functions of their own (refused so far)."""

from __future__ import annotations

import gast

from stdiff.program import Program
from stdiff.syntax import Node
from stdiff.transforms.context import Context, Statements


def closures(tree: Node, body: Statements, context: Context) -> tuple[Statements, tuple[Program, ...]]:
    """The body without inner functions, and these."""
    for statement in body:
        for node in gast.walk(statement):
            if isinstance(node, gast.FunctionDef | gast.Lambda):
                raise context.refuse(node, "an inner function", "it is not lifted yet", "define it outside")
    return body, ()
