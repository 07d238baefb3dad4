"""Rules for NumPy's functions that shape, join, split, build and draw arrays, and those that write into them."""

import numpy as np

from stdiff.rules.table import R, alias, at, constant, linear, refuse, rule
from stdiff.runtime import broadcast, cast, filled, unbroadcast
from stdiff.runtime_reductions import on_diagonal
from stdiff.runtime_shapes import (
    column,
    horizontal,
    ramp,
    unarray,
    uncat,
    unitem,
    unlist,
    unpad,
    unrepeat,
    unstack,
    untile,
    untranspose,
)

# --- shape ---

linear(
    np.reshape,
    lambda g, y, a, shape: np.reshape(g, np.shape(a)),
    at(R(2, 3), (3, 2)),
    at(R(2, 3), shape=-1),
    at(R(), (1, 1)),
    view=("a",),
)
linear(
    np.ndarray.reshape,
    lambda g, y, a, *shape: np.reshape(g, np.shape(a)),
    at(R(2, 3), 3, 2),
    at(R(2, 3), (6,)),
    at(R(2, 3), -1),
    view=("a",),
)
linear(np.ravel, lambda g, y, a: np.reshape(g, np.shape(a)), at(R(2, 3)), view=("a",))
alias(np.ndarray.ravel, np.ravel)
alias(np.ndarray.flatten, np.ravel, view=())
linear(
    np.expand_dims,
    lambda g, y, a, axis: np.reshape(g, np.shape(a)),
    at(R(2, 3), 0),
    at(R(2), axis=(0, -1)),
    view=("a",),
)
linear(
    np.squeeze,
    lambda g, y, a, axis=None: np.reshape(g, np.shape(a)),
    at(R(2, 1, 3)),
    at(R(1, 2, 1), axis=-1),
    view=("a",),
)
alias(np.ndarray.squeeze, np.squeeze)
linear(np.atleast_1d, lambda g, y, x: np.reshape(g, np.shape(x)), at(R()), at(R(2, 3)), view=("x",))
linear(np.atleast_2d, lambda g, y, x: np.reshape(g, np.shape(x)), at(R()), at(R(3)), at(R(2, 3)), view=("x",))
linear(np.atleast_3d, lambda g, y, x: np.reshape(g, np.shape(x)), at(R()), at(R(3)), at(R(2, 3)), view=("x",))
linear(
    np.transpose,
    lambda g, y, a, axes=None: (
        np.transpose(g) if axes is None else np.transpose(g, np.argsort(np.mod(axes, np.ndim(a))))
    ),
    at(R(2, 3)),
    at(R(2, 3, 4), axes=(1, 2, 0)),
    at(R(2, 3, 4), (-1, 0, 1)),
    view=("a",),
)
linear(
    np.ndarray.transpose,
    lambda g, y, a, *axes: untranspose(g, axes),
    at(R(2, 3)),
    at(R(2, 3), None),
    at(R(2, 3, 4), 1, 2, 0),
    at(R(2, 3, 4), (2, 0, -2)),
    view=("a",),
)
linear(np.ndarray.T, lambda g, y, a: g.T, at(R(2, 3)), at(R(2, 3, 4)), view=("a",))
linear(np.ndarray.mT, lambda g, y, a: np.swapaxes(g, -1, -2), at(R(2, 3)), at(R(2, 3, 4)), view=("a",))
linear(
    np.swapaxes,
    lambda g, y, a, axis1, axis2: np.swapaxes(g, axis1, axis2),
    at(R(2, 3, 4), 0, -1),
    at(R(2, 3), 1, 0),
    view=("a",),
)
alias(np.ndarray.swapaxes, np.swapaxes)
linear(
    np.moveaxis,
    lambda g, y, a, source, destination: np.moveaxis(g, destination, source),
    at(R(2, 3, 4), 0, -1),
    at(R(2, 3, 4), (0, 1), (2, 0)),
    view=("a",),
)
linear(
    np.broadcast_to,
    lambda g, y, array, shape: unbroadcast(g, array),
    at(R(3), (2, 3)),
    at(R(2, 1), (4, 2, 3)),
    at(R(), (2,)),
    view=("array",),
)
linear(
    np.roll,
    lambda g, y, a, shift, axis=None: np.roll(g, np.negative(shift), axis),
    at(R(5), 2),
    at(R(2, 3), 1),
    at(R(2, 3), -1, axis=1),
    at(R(2, 3), (1, 2), axis=(0, 1)),
)
linear(
    np.flip,
    lambda g, y, m, axis=None: np.flip(g, axis),
    at(R(2, 3)),
    at(R(2, 3), axis=1),
    at(R(2, 3), (0, 1)),
    view=("m",),
)
linear(np.fliplr, lambda g, y, m: np.fliplr(g), at(R(2, 3)), view=("m",))
linear(np.flipud, lambda g, y, m: np.flipud(g), at(R(2, 3)), view=("m",))
linear(
    np.rot90,
    lambda g, y, m, k=1, axes=(0, 1): np.rot90(g, -k, axes),
    at(R(2, 3)),
    at(R(2, 3), 3),
    at(R(2, 3, 4), k=1, axes=(2, 0)),
    view=("m",),
)
linear(
    np.repeat,
    lambda g, y, a, repeats, axis=None: unrepeat(g, a, repeats, axis),
    at(R(2, 3), 2),
    at(R(2, 3), [2, 0, 1], axis=1),
    at(R(3), 2, axis=-1),
    at(R(), 3),
)
alias(np.ndarray.repeat, np.repeat)
linear(
    np.tile,
    lambda g, y, A, reps: untile(g, A, reps),
    at(R(3), 2),
    at(R(2, 3), (2, 1, 2)),
    at(R(2, 2, 2), (3, 1)),
    at(R(), 3),
)
rule(
    np.pad,
    lambda g, y, array, pad_width, mode="constant", *, constant_values=0: unpad(g, array, pad_width, mode),
    at(R(3), 2),
    at(R(2, 3), ((1, 0), (2, 1))),
    at(R(3), (1, 2), constant_values=4.0),
    at(R(3), 2, "edge"),
    at(R(3, 3), 2, mode="reflect"),
    at(R(3), 2, mode="symmetric"),
    at(R(2, 3), 2, mode="wrap"),
    pushforward=lambda t, y, array, pad_width, mode="constant", *, constant_values=0: np.pad(t, pad_width, mode),
)

