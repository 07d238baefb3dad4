"""Rules for NumPy's elementwise functions, reductions and scans, and its functions without a derivative."""

import math
import operator

import numpy as np

from stdiff.rules import python  # noqa: F401  # aliases of the operators' entries
from stdiff.rules.table import (
    ABOVE_MINUS_ONE,
    ABOVE_ONE,
    POSITIVE,
    REAL,
    UNIT,
    R,
    alias,
    at,
    constant,
    elementwise,
    linear,
    refuse,
    rule,
)
from stdiff.runtime import broadcast, ratio, unbroadcast
from stdiff.runtime_numbers import above, below, inside, power_da, power_db, share, sinc_derivative
from stdiff.runtime_reductions import (
    count,
    cumprod_back,
    cumprod_tangent,
    on_diagonal,
    others,
    spread,
    ties,
    undiff,
)

MASK = np.array([[True, False, True], [True, True, False]])

# --- arithmetic ---

alias(np.add, operator.add)
alias(np.subtract, operator.sub)
alias(np.multiply, operator.mul)
alias(np.divide, operator.truediv)
alias(np.power, operator.pow)
elementwise(np.float_power, lambda y, a, b: (power_da(a, b), power_db(y, a)), POSITIVE, REAL, singular=True)
alias(np.remainder, operator.mod)
elementwise(np.fmod, lambda y, a, b: (1.0, -np.trunc(a / b)), REAL, ABOVE_ONE)
alias(np.negative, operator.neg)
alias(np.positive, operator.pos)
alias(np.absolute, operator.abs)
alias(np.fabs, operator.abs)
elementwise(np.reciprocal, lambda y, x: -y * y, POSITIVE)
elementwise(np.square, lambda y, x: 2.0 * x, REAL)

# --- powers, exponentials, logarithms ---

elementwise(np.sqrt, lambda y, x: 0.5 / y, POSITIVE)
elementwise(np.cbrt, lambda y, x: 1.0 / (3.0 * y * y), REAL)
elementwise(np.exp, lambda y, x: y, REAL)
elementwise(np.exp2, lambda y, x: math.log(2.0) * y, REAL)
elementwise(np.expm1, lambda y, x: y + 1.0, REAL)
elementwise(np.log, lambda y, x: 1.0 / x, POSITIVE)
elementwise(np.log2, lambda y, x: 1.0 / (math.log(2.0) * x), POSITIVE)
elementwise(np.log10, lambda y, x: 1.0 / (math.log(10.0) * x), POSITIVE)
elementwise(np.log1p, lambda y, x: 1.0 / (1.0 + x), ABOVE_MINUS_ONE)
elementwise(np.logaddexp, lambda y, a, b: (np.exp(a - y), np.exp(b - y)), REAL, REAL)
elementwise(np.logaddexp2, lambda y, a, b: (np.exp2(a - y), np.exp2(b - y)), REAL, REAL)

# --- trigonometry ---

elementwise(np.sin, lambda y, x: np.cos(x), REAL)
elementwise(np.cos, lambda y, x: -np.sin(x), REAL)
elementwise(np.tan, lambda y, x: 1.0 + y * y, UNIT)
elementwise(np.arcsin, lambda y, x: 1.0 / np.sqrt(1.0 - x * x), UNIT)
elementwise(np.arccos, lambda y, x: -1.0 / np.sqrt(1.0 - x * x), UNIT)
elementwise(np.arctan, lambda y, x: 1.0 / (1.0 + x * x), REAL)
elementwise(np.arctan2, lambda y, a, b: (b / (a * a + b * b), -a / (a * a + b * b)), REAL, REAL)
elementwise(np.sinh, lambda y, x: np.cosh(x), REAL)
elementwise(np.cosh, lambda y, x: np.sinh(x), REAL)
elementwise(np.tanh, lambda y, x: 1.0 - y * y, REAL)
elementwise(np.arcsinh, lambda y, x: 1.0 / np.sqrt(x * x + 1.0), REAL)
elementwise(np.arccosh, lambda y, x: 1.0 / np.sqrt(x * x - 1.0), ABOVE_ONE)
elementwise(np.arctanh, lambda y, x: 1.0 / (1.0 - x * x), UNIT)
elementwise(np.hypot, lambda y, a, b: (ratio(a, y), ratio(b, y)), REAL, REAL)
elementwise(np.deg2rad, lambda y, x: math.pi / 180.0, REAL)
elementwise(np.radians, lambda y, x: math.pi / 180.0, REAL)
elementwise(np.rad2deg, lambda y, x: 180.0 / math.pi, REAL)
elementwise(np.degrees, lambda y, x: 180.0 / math.pi, REAL)
elementwise(np.sinc, lambda y, x: sinc_derivative(x), REAL)

