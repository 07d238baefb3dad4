"""Writes into arrays that a function made itself: the derivative in both modes, against central differences."""

import numpy as np
import pytest

import stdiff

X = np.array([0.3, 0.5, 0.7, 0.2, 0.9])


def filled_one_by_one(x):
    y = np.zeros(5)
    for i in range(5):
        y[i] = x[i] * x[i]
    return np.sum(y * y)


def overwritten_after_it_was_read(x):
    y = x * x
    s = y[0] * y[0]
    y[0] = x[1]
    return s + y[0] * y[1]


def slice_filled_with_a_number(x):
    y = np.zeros(5)
    y[1:] = x[0] * x[1]
    return np.sum(y * x)


def updated_as_a_whole(x):
    y = x * 1.0
    y += x * x
    y *= x
    y /= 2.0 + x
    return np.sum(y)


def used_before_and_after(x):
    y = x * 1.0
    z = y * y
    y[0] = 5.0
    return np.sum(z * y)


def heat(x):
    u = x.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u * u)


def recurrence(x):
    y = np.zeros(5)
    y[0] = x[0]
    for i in range(1, 5):
        y[i] = y[i - 1] * x[i] + np.sin(y[i - 1])
    return y[4] * y[1]


def table(x):
    A = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            A[i, j] = x[i] * x[j] + (A[i - 1, j] * A[i, j - 1] if i and j else 1.0)
    return np.sum(A)


def elimination(x):
    A = np.outer(x, x) + 3 * np.eye(5)
    for k in range(5):
        for i in range(k + 1, 5):
            A[i, k] = A[i, k] / A[k, k]
            A[i, k + 1 :] = A[i, k + 1 :] - A[i, k] * A[k, k + 1 :]
    return np.sum(A * A)


def constant_buffer_refilled(x):
    buffer = np.zeros(5)
    total = 0.0
    for i in range(5):
        buffer[i] = i + 1.0
        total = total + np.dot(buffer, x)
    return total


def written_after_the_loop_that_used_it(x):
    y = x + 0.1
    for _ in range(3):
        y = y * 0.9
        x = x + np.cos(y * x)
    y[2] = x[0]
    return np.sum(y * y) + np.sum(x)


def copied_then_written(x):
    y = x + 0.1
    z = y + 0.1
    y[0] = np.sum(z * z)
    return np.sum(y * y) + np.sum(z * z)


def jumps_between_writes(x):
    y = x * x
    for i in range(5):
        if i == 1:
            continue
        y[i] -= y[i - 1] * x[0]
        if y[i] > 5:
            break
        y[i] /= 2 + y[i] ** 2
    return np.sum(y)


PROGRAMS = [
    filled_one_by_one, overwritten_after_it_was_read, slice_filled_with_a_number, updated_as_a_whole,
    used_before_and_after, heat, recurrence, table, elimination, constant_buffer_refilled,
    written_after_the_loop_that_used_it, copied_then_written, jumps_between_writes,
]  # fmt: skip


def differences(f):
    steps = 1e-6 * np.eye(5)
    return np.array([(f(X + step) - f(X - step)) / 2e-6 for step in steps])


@pytest.mark.parametrize("f", PROGRAMS)
def test_reverse(f):
    x = X.copy()
    value, pullback = stdiff.vjp(f, x)
    assert value == f(X)
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], differences(f), rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("f", PROGRAMS)
def test_forward(f):
    x, direction = X.copy(), np.cos(np.arange(5.0))
    value, tangent = stdiff.jvp(f, (x,), (direction,))
    assert value == f(X)
    np.testing.assert_allclose(tangent, differences(f) @ direction, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(x, X)


def test_whole_numbers_are_refused():
    def f(x):
        y = np.zeros(3, dtype=int)
        y[0] = x[0] * 3
        return np.sum(y * x[0])

    for derivative in (stdiff.grad(f), stdiff.jacfwd(f)):
        with pytest.raises(stdiff.StdiffError, match="array of int64"):
            derivative(X)
