"""What generated code calls for products of arrays whose ranks vary: the cotangent of each operand.

The functions without a leading underscore that formulas name (`matmul_a_bar(g, a, b)` and the like) are written in
the accepted language, so that the compiler differentiates them as it does a user's function. The others answer
questions about shapes, and carry no derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stdiff.errors import UnsupportedError
from stdiff.runtime import unbroadcast


def mT(x: Any) -> Any:
    """The matrix (or each matrix of a stack) transposed.

    >>> mT(np.ones((4, 2, 3))).shape
    (4, 3, 2)
    """
    return np.swapaxes(x, -1, -2)


def matmul_a_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `a` in `a @ b`, for vectors, matrices and stacks that broadcast: `g @ b.T`, summed to the
    shape of `a`.

    >>> matmul_a_bar(np.ones(2), np.ones((2, 3)), np.arange(3.0))
    array([[0., 1., 2.],
           [0., 1., 2.]])
    """
    if np.ndim(b) == 1:
        if np.ndim(a) == 1:
            return unbroadcast(g * b, a)
        return unbroadcast(g[..., None] * b, a)
    if np.ndim(a) == 1:
        return unbroadcast((b @ g[..., None])[..., 0], a)
    return unbroadcast(g @ mT(b), a)


def matmul_b_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `b` in `a @ b`, for vectors, matrices and stacks that broadcast: `a.T @ g`, summed to the
    shape of `b`.

    A stack of matrices or rows against one matrix is a single product, not a sum of many.
    """
    if np.ndim(a) == 1:
        if np.ndim(b) == 1:
            return unbroadcast(g * a, b)
        return unbroadcast(a[:, None] * g[..., None, :], b)
    if np.ndim(b) <= 2:
        return dot_b_bar(g, a, b)
    return unbroadcast(mT(a) @ g, b)


def dot_a_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `a` in `np.dot(a, b)`, for any ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * b, a)
    if np.ndim(b) == 1:
        if np.ndim(a) == 1:
            return unbroadcast(g * b, a)
        return unbroadcast(g[..., None] * b, a)
    if np.ndim(b) == 2:
        return unbroadcast(np.dot(g, mT(b)), a)
    return tensordot_a_bar(g, a, b, (-1, -2))


def dot_b_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `b` in `np.dot(a, b)`, for any ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * a, b)
    if np.ndim(a) == 2 and np.ndim(b) <= 2:
        return unbroadcast(np.dot(mT(a), g), b)
    return tensordot_b_bar(g, a, b, (-1, -min(np.ndim(b), 2)))


def inner_a_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `a` in `np.inner(a, b)`; that of `b` is the same with the roles exchanged, see `inner_b_bar`."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * b, a)
    return tensordot_a_bar(g, a, b, (-1, -1))


def inner_b_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `b` in `np.inner(a, b)`."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * a, b)
    return tensordot_b_bar(g, a, b, (-1, -1))


def outer_a_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `a` in `np.outer(a, b)`, which flattens both."""
    return unbroadcast(np.reshape(g @ np.reshape(b, -1), np.shape(a)), a)


def outer_b_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `b` in `np.outer(a, b)`, which flattens both."""
    return unbroadcast(np.reshape(np.reshape(a, -1) @ g, np.shape(b)), b)


def vdot_bar(g: Any, x: Any, other: Any) -> Any:
    """The cotangent of `x` in `np.vdot(x, other)` or `np.vdot(other, x)`, both real; it flattens both, so their
    shapes may differ.
    """
    refuse_complex("np.vdot", x)
    refuse_complex("np.vdot", other)
    return unbroadcast(g * np.reshape(other, np.shape(x)), x)


def tensordot_a_bar(g: Any, a: Any, b: Any, axes: Any) -> Any:
    """The cotangent of `a` in `np.tensordot(a, b, axes)`: `g` and `b` contracted over the axes `b` kept."""
    pairs, order = tensordot_plan(np.ndim(a), np.ndim(b), axes, 0)
    return unbroadcast(np.transpose(np.tensordot(g, b, pairs), order), a)


def tensordot_b_bar(g: Any, a: Any, b: Any, axes: Any) -> Any:
    """The cotangent of `b` in `np.tensordot(a, b, axes)`: `a` and `g` contracted over the axes `a` kept."""
    pairs, order = tensordot_plan(np.ndim(a), np.ndim(b), axes, 1)
    return unbroadcast(np.transpose(np.tensordot(a, g, pairs), order), b)


def tensordot_plan(a_ndim: int, b_ndim: int, axes: Any, operand: int) -> tuple[Any, tuple[int, ...]]:
    """How the cotangent of operand 0 or 1 of a `tensordot` is one: the `axes` of that tensordot, and the
    transposition that follows it.

    >>> tensordot_plan(3, 2, 1, 0)
    (([2], [1]), (0, 1, 2))
    """
    if np.ndim(axes) == 0:
        a_axes, b_axes = list(range(a_ndim - axes, a_ndim)), list(range(axes))
    else:
        a_axes, b_axes = ([int(k) for k in np.atleast_1d(part)] for part in axes)
    a_axes, b_axes = [k % a_ndim for k in a_axes], [k % b_ndim for k in b_axes]
    a_free = [k for k in range(a_ndim) if k not in a_axes]
    b_free = [k for k in range(b_ndim) if k not in b_axes]
    if operand == 0:
        pairs = (list(range(len(a_free), len(a_free) + len(b_free))), b_free)
        have = a_free + [a_axes[b_axes.index(k)] for k in sorted(b_axes)]
    else:
        pairs = (a_free, list(range(len(a_free))))
        have = [b_axes[a_axes.index(k)] for k in sorted(a_axes)] + b_free
    return pairs, tuple(have.index(k) for k in range(len(have)))


def kron_a_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `a` in `np.kron(a, b)`: each block of `g` against `b`."""
    blocks, _, b_shape, _, within = kron_plan(a, b)
    block_sums = np.tensordot(np.reshape(g, blocks), np.reshape(b, b_shape), (within, list(range(len(b_shape)))))
    return unbroadcast(np.reshape(block_sums, np.shape(a)), a)


