"""What generated code calls: the numeric helpers that formulas use. `rules/own.py` holds their rules.

Each helper takes Python floats, NumPy scalars and arrays alike, and keeps float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stdiff.errors import UnsupportedError


def unbroadcast(g: Any, x: Any, *others: Any) -> Any:
    """Undo the broadcasting of `x`: the cotangent `g` summed to the shape of `x`, in the precision of `x`.

    The float 0.0, a zero of any shape, stays as it is. `others` are operands beside `x` of which nothing was known:
    they are refused if they are of a class that may bring operators of its own.

    >>> unbroadcast(np.ones((2, 3)), np.zeros(3))
    array([2., 2., 2.])
    """
    if not isinstance(x, np.ndarray | np.generic | float | int | complex | None) and not hasattr(
        type(x), "__cuda_array_interface__"
    ):
        raise UnsupportedError(
            f"arithmetic on a {type(x).__name__}", "its operators may do anything", "use numbers and arrays"
        )
    _check_operands(others)
    shape = np.shape(x)
    have = np.shape(g)
    if have != shape and len(have) >= len(shape):
        lead = len(have) - len(shape)
        ones = tuple(lead + k for k, n in enumerate(shape) if n == 1 != have[lead + k])
        g = g.sum(axis=(*range(lead), *ones), keepdims=bool(ones))
        if lead and ones:
            g = g.reshape(shape)
    return astype(g, x)


def _check_operands(others: tuple[Any, ...]) -> None:
    """Refuse operands whose class may have operators of its own."""
    for other in others:
        known = isinstance(other, float | int | complex | np.generic | list | tuple | None)
        if not known and type(other) is not np.ndarray and not hasattr(type(other), "__cuda_array_interface__"):
            raise UnsupportedError(
                f"arithmetic with a {type(other).__name__}", "its operators may do anything", "use numbers and arrays"
            )


def astype(g: Any, x: Any) -> Any:
    """`g` in the floating precision of `x`, where both are arrays or NumPy scalars."""
    have, want = getattr(g, "dtype", None), getattr(x, "dtype", None)
    if want is not None and want.kind == "O":
        raise UnsupportedError(
            "an array of objects", "its elements are not numbers to NumPy", "make it an array of floats"
        )
    if have is None or want is None or have == want or want.kind != "f":
        return g
    if have.kind == "c":
        raise UnsupportedError(
            "a complex cotangent of a real operand", "complex derivatives are not supported", "keep to real numbers"
        )
    return g.astype(want)


def broadcast(t: Any, y: Any, *others: Any) -> Any:
    """The tangent `t` repeated to the shape of `y`, in the precision of `y`; `others` as in `unbroadcast`.

    >>> broadcast(1.0, np.zeros(2))
    array([1., 1.])
    """
    _check_operands(others)
    return astype(t if np.shape(t) == np.shape(y) else t + np.zeros_like(y), y)


def filled(g: Any, x: Any) -> Any:
    """A cotangent or tangent of `x` in which every zero of unknown shape (the float 0.0) has become an array of zeros.

    >>> filled(0.0, np.ones(2)), filled([0.0, 3.0], [np.ones(1), 2.0])
    (array([0., 0.]), [array([0.]), 3.0])
    """
    if hasattr(x, "_fields"):
        return (0.0,) * len(x) if isinstance(g, float) else g  # a part of 0.0 says that it is not used
    if isinstance(x, list | tuple):
        parts = [0.0] * len(x) if isinstance(g, float) else g
        return [filled(part, value) for part, value in zip(parts, x, strict=True)]
    if isinstance(x, np.ndarray) and np.shape(g) != x.shape:
        return broadcast(g, np.zeros_like(x))
    return g


def unfilled(h: Any, g: Any) -> Any:
    """The adjoint of `filled(g, x)`.

    >>> unfilled([np.ones(2), 3.0], [0.0, 1.0])
    [np.float64(2.0), 3.0]
    """
    if isinstance(g, list | tuple):
        return [unfilled(part, value) for part, value in zip(h, g, strict=True)]
    if isinstance(g, dict) or isinstance(h, list | tuple | dict):
        return h if isinstance(g, dict) else 0.0  # `g` was the 0.0 of a whole container
    return unbroadcast(h, g)


def scale(g: Any, d: Any) -> Any:
    """`g * d`, but zero wherever `g` is zero, even where `d` is infinite or NaN.

    >>> scale(np.array([0.0, 2.0]), np.array([np.inf, 3.0]))
    array([0., 6.])
    """
    if isinstance(g, float) and isinstance(d, float):
        return g * d if g else 0.0 * g
    with np.errstate(invalid="ignore"):
        return np.where(g == 0, 0.0 * g, g * d)[()]


def cast(g: Any, source: Any, target: Any) -> Any:
    """`g` carried from the dtype of `source` to that of `target`; 0.0 where either holds no reals."""
    kinds = {np.result_type(source).kind, np.result_type(target).kind}
    if "O" in kinds:
        raise UnsupportedError(
            "an array of objects", "its elements are not numbers to NumPy", "make it an array of floats"
        )
    return astype(g, target) if kinds <= {"f", "c"} else 0.0


def ratio(a: Any, b: Any) -> Any:
    """`a / b`, but zero where `b` is zero.

    >>> ratio(np.array([1.0, 3.0]), np.array([0.0, 2.0]))
    array([0. , 1.5])
    """
    if isinstance(a, float) and isinstance(b, float):
        return a / b if b else 0.0
    return np.where(b == 0, 0.0 * a, a / np.where(b == 0, b + 1, b))[()]
