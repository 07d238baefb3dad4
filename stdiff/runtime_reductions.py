"""What the rules of reductions and scans use."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stdiff.runtime_numbers import as_numbers, precision

_sum: Any = np.sum  # whose types differ from one NumPy to the next


def spread(g: Any, x: Any, axis: Any = None, keepdims: bool = False, where: Any = True) -> Any:
    """The cotangent `g` of a sum of `x` given to every element that was summed.

    >>> spread(np.array([1.0, 2.0]), np.zeros((2, 3)), axis=1)
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    shape = np.shape(x)
    if not shape:
        return g if where is True else np.where(where, g, 0.0 * g)
    if axis is not None and not keepdims and np.ndim(g) < len(shape) and not isinstance(g, float):
        g = np.expand_dims(g, axis)
    if where is not True:
        g = np.where(where, g, 0.0 * g)
    out = np.empty_like(x, dtype=precision(x), subok=False)
    out[...] = g
    return out


def count(x: Any, axis: Any = None, keepdims: bool = False, where: Any = True) -> Any:
    """How many elements of `x` a reduction takes to one.

    >>> count(np.zeros((2, 3)), axis=-1)
    3
    """
    if where is not True:
        kept = np.broadcast_to(where, np.shape(x))
        return as_numbers(_sum(kept, axis=axis, keepdims=keepdims), x)
    if axis is None:
        return np.size(x)
    return math.prod(np.shape(x)[k] for k in (axis if isinstance(axis, tuple) else (axis,)))


def ties(y: Any, x: Any, axis: Any = None, keepdims: bool = False, where: Any = True) -> Any:
    """The share of each element of `x` in its maximum or minimum `y`: 1, equal parts where several are it, else 0.

    >>> ties(3.0, np.array([3.0, 1.0, 3.0]))
    array([0.5, 0. , 0.5])
    """
    if axis is not None and not keepdims and np.shape(x):
        y = np.expand_dims(y, axis)
    chosen = (np.asarray(x) == y) & where
    return as_numbers(chosen / np.maximum(np.sum(chosen, axis=axis, keepdims=True), 1), x)


def others(a: Any, axis: Any = None, where: Any = True) -> Any:
    """For each element of `a` the product of the others along `axis` (all for None); 0 where `where` leaves it out.

    >>> others(np.array([0.0, 2.0, 3.0]))
    array([6., 0., 0.])
    """
    kept = a if where is True else np.where(where, a, 1.0)
    axes = range(np.ndim(a)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    last = tuple(range(-len(axes), 0))
    moved = np.moveaxis(kept, tuple(axes), last)
    flat = np.reshape(moved, (*np.shape(moved)[: np.ndim(a) - len(axes)], -1))
    ones = np.ones_like(flat[..., :1])
    left = np.cumprod(np.concatenate([ones, flat[..., :-1]], axis=-1), axis=-1)
    right = np.flip(np.cumprod(np.concatenate([ones, np.flip(flat, -1)[..., :-1]], axis=-1), axis=-1), -1)
    product = np.moveaxis(np.reshape(left * right, np.shape(moved)), last, tuple(axes))
    return product if where is True else np.where(where, product, 0.0 * product)


def recurrence(a: Any, b: Any) -> Any:
    """`s[0] = b[0]`, `s[k] = a[k] * s[k - 1] + b[k]`, along the last axis.

    >>> recurrence(np.array([9.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))
    array([ 1.,  3., 10.])
    """
    s = np.array(b)
    for k in range(1, s.shape[-1]):
        s[..., k] += a[..., k] * s[..., k - 1]
    return s


def recurrence_back(a: Any, g: Any) -> Any:
    """The adjoint of `recurrence` in `b`: `s[-1] = g[-1]`, `s[k] = a[k + 1] * s[k + 1] + g[k]`."""
    return np.flip(recurrence(np.roll(np.flip(a, -1), 1, -1), np.flip(g, -1)), -1)


def before(y: Any, first: float) -> Any:
    """`y` moved one place on along the last axis, `first` in front.

    >>> before(np.array([2.0, 3.0]), 1.0)
    array([1., 2.])
    """
    return np.concatenate([np.full_like(y[..., :1], first), y[..., :-1]], axis=-1)


def along(x: Any, axis: int | None) -> Any:
    """`x` with `axis` last; flattened for None."""
    return np.reshape(x, -1) if axis is None else np.moveaxis(x, axis, -1)


def cumprod_back(g: Any, y: Any, a: Any, axis: int | None) -> Any:
    """The cotangent of `a` in `y = np.cumprod(a, axis)`: true where elements are zero too."""
    bar = before(along(y, axis), 1.0) * recurrence_back(along(a, axis), along(g, axis))
    return np.reshape(bar, np.shape(a)) if axis is None else np.moveaxis(bar, -1, axis)


def cumprod_tangent(t: Any, y: Any, a: Any, axis: int | None) -> Any:
    """The tangent of `y = np.cumprod(a, axis)`."""
    tangent = recurrence(along(a, axis), before(along(y, axis), 1.0) * along(t, axis))
    return tangent if axis is None else np.moveaxis(tangent, -1, axis)


def undiff(g: Any, n: int = 1, axis: int = -1) -> Any:
    """The adjoint of `np.diff`.

    >>> undiff(np.array([1.0, 5.0]))
    array([-1., -4.,  5.])
    """
    width = [(0, 0)] * np.ndim(g)
    width[axis] = (n, n)
    return (-1.0) ** n * np.diff(np.pad(g, width), n, axis)


def on_diagonal(g: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros of the shape of `x` with `g` (its last axis runs along) on a diagonal: the adjoint of `np.diagonal`.

    >>> on_diagonal(np.array([1.0, 2.0]), np.ones((2, 3)), 1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    out = np.zeros_like(x)
    planes = np.moveaxis(out, (axis1, axis2), (-2, -1))
    k = np.arange(np.diagonal(x, offset, axis1, axis2).shape[-1])
    planes[..., k - min(offset, 0), k + max(offset, 0)] = g
    return out