# --- choices ---

elementwise(np.maximum, lambda y, a, b: (share(y, a, b), share(y, b, a)), REAL, REAL)
elementwise(np.minimum, lambda y, a, b: (share(y, a, b), share(y, b, a)), REAL, REAL)
elementwise(np.fmax, lambda y, a, b: (share(y, a, b), share(y, b, a)), REAL, REAL)
elementwise(np.fmin, lambda y, a, b: (share(y, a, b), share(y, b, a)), REAL, REAL)
elementwise(
    np.clip,
    lambda y, a, a_min=None, a_max=None: (inside(a, a_min, a_max), below(a, a_min, a_max), above(a, a_min, a_max)),
    at(R(2, 3), -0.51, 0.52),
    at(R(2, 3), None, 0.52),
    at(R(2, 3), a_min=-0.51, a_max=None),
    at(R(2, 3), R(3), 1.23),
    at(R(2, 3), R(), 1.23),
    at(R(3), R(2, 1), R(3)),
    at(R(), -3.0, 3.0),
)
elementwise(
    np.ndarray.clip,
    lambda y, a, min=None, max=None: (inside(a, min, max), below(a, min, max), above(a, min, max)),
    at(R(2, 3), -0.51, 0.52),
    at(R(2, 3), min=R(), max=R(3)),
    at(R(2, 3), max=0.52),
)
rule(  # a mask, not a product: what was not chosen adds exactly 0, whatever flows in
    np.where,
    lambda g, out, condition, x, y: (
        None,
        unbroadcast(np.where(condition, g, 0.0), x),
        unbroadcast(np.where(condition, 0.0, g), y),
    ),
    at(MASK, R(2, 3), R(2, 3)),
    at(MASK, R(3), R(2, 1)),
    at(MASK, R(), R(2, 3)),
    at(True, R(3), R(2, 1)),
    pushforward=lambda t, out, condition, x, y: (
        None,
        broadcast(np.where(condition, t, 0.0), out),
        broadcast(np.where(condition, 0.0, t), out),
    ),
)

# --- reductions ---

rule(
    np.sum,
    lambda g, y, a, axis=None, dtype=None, *, keepdims=False, initial=0, where=True: (
        spread(g, a, axis=axis, keepdims=keepdims, where=where),
        None,
        None,
        None,
        np.sum(g),
    ),
    at(R(2, 3)),
    at(R(2, 3), axis=-1),
    at(R(2, 3), 0),
    at(R(2, 3, 4), axis=(0, -1)),
    at(R(2, 3, 4), axis=(0, 2), keepdims=True),
    at(R(2, 3), keepdims=True),
    at(R(2, 3), axis=(), dtype=float),
    at(R(2, 3), axis=1, where=MASK),
    at(R(2, 3), axis=1, initial=2.0),
    at(R(2, 3), axis=1, initial=R()),
    at(R()),
    pushforward=lambda t, y, a, axis=None, dtype=None, *, keepdims=False, initial=0, where=True: (
        np.sum(t, axis=axis, dtype=dtype, keepdims=keepdims, where=where),
        None,
        None,
        None,
        broadcast(t, y),
    ),
)
alias(np.ndarray.sum, np.sum)

