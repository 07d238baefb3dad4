"""fold: write a derivative formula as a person would: without ones, zeros and double signs, numbers in front.

    y_bar * (2 * x) + -(1.0 * z)   ->   2 * x * y_bar - z

Only for derivatives: the code of the user is not to be touched in this way (`x * 1.0` may be a copy or a conversion). A
sum is never regrouped but for a term that comes twice in a row, and a product only to bring its numbers together, so
that no partial product arises that could overflow where the original did not. A sign is never moved onto a factor that
may be a mask or an unsigned integer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import gast

from stdiff import syntax
from stdiff.syntax import Node

_COTANGENT = re.compile(r"_(bar|dot)(_\d+)?$")  # of an adjoint, of a tangent
_SHAPING = ("unbroadcast", "spread", "filled")  # runtime functions whose result is the first argument in another shape
_ATOMS = (gast.Name, gast.Constant, gast.Lambda)
_LONGEST = 8  # digits of a folded number: 2 * 3.0 becomes 6.0, but 0.1 * 3 does not become 0.30000000000000004


def fold(expression: Node) -> Node:
    """The expression without needless arithmetic; the same node where there is none. The input is not changed.

    Arguments: `expression`, a gast expression of a derivative.
    Returns: an expression of the same value up to rounding. A `1.0 *` or `0.0 +` that goes may leave an alias of the
    other operand where there was a new array.

    >>> from stdiff.program import unparse
    >>> from stdiff.syntax import expression
    >>> unparse(fold(expression("y_bar * (2 * x) + -(1.0 * z)")))
    '2 * x * y_bar - z'
    >>> unparse(fold(expression("y_bar * power_da(x, 3)")))
    '3 * x ** 2 * y_bar'
    >>> unparse(fold(expression("-1.0 * (y_bar * (1.0 / x))")))
    '-y_bar / x'
    >>> unparse(fold(expression("x_bar + y_bar * a + y_bar * a")))
    'x_bar + 2.0 * y_bar * a'
    """
    folded = _folded(expression)
    while folded is not expression:
        expression, folded = folded, _folded(folded)
    return folded


def _folded(expression: Node) -> Node:
    """The expression after one walk from its leaves to its root; there may be more to do after it."""
    if isinstance(expression, list):
        new = [_folded(item) for item in expression]
        return new if any(a is not b for a, b in zip(new, expression, strict=True)) else expression
    if type(expression) in _ATOMS or not isinstance(expression, gast.AST) or not expression._fields:
        return expression
    names = expression._fields
    values = [getattr(expression, name, None) for name in names]
    parts = [_folded(value) if isinstance(value, gast.AST | list) else value for value in values]
    node = expression
    if any(a is not b for a, b in zip(parts, values, strict=True)):
        node = gast.copy_location(type(expression)(*parts), expression)
    while (rewritten := _rewritten(node)) is not node:
        node = rewritten if hasattr(rewritten, "lineno") else gast.copy_location(rewritten, expression)
    return node


def _rewritten(node: Node) -> Node:
    if isinstance(node, gast.BinOp):
        known = _literals(node)
        rewrite = _REWRITES.get(type(node.op))
        return known if known is not None else rewrite(node) if rewrite else node
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return _negative(node)
    if isinstance(node, gast.Call):
        return _power_da(node)
    return node


def _number(node: Node) -> int | float | None:
    """The value of a literal int or float (with a sign), None for anything else."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        value = _number(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, gast.Constant) and type(node.value) in (int, float) else None


def _is(node: Node, value: float) -> bool:
    return _number(node) == value


def _zero(node: Node) -> bool:
    """Whether the node is the zero adjoint, which has any shape."""
    return isinstance(node, gast.Constant) and type(node.value) is float and node.value == 0.0


def _numeric(node: Node) -> bool:
    """False where a one or zero beside the node may be what makes a truth value a number."""
    return not isinstance(node, gast.Compare | gast.BoolOp) and not (
        isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not | gast.Invert)
    )


def _literal(value: int | float) -> Node:
    return gast.UnaryOp(gast.USub(), syntax.constant(-value)) if value < 0 else syntax.constant(value)


def _literals(node: Node) -> Node | None:
    """The value of an operation on two literals, where it is short."""
    a, b = _number(node.left), _number(node.right)
    compute = _ARITHMETIC.get(type(node.op))
    if a is None or b is None or compute is None or (b == 0 and isinstance(node.op, gast.Div)):
        return None
    value = compute(a, b)
    return _literal(value) if len(repr(value)) <= _LONGEST else None


_ARITHMETIC: dict[type, Callable[[float, float], float]] = {
    gast.Add: lambda a, b: a + b,
    gast.Sub: lambda a, b: a - b,
    gast.Mult: lambda a, b: a * b,
    gast.Div: lambda a, b: a / b,
}


