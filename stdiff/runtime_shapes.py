"""Adjoints of the functions that shape, join, split and build arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stdiff.errors import UnsupportedError
from stdiff.runtime import astype, filled

Lift = Callable[[Any], Any] | None


def uncat(g: Any, arrays: Any, axis: int | None = 0, lift: Lift = None) -> Any:
    """The adjoint of `np.concatenate`: `g` cut into the cotangents of the arrays, each first made `lift(array)`.

    >>> uncat(np.array([1.0, 2.0, 3.0]), [np.ones(1), np.ones(2)])
    [array([1.]), array([2., 3.])]
    """
    if axis is None:
        lift, axis = np.ravel, 0
    lifted = [lift(x) for x in arrays] if lift else arrays
    ends = np.cumsum([np.shape(x)[axis] for x in lifted])
    pieces = zip(np.split(g, ends[:-1], axis), arrays, strict=True)
    parts = [astype(np.reshape(piece, np.shape(x)), x) for piece, x in pieces]
    return np.stack(parts) if isinstance(arrays, np.ndarray) else parts


def cat(parts: Any, arrays: Any, axis: int | None = 0, lift: Lift = None) -> Any:
    """The adjoint of `uncat`: the cotangents of its parts joined."""
    whole = filled(parts, arrays)
    return np.concatenate([lift(part) for part in whole] if lift else whole, axis)


def column(x: Any) -> Any:
    """`x` as `np.column_stack` takes it: a vector is a column."""
    return np.reshape(x, (-1, 1)) if np.ndim(x) < 2 else x


def horizontal(arrays: Any) -> int:
    """The axis along which `np.hstack` joins the arrays."""
    return 1 if np.ndim(arrays[0]) > 1 else 0


def unstack(g: Any, arrays: Any, axis: int = 0) -> Any:
    """The adjoint of `np.stack`.

    >>> unstack(np.array([[1.0, 2.0]]), [np.ones(2)])
    [array([1., 2.])]
    """
    parts = np.moveaxis(g, axis, 0)
    return parts if isinstance(arrays, np.ndarray) else [astype(part, x) for part, x in zip(parts, arrays, strict=True)]


def unarray(g: Any, x: Any) -> Any:
    """The adjoint of `np.array`: `g` in the form of `x`, a number, an array, or a list of these.

    >>> unarray(np.array([1.0, 2.0]), [3.0, 4.0])
    [np.float64(1.0), np.float64(2.0)]
    """
    if isinstance(x, list | tuple):
        if isinstance(g, float):  # of an array of ints
            return [0.0] * len(x)
        return [unarray(part, value) for part, value in zip(g, x, strict=True)]
    return astype(g, x)


def unlist(g: Any, x: Any) -> Any:
    """The adjoint of `x.tolist()`: the list `g` as an array of the shape and dtype of `x`."""
    return astype(np.reshape(np.array(g), np.shape(x)), x)


def unitem(g: Any, x: Any, *index: Any) -> Any:
    """The adjoint of `x.item(*index)`: zeros like `x` with `g` in one place.

    >>> unitem(2.0, np.ones(3), -1)
    array([0., 0., 2.])
    """
    out = np.zeros_like(x)
    if len(index) > 1 or (index and isinstance(index[0], tuple)):
        out[index if len(index) > 1 else index[0]] = g
    else:
        out.reshape(-1)[index[0] if index else 0] = g
    return out[()] if isinstance(x, np.generic) else out


def untranspose(g: Any, axes: tuple[Any, ...]) -> Any:
    """The adjoint of `x.transpose(*axes)`."""
    if len(axes) == 1 and not isinstance(axes[0], int | np.integer):
        (axes,) = axes
    return np.transpose(g, np.argsort(np.mod(axes, np.ndim(g)))) if axes else np.transpose(g)


def unrepeat(g: Any, x: Any, repeats: Any, axis: int | None = None) -> Any:
    """The adjoint of `np.repeat`: the sums of the runs.

    >>> unrepeat(np.array([1.0, 2.0, 3.0]), np.ones(2), [1, 2])
    array([1., 5.])
    """
    axis_x = np.reshape(x, -1) if axis is None else x
    k = 0 if axis is None else axis
    source = np.repeat(np.arange(np.shape(axis_x)[k]), repeats)
    out = np.zeros_like(np.moveaxis(axis_x, k, 0))
    np.add.at(out, source, np.moveaxis(g, k, 0))
    return np.reshape(np.moveaxis(out, 0, k), np.shape(x))


def untile(g: Any, x: Any, reps: Any) -> Any:
    """The adjoint of `np.tile`: the sum of the copies.

    >>> untile(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(2), 2)
    array([4., 6.])
    """
    counts = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    n = max(len(counts), np.ndim(x))
    counts, shape = (1,) * (n - len(counts)) + counts, (1,) * (n - np.ndim(x)) + np.shape(x)
    blocks = np.reshape(g, [size for pair in zip(counts, shape, strict=True) for size in pair])
    return np.reshape(np.sum(blocks, axis=tuple(range(0, 2 * n, 2))), np.shape(x))


def unpad(g: Any, x: Any, pad_width: Any, mode: Any = "constant") -> Any:
    """The adjoint of `np.pad` in its modes that put copies of elements, or a constant, around the array.

    Raises: UnsupportedError for a mode that computes new values.

    >>> g = np.array([1.0, 2.0, 3.0, 4.0])
    >>> unpad(g, np.ones(2), 1), unpad(g, np.ones(2), 1, "edge")
    (array([2., 3.]), array([3., 7.]))
    """
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise UnsupportedError(f"np.pad with mode={mode!r}", "its border is computed from the array", "concatenate it")
    places = np.arange(1, np.size(x) + 1).reshape(np.shape(x))
    source = np.pad(places, pad_width, mode)  # 0 is the constant border
    out = np.zeros_like(x, shape=np.size(x) + 1)
    np.add.at(out, source, g)
    return np.reshape(out[1:], np.shape(x))


def ramp(y: Any, num: int, endpoint: bool = True, axis: int = 0) -> Any:
    """The weights of `stop` in `y = np.linspace(start, stop, num, endpoint)`, along `axis` of `y`."""
    shape = [1] * np.ndim(y)
    shape[axis] = num
    return np.reshape(np.linspace(0.0, 1.0, num, endpoint, dtype=np.result_type(y)), shape)
