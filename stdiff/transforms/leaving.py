"""Blocks that end where control leaves them."""

from __future__ import annotations

import gast

from stdiff.syntax import Node
from stdiff.transforms.context import Statements
from stdiff.transforms.nodes import at, constant

DEPTH = 40  # Python's own limit is 100 levels of indentation


def leaving(body: Statements, tree: Node) -> Statements:
    """The statements of a function with a `return` on every way through, and without statements that are never reached.

    An `if` one of whose branches always leaves takes the rest of its block into the other branch, so that each branch
    ends where it ends. Below `DEPTH` levels of nesting it stays as it is, and the rest follows it.

    >>> from stdiff.program import unparse
    >>> from stdiff.syntax import parse
    >>> tree = parse("def f(x):\\n  if x > 0:\\n    return x\\n  x = -x\\n  return x\\n  print(x)").body[0]
    >>> print(*map(unparse, leaving(tree.body, tree)))
    if x > 0:
        return x
    else:
        x = -x
        return x
    """
    last = body[-1] if body else tree
    end = at(gast.Return(constant(None, last)), last)
    return _block([*body, end], 0)


def _block(body: Statements, depth: int) -> Statements:
    out: Statements = []
    if len(body) > 1:
        body = [s for s in body if type(s) is not gast.Pass] or body[:1]
    for number, statement in enumerate(body):
        rest = body[number + 1 :] if isinstance(statement, gast.If) and depth < DEPTH else []
        if rest and (_leave(statement.body) is not _leave(statement.orelse)):
            out.append(_with_rest(statement, rest, depth))
            return out
        statement = _inside(statement, depth + 1)
        out.append(statement)
        if leaves(statement):
            return out
    return out


def _with_rest(statement: Node, rest: Statements, depth: int) -> Node:
    """The `if`, with what follows it in the branch that does not leave."""
    body, orelse = statement.body, statement.orelse
    if _leave(body):
        orelse = [*orelse, *rest]
    else:
        body = [*body, *rest]
    return at(gast.If(statement.test, _block(body, depth + 1), _block(orelse, depth + 1)), statement)


def _inside(statement: Node, depth: int) -> Node:
    """The statement with its blocks treated."""
    if isinstance(statement, gast.If):
        return at(gast.If(statement.test, _block(statement.body, depth), _block(statement.orelse, depth)), statement)
    if isinstance(statement, gast.While):
        return at(gast.While(statement.test, _block(statement.body, depth), _block(statement.orelse, depth)), statement)
    if isinstance(statement, gast.For):
        blocks = _block(statement.body, depth), _block(statement.orelse, depth)
        return at(gast.For(statement.target, statement.iter, *blocks, None), statement)
    if isinstance(statement, gast.With):
        return at(gast.With(statement.items, _block(statement.body, depth), None), statement)
    if isinstance(statement, gast.Try):
        handlers = [at(gast.ExceptHandler(h.type, h.name, _block(h.body, depth)), h) for h in statement.handlers]
        others = _block(statement.orelse, depth), _block(statement.finalbody, depth)
        return at(gast.Try(_block(statement.body, depth), handlers, *others), statement)
    return statement


def leaves(statement: Node) -> bool:
    """Whether control never goes on to the statement after this one.

    A `with` may swallow an exception, so that what follows it can be reached whatever its body does.
    """
    if isinstance(statement, gast.Return | gast.Raise | gast.Break | gast.Continue):
        return True
    if isinstance(statement, gast.If):
        return _leave(statement.body) and _leave(statement.orelse)
    if isinstance(statement, gast.While):
        endless = isinstance(statement.test, gast.Constant) and bool(statement.test.value)
        return (endless or _leave(statement.orelse)) and not any(map(_breaks, statement.body))
    if isinstance(statement, gast.For):
        return _leave(statement.orelse) and not any(map(_breaks, statement.body))
    if isinstance(statement, gast.Try):
        ordinary = _leave(statement.orelse) or _leave(statement.body)
        return _leave(statement.finalbody) or (ordinary and all(_leave(handler.body) for handler in statement.handlers))
    return False


def _leave(block: Statements) -> bool:
    return any(map(leaves, block))


def _breaks(statement: Node) -> bool:
    """Whether a statement of a loop's body may end that loop by `break`."""
    if isinstance(statement, gast.Break):
        return True
    if isinstance(statement, gast.For | gast.While):
        return any(map(_breaks, statement.orelse))
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    blocks += [handler.body for handler in getattr(statement, "handlers", [])]
    return any(_breaks(inner) for block in blocks for inner in block)