linear(
    np.mean,
    lambda g, y, a, axis=None, dtype=None, *, keepdims=False, where=True: spread(
        g / count(a, axis=axis, keepdims=keepdims, where=where), a, axis=axis, keepdims=keepdims, where=where
    ),
    at(R(2, 3)),
    at(R(2, 3), axis=-1),
    at(R(2, 3, 4), axis=(0, -1)),
    at(R(2, 3, 4), axis=1, keepdims=True),
    at(R(2, 3), axis=1, where=MASK),
    at(R(2, 3), where=MASK, keepdims=True),
    at(R()),
)
alias(np.ndarray.mean, np.mean)

rule(
    np.prod,
    lambda g, y, a, axis=None, dtype=None, *, keepdims=False, initial=1, where=True: (
        spread(g * initial, a, axis=axis, keepdims=keepdims) * others(a, axis=axis, where=where),
        None,
        None,
        None,
        np.sum(g * np.prod(a, axis=axis, keepdims=keepdims, where=where)),
    ),
    at(R(2, 3)),
    at(R(2, 3), axis=-1),
    at(R(2, 3, 4), axis=(0, -1)),
    at(R(2, 3, 4), axis=(2, 0), keepdims=True),
    at(R(2, 3), axis=1, where=MASK),
    at(R(2, 3), initial=2.0),
    at(R(2, 3), axis=1, initial=R()),
    at(R()),
    pushforward=lambda t, y, a, axis=None, dtype=None, *, keepdims=False, initial=1, where=True: (
        initial * np.sum(t * others(a, axis=axis, where=where), axis=axis, keepdims=keepdims),
        None,
        None,
        None,
        t * np.prod(a, axis=axis, keepdims=keepdims, where=where),
    ),
)
alias(np.ndarray.prod, np.prod)

rule(
    np.var,
    lambda g, y, a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True: (
        spread(
            2.0 * g / (count(a, axis=axis, keepdims=keepdims, where=where) - ddof),
            a,
            axis=axis,
            keepdims=keepdims,
            where=where,
        )
        * (a - np.mean(a, axis=axis, keepdims=True, where=where))
    ),
    at(R(2, 3)),
    at(R(2, 3), axis=-1, ddof=1),
    at(R(2, 3, 4), axis=(0, -1)),
    at(R(2, 3, 4), axis=1, keepdims=True),
    at(R(2, 3), axis=1, where=MASK),
    pushforward=lambda t, y, a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True: (
        np.sum(
            2.0 * t * (a - np.mean(a, axis=axis, keepdims=True, where=where)),
            axis=axis,
            keepdims=keepdims,
            where=where,
        )
        / (count(a, axis=axis, keepdims=keepdims, where=where) - ddof)
    ),
)
alias(np.ndarray.var, np.var)

rule(
    np.std,
    lambda g, y, a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True: (
        spread(
            ratio(g, y) / (count(a, axis=axis, keepdims=keepdims, where=where) - ddof),
            a,
            axis=axis,
            keepdims=keepdims,
            where=where,
        )
        * (a - np.mean(a, axis=axis, keepdims=True, where=where))
    ),
    at(R(2, 3)),
    at(R(2, 3), axis=-1, ddof=1),
    at(R(2, 3, 4), axis=(0, -1)),
    at(R(2, 3, 4), axis=1, keepdims=True),
    at(R(2, 3), axis=1, where=MASK),
    pushforward=lambda t, y, a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True: ratio(
        np.sum(t * (a - np.mean(a, axis=axis, keepdims=True, where=where)), axis=axis, keepdims=keepdims, where=where)
        / (count(a, axis=axis, keepdims=keepdims, where=where) - ddof),
        y,
    ),
)
alias(np.ndarray.std, np.std)

