"""The language after `anf`, as docs/compiler.md has it: says of every statement of a function whether it is in it."""

from __future__ import annotations

import gast

from stdiff.analyses.calls import MISSING, known
from stdiff.analyses.plain import plain
from stdiff.transforms.leaving import leaves

OPAQUE = (gast.Pass, gast.Break, gast.Continue, gast.Raise, gast.Import, gast.ImportFrom)
ITERATORS = (range, enumerate, zip, reversed)


def check(program):
    """Fails at the first statement that is not in the language; every statement must have its place in the source."""
    block(program.tree.body, program.namespace)
    assert leaves(program.tree.body[-1]) or any(map(leaves, program.tree.body))
    for node in gast.walk(program.tree):
        if isinstance(node, gast.stmt | gast.expr):
            assert getattr(node, "lineno", None) is not None, gast.dump(node)
            assert getattr(node, "col_offset", None) is not None, gast.dump(node)


def block(body, namespace):
    assert body
    for statement in body:
        in_language(statement, namespace)


def in_language(node, namespace):
    if isinstance(node, gast.Assign):
        (target,) = node.targets
        if isinstance(target, gast.Name):
            assert is_value(node.value, namespace), gast.dump(node)
        elif isinstance(target, gast.Tuple):
            assert isinstance(node.value, gast.Name)
            assert all(isinstance(part, gast.Name) or is_starred(part) for part in target.elts)
            assert sum(map(is_starred, target.elts)) <= 1
        else:
            assert is_place(target), gast.dump(node)
            assert is_atom(node.value), gast.dump(node)
    elif isinstance(node, gast.AugAssign):
        assert isinstance(node.target, gast.Name) or is_place(node.target), gast.dump(node)
        assert is_atom(node.value), gast.dump(node)
    elif isinstance(node, gast.Expr):
        assert is_value(node.value, namespace), gast.dump(node)
    elif isinstance(node, gast.Return):
        assert is_atom(node.value), gast.dump(node)
    elif isinstance(node, gast.Delete):
        assert all(map(is_place, node.targets))
    elif isinstance(node, gast.Assert):
        assert is_test(node.test, namespace), gast.dump(node)
    elif isinstance(node, gast.If | gast.While):
        assert is_test(node.test, namespace), gast.dump(node.test)
        block(node.body, namespace)
        if node.orelse:
            block(node.orelse, namespace)
    elif isinstance(node, gast.For):
        assert isinstance(node.target, gast.Name)
        assert is_atom(node.iter) or is_iterator(node.iter, namespace), gast.dump(node.iter)
        block(node.body, namespace)
        if node.orelse:
            block(node.orelse, namespace)
    elif isinstance(node, gast.With):
        (item,) = node.items
        assert isinstance(item.context_expr, gast.Name)
        assert item.optional_vars is None or isinstance(item.optional_vars, gast.Name)
        block(node.body, namespace)
    elif isinstance(node, gast.Try):
        for inner in [node.body, *(handler.body for handler in node.handlers)]:
            block(inner, namespace)
        for inner in (node.orelse, node.finalbody):
            if inner:
                block(inner, namespace)
    else:
        assert isinstance(node, OPAQUE), gast.dump(node)


def is_atom(node):
    return isinstance(node, gast.Name | gast.Constant)


def is_starred(node):
    return isinstance(node, gast.Starred) and isinstance(node.value, gast.Name)


def is_place(node):
    if isinstance(node, gast.Subscript):
        return isinstance(node.value, gast.Name) and is_index(node.slice)
    return isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name)


def is_index(node):
    if isinstance(node, gast.Slice):
        return all(part is None or is_atom(part) for part in (node.lower, node.upper, node.step))
    return is_atom(node) or (isinstance(node, gast.Tuple) and all(map(is_index, node.elts)))


def is_value(node, namespace):
    """Whether a node may stand on the right of `name =`."""
    match node:
        case gast.Name() | gast.Constant() | gast.JoinedStr():
            return True
        case gast.UnaryOp():
            return is_atom(node.operand)
        case gast.BinOp():
            return is_atom(node.left) and is_atom(node.right)
        case gast.Compare():
            return is_atom(node.left) and len(node.ops) == 1 and is_atom(node.comparators[0])
        case gast.Attribute():
            return isinstance(node.value, gast.Name) or known(node, namespace) is not MISSING
        case gast.Subscript():
            return is_place(node)
        case gast.Tuple() | gast.List() | gast.Set():
            return all(is_atom(part) or is_starred(part) for part in node.elts)
        case gast.Dict():
            return all(key is None or is_atom(key) for key in node.keys) and all(map(is_atom, node.values))
        case gast.Call():
            return is_call(node, namespace)
    return False


def is_call(node, namespace):
    func = node.func
    named = isinstance(func, gast.Name) or known(func, namespace) is not MISSING
    method = isinstance(func, gast.Attribute) and isinstance(func.value, gast.Name)
    arguments = all(is_atom(argument) or is_starred(argument) for argument in node.args)
    return (named or method) and arguments and all(is_atom(keyword.value) for keyword in node.keywords)


def is_iterator(node, namespace):
    return isinstance(node, gast.Call) and known(node.func, namespace) in ITERATORS and is_call(node, namespace)


def is_test(node, namespace):
    return is_atom(node) or plain(node, namespace) or (isinstance(node, gast.UnaryOp) and is_atom(node.operand))
