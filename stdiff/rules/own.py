"""Rules for the helpers that formulas use, so that a derivative can be derived again.

A helper that has no entry here (`others`, `cumprod_back`, `unmax` ...) is plain Python in the accepted language: it is
derived from its text, as a user's function is.
"""

import numpy as np

from stdiff.rules.table import POSITIVE, REAL, R, at, constant, elementwise, linear, rule
from stdiff.runtime import broadcast, cast, filled, ratio, scale, unbroadcast, unfilled
from stdiff.runtime_lists import dot, order, pick, relist, rezip, scaled, shares, total, unpick, unsum, unzip
from stdiff.runtime_numbers import (
    above,
    as_numbers,
    below,
    inside,
    polygamma,
    power_da,
    power_dadb,
    power_db,
    share,
    sinc_derivative,
)
from stdiff.runtime_reductions import before, count, on_diagonal, recurrence, recurrence_back, spread, ties, undiff
from stdiff.runtime_shapes import (
    cat,
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

constant(share, inside, below, above, as_numbers, ties, count, shares, order, horizontal, ramp)

# --- runtime: the second operand gives only its shape and dtype ---

linear(
    unbroadcast,
    lambda h, y, g, x, *others: broadcast(h, g),
    at(R(2, 3), np.ones(3)),
    at(R(4, 2, 3), np.ones((2, 1))),
)
linear(broadcast, lambda h, y, t, x, *others: unbroadcast(h, t), at(R(3), np.ones((2, 3))), at(R(), np.ones(2)))
linear(filled, lambda h, y, g, x: unfilled(h, g), at(R(2), np.ones(2)), at([R(2), R()], [np.ones(2), 1.0]))
linear(unfilled, lambda k, y, h, g: filled(k, h), at([R(2), R()], [np.ones(2), 1.0]), at(R(2), np.ones(2)))
linear(
    cast,
    lambda h, y, g, source, target: cast(h, target, source),
    at(R(2), np.ones(1, np.float64), np.ones(1, np.float64)),
)
elementwise(scale, lambda y, g, d: (d, g), REAL, REAL)
elementwise(ratio, lambda y, a, b: (ratio(1.0, b), -ratio(y, b)), REAL, POSITIVE)

# --- numbers ---

elementwise(
    power_da,
    lambda y, a, b, n=1: (power_da(a, b, n + 1), power_dadb(a, b, n)),
    POSITIVE,
    REAL,
    at(R(3), 2),
    at(R(3), 4, 2),
    at(R(3, domain=POSITIVE), R(3), 3),
)
elementwise(power_db, lambda z, y, a: (power_db(1.0, a), ratio(y, a)), REAL, POSITIVE)
elementwise(sinc_derivative, lambda y, x, n=1: sinc_derivative(x, n + 1), REAL, at(R(5), 3))
elementwise(
    polygamma, lambda y, n, x: (None, polygamma(n + 1, x)), at(0, R(domain=POSITIVE)), at(2, R(domain=POSITIVE))
)

# --- reductions ---

linear(
    spread,
    lambda h, y, g, x, axis=None, keepdims=False, where=True: unbroadcast(
        np.sum(h, axis=axis, keepdims=keepdims, where=where), g
    ),
    at(R(), np.ones((2, 3))),
    at(R(2), np.ones((2, 3)), axis=-1),
    at(R(1, 3), np.ones((2, 3)), axis=0, keepdims=True),
    at(R(2), np.ones((2, 3)), axis=1, where=np.array([True, False, True])),
)
rule(
    recurrence,
    lambda g, y, a, b: (before(y, 0.0) * recurrence_back(a, g), recurrence_back(a, g)),
    at(R(4), R(4)),
    at(R(2, 3), R(2, 3)),
    pushforward=lambda t, y, a, b: (recurrence(a, before(y, 0.0) * t), recurrence(a, t)),
)
linear(undiff, lambda h, y, g, n=1, axis=-1: np.diff(h, n, axis), at(R(3)), at(R(2, 3), 2, 0))
linear(
    on_diagonal,
    lambda h, y, g, x, offset=0, axis1=0, axis2=1: unbroadcast(np.diagonal(h, offset, axis1, axis2), g),
    at(R(2), np.ones((2, 3)), 1),
    at(R(1), np.ones((3, 3))),
)

# --- shapes ---

linear(
    uncat,
    lambda h, y, g, arrays, axis=0, lift=None: cat(h, arrays, axis, lift),
    at(R(5), [np.ones(2), np.ones(3)]),
    at(R(3, 2), [np.ones(2), np.ones((2, 2))], 0, np.atleast_2d),
)
linear(
    cat,
    lambda h, y, parts, arrays, axis=0, lift=None: uncat(h, arrays, axis, lift),
    at([R(2), R(3)], [np.ones(2), np.ones(3)]),
)
linear(unstack, lambda h, y, g, arrays, axis=0: np.stack(filled(h, arrays), axis), at(R(3, 2), [np.ones(3)] * 2, 1))
linear(unarray, lambda h, y, g, x: np.array(filled(h, x)), at(R(2, 3), [np.ones(3)] * 2), at(R(2), np.ones(2)))
linear(unlist, lambda h, y, g, x: h.tolist(), at([R(), R()], np.ones(2)))
linear(unitem, lambda h, y, g, x, *index: h.item(*index), at(R(), np.ones((2, 3)), 1, 2), at(R(), np.ones(1)))
linear(untranspose, lambda h, y, g, axes: h.transpose(*axes), at(R(2, 3, 4), (1, 2, 0)), at(R(2, 3), ()))
linear(
    unrepeat,
    lambda h, y, g, x, repeats, axis=None: np.repeat(h, repeats, axis),
    at(R(4), np.ones(2), 2),
    at(R(3, 2), np.ones((2, 2)), [1, 2], 0),
)
linear(untile, lambda h, y, g, x, reps: np.tile(h, reps), at(R(2, 6), np.ones(3), (2, 2)))
linear(
    unpad,
    lambda h, y, g, x, pad_width, mode="constant": np.pad(h, pad_width, mode),
    at(R(5), np.ones(3), 1),
    at(R(5), np.ones(3), 1, "reflect"),
)

# --- lists ---

linear(unsum, lambda h, y, g, iterable: broadcast(total(h), g), at(R(), [1.0, 2.0]), at(R(2), [1.0, np.ones(2)]))
linear(total, lambda h, y, t: unsum(h, t), at([R(), R()]), at([R(3), R(3)]), at(R(2, 3)))
rule(
    scaled,
    lambda h, y, g, parts: (dot(h, parts), scaled(g, h)),
    at(R(), [R(), R()]),
    at(R(), R(3)),
    pushforward=lambda t, y, g, parts: (scaled(t, parts), scaled(g, t)),
)
rule(
    dot,
    lambda h, y, t, parts: (scaled(h, parts), scaled(h, t)),
    at([R(), R()], [R(), R()]),
    pushforward=lambda t_dot, y, t, parts: (dot(t_dot, parts), dot(t, t_dot)),
)
linear(
    pick, lambda h, y, values, places: unpick(h, values, places), at([R(), R(), R()], [2, 0, 1]), at(R(3), [1, 2, 0])
)
linear(unpick, lambda h, y, g, x, places: pick(h, places), at([R(), R(), R()], [1.0, 2.0, 3.0], [2, 0, 1]))
linear(relist, lambda h, y, g, x: list(h), at([R(), R()], np.ones(2)), at([R(), R()], (1.0, 2.0)))
linear(rezip, lambda g, y, columns: list(unzip(g, columns)), at([[R(), R()], [R()]]))
linear(unzip, lambda h, y, g, iterables: rezip(h), at([(R(), R())], ([1.0, 2.0], [3.0])))