rule(
    np.max,
    lambda g, y, a, axis=None, *, keepdims=False: (
        spread(g, a, axis=axis, keepdims=keepdims) * ties(y, a, axis=axis, keepdims=keepdims)
    ),
    at(R(2, 3)),
    at(R(2, 3), -1),
    at(R(2, 3, 4), axis=(0, -1)),
    at(R(2, 3, 4), axis=1, keepdims=True),
    at(R(2, 3), keepdims=True),
    at(R()),
    pushforward=lambda t, y, a, axis=None, *, keepdims=False: np.sum(
        t * ties(y, a, axis=axis, keepdims=keepdims), axis=axis, keepdims=keepdims
    ),
)
alias(np.min, np.max)
alias(np.amax, np.max)
alias(np.amin, np.max)
alias(np.ndarray.max, np.max)
alias(np.ndarray.min, np.max)

# --- scans, traces, differences ---

linear(
    np.cumsum,
    lambda g, y, a, axis=None: np.reshape(np.flip(np.cumsum(np.flip(g, axis), axis), axis), np.shape(a)),
    at(R(2, 3)),
    at(R(2, 3), axis=-1),
    at(R(2, 3, 2), 1),
    at(R(4)),
)
alias(np.ndarray.cumsum, np.cumsum)
rule(
    np.cumprod,
    lambda g, y, a, axis=None: cumprod_back(g, y, a, axis),
    at(R(2, 3)),
    at(R(2, 3), axis=-1),
    at(R(2, 3, 2), 1),
    at(R(4)),
    pushforward=lambda t, y, a, axis=None: cumprod_tangent(t, y, a, axis),
)
alias(np.ndarray.cumprod, np.cumprod)
linear(
    np.trace,
    lambda g, y, a, offset=0, axis1=0, axis2=1: on_diagonal(np.expand_dims(g, -1), a, offset, axis1, axis2),
    at(R(3, 3)),
    at(R(2, 4), 1),
    at(R(3, 2), offset=-1),
    at(R(2, 3, 4), axis1=-1, axis2=0),
)
alias(np.ndarray.trace, np.trace)
linear(
    np.diff,
    lambda g, y, a, n=1, axis=-1: undiff(g, n, axis),
    at(R(4)),
    at(R(3, 4), axis=0),
    at(R(3, 4), 2),
    at(R(2, 4), 0),
)

# --- what carries no derivative ---

constant(np.sign, np.floor, np.ceil, np.trunc, np.rint, np.fix, np.round, np.around, np.ndarray.round, np.floor_divide)
constant(np.isnan, np.isinf, np.isfinite, np.isposinf, np.isneginf, np.isreal, np.iscomplex, np.signbit, np.spacing)
constant(np.isrealobj, np.iscomplexobj, np.isscalar, np.isclose, np.allclose, np.array_equal, np.array_equiv, np.isin)
constant(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
constant(np.logical_and, np.logical_or, np.logical_not, np.logical_xor, np.all, np.any, np.ndarray.all, np.ndarray.any)
constant(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift)
constant(np.argmax, np.argmin, np.argsort, np.argpartition, np.argwhere, np.nanargmax, np.nanargmin, np.lexsort)
constant(np.ndarray.argmax, np.ndarray.argmin, np.ndarray.argsort, np.ndarray.argpartition, np.ndarray.nonzero)
constant(np.nonzero, np.flatnonzero, np.count_nonzero, np.searchsorted, np.ndarray.searchsorted, np.digitize)
constant(np.shape, np.size, np.ndim, np.result_type, np.promote_types, np.can_cast, np.min_scalar_type)
constant(np.finfo, np.iinfo)
constant(np.shares_memory, np.may_share_memory, np.broadcast_shapes, np.array2string, np.array_repr, np.array_str)
constant(np.ndarray.shape, np.ndarray.size, np.ndarray.ndim, np.ndarray.dtype, np.ndarray.itemsize, np.ndarray.nbytes)
constant(np.ndarray.strides, np.ndarray.flags, np.dtype, np.errstate)
constant(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)

refuse(np.ndarray.flat, "it gives one element at a time; write np.ravel(x)")
refuse(np.ndarray.imag, "complex numbers carry no derivative here; keep the real and the imaginary part apart")
refuse(np.ndarray.base, "it is the array behind a view; name that array")
refuse(np.ndarray.data, "it is the array's memory; use the array")
