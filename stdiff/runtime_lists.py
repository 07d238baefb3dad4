"""Adjoints and tangents of the builtins that take and give containers. The cotangent of a list or tuple is a list."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from stdiff.containers import accumulate, part
from stdiff.runtime import filled, ratio, unbroadcast


def unsum(g: Any, iterable: Any) -> Any:
    """The cotangent of the list, tuple or array that `sum` adds up.

    >>> unsum(2.0, [1.0, 5.0])
    [2.0, 2.0]
    """
    if isinstance(iterable, np.ndarray):
        return np.zeros_like(iterable) + g
    return [unbroadcast(g, value) for value in iterable]


def total(t: Any) -> Any:
    """The sum of a list of tangents, or of an array along its first axis.

    >>> total([1.0, 2.0])
    3.0
    """
    result: Any = 0.0
    for item in t:
        result = accumulate(result, item)
    return result


def shares(y: Any, operands: Sequence[Any]) -> Any:
    """What each of the numbers has in their maximum or minimum `y`: 0, or equal parts where several are equal to it.

    `operands` are the arguments of `max`: the numbers, or one container of them.

    >>> shares(3.0, (3.0, 1.0, 3.0)), shares(3.0, ([3.0, 1.0],))
    ([0.5, 0.0, 0.5], [1.0, 0.0])
    """
    values = operands[0] if len(operands) == 1 else operands
    chosen = [bool(value == y) for value in values]
    parts = [float(item) / max(sum(chosen), 1) for item in chosen]
    return np.array(parts, dtype=values.dtype) if isinstance(values, np.ndarray) else parts


def unmax(g: Any, y: Any, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The cotangents of the arguments of `y = max(*operands)` or `min(*operands)`.

    >>> unmax(1.0, 3.0, (3.0, 1.0)), unmax(1.0, 3.0, ([3.0, 1.0],))
    ((1.0, 0.0), ([1.0, 0.0],))
    """
    parts = shares(y, operands)
    bars = scaled(g, parts)
    return (bars,) if len(operands) == 1 else tuple(bars)


def max_tangent(t: tuple[Any, ...], y: Any, operands: tuple[Any, ...]) -> Any:
    """The tangent of `y = max(*operands)` or `min(*operands)`.

    >>> max_tangent((1.0, 5.0), 3.0, (3.0, 1.0))
    1.0
    """
    tangents = t[0] if len(operands) == 1 else t
    return total([tangent * part for tangent, part in zip(tangents, shares(y, operands), strict=True)])


def order(values: Any, reverse: bool = False) -> list[int]:
    """The places of the values in sorted order.

    >>> order([3.0, 1.0, 2.0])
    [1, 2, 0]
    """
    listed = list(values)
    return sorted(range(len(listed)), key=listed.__getitem__, reverse=reverse)


def pick(values: Any, places: Sequence[int]) -> list[Any]:
    """The values at the places."""
    return [values[k] for k in places]


def unpick(g: Any, x: Any, places: Sequence[int]) -> Any:
    """The adjoint of `pick` for a permutation of the elements of `x`.

    >>> unpick([1.0, 2.0, 3.0], [7.0, 8.0, 9.0], [1, 2, 0])
    [3.0, 1.0, 2.0]
    """
    back = [0.0] * len(places)
    for k, item in zip(places, g, strict=True):
        back[k] = item
    return relist(back, x)


def relist(g: Any, x: Any) -> Any:
    """The cotangent of `x` from that of `list(x)` or `tuple(x)`: an array for an array; a dict gave its keys only.

    >>> relist([1.0, 2.0], np.ones(2))
    array([1., 2.])
    """
    if isinstance(x, dict):
        return 0.0
    return np.array(g, dtype=x.dtype) if isinstance(x, np.ndarray) else list(g)


def unzip(g: Any, iterables: tuple[Any, ...]) -> tuple[Any, ...]:
    """The adjoint of `zip`: a cotangent for each of the iterables, zero past the end of the shortest.

    >>> unzip([(1.0, 2.0)], ([5.0, 6.0], [7.0]))
    ([1.0, 0.0], [2.0])
    """
    columns = []
    for k, x in enumerate(iterables):
        parts = [part(row, k) for row in g]
        columns.append(relist([*parts, *(filled(0.0, value) for value in list(x)[len(parts) :])], x))
    return tuple(columns)


def rezip(columns: Any) -> list[Any]:
    """The adjoint of `unzip`; a column may be the zero 0.0.

    >>> rezip(([1.0, 0.0], [2.0])), rezip((0.0, [2.0]))
    ([(1.0, 2.0)], [(0.0, 2.0)])
    """
    length = max((len(column) for column in columns if not isinstance(column, float)), default=0)
    return list(zip(*([0.0] * length if isinstance(column, float) else column for column in columns), strict=False))


def seconds(pairs: Any) -> list[Any]:
    """The second of each of the pairs."""
    return [part(pair, 1) for pair in pairs]


def other_factors(values: Any) -> Any:
    """For each number of a list the product of the others.

    >>> other_factors([0.0, 2.0, 3.0])
    [6.0, 0.0, 0.0]
    """
    listed = list(values)
    return relist([math.prod(listed[:k] + listed[k + 1 :]) for k in range(len(listed))], values)


def scaled(g: Any, parts: Any) -> Any:
    """Each of the parts (a list or an array) times the number `g`.

    >>> scaled(2.0, [1.0, 3.0])
    [2.0, 6.0]
    """
    return g * parts if isinstance(parts, np.ndarray) else [g * item for item in parts]


def dot(t: Any, parts: Any) -> Any:
    """The sum of products of two lists of numbers."""
    return total([a * b for a, b in zip(t, parts, strict=True)])


def directions(p: Any, q: Any, y: Any) -> list[Any]:
    """The derivatives of `y = math.dist(p, q)` in the coordinates of `p`; zero where the points are equal."""
    return [ratio(a - b, y) for a, b in zip(p, q, strict=True)]