# --- diagonals and triangles ---

linear(
    np.diag,
    lambda g, y, v, k=0: np.diag(g, k) if np.ndim(v) == 1 else on_diagonal(g, v, k),
    at(R(3)),
    at(R(3), k=-1),
    at(R(3, 3)),
    at(R(2, 4), 1),
    view=("v",),
)
linear(
    np.diagonal,
    lambda g, y, a, offset=0, axis1=0, axis2=1: on_diagonal(g, a, offset, axis1, axis2),
    at(R(3, 3)),
    at(R(2, 4), offset=1),
    at(R(2, 3, 4), -1, 2, 0),
    view=("a",),
)
alias(np.ndarray.diagonal, np.diagonal)
linear(np.triu, lambda g, y, m, k=0: np.triu(g, k), at(R(3, 3)), at(R(2, 3, 3), k=1))
linear(np.tril, lambda g, y, m, k=0: np.tril(g, k), at(R(3, 3)), at(R(2, 3, 4), k=-1))

# --- copies ---

rule(
    np.array,
    lambda g, y, object, dtype=None, *, copy=True, ndmin=0: unarray(
        cast(np.reshape(g, np.shape(object)), y, y), object
    ),
    at(R(2, 3)),
    at([R(), R(), R()]),
    at([R(3), R(3)], dtype=float),
    at([[R(), R()], (R(), R())]),
    at(R(3), ndmin=2),
    pushforward=lambda t, y, object, dtype=None, *, copy=True, ndmin=0: cast(
        np.array(filled(t, object), ndmin=ndmin), y, y
    ),
    view=("object",),
)
rule(
    np.asarray,
    lambda g, y, a, dtype=None: unarray(cast(g, y, y), a),
    at(R(2, 3)),
    at([R(), R(), R()], float),
    pushforward=lambda t, y, a, dtype=None: cast(np.asarray(filled(t, a)), y, y),
    view=("a",),
)
alias(np.asanyarray, np.asarray)
alias(np.ascontiguousarray, np.asarray)
linear(np.copy, lambda g, y, a: unarray(g, a), at(R(2, 3)), at(R()))
linear(np.ndarray.copy, lambda g, y, a: g, at(R(2, 3)))
linear(np.ndarray.__copy__, lambda g, y, a: g, at(R(2, 3)))
rule(
    np.ndarray.astype,
    lambda g, y, a, dtype, *, copy=True: cast(g, y, a),
    at(R(2, 3), np.float64),
    at(R(2, 3), dtype=float, copy=False),
    pushforward=lambda t, y, a, dtype, *, copy=True: cast(t, a, y),
    view=("a",),
)
rule(np.float64, lambda g, y, x=0.0: cast(g, y, x), at(R()), at(R(3)), pushforward=lambda t, y, x=0.0: cast(t, x, y))
rule(np.float32, lambda g, y, x=0.0: cast(g, y, x), pushforward=lambda t, y, x=0.0: cast(t, x, y))
linear(np.ndarray.real, lambda g, y, a: g, at(R(2, 3)), view=("a",))
linear(np.ndarray.tolist, lambda g, y, a: unlist(g, a), at(R(3)), at(R(2, 3)))
linear(np.ndarray.item, lambda g, y, a, *args: unitem(g, a, *args), at(R(1, 1)), at(R(2, 3), -2), at(R(2, 3), 1, 2))