def _binary(left: Node, op: Node, right: Node) -> Node:
    return gast.copy_location(gast.BinOp(left, op, right), left)


def _negated(node: Node) -> Node:
    """`-node`, with the sign on a number or cotangent in front if there is one: `-y_bar * x`, else `-(a * b)`."""
    value = _number(node)
    if value is not None:
        return _literal(-value)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return node.operand
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult | gast.Div):
        head = _head(node)
        if _number(head) is not None or _is_cotangent(head):
            return _with_head(node, _negated(head))
        if isinstance(head, gast.UnaryOp) and isinstance(head.op, gast.USub) and _is_cotangent(head.operand):
            return _with_head(node, head.operand)
    return gast.copy_location(gast.UnaryOp(gast.USub(), node), node)


def _unsigned(node: Node) -> Node | None:
    """What `node` is the negative of: of `-y_bar`, `-2 * b`, `-a / b` the same without the sign; else None."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and _number(node) is None:
        return node.operand
    value = _number(_head(node))
    if value is not None:
        return _with_head(node, _literal(-value)) if value < 0 else None
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult | gast.Div):
        head = _unsigned(_head(node))
        return None if head is None else _with_head(node, head)
    return None


def _inexact(node: Node) -> bool:
    """Whether a value is sure to be floating: a cotangent, what a division or function gives, a product with such."""
    if isinstance(node, gast.BinOp):
        return isinstance(node.op, gast.Div) or _inexact(node.left) or _inexact(node.right)
    if isinstance(node, gast.UnaryOp):
        return isinstance(node.op, gast.USub) and _inexact(node.operand)
    return isinstance(node, gast.Call) or _is_cotangent(node) or type(_number(node)) is float


def _head(node: Node) -> Node:
    """The leftmost factor of a product or quotient."""
    while isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult | gast.Div):
        node = node.left
    return node


def _with_head(node: Node, head: Node) -> Node:
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult | gast.Div):
        return gast.copy_location(gast.BinOp(_with_head(node.left, head), node.op, node.right), node)
    return head


def _is_cotangent(node: Node) -> bool:
    """Whether a node is a cotangent or tangent, or one brought to a shape."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in _SHAPING and node.args:
        return _is_cotangent(_head(node.args[0]))
    return isinstance(node, gast.Name) and _COTANGENT.search(node.id) is not None


def _negative(node: Node) -> Node:
    new = _negated(node.operand)
    return node if _same(new, node) else new


def _sum(node: Node) -> Node:
    """a + -b is a - b, and the zero adjoint adds nothing."""
    left, right = node.left, node.right
    if _zero(left) and _numeric(right):
        return right
    if _zero(right) and _numeric(left):
        return left
    unsigned = _unsigned(right)
    return _doubled(node) if unsigned is None else _binary(left, gast.Sub(), unsigned)


def _doubled(node: Node) -> Node:
    """a + a is 2.0 * a for a floating product a, in `s + a + a` too."""
    left, right = node.left, node.right
    more = isinstance(left, gast.BinOp) and isinstance(left.op, gast.Add)
    if not isinstance(right, gast.BinOp) or not isinstance(right.op, gast.Mult) or not _inexact(right):
        return node
    if not _alike(left.right if more else left, right):
        return node
    twice = _product(_in_front(2.0, right))
    return _binary(left.left, gast.Add(), twice) if more else twice


def _alike(a: Node, b: Node) -> bool:
    """Whether two products have equal factors, names and numbers only."""
    if isinstance(a, gast.BinOp) and isinstance(b, gast.BinOp):
        return type(a.op) is type(b.op) and _alike(a.left, b.left) and _alike(a.right, b.right)
    if isinstance(a, gast.Name) and isinstance(b, gast.Name):
        return bool(a.id == b.id)
    value = _number(a)
    return value is not None and value == _number(b) and type(value) is type(_number(b))


def _difference(node: Node) -> Node:
    """a - -b is a + b."""
    left, right = node.left, node.right
    if _zero(right) and _numeric(left):
        return left
    if _zero(left) and _numeric(right):
        return _negated(right)
    unsigned = _unsigned(right)
    return node if unsigned is None else _binary(left, gast.Add(), unsigned)


