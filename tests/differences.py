"""Derivatives by central differences, over numbers, arrays and any nesting of containers and dataclasses.

The reference of the tests: it knows nothing of stdiff and calls the function only.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Program = Callable[..., Any]

STEP = 1e-4
"""For first derivatives: the five-point formula is off by STEP**4 / 30 of the fifth derivative; 1e-12 by rounding."""

WIDE_STEP = 1e-3
"""For second derivatives, which divide by the step twice: off by 1e-10 by rounding."""


def is_number(value: Any) -> bool:
    """Whether `value` is one number that can carry a derivative: an int is taken as a float, a bool is not a number."""
    return isinstance(value, int | float | np.floating) and not isinstance(value, bool)


def children(value: Any) -> list[Any] | None:
    """The parts of a container in order, None for a leaf."""
    if isinstance(value, tuple | list):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    return None


def rebuilt(value: Any, parts: list[Any]) -> Any:
    """A container like `value` with other parts."""
    if isinstance(value, tuple):
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return parts
    if isinstance(value, dict):
        return dict(zip(value, parts, strict=True))
    names = [field.name for field in dataclasses.fields(value)]
    return type(value)(**dict(zip(names, parts, strict=True)))


def leaves(value: Any) -> Iterator[Any]:
    """Every part of a value that is not a container."""
    parts = children(value)
    if parts is None:
        yield value
    else:
        for part in parts:
            yield from leaves(part)


def numbers(value: Any) -> np.ndarray:
    """All real numbers in a value, in order, as one vector."""
    found = [np.ravel(leaf) for leaf in leaves(value) if carries(leaf)]
    return np.concatenate(found).astype(float) if found else np.zeros(0)


def carries(leaf: Any) -> bool:
    """Whether a leaf is a number or an array of floats."""
    return is_number(leaf) or (isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f")


def with_numbers(value: Any, vector: np.ndarray, dtype: Any = None) -> Any:
    """`value` with its numbers replaced by those of `vector`; arrays get `dtype`, or keep their own."""
    supply = iter(vector.tolist())

    def replaced(part: Any) -> Any:
        parts = children(part)
        if parts is not None:
            return rebuilt(part, [replaced(p) for p in parts])
        if isinstance(part, np.ndarray) and carries(part):
            return np.array([next(supply) for _ in range(part.size)], dtype or part.dtype).reshape(part.shape)
        if carries(part):
            number = next(supply)
            return type(part)(number) if isinstance(part, np.floating) and dtype is None else number
        return copy.deepcopy(part)

    return replaced(value)


def waves(value: Any) -> Any:
    """The cotangent `cos(1), cos(2), ...` for a value."""
    return with_numbers(value, np.cos(np.arange(1.0, numbers(value).size + 1)))


def ripples(value: Any) -> Any:
    """A tangent for a value: `sin(2), sin(3), ...`."""
    return with_numbers(value, np.sin(np.arange(2.0, numbers(value).size + 2)))


def derivative(f: Program, args: tuple[Any, ...], tangents: tuple[Any, ...], step: float = STEP) -> np.ndarray:
    """The derivative of `numbers(f(*args))` along `tangents` (one per argument, None for zero)."""
    points = [numbers(arg) for arg in args]
    directions = [None if tangent is None else numbers(tangent) for tangent in tangents]

    def at(t: float) -> np.ndarray:
        moved = [
            copy.deepcopy(arg) if d is None else with_numbers(arg, p + t * d, dtype=float)
            for arg, p, d in zip(args, points, directions, strict=True)
        ]
        return numbers(f(*moved))

    return (8.0 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12.0 * step)


def units(args: tuple[Any, ...], index: int) -> Iterator[tuple[Any, ...]]:
    """The tangents that move one number of argument `index`, one after the other."""
    for row in np.eye(numbers(args[index]).size):
        yield tuple(with_numbers(arg, row, dtype=float) if i == index else None for i, arg in enumerate(args))


def gradient(f: Program, args: tuple[Any, ...], index: int, cotangent: Any, step: float = STEP) -> np.ndarray:
    """The derivative of `<cotangent, f(*args)>` with respect to every number of argument `index`."""
    weights = numbers(cotangent)
    return np.array([weights @ derivative(f, args, unit, step) for unit in units(args, index)])


def hessian_times(f: Program, args: tuple[Any, ...], tangent: Any, cotangent: Any) -> np.ndarray:
    """The derivative along `tangent` of the gradient of `<cotangent, f(*args)>`, both in the first argument."""

    def slope(*moved: Any) -> np.ndarray:
        return gradient(f, moved, 0, cotangent, WIDE_STEP)

    return derivative(slope, args, (tangent, *[None] * (len(args) - 1)), WIDE_STEP)