# --- joining and splitting ---

rule(
    np.concatenate,
    lambda g, y, arrays, axis=0: uncat(g, arrays, axis),
    at([R(2, 3), R(1, 3)]),
    at((R(2, 3), R(2, 2)), axis=-1),
    at([R(2, 3), R(2)], axis=None),
    at(R(2, 3, 2)),
    pushforward=lambda t, y, arrays, axis=0: np.concatenate(filled(t, arrays), axis),
)
rule(
    np.stack,
    lambda g, y, arrays, axis=0: unstack(g, arrays, axis),
    at([R(3), R(3)]),
    at([R(2, 3), R(2, 3)], axis=-1),
    at([R(), R()]),
    at(R(2, 3)),
    pushforward=lambda t, y, arrays, axis=0: np.stack(filled(t, arrays), axis),
)
rule(
    np.vstack,
    lambda g, y, tup: uncat(g, tup, 0, np.atleast_2d),
    at([R(3), R(2, 3)]),
    at([R(), R()]),
    pushforward=lambda t, y, tup: np.vstack(filled(t, tup)),
)
rule(
    np.hstack,
    lambda g, y, tup: uncat(g, tup, horizontal(tup), np.atleast_1d),
    at([R(3), R(2)]),
    at([R(2, 3), R(2, 1)]),
    at([R(), R(2)]),
    pushforward=lambda t, y, tup: np.hstack(filled(t, tup)),
)
rule(
    np.dstack,
    lambda g, y, tup: uncat(g, tup, 2, np.atleast_3d),
    at([R(3), R(3)]),
    at([R(2, 3), R(2, 3, 2)]),
    pushforward=lambda t, y, tup: np.dstack(filled(t, tup)),
)
rule(
    np.column_stack,
    lambda g, y, tup: uncat(g, tup, 1, column),
    at([R(3), R(3)]),
    at([R(3), R(3, 2)]),
    pushforward=lambda t, y, tup: np.column_stack(filled(t, tup)),
)
rule(
    np.append,
    lambda g, y, arr, values, axis=None: (
        uncat(g, [arr, values], axis)[0],
        uncat(g, [arr, values], axis)[1],
    ),
    at(R(3), R(2)),
    at(R(2, 3), R()),
    at(R(2, 3), R(1, 3), axis=0),
    pushforward=lambda t, y, arr, values, axis=None: (
        np.append(t, np.zeros_like(values), axis),
        np.append(np.zeros_like(arr), t, axis),
    ),
)
linear(
    np.split,
    lambda g, y, ary, indices_or_sections, axis=0: np.concatenate(g, axis),
    at(R(4), 2),
    at(R(5), [2, 3]),
    at(R(2, 4), 2, axis=-1),
    view=("ary",),
)
linear(
    np.array_split,
    lambda g, y, ary, indices_or_sections, axis=0: np.concatenate(g, axis),
    at(R(5), 2),
    at(R(2, 5), 3, axis=1),
    view=("ary",),
)
linear(
    np.hsplit,
    lambda g, y, ary, indices_or_sections: np.concatenate(g, min(np.ndim(ary), 2) - 1),
    at(R(4), 2),
    at(R(2, 4), 2),
    view=("ary",),
)
linear(np.vsplit, lambda g, y, ary, indices_or_sections: np.concatenate(g, 0), at(R(4, 2), 2), view=("ary",))
linear(np.dsplit, lambda g, y, ary, indices_or_sections: np.concatenate(g, 2), at(R(1, 2, 4), 2), view=("ary",))

# --- new arrays ---

