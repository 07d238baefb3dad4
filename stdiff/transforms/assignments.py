"""Assignments with one target and one value each."""

from __future__ import annotations

import gast

from stdiff import syntax
from stdiff.analyses.plain import plain
from stdiff.syntax import Node
from stdiff.transforms import hoisting
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.nodes import assigned, at, named, stored

_CONTROL = (
    gast.IfExp,
    gast.BoolOp,
    gast.NamedExpr,
    gast.ListComp,
    gast.SetComp,
    gast.DictComp,
    gast.GeneratorExp,
    gast.Lambda,
)


def assignments(node: Node, out: Statements, context: Context) -> None:
    """Appends what an Assign does, one target a statement.

    `a = b = f(x)` becomes `a = f(x)` and `b = a`; an index in a target is evaluated after the value, as Python does.
    """
    targets, like = node.targets, node
    if len(targets) == 1 and type(targets[0]) is gast.Name:
        _assign_name(targets[0].id, node, out, context)
        return
    given = hoisting.value(node.value, out, context)
    if len(targets) > 1:
        names = [syntax.writes(target) for target in targets]
        later: set[str] = set().union(*names[1:])
        if type(targets[0]) is gast.Name and targets[0].id not in later:
            out.append(assigned(targets[0].id, given, node))
            given, targets = named(targets[0].id, targets[0]), targets[1:]
        else:
            given = kept(given, later | names[0], out, context)
    for target in targets:
        _store(target, given, like, out, context)


def kept(given: Node, changing: set[str], out: Statements, context: Context) -> Node:
    """An atom with the value of `given` that stays when the names in `changing` are assigned."""
    if type(given) is gast.Constant or (type(given) is gast.Name and given.id not in changing):
        return given
    name = context.names.temporary()
    out.append(assigned(name, given, given))
    return named(name, given)


def updates(node: Node, out: Statements, context: Context) -> None:
    """Appends what an AugAssign does, as an AugAssign.

    The target is read before the value is evaluated. Where the value may change it, `a[i] += g(a)` becomes `t = a[i]`,
    `t += g(a)`, `a[i] = t`.
    """
    target = node.target
    after: Statements = []
    is_place = type(target) is not gast.Name
    if is_place:
        target = hoisting.value(target, out, context)
    given = hoisting.value(node.value, after, context)
    changes = _value_changes(target, node.value, context)
    if is_place and (after or changes):
        target = hoisting.settled_operands(target, out, context)
    if changes:
        old, place = context.names.temporary(), _as(target, gast.Store())
        out.append(assigned(old, _as(place, gast.Load()), node))
        out += after
        out.append(at(gast.AugAssign(stored(old, target), node.op, given), node))
        out.append(at(gast.Assign([place], named(old, node), None), node))
        return
    out += after
    out.append(at(gast.AugAssign(target, node.op, given), node))


def _value_changes(target: Node, given: Node, context: Context) -> bool:
    if type(target) is gast.Name:
        return any(isinstance(n, gast.NamedExpr) and n.target.id == target.id for n in gast.walk(given))
    return not plain(given, context.namespace) and bool(syntax.reads(target.value) & syntax.reads(given))


def _assign_name(name: str, node: Node, out: Statements, context: Context) -> None:
    given = hoisting.value(node.value, out, context, into=name)
    if given is node.value:
        out.append(node)
    elif not (type(given) is gast.Name and given.id == name):
        out.append(assigned(name, given, node))


def _store(target: Node, given: Node, like: Node, out: Statements, context: Context) -> None:
    """Appends the assignment of `given`, an expression evaluated before whatever the target needs."""
    needed: Statements = []
    if isinstance(target, gast.Tuple | gast.List):
        if any(isinstance(part, _CONTROL) for part in gast.walk(target)):
            _unpack(target, given, like, out, context)
            return
    elif type(target) is not gast.Name:
        target = hoisting.value(target, needed, context)
        if needed:
            given = hoisting.settle(given, out, context)
    out += needed
    out.append(at(gast.Assign([target], given, None), like))


def _unpack(target: Node, given: Node, like: Node, out: Statements, context: Context) -> None:
    """Unpacks into temporaries, from which the parts are assigned one after another."""
    names = [context.names.temporary() for _ in target.elts]
    parts = [stored(name, part) for name, part in zip(names, target.elts, strict=True)]
    starred = [
        at(gast.Starred(new, gast.Store()), old) if isinstance(old, gast.Starred) else new
        for new, old in zip(parts, target.elts, strict=True)
    ]
    out.append(at(gast.Assign([at(gast.Tuple(starred, gast.Store()), target)], given, None), like))
    for name, part in zip(names, target.elts, strict=True):
        inner = part.value if isinstance(part, gast.Starred) else part
        _store(inner, named(name, part), like, out, context)


def _as(target: Node, ctx: Node) -> Node:
    """The same variable or place, read or assigned."""
    new = type(target)(*[getattr(target, field, None) for field in target._fields])
    new.ctx = ctx
    return at(new, target)
