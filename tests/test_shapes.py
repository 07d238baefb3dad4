"""Arrays that have one shape: none is recorded for its shape alone, and different shapes are never taken for one."""

import numpy as np
import pytest

import stdiff
from tests.differences import gradient

COLUMN, ROW, POINT = np.array([[0.3], [1.2]]), np.array([0.7, -0.4, 1.1]), np.array([0.9])


def reduced(x):
    return np.mean(x * x * x)


def loss(w, X, y):
    r = X @ w - y
    return np.mean(r * r * r)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total = total + np.sum(np.sin(k * x) * x)
    return total


def twice(x, A, b):
    wide = product(A, x)
    narrow = product(b, x)
    return np.sum(wide * narrow * narrow)


def product(a, b):
    y = a @ b
    return y  # noqa: RET504


def clash(x, row):
    y = x * x
    return inner(y, row)


def inner(a, b):
    y = a * b
    return np.sum(y * a * y)


def growing(x, row):
    y = x
    for _ in range(2):
        z = y * 2.0
        y = y * row
        x = x + np.sum(z * y)
    return np.sum(x * y)


def branches(x, row):
    y = x * x
    if x[0] > 0.0:
        y = x * row
    return np.sum(y * x * y)


def early(x, row):
    y = x * row
    if np.sum(y) > 100.0:
        return np.sum(y)
    z = np.sin(y)
    return np.sum(z * x)


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def of_powers(x):
    return np.sum(power(x, 0) * x + power(x, 2))


def even(x, n):
    return x if n == 0 else odd(x * 2.0, n - 1)


def odd(x, n):
    return np.sum(x) if n == 0 else even(x * x, n - 1)


def in_turns(x):
    return np.sum(even(x, 1) * x) + np.sum(even(x, 2) * x) + np.sum(odd(x, 2) * x)


CASES = [
    (power, (0.7, 3)), (of_powers, (ROW,)), (in_turns, (ROW,)), (in_turns, (COLUMN,)),
    (reduced, (COLUMN,)), (loss, (ROW, COLUMN * ROW, POINT)), (in_a_loop, (ROW,)),
    (twice, (ROW, COLUMN * ROW, ROW.reshape(1, 3))),
    (clash, (POINT, ROW)), (clash, (COLUMN, ROW)), (growing, (POINT, ROW)), (branches, (POINT, ROW)),
    (branches, (-POINT, ROW)), (early, (POINT, ROW)), (early, (200.0 * POINT, ROW)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), CASES)
def test_gradients(function, args):
    found = stdiff.grad(function)(*args)
    assert np.shape(found) == np.shape(args[0])
    expected = gradient(function, args, 0, 1.0)
    np.testing.assert_allclose(np.reshape(found, -1), np.reshape(expected, -1), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("function", "args", "saved"),
    [
        (reduced, (COLUMN,), "return np.mean(t1 * x), (x, t1)"),
        (loss, (ROW, COLUMN * ROW, np.ones(2)), "return np.mean(t2 * r), (w, X, t1, r, t2)"),
    ],
)
def test_what_is_recorded(function, args, saved):
    slope = stdiff.grad(function)
    slope(*args)
    assert saved in slope.forward_source


def test_a_stand_in_keeps_single_precision():
    x = COLUMN.astype(np.float32)
    assert stdiff.grad(reduced)(x).dtype == np.float32
    assert stdiff.grad(lambda x: np.sum(x * np.float64(3.0) * x))(x).dtype == np.float32