constant(np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri, np.indices)
constant(np.zeros_like, np.ones_like, np.empty_like)
constant(np.triu_indices, np.tril_indices, np.diag_indices, np.unravel_index, np.ravel_multi_index, np.ix_)
rule(
    np.full,
    lambda g, y, shape, fill_value, dtype=None: (None, unbroadcast(cast(g, y, y), fill_value)),
    at((2, 3), R()),
    at((2, 3), R(3)),
    pushforward=lambda t, y, shape, fill_value, dtype=None: (None, broadcast(cast(t, y, y), y)),
)
rule(
    np.full_like,
    lambda g, y, a, fill_value, dtype=None: (None, unbroadcast(cast(g, y, y), fill_value)),
    at(np.ones((2, 3)), R()),
    at(np.ones((2, 3)), R(3)),
    pushforward=lambda t, y, a, fill_value, dtype=None: (None, broadcast(cast(t, y, y), y)),
)
rule(
    np.linspace,
    lambda g, y, start, stop, num=50, endpoint=True: (
        unbroadcast(g * (1.0 - ramp(y, num, endpoint)), start),
        unbroadcast(g * ramp(y, num, endpoint), stop),
    ),
    at(R(), R(), 5),
    at(R(), R(), 4, endpoint=False),
    at(R(3), R(), num=4),
    at(R(2, 1), R(3), num=4),
    pushforward=lambda t, y, start, stop, num=50, endpoint=True: (
        broadcast(t * (1.0 - ramp(y, num, endpoint)), y),
        broadcast(t * ramp(y, num, endpoint), y),
    ),
)
refuse(np.arange, "its length moves with its arguments; write start + step * np.arange(n)")

# --- draws ---

constant(np.random.seed, np.random.default_rng, np.random.RandomState, np.random.get_state, np.random.set_state)
constant(np.random.RandomState.rand, np.random.RandomState.randn, np.random.RandomState.random_sample)
constant(np.random.RandomState.random, np.random.RandomState.standard_normal, np.random.RandomState.randint)
constant(np.random.RandomState.seed, np.random.RandomState.standard_exponential)
constant(np.random.Generator.random, np.random.Generator.integers, np.random.Generator.standard_normal)
constant(np.random.Generator.standard_exponential)
refuse(np.random.RandomState.normal, "the draw moves with its parameters; write loc + scale * np.random.randn(n)")
refuse(np.random.RandomState.uniform, "the draw moves with its bounds; write low + (high - low) * np.random.rand(n)")
refuse(np.random.RandomState.choice, "which elements are drawn is not recorded; draw indices with np.random.randint")
refuse(np.random.RandomState.permutation, "which element comes where is not recorded; permute np.arange(n) and index")
refuse(np.random.RandomState.shuffle, "it writes into its argument; index with np.random.permutation(n)", writes=("x",))
refuse(np.random.Generator.normal, "the draw moves with its parameters; write loc + scale * rng.standard_normal(size)")
refuse(np.random.Generator.uniform, "the draw moves with its bounds; write low + (high - low) * rng.random(size)")
refuse(np.random.Generator.choice, "which elements are drawn is not recorded; draw indices with rng.integers")
refuse(np.random.Generator.permutation, "which element comes where is not recorded; permute np.arange(n) and index")
refuse(np.random.Generator.shuffle, "it writes into its argument; index with rng.permutation(n)", writes=("x",))

# --- what writes into its argument ---

refuse(np.copyto, "it writes into its argument; assign dst[...] = src", writes=("dst",))
refuse(np.ufunc.at, "it writes into its argument; add the parts up in a new array", writes=("a",))
refuse(np.put, "it writes into its argument; assign a[...] = v", writes=("a",))
refuse(np.place, "it writes into its argument; assign a[mask] = v", writes=("arr",))
refuse(np.putmask, "it writes into its argument; assign a[mask] = v", writes=("a",))
refuse(np.put_along_axis, "it writes into its argument; assign a[...] = v", writes=("arr",))
refuse(np.fill_diagonal, "it writes into its argument; assign a[i, i] = v", writes=("a",))
refuse(np.ndarray.fill, "it writes into the array; assign x[...] = v", writes=("self",))
refuse(np.ndarray.put, "it writes into the array; assign x[...] = v", writes=("self",))
refuse(np.ndarray.sort, "it writes into the array; index with np.argsort(x)", writes=("self",))
refuse(np.ndarray.partition, "it writes into the array; index with np.argpartition(x, k)", writes=("self",))
refuse(np.ndarray.resize, "it writes into the array; use np.reshape", writes=("self",))
refuse(np.ndarray.byteswap, "it reads the bytes as other numbers; leave it out", writes=("self",))
refuse(np.ndarray.setfield, "it writes into the array; assign x[...] = v", writes=("self",))
refuse(np.ndarray.setflags, "it changes the array; copy it", writes=("self",))
refuse(np.ndarray.view, "it may read the bytes as other numbers; use .astype or x[...]")