def _product(node: Node) -> Node:
    """Signs to the front, then the number; a number that multiplied a factor stays beside it, before the cotangent.

    A factor 1.0 / x divides.
    """
    for factor, other in ((node.right, node.left), (node.left, node.right)):
        if isinstance(factor, gast.BinOp) and isinstance(factor.op, gast.Div) and _is(factor.left, 1):
            return _quotient(_binary(other, gast.Div(), factor.right))
    (minus_left, left), (minus_right, right) = _sign(node.left), _sign(node.right)
    (a, left), (b, right) = _taken_apart(left), _taken_apart(right)
    if a is None and b is None:
        if not minus_right:
            return node  # a sign in front stays where it is
        new = _times(left, right)
    elif (new := _with_number(a, left, b, right)) is None:
        return node
    if minus_left != minus_right:
        new = _negated(new)
    return node if _same(new, node) else new


def _with_number(a: float | None, left: Node | None, b: float | None, right: Node | None) -> Node | None:
    """(a * left) * (b * right) with the numbers brought together, None where it is better left alone."""
    number = (1 if a is None else a) * (1 if b is None else b)
    rest = right if left is None else left if right is None else _times(left, right)
    if len(repr(number)) > _LONGEST:
        return None
    if number == 1 and _numeric(rest):
        return rest
    if a is None and left is not None and right is not None:
        return _times(_in_front(number, right), left)  # y_bar * (2 * x) is 2 * x * y_bar: 2 * x was there before
    if b is None and left is not None and right is not None:
        return _times(_in_front(number, left), right)
    single = not (isinstance(rest, gast.BinOp) and isinstance(rest.op, gast.Mult))
    if single or type(number) is float or _inexact(_head(rest)):
        return _in_front(number, rest)
    return None


def _in_front(number: float, rest: Node) -> Node:
    """number * rest, the number multiplying the first factor of `rest`."""
    if isinstance(rest, gast.BinOp) and isinstance(rest.op, gast.Mult):
        return gast.copy_location(gast.BinOp(_in_front(number, rest.left), rest.op, rest.right), rest)
    return _times(_literal(number), rest)


def _taken_apart(node: Node) -> tuple[float | None, Node | None]:
    """The number in front of a product and the rest of it; None for a part that is not there."""
    value = _number(node)
    if value is not None:
        return value, None
    if not isinstance(node, gast.BinOp) or not isinstance(node.op, gast.Mult):
        return None, node
    value, rest = _taken_apart(node.left)
    if value is None:
        return None, node
    return value, node.right if rest is None else _times(rest, node.right)


def _sign(node: Node) -> tuple[bool, Node]:
    """Whether a factor has a sign that may be moved, and the factor without it."""
    unsigned = _unsigned(node)
    return (False, node) if unsigned is None else (True, unsigned)


def _times(left: Node, right: Node) -> Node:
    return _binary(left, gast.Mult(), right)


def _same(a: Node, b: Node) -> bool:
    """Whether two products have the same factors (the very same nodes; equal numbers) in the same places."""
    if isinstance(a, gast.BinOp) and isinstance(b, gast.BinOp) and type(a.op) is type(b.op):
        return _same(a.left, b.left) and _same(a.right, b.right)
    value = _number(a)
    if value is not None:
        return value == _number(b) and type(value) is type(_number(b))
    if isinstance(a, gast.UnaryOp) and isinstance(b, gast.UnaryOp) and type(a.op) is type(b.op):
        return _same(a.operand, b.operand)
    return a is b


def _quotient(node: Node) -> Node:
    """x / 1.0 is x; a sign goes to the front."""
    if _is(node.right, 1) and _numeric(node.left):
        return node.left
    unsigned = _unsigned(node.right)
    if unsigned is not None:
        return _negated(_binary(node.left, gast.Div(), unsigned))
    return node


def _power(node: Node) -> Node:
    return node.left if _is(node.right, 1) and _numeric(node.left) else node


def _power_da(node: Node) -> Node:
    """The n-th derivative of `a ** K` by a, where K and n are literals and the plain formula is right for every a."""
    if (syntax.dotted(node.func) or "").split(".")[-1] != "power_da" or len(node.args) not in (2, 3) or node.keywords:
        return node
    a, exponent = node.args[0], _number(node.args[1])
    n = 1 if len(node.args) == 2 else _number(node.args[2])
    if exponent is None or n is None or n != int(n) or exponent < 0 or exponent != int(exponent):
        return node
    if exponent <= n:
        return syntax.constant(float(math.factorial(int(exponent)) if exponent == n else 0.0))
    factor = math.prod(int(exponent) - k for k in range(int(n)))
    power = a if exponent == n + 1 else _binary(a, gast.Pow(), syntax.constant(int(exponent - n)))
    return _times(syntax.constant(factor), power)


_REWRITES: dict[type, Callable[[Node], Node]] = {
    gast.Add: _sum,
    gast.Sub: _difference,
    gast.Mult: _product,
    gast.Div: _quotient,
    gast.Pow: _power,
}
