"""simplify: the text of a sweep as a person would write it, without the names and steps that only the compiler needed.

t1 = x * x
sin_x = np.sin(x)      ->     y = x * x + np.sin(x)
y = t1 + sin_x
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import gast

from stdiff import syntax
from stdiff.syntax import Node
from stdiff.transforms.simplifying.buffers import buffers
from stdiff.transforms.simplifying.copies import propagate
from stdiff.transforms.simplifying.dead import remove
from stdiff.transforms.simplifying.facts import HEADERS, Facts, binds, statements
from stdiff.transforms.simplifying.folding import fold
from stdiff.transforms.simplifying.inlining import inline
from stdiff.transforms.simplifying.loops import unpack


def simplify(tree: Node, made: Collection[str], pure: Callable[[Node], bool], derivative: bool = False) -> Node:
    """A function that does the same in fewer words.

    Same values (in a derivative: up to the rounding of a product with a number), same side effects in the same order.
    Takes time linear in the length of the function.

    Arguments: `tree`, a gast.FunctionDef in the language after `anf`, or a backward sweep; `made`, the names that the
    compiler made, which may go (the others are kept, as the source has them); `pure`, which tells by the node of its
    function (a name, a dotted path, or any other expression, for which False is safe) that a call has no side effect
    and reads nothing that can change; `derivative`, that the function is a backward sweep: then formulas are folded
    too, and every assignment that nothing reads goes.
    Returns: a new tree; the input is not changed, but shares its expressions.

    >>> from stdiff.program import unparse
    >>> from stdiff.syntax import parse
    >>> text = "def f(x):\\n  t1 = x * x\\n  sin_x = np.sin(x)\\n  y = t1 + sin_x\\n  return y"
    >>> print(unparse(simplify(parse(text).body[0], {"t1", "sin_x"}, pure=lambda func: True)))
    def f(x):
        y = x * x + np.sin(x)
        return y
    """
    tree = _with_own_statements(tree)
    facts = Facts(frozenset(made), pure, derivative, _shared(tree), _local(tree))
    folded: dict[int, Node] = {}
    changed = True
    while changed:
        facts.buffers, facts.storage = buffers(tree, facts)
        changed = derivative and _fold_all(tree, facts, folded)
        for part in (propagate, inline, unpack, remove):
            changed |= part(tree, facts)
    return tree


def _with_own_statements(tree: Node) -> Node:
    """A copy of a function down to its statements; expressions are shared, as they are never changed in place."""
    new = _shallow(tree)
    waiting = [new]
    while waiting:
        node = waiting.pop()
        for field in node._fields:
            part = getattr(node, field, None)
            if isinstance(part, list) and part and isinstance(part[0], gast.stmt | gast.ExceptHandler):
                part = [_shallow(statement) for statement in part]
                setattr(node, field, part)
                waiting.extend(part)
    return new


def _shallow(node: Node) -> Node:
    new = type(node)(*[getattr(node, field, None) for field in node._fields])
    for field in new._fields:
        if isinstance(getattr(new, field), list):
            setattr(new, field, list(getattr(new, field)))
    return gast.copy_location(new, node)


def _shared(tree: Node) -> frozenset[str]:
    return frozenset(n for s in statements(tree.body) if isinstance(s, gast.Global | gast.Nonlocal) for n in s.names)


def _local(tree: Node) -> frozenset[str]:
    return frozenset([*syntax.parameters(tree), *(name for s in statements(tree.body) for name in binds(s))])


def _fold_all(tree: Node, facts: Facts, folded: dict[int, Node]) -> bool:
    """Folds the formulas of a function; `folded` holds, by id, those for which there is nothing left to do."""
    changed = False
    for statement in statements(tree.body):
        for field in HEADERS.get(type(statement), ()):
            part = getattr(statement, field)
            if field in ("target", "targets", "items") or id(part) in folded:
                continue
            new = fold(part)
            if new is not part and _keeps_apart(statement, new, facts):
                setattr(statement, field, new)
                changed = True
            elif new is part:
                folded[id(part)] = part
    return changed


def _keeps_apart(statement: Node, value: Node, facts: Facts) -> bool:
    """Whether `value` may stand for one that makes a new array.

    `x_bar = 1.0 * y_bar` may be all that keeps what is added to x_bar in place out of y_bar.
    """
    if isinstance(value, gast.BinOp | gast.UnaryOp | gast.Constant) or isinstance(statement, gast.Return):
        return True
    return facts.storage.isdisjoint((*facts.reads(statement), *binds(statement)))
