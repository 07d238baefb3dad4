"""The third pass: fewer kinds of statement and expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from stdiff.analyses.calls import known
from stdiff.analyses.plain import plain
from stdiff.analyses.scopes import COMPREHENSIONS
from stdiff.program import Program
from stdiff.syntax import Node
from stdiff.transforms import context as contexts
from stdiff.transforms import functional
from stdiff.transforms.assignments import assignments, updates
from stdiff.transforms.closures import closures
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.depth import deep
from stdiff.transforms.hoisting import condition, settle, value, with_defaults
from stdiff.transforms.leaving import leaving
from stdiff.transforms.matching import matching
from stdiff.transforms.nodes import assigned, at, constant, filled, named, negated, stored


@deep
def desugar(program: Program) -> Program:
    """Write what Python has several ways to say in one way, and lift inner functions out.

    Arguments: `program`, accepted and resolved.
    Returns: a Program without conditional expressions, `and` and `or` as values, chained comparisons, walruses,
    comprehensions, `match`, annotations, inner functions and unreachable statements, which ends in a `return`; what it
    returns, prints and raises is what `program` does. `lifted` are its inner functions.
    Raises: UnsupportedError at a generator that is not consumed at once, and at a closure over a variable that changes.

    Before and after:

    >>> from stdiff.program import of, text
    >>> def f(x, c):
    ...     y = x if c else [v * v for v in x]
    ...     if c and len(y) < 3:
    ...         return y
    ...     y += 1
    >>> print(text(desugar(of(f)), comments=False), end="")
    def f(x, c):
        if c:
            y = x
        else:
            y = []
            for v in x:
                y.append(v * v)
        if c and len(y) < 3:
            return y
        else:
            y += 1
            return None
    """
    tree = program.tree
    context = contexts.of(program, _block)
    body, lifted = closures(tree, _block(tree.body, context), context)
    new = gast.FunctionDef(tree.name, tree.args, leaving(body, tree), [], None, None, [])
    return Program(at(new, tree), context.namespace, program.origin, lifted, program.free)


def _block(body: Statements, context: Context) -> Statements:
    out: Statements = []
    for statement in body:
        handler = _STATEMENTS.get(type(statement))
        if handler is None:
            out.append(statement)
        else:
            handler(statement, out, context)
    return out


# Simple statements


def _annotated(node: Node, out: Statements, context: Context) -> None:
    if node.value is not None:
        assignments(at(gast.Assign([node.target], node.value, None), node), out, context)


def _expression(node: Node, out: Statements, context: Context) -> None:
    if type(node.value) is gast.IfExp:
        chosen = node.value
        branches = [[at(gast.Expr(part), node)] for part in (chosen.body, chosen.orelse)]
        _if(at(gast.If(chosen.test, *branches), node), out, context)
        return
    start = len(out)
    found = value(node.value, out, context)
    if found is node.value:
        if type(found) is not gast.Constant:
            out.append(node)
    elif len(out) == start or type(found) is not gast.Name:
        out.append(at(gast.Expr(found), node))


def _return(node: Node, out: Statements, context: Context) -> None:
    if node.value is None:
        out.append(at(gast.Return(constant(None, node)), node))
    elif type(node.value) is gast.IfExp:
        chosen = node.value
        branches = [[at(gast.Return(part), node)] for part in (chosen.body, chosen.orelse)]
        _if(at(gast.If(chosen.test, *branches), node), out, context)
    else:
        out.append(at(gast.Return(value(node.value, out, context)), node))


def _raise(node: Node, out: Statements, context: Context) -> None:
    exc = node.exc and value(node.exc, out, context)
    start = len(out)
    cause = node.cause and value(node.cause, out, context)
    if len(out) > start:
        before: Statements = []
        exc = settle(exc, before, context)
        out[start:start] = before
    out.append(at(gast.Raise(exc, cause), node))


def _assert(node: Node, out: Statements, context: Context) -> None:
    """The message is evaluated only where the assertion fails."""
    if not __debug__:
        return
    test = condition(node.test, out, context)
    if node.msg is None or not any(isinstance(part, _SCOPED) for part in gast.walk(node.msg)):
        out.append(at(gast.Assert(test, node.msg), node))
        return
    error = named(context.bind("AssertionError", AssertionError), node)
    body: Statements = []
    call = at(gast.Call(error, [value(node.msg, body, context)], []), node)
    body.append(at(gast.Raise(call, None), node))
    out.append(at(gast.If(negated(test), body, []), node))


_SCOPED = (*COMPREHENSIONS, gast.Lambda, gast.NamedExpr)


def _delete(node: Node, out: Statements, context: Context) -> None:
    """A name that is deleted is not read again in a program that works; what else is deleted is a write."""
    for target in node.targets:
        if isinstance(target, gast.Tuple | gast.List):
            _delete(at(gast.Delete(target.elts), node), out, context)
        elif type(target) is not gast.Name:
            out.append(at(gast.Delete([value(target, out, context)]), node))


def _dropped(node: Node, out: Statements, context: Context) -> None:
    """A `global` of names that are only read says nothing."""


def _function(node: Node, out: Statements, context: Context) -> None:
    """The defaults are evaluated here; the body is another function's, see `closures`."""
    arguments = with_defaults(node.args, out, context)
    out.append(at(gast.FunctionDef(node.name, arguments, node.body, [], None, None, []), node))


