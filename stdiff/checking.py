"""Derivatives checked against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stdiff import api
from stdiff.structures import chosen, fields, is_float, rebuild
from stdiff.transformed import Gradient


def check_grads(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    *,
    order: int = 2,
    modes: tuple[str, ...] = ("rev", "fwd"),
    rtol: float = 1e-5,
    atol: float = 1e-6,
) -> None:
    """Compare derivatives of `f` at `args` with central differences along a random direction.

    Arguments: `args`, the positional arguments; `order`, up to which order; `modes`, "rev" and "fwd"; `rtol`, `atol`,
    how close the two numbers must be (for float64).
    Raises: AssertionError that says which argument, which mode and order, and both numbers.

    >>> check_grads(lambda x: x ** 3, (2.0,))
    """
    numbers = chosen(args)
    if not numbers:
        raise AssertionError("check_grads: no argument carries a derivative")
    generator = np.random.default_rng(0)
    _check(f, tuple(args), numbers, order, 1, modes, generator, (rtol, atol))


def _check(
    f: Any,
    args: tuple[Any, ...],
    numbers: list[int],
    order: int,
    level: int,
    modes: tuple[str, ...],
    generator: Any,
    tolerance: tuple[float, float],
) -> None:
    weights = _direction(f(*args), generator)
    for k in numbers:
        direction = _direction(args[k], generator)
        wanted = _difference(f, args, k, direction, weights)
        for mode in modes:
            along = _forward if mode == "fwd" else _reverse
            found = along(f, args, k, direction, weights)
            if not np.isclose(found, wanted, rtol=tolerance[0], atol=tolerance[1]):
                raise AssertionError(
                    f"check_grads: argument {k}, mode {mode!r}, order {level}: "
                    f"the derivative along a random direction is {found!r}, central differences give {wanted!r}"
                )
    if level < order:
        first = _first_order(f, weights, tuple(numbers))
        _check(first, args, numbers, order, level + 1, modes, generator, (tolerance[0] * 10, tolerance[1] * 10))


def _first_order(f: Any, weights: Any, numbers: tuple[int, ...]) -> Any:
    """The gradient of the weighted sum of a function's result, as a function that can be differentiated again."""
    return Gradient(_Weighted(f, weights), numbers, False, False)


class _Weighted:
    """`f` followed by the inner product with fixed weights."""

    def __init__(self, f: Any, weights: Any) -> None:
        self.f, self.weights = f, weights
        self.__name__ = getattr(f, "__name__", "f")

    def __call__(self, *args: Any) -> Any:
        return inner(self.f(*args), self.weights)


def inner(a: Any, b: Any) -> Any:
    """The inner product of two structures.

    >>> float(inner((1.0, [2.0]), (3.0, [4.0])))
    11.0
    """
    if isinstance(a, tuple | list):
        return sum([inner(p, q) for p, q in zip(a, b)])  # noqa: B905 - differentiated too: zip's strict is no rule's option
    if isinstance(a, dict):
        return sum([inner(a[key], b[key]) for key in b])
    return np.sum(a * b)


def _direction(x: Any, generator: Any) -> Any:
    items = fields(x)
    if items is not None:
        return rebuild(x, {key: _direction(value, generator) for key, value in items.items()})
    if not is_float(x):
        return None
    drawn = generator.standard_normal(np.shape(x))
    return drawn.astype(x.dtype) if isinstance(x, np.ndarray) else float(drawn)


def _moved(x: Any, direction: Any, step: float) -> Any:
    items = fields(x)
    if items is not None:
        parts = fields(direction) or {}
        return rebuild(x, {key: _moved(value, parts[key], step) for key, value in items.items()})
    return x if direction is None else x + step * direction


def _dot(a: Any, b: Any) -> float:
    items = fields(a)
    if items is not None:
        others = fields(b) or {}
        return sum(_dot(value, others[key]) for key, value in items.items())
    return 0.0 if a is None or b is None else float(np.sum(np.asarray(a) * np.asarray(b)))


def _difference(f: Any, args: tuple[Any, ...], k: int, direction: Any, weights: Any) -> float:
    """Central differences, extrapolated once (Richardson)."""

    def at(step: float) -> float:
        ends = [_dot(f(*args[:k], _moved(args[k], direction, s), *args[k + 1 :]), weights) for s in (step, -step)]
        return (ends[0] - ends[1]) / (2 * step)

    return (4 * at(5e-5) - at(1e-4)) / 3


def _forward(f: Any, args: tuple[Any, ...], k: int, direction: Any, weights: Any) -> float:
    tangents = tuple(direction if k == j else None for j in range(len(args)))
    return _dot(api.jvp(f, args, tangents)[1], weights)


def _reverse(f: Any, args: tuple[Any, ...], k: int, direction: Any, weights: Any) -> float:
    return _dot(api.vjp(f, *args)[1](weights)[k], direction)