def kron_b_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `b` in `np.kron(a, b)`: the blocks of `g`, weighted by `a` and summed."""
    blocks, a_shape, _, among, _ = kron_plan(a, b)
    block_sums = np.tensordot(np.reshape(a, a_shape), np.reshape(g, blocks), (list(range(len(a_shape))), among))
    return unbroadcast(np.reshape(block_sums, np.shape(b)), b)


def kron_plan(a: Any, b: Any) -> tuple[Any, ...]:
    """Shapes for `np.kron`: of the result with its blocks apart, of `a` and of `b` at equal rank; then the axes among
    and within the blocks.
    """
    rank = max(np.ndim(a), np.ndim(b))
    a_shape = (1,) * (rank - np.ndim(a)) + np.shape(a)
    b_shape = (1,) * (rank - np.ndim(b)) + np.shape(b)
    blocks = tuple(n for pair in zip(a_shape, b_shape, strict=True) for n in pair)
    return blocks, a_shape, b_shape, list(range(0, 2 * rank, 2)), list(range(1, 2 * rank, 2))


def cross_a_bar(g: Any, a: Any, b: Any, axisa: int, axisb: int, axisc: int, axis: int | None) -> Any:
    """The cotangent of `a` in `np.cross(a, b)` of 3-vectors: `b x g` (the triple product is cyclic), summed to the
    shape of `a`.
    """
    if axis is not None:
        return cross_a_bar(g, a, b, axis, axis, axis, None)
    require_three(a, axisa)
    require_three(b, axisb)
    bar = np.cross(np.moveaxis(b, axisb, -1), np.moveaxis(g, axisc, -1))
    return np.moveaxis(unbroadcast(bar, np.moveaxis(a, axisa, -1)), -1, axisa)


def cross_b_bar(g: Any, a: Any, b: Any, axisa: int, axisb: int, axisc: int, axis: int | None) -> Any:
    """The cotangent of `b` in `np.cross(a, b)` of 3-vectors: `g x a`, summed to the shape of `b`."""
    if axis is not None:
        return cross_b_bar(g, a, b, axis, axis, axis, None)
    require_three(a, axisa)
    require_three(b, axisb)
    bar = np.cross(np.moveaxis(g, axisc, -1), np.moveaxis(a, axisa, -1))
    return np.moveaxis(unbroadcast(bar, np.moveaxis(b, axisb, -1)), -1, axisb)


def einsum_bars(g: Any, subscripts: str, operands: Sequence[Any], optimize: Any) -> tuple[Any, ...]:
    """The cotangents of the operands of `np.einsum(subscripts, *operands)`.

    >>> einsum_bars(np.ones(2), "ij,j->i", (np.ones((2, 3)), np.arange(3.0)), False)[1]
    array([2., 2., 2.])
    """
    return tuple([einsum_bar(g, subscripts, operands, k, optimize) for k in range(len(operands))])


def einsum_bar(g: Any, subscripts: str, operands: Sequence[Any], k: int, optimize: Any) -> Any:
    """The cotangent of operand `k` of an `einsum`: another `einsum`, with `g` in the operand's place.

    Where the operand has a subscript twice, the cotangent is zero off that diagonal; where it has one that nothing
    else has, it is constant.
    """
    adjoint, shape, mask = einsum_plan(subscripts, operands, k)
    others = [g if j == k else operands[j] for j in range(len(operands))]
    if mask is None:
        return unbroadcast(contract(adjoint, others, optimize), operands[k])
    return unbroadcast(np.reshape(contract(adjoint, others, optimize), shape) * mask, operands[k])


def einsum_dot(tangents: Sequence[Any], subscripts: str, operands: Sequence[Any], optimize: Any) -> Any:
    """The tangent of `np.einsum(subscripts, *operands)`: a sum with each operand's tangent in its place; None and the
    float 0.0 are zero.
    """
    return sum(
        [
            contract(subscripts, [tangents[k] if j == k else operands[j] for j in range(len(operands))], optimize)
            for k in range(len(operands))
            if tangents[k] is not None and np.ndim(tangents[k]) == np.ndim(operands[k])
        ]
    )


def contract(subscripts: str, operands: Sequence[Any], optimize: Any = False) -> Any:
    """`np.einsum` with its operands in one sequence. Its rule is in `rules/own_linalg.py`."""
    return np.einsum(subscripts, *operands, optimize=optimize)


def einsum_plan(subscripts: str, operands: Sequence[Any], k: int) -> tuple[str, Any, Any]:
    """How the cotangent of operand `k` is an `einsum`: its subscripts, the shape to give to its result, and what to
    multiply that by.

    The last two are None where the operand has each of its subscripts once and shares it with the result or another
    operand.

    >>> einsum_plan("ij,jk->ik", (np.ones((2, 3)), np.ones((3, 4))), 1)
    ('ij,ik->jk', None, None)
    """
    inputs, output = explicit_subscripts(subscripts, [np.ndim(x) for x in operands])
    sizes: dict[str, int] = {}
    for letters, x in zip(inputs, operands, strict=True):
        for letter, n in zip(letters, np.shape(x), strict=True):
            sizes[letter] = n if n != 1 else sizes.get(letter, 1)
    own = inputs[k]
    elsewhere = set(output).union(*inputs[:k], *inputs[k + 1 :])
    kept = "".join(letter for letter in dict.fromkeys(own) if letter in elsewhere)
    adjoint = ",".join([*inputs[:k], output, *inputs[k + 1 :]]) + "->" + kept
    if kept == own:
        return adjoint, None, None
    first = [own.index(letter) == place for place, letter in enumerate(own)]
    shape = tuple(sizes[c] if c in elsewhere and new else 1 for c, new in zip(own, first, strict=True))
    mask = np.ones(np.shape(operands[k]), np.result_type(operands[k]))
    grid = np.ogrid[tuple(slice(n) for n in mask.shape)]
    for place, letter in enumerate(own):
        mask = mask * (grid[place] == grid[own.index(letter)])
    return adjoint, shape, mask


def explicit_subscripts(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The subscripts of each operand and of the result, with every axis of an ellipsis named and the implicit result
    written out.

    >>> explicit_subscripts("...ij,j", [3, 1])
    (['Aij', 'j'], 'Ai')
    """
    refuse_interleaved(subscripts)
    left, arrow, output = subscripts.replace(" ", "").replace("...", ".").partition("->")
    inputs = left.split(",")
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in subscripts]
    hidden = [rank - len(part) + 1 if "." in part else 0 for part, rank in zip(inputs, ranks, strict=True)]
    axes = "".join(spare[: max(hidden)])
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        output = "." + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    # the axes that an ellipsis stands for are aligned on the right, as in broadcasting
    named = [part.replace(".", axes[len(axes) - n :]) for part, n in zip(inputs, hidden, strict=True)]
    return named, output.replace(".", axes)


def refuse_interleaved(subscripts: Any) -> Any:
    """Raise UnsupportedError where the first argument of `np.einsum` is an operand: the form `np.einsum(a, [0, 1], b,
    [1, 2])`.
    """
    if isinstance(subscripts, str):
        return None
    why = "only subscripts in a string are differentiated"
    raise UnsupportedError("np.einsum in its interleaved form", why, 'write np.einsum("ij,jk->ik", a, b)')


def refuse_complex(function: str, x: Any) -> None:
    """Raise UnsupportedError where `x` is complex: the formulas of `function` are those of real matrices."""
    if np.iscomplexobj(x):
        raise UnsupportedError(
            f"{function} of complex numbers",
            "its rule is that of real numbers",
            "pass the real and imaginary parts apart",
        )


def require_three(x: Any, axis: int) -> None:
    """Raise UnsupportedError where `np.cross` is given anything but 3-vectors."""
    if np.shape(x)[axis] != 3:
        why = "NumPy deprecates vectors of length 2 here, and their rule is not done"
        raise UnsupportedError("np.cross of vectors that are not of length 3", why, "write a[0] * b[1] - a[1] * b[0]")
