"""iterables: a loop goes over a name of its own where its body assigns the name that it goes over."""

from __future__ import annotations

from dataclasses import replace

import gast

from stdiff import syntax
from stdiff.program import Program
from stdiff.syntax import Names, Node


def iterables(program: Program) -> Program:
    """Keep what a loop goes over under a name that lasts, so that its adjoint is not taken for that of a later value.

    >>> from stdiff.program import of, unparse
    >>> def f(x):
    ...     for v in x:
    ...         x = x * v
    ...     return x
    >>> print(unparse(iterables(of(f)).tree))
    def f(x):
        x_1 = x
        for v in x_1:
            x = x * v
        return x
    """
    loops = [
        n for n in syntax.walk(program.tree) if isinstance(n, gast.For) and syntax.reads(n.iter) & syntax.writes(n)
    ]
    if not loops:
        return program
    tree = syntax.copy(program.tree)
    names = Names(syntax.reads(tree) | syntax.writes(tree) | set(program.namespace))
    tree.body = _block(tree.body, names)
    return replace(program, tree=tree)


def _block(body: list[Node], names: Names) -> list[Node]:
    found: list[Node] = []
    for node in body:
        for inner in ("body", "orelse", "finalbody"):
            if getattr(node, inner, None):
                setattr(node, inner, _block(getattr(node, inner), names))
        for handler in getattr(node, "handlers", None) or []:
            handler.body = _block(handler.body, names)
        if isinstance(node, gast.For):
            kept = {name: names.fresh(f"{name}_1") for name in sorted(syntax.reads(node.iter) & syntax.writes(node))}
            found += [syntax.assign(new, syntax.name(old), node) for old, new in kept.items()]
            node.iter = syntax.substitute(node.iter, dict(kept))
        found.append(node)
    return found
