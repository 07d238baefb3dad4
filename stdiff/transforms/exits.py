"""exits: after a `with`, check that its context manager swallowed no exception: the derivative could not follow."""

from __future__ import annotations

import contextlib
import decimal
import threading
import warnings
from dataclasses import replace

import gast
import numpy as np

from stdiff import containers, errors, syntax
from stdiff.analyses import calls
from stdiff.program import Program
from stdiff.syntax import Names, Node

_HARMLESS = (
    np.errstate, np.printoptions, warnings.catch_warnings, contextlib.nullcontext, decimal.localcontext,
    threading.Lock, open,
)


def exits(program: Program) -> Program:
    """Put a check behind each `with` whose context manager is not known to let exceptions pass.

    >>> from stdiff.program import of, unparse
    >>> def f(x, manager):
    ...     with manager:
    ...         x = x * x
    ...     return x
    >>> print(unparse(exits(of(f)).tree))
    def f(x, manager):
        finished = False
        with manager:
            x = x * x
            finished = True
        runs_through(finished, line_2)
        return x
    """
    if not any(isinstance(n, gast.With) for n in syntax.walk(program.tree)):
        return program
    tree = syntax.copy(program.tree)
    makers = {
        n.targets[0].id: n.value.func
        for n in gast.walk(tree)
        if isinstance(n, gast.Assign) and isinstance(n.targets[0], gast.Name) and isinstance(n.value, gast.Call)
    }
    work = _Work(
        program,
        makers,
        Names(syntax.reads(tree) | syntax.writes(tree) | set(program.namespace)),
        dict(program.namespace),
    )
    tree.body = work.block(tree.body)
    return replace(program, tree=tree, namespace=work.namespace)


class _Work:
    def __init__(self, program: Program, makers: dict[str, Node], names: Names, namespace: dict[str, object]) -> None:
        self.program, self.makers, self.names, self.namespace = program, makers, names, namespace

    def block(self, body: list[Node]) -> list[Node]:
        found: list[Node] = []
        for node in body:
            for inner in ("body", "orelse", "finalbody"):
                if getattr(node, inner, None):
                    setattr(node, inner, self.block(getattr(node, inner)))
            for handler in getattr(node, "handlers", None) or []:
                handler.body = self.block(handler.body)
            found += self.checked(node) if isinstance(node, gast.With) and not self.harmless(node) else [node]
        return found

    def harmless(self, node: Node) -> bool:
        made = [
            i.context_expr.func
            if isinstance(i.context_expr, gast.Call)
            else self.makers.get(getattr(i.context_expr, "id", ""))
            for i in node.items
        ]
        return all(m is not None and calls.known(m, self.program.namespace) in _HARMLESS for m in made)

    def checked(self, node: Node) -> list[Node]:
        finished, place = self.names.fresh("finished"), self.names.fresh(f"line_{node.lineno}")
        self.namespace[place] = errors.place(node, self.program.origin)
        helper = next((k for k, v in self.namespace.items() if v is containers.runs_through), None)
        helper = helper or self.names.fresh("runs_through")
        self.namespace[helper] = containers.runs_through
        node.body.append(syntax.assign(finished, syntax.constant(True), node.body[-1]))
        check = gast.Expr(gast.Call(syntax.name(helper), [syntax.name(finished), syntax.name(place)], []))
        return [syntax.assign(finished, syntax.constant(False), node), node, gast.copy_location(check, node)]
