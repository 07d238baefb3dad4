"""The fourth pass: every intermediate value has a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gast

from stdiff import errors
from stdiff.analyses import scopes
from stdiff.analyses.calls import MISSING, known
from stdiff.analyses.plain import plain
from stdiff.program import Origin, Program
from stdiff.syntax import Names, Node
from stdiff.transforms.depth import deep
from stdiff.transforms.nodes import assigned, at, constant, named, stored

Statements = list[Node]

_NUMBERED = re.compile(r"t\d+")
_SHORT = 12  # the longest name that an intermediate gets from what it is made of
_ITERATORS = (range, enumerate, zip, reversed)


@dataclass
class _Context:
    names: Names
    namespace: Mapping[str, object]
    origin: Origin


@deep
def anf(program: Program) -> Program:
    """Give every intermediate value a name, in the order in which Python computes them.

    Arguments: `program`, desugared.
    Returns: a Program in the language that docs/compiler.md describes under "The language after `anf`".
    Raises: UnsupportedError at an expression that has no place in that language.

    Before and after:

    >>> import numpy as np
    >>> from stdiff.program import of, text
    >>> from stdiff.transforms.desugar import desugar
    >>> def f(x, i):
    ...     a, b = np.sin(x) * x[i + 1], -2.0
    ...     return a / b
    >>> print(text(anf(desugar(of(f))), comments=False), end="")
    def f(x, i):
        sin_x = np.sin(x)
        t1 = i + 1
        t2 = x[t1]
        t3 = sin_x * t2
        t4 = t3, -2.0
        a, b = t4
        t5 = a / b
        return t5
    """
    tree = program.tree
    used = {tree.name, *program.namespace, *scopes.used(tree)}
    context = _Context(Names(used), program.namespace, program.origin)
    new = gast.FunctionDef(tree.name, tree.args, _block(tree.body, context), [], None, None, [])
    return Program(at(new, tree), program.namespace, program.origin, program.lifted, program.free)


def _block(body: Statements, context: _Context) -> Statements:
    out: Statements = []
    for statement in body:
        handler = _STATEMENTS.get(type(statement))
        if handler is None:
            out.append(statement)
        else:
            handler(statement, out, context)
    return out


# Values


def _atom(node: Node, out: Statements, context: _Context) -> Node:
    """A Name or Constant with the value of `node`."""
    kind = type(node)
    if kind is gast.Name or kind is gast.Constant:
        return node
    value = _simple(node, out, context)
    if type(value) is gast.Constant:
        return value
    name = _label(value, context)
    out.append(assigned(name, value, node))
    return named(name, node)


def _name_of(node: Node, out: Statements, context: _Context) -> Node:
    """A Name with the value of `node`."""
    atom = _atom(node, out, context)
    if type(atom) is gast.Name:
        return atom
    name = context.names.temporary()
    out.append(assigned(name, atom, node))
    return named(name, node)


def _simple(node: Node, out: Statements, context: _Context) -> Node:
    """The node with atoms as operands: what may stand on the right of an assignment."""
    kind = type(node)
    if kind is gast.Name or kind is gast.Constant:
        return node
    handler = _EXPRESSIONS.get(kind)
    if handler is None:
        met, why = f"`{kind.__name__}` here", "it is not in the language that is differentiated"
        raise errors.at(node, context.origin, met, why, "compute it by a statement before this one")
    return handler(node, out, context)


def _binary(node: Node, out: Statements, context: _Context) -> Node:
    left, right = _atom(node.left, out, context), _atom(node.right, out, context)
    return node if left is node.left and right is node.right else at(gast.BinOp(left, node.op, right), node)


def _unary(node: Node, out: Statements, context: _Context) -> Node:
    operand = _atom(node.operand, out, context)
    if type(node.op) is gast.USub and type(operand) is gast.Constant and type(operand.value) in (int, float, complex):
        return constant(-operand.value, node)
    return node if operand is node.operand else at(gast.UnaryOp(node.op, operand), node)


def _compare(node: Node, out: Statements, context: _Context) -> Node:
    left, right = _atom(node.left, out, context), _atom(node.comparators[0], out, context)
    return at(gast.Compare(left, node.ops, [right]), node)


def _attribute(node: Node, out: Statements, context: _Context) -> Node:
    if known(node, context.namespace) is not MISSING:
        return node
    value = _name_of(node.value, out, context)
    return node if value is node.value else at(gast.Attribute(value, node.attr, gast.Load()), node)


def _subscript(node: Node, out: Statements, context: _Context) -> Node:
    value = _name_of(node.value, out, context)
    return at(gast.Subscript(value, _index(node.slice, out, context), gast.Load()), node)


def _index(node: Node, out: Statements, context: _Context) -> Node:
    kind = type(node)
    if kind is gast.Slice:
        parts = [part and _atom(part, out, context) for part in (node.lower, node.upper, node.step)]
        return at(gast.Slice(*parts), node)
    if kind is gast.Tuple and not any(isinstance(part, gast.Starred) for part in node.elts):
        return at(gast.Tuple([_index(part, out, context) for part in node.elts], gast.Load()), node)
    if kind is gast.Attribute and known(node, context.namespace) is None:  # np.newaxis
        return constant(None, node)
    return _atom(node, out, context)


def _sequence(node: Node, out: Statements, context: _Context) -> Node:
    parts = [_element(part, out, context) for part in node.elts]
    if type(node) is gast.Set:
        return at(gast.Set(parts), node)
    return at(type(node)(parts, gast.Load()), node)


def _element(node: Node, out: Statements, context: _Context) -> Node:
    if type(node) is gast.Starred:
        return at(gast.Starred(_name_of(node.value, out, context), gast.Load()), node)
    return _atom(node, out, context)


def _dict(node: Node, out: Statements, context: _Context) -> Node:
    keys, values = [], []
    for key, value in zip(node.keys, node.values, strict=True):
        keys.append(key and _atom(key, out, context))
        values.append(_atom(value, out, context) if key else _name_of(value, out, context))
    return at(gast.Dict(keys, values), node)


def _call(node: Node, out: Statements, context: _Context) -> Node:
    func = _function(node.func, out, context)
    args = [_element(argument, out, context) for argument in node.args]
    keywords = [at(gast.keyword(k.arg, _atom(k.value, out, context)), k) for k in node.keywords]
    return at(gast.Call(func, args, keywords), node)


def _function(node: Node, out: Statements, context: _Context) -> Node:
    """A dotted path through modules and classes, a Name, or the method of a Name."""
    if type(node) is gast.Name:
        return node
    if type(node) is gast.Attribute:
        return _attribute(node, out, context)
    return _name_of(node, out, context)


def _joined(node: Node, out: Statements, context: _Context) -> Node:
    """An f-string stays as written unless it calls something."""
    if not any(isinstance(part, gast.Call) for part in gast.walk(node)):
        return node
    parts: Statements = []
    for part in node.values:
        if type(part) is gast.FormattedValue:
            spec = part.format_spec and _joined(part.format_spec, out, context)
            part = at(gast.FormattedValue(_atom(part.value, out, context), part.conversion, spec), part)
        parts.append(part)
    return at(gast.JoinedStr(parts), node)


_EXPRESSIONS: dict[type, Callable[[Any, Statements, _Context], Node]] = {
    gast.BinOp: _binary,
    gast.UnaryOp: _unary,
    gast.Compare: _compare,
    gast.Attribute: _attribute,
    gast.Subscript: _subscript,
    gast.Tuple: _sequence,
    gast.List: _sequence,
    gast.Set: _sequence,
    gast.Dict: _dict,
    gast.Call: _call,
    gast.JoinedStr: _joined,
}


def _label(node: Node, context: _Context) -> str:
    """A name for an intermediate: after what it is made of where that is short, else `t1`, `t2` ..."""
    parts: list[str | None] = []
    kind = type(node)
    if kind is gast.Call and not node.keywords:
        function = node.func.attr if type(node.func) is gast.Attribute else node.func.id
        owner = (
            [node.func.value]
            if known(node.func, context.namespace) is MISSING and type(node.func) is gast.Attribute
            else []
        )
        parts = [function, *map(_word, [*owner, *node.args])]
    elif kind is gast.Subscript:
        parts = [_word(node.value), _word(node.slice)]
    elif kind is gast.Attribute:
        owner = [] if known(node, context.namespace) is not MISSING else [_word(node.value)]
        parts = [*owner, node.attr]
    words = [part for part in parts if part]
    wanted = "_".join(words)
    if not words or len(words) < len(parts) or len(wanted) > _SHORT or wanted.startswith("_"):
        return context.names.temporary()
    return context.names.fresh(wanted)


def _word(node: Node) -> str | None:
    return node.id if type(node) is gast.Name and not _NUMBERED.fullmatch(node.id) else None


# Statements


def _assign(node: Node, out: Statements, context: _Context) -> None:
    (target,) = node.targets
    kind = type(target)
    if kind is gast.Name:
        value = _simple(node.value, out, context)
        out.append(node if value is node.value else at(gast.Assign(node.targets, value, None), node))
    elif kind is gast.Tuple or kind is gast.List:
        _unpack(target, _name_of(node.value, out, context), node, out, context)
    else:
        value = _atom(node.value, out, context)
        out.append(at(gast.Assign([_place(target, out, context)], value, None), node))


def _place(target: Node, out: Statements, context: _Context) -> Node:
    """A Subscript or Attribute that is written or deleted, of a Name and with an index of atoms."""
    value = _name_of(target.value, out, context)
    if type(target) is gast.Attribute:
        return at(gast.Attribute(value, target.attr, target.ctx), target)
    return at(gast.Subscript(value, _index(target.slice, out, context), target.ctx), target)


def _unpack(target: Node, value: Node, like: Node, out: Statements, context: _Context) -> None:
    """Takes a pattern apart: names at once, what is not a name through a temporary, in the order of the pattern."""
    names: Statements = []
    rest: list[tuple[Node, Node]] = []
    for part in target.elts:
        inner = part.value if type(part) is gast.Starred else part
        if type(inner) is gast.Name and not rest:
            names.append(part)
            continue
        temporary = context.names.temporary()
        new = stored(temporary, inner)
        names.append(at(gast.Starred(new, gast.Store()), part) if type(part) is gast.Starred else new)
        rest.append((inner, named(temporary, inner)))
    out.append(at(gast.Assign([at(gast.Tuple(names, gast.Store()), target)], value, None), like))
    for inner, temporary in rest:
        _assign(at(gast.Assign([inner], temporary, None), like), out, context)


def _update(node: Node, out: Statements, context: _Context) -> None:
    target = node.target if type(node.target) is gast.Name else _place(node.target, out, context)
    out.append(at(gast.AugAssign(target, node.op, _atom(node.value, out, context)), node))


def _expression(node: Node, out: Statements, context: _Context) -> None:
    value = _simple(node.value, out, context)
    if type(value) is not gast.Constant:
        out.append(at(gast.Expr(value), node))


def _return(node: Node, out: Statements, context: _Context) -> None:
    out.append(at(gast.Return(_atom(node.value, out, context)), node))


def _delete(node: Node, out: Statements, context: _Context) -> None:
    (target,) = node.targets
    out.append(at(gast.Delete([_place(target, out, context)]), node))


def _assert(node: Node, out: Statements, context: _Context) -> None:
    out.append(at(gast.Assert(_test(node.test, out, context), node.msg), node))


def _test(node: Node, out: Statements, context: _Context) -> Node:
    """A test stays as it is written where evaluating it twice changes nothing."""
    return node if plain(node, context.namespace) else _atom(node, out, context)


def _if(node: Node, out: Statements, context: _Context) -> None:
    test = _test(node.test, out, context)
    out.append(at(gast.If(test, _block(node.body, context), _block(node.orelse, context)), node))


def _while(node: Node, out: Statements, context: _Context) -> None:
    out.append(at(gast.While(node.test, _block(node.body, context), _block(node.orelse, context)), node))


def _for(node: Node, out: Statements, context: _Context) -> None:
    iterable = node.iter
    iterates = type(iterable) is gast.Call and any(known(iterable.func, context.namespace) is i for i in _ITERATORS)
    iterable = _call(iterable, out, context) if iterates else _atom(iterable, out, context)
    body: Statements = []
    target = node.target
    if type(target) is not gast.Name:
        item = named(context.names.fresh("item"), target)
        _assign(at(gast.Assign([target], item, None), target), body, context)
        target = stored(item.id, target)
    body += _block(node.body, context)
    out.append(at(gast.For(target, iterable, body, _block(node.orelse, context), None), node))


def _with(node: Node, out: Statements, context: _Context) -> None:
    (item,) = node.items
    body: Statements = []
    variable = item.optional_vars
    if variable is not None and type(variable) is not gast.Name:
        entered = named(context.names.fresh("entered"), variable)
        _assign(at(gast.Assign([variable], entered, None), variable), body, context)
        variable = stored(entered.id, variable)
    item = gast.withitem(_name_of(item.context_expr, out, context), variable)
    out.append(at(gast.With([item], body + _block(node.body, context), None), node))


def _try(node: Node, out: Statements, context: _Context) -> None:
    handlers = [at(gast.ExceptHandler(h.type, h.name, _block(h.body, context)), h) for h in node.handlers]
    body, orelse, final = (_block(block, context) for block in (node.body, node.orelse, node.finalbody))
    out.append(at(gast.Try(body, handlers, orelse, final), node))


_STATEMENTS: dict[type, Callable[[Any, Statements, _Context], None]] = {
    gast.Assign: _assign,
    gast.AugAssign: _update,
    gast.Expr: _expression,
    gast.Return: _return,
    gast.Delete: _delete,
    gast.Assert: _assert,
    gast.If: _if,
    gast.While: _while,
    gast.For: _for,
    gast.With: _with,
    gast.Try: _try,
}