# Statements with blocks


def _if(node: Node, out: Statements, context: Context) -> None:
    test = condition(node.test, out, context)
    out.append(at(gast.If(test, filled(_block(node.body, context), node), _block(node.orelse, context)), node))


def _while(node: Node, out: Statements, context: Context) -> None:
    """A test that cannot stay in the head becomes the first statements of an endless loop."""
    if plain(node.test, context.namespace):
        out.append(
            at(gast.While(node.test, filled(_block(node.body, context), node), _block(node.orelse, context)), node)
        )
        return
    body: Statements = []
    test = settle(value(node.test, body, context), body, context)
    stop = negated(test)
    orelse = _block(node.orelse, context)
    ended: str | None = None
    if any(_jumps(statement) for statement in orelse):  # to the loop around this one: it cannot stand inside
        ended = context.names.fresh("ended")
        out.append(assigned(ended, constant(False, node), node))
        leave: Statements = [assigned(ended, constant(True, node), node)]
    else:
        leave = list(orelse)
    body.append(at(gast.If(stop, [*leave, at(gast.Break(), node)], []), node))
    body += _block(node.body, context)
    out.append(at(gast.While(constant(True, node), body, []), node))
    if ended is not None:
        out.append(at(gast.If(named(ended, node), orelse, []), node))


def _jumps(statement: Node) -> bool:
    """Whether a statement contains a `break` or `continue` of the loop around it."""
    if isinstance(statement, gast.Break | gast.Continue):
        return True
    if isinstance(statement, gast.For | gast.While):
        return any(_jumps(inner) for inner in statement.orelse)
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    blocks += [handler.body for handler in getattr(statement, "handlers", [])]
    return any(_jumps(inner) for block in blocks if isinstance(block, list) for inner in block)


def _for(node: Node, out: Statements, context: Context) -> None:
    """A loop over what `map` or `filter` gives calls the function itself, and one over `enumerate(zip(...))` counts."""
    before, found = functional.generator(node.iter, context)
    out += _block(before, context)
    if found is not None:
        (clause,) = found.generators
        body = [at(gast.Assign([node.target], found.elt, None), node), *node.body]
        body = [at(gast.If(clause.ifs[0], body, []), node)] if clause.ifs else body
        node = at(gast.For(clause.target, clause.iter, body, node.orelse, None), node)
    elif _counts_an_iterator(node, context):
        count = context.names.fresh("count")
        number, target = node.target.elts
        out.append(assigned(count, node.iter.args[1] if len(node.iter.args) > 1 else constant(0, node), node))
        step = at(gast.BinOp(named(count, node), gast.Add(), constant(1, node)), node)
        body = [at(gast.Assign([number], named(count, node), None), node), assigned(count, step, node), *node.body]
        _for(at(gast.For(target, node.iter.args[0], body, node.orelse, None), node), out, context)
        return
    iterable = value(node.iter, out, context)
    body = filled(_block(node.body, context), node)
    out.append(at(gast.For(node.target, iterable, body, _block(node.orelse, context), None), node))


def _counts_an_iterator(node: Node, context: Context) -> bool:
    """Whether a loop has the form `for i, v in enumerate(zip(...))`."""
    call, target = node.iter, node.target
    if not isinstance(target, gast.Tuple) or len(target.elts) != 2 or not all(map(_is_ordinary, target.elts)):
        return False
    if not isinstance(call, gast.Call) or known(call.func, context.namespace) is not enumerate or call.keywords:
        return False
    first, *start = call.args or [None]
    inner = known(first.func, context.namespace) if isinstance(first, gast.Call) else None
    return inner in (zip, map, filter, reversed) and all(isinstance(s, gast.Constant) for s in start)


def _is_ordinary(target: Node) -> bool:
    return not isinstance(target, gast.Starred)


def _with(node: Node, out: Statements, context: Context) -> None:
    """One context a statement: each is entered before the next is evaluated."""
    first, *others = node.items
    body = node.body
    if others:
        body = [at(gast.With(others, body, None), node)]
    item = gast.withitem(value(first.context_expr, out, context), first.optional_vars)
    out.append(at(gast.With([item], filled(_block(body, context), node), None), node))


def _try(node: Node, out: Statements, context: Context) -> None:
    handlers = []
    for h in node.handlers:
        name = h.name and stored(h.name.id, h)
        handlers.append(at(gast.ExceptHandler(h.type, name, filled(_block(h.body, context), h)), h))
    parts = [_block(block, context) for block in (node.orelse, node.finalbody)]
    if node.finalbody and not parts[1]:
        parts[1] = [at(gast.Pass(), node)]
    out.append(at(gast.Try(filled(_block(node.body, context), node), handlers, *parts), node))


def _match(node: Node, out: Statements, context: Context) -> None:
    out += _block(matching(node, context), context)


_STATEMENTS: dict[type, Callable[[Any, Statements, Context], None]] = {
    gast.Assign: assignments,
    gast.AugAssign: updates,
    gast.AnnAssign: _annotated,
    gast.Expr: _expression,
    gast.Return: _return,
    gast.Raise: _raise,
    gast.Assert: _assert,
    gast.Delete: _delete,
    gast.Global: _dropped,
    gast.FunctionDef: _function,
    gast.If: _if,
    gast.While: _while,
    gast.For: _for,
    gast.With: _with,
    gast.Try: _try,
    gast.Match: _match,
}
