"""Shapes and dtypes that meet: numbers, 0-d arrays, rows, columns, matrices, float32."""

import numpy as np

from tests.corpus.case import program
from tests.corpus.prelude import M3, POS, V3, M

ROW = np.array([0.5, -1.0, 2.0])
COLUMN = np.array([[0.7], [1.5]])


@program(1.5, np.array([1.0, 2.0, 3.0]))
def number_to_the_power_of_array(x, y):
    return np.sum(x**y)


@program(1.5, np.array([1.0, 2.0, 3.0]), expect=6.0)
def number_times_array(x, y):
    return np.sum(np.multiply(x, y))


@program(np.array([1.0, 2.0], dtype=np.float32), expect=[2.0, 4.0])
def float32_stays(x):
    return np.sum(x * x)


@program(np.array([1, 2, 3]), refused=True)
def int_array(x):
    return np.sum(x * x)


@program(np.array([True, False]), refused=True)
def bool_array(x):
    return np.sum(x * 2.0)


@program(2, expect=12.0)
def int_number(x):
    return x**3


@program(V3.copy(), 2.0)
def array_and_number(x, k):
    return k * x + k / x - x**k


@program(ROW.copy(), COLUMN.copy())
def row_and_column(row, column):
    return row * column + column


@program(COLUMN.copy(), M.copy())
def column_and_matrix(column, A):
    return np.sum(A / column) + np.sum(column - A)


@program(ROW.copy(), M.copy())
def row_and_matrix(row, A):
    return A * row * row


@program(M.copy(), ROW.copy())
def matrix_minus_its_mean(A, row):
    centred = A - np.mean(A, axis=0)
    return centred * row


@program(np.array(1.5))
def zero_dimensional(x):
    return x * np.sin(x)


@program(np.array(1.5), np.array([1.0, 2.0]))
def zero_dimensional_and_array(x, y):
    return x * y + x


@program(np.float64(1.5))
def numpy_scalar(x):
    return x * np.sin(x)


@program(np.array([1.5]))
def one_element(x):
    return np.sum(x * ROW) * x[0]


@program(np.array([[1.5]]))
def one_by_one(x):
    return x * M


@program(np.ones((2, 1)), np.ones((1, 3)) * 2.0)
def both_stretched(a, b):
    return np.sum((a + b) ** 2 * M)


@program(np.array([1.0, 2.0, 3.0]), np.arange(12.0).reshape(2, 2, 3) / 5.0)
def dimensions_added(x, A):
    return np.sum(A * x) * x[0]


@program(ROW.copy(), 0.7)
def maximum_with_number(x, k):
    return np.maximum(x, k) * np.minimum(k, x * x)


@program(COLUMN.copy(), ROW.copy())
def maximum_of_row_and_column(column, row):
    return np.maximum(column, row) * 2.0


@program(ROW.copy(), 0.7)
def where_with_number(x, k):
    return np.where(x > 0.0, x * k, k)


@program(COLUMN.copy(), ROW.copy())
def where_of_row_and_column(column, row):
    return np.where(M > 0.5, column, row * row)


@program(np.array([0.0, 4.0, 9.0]), expect=[0, 1 / 4, 1 / 6], smooth=False)
def where_hides_an_infinite_slope(x):
    safe = np.where(x > 0.0, x, 1.0)
    return np.sum(np.where(x > 0.0, np.sqrt(safe), 0.0))


@program(POS[:3].copy(), POS.reshape(2, 3).copy())
def power_of_row_to_matrix(row, A):
    return row**A


@program(POS.reshape(2, 3)[:, :1].copy(), 2.5)
def power_of_column(column, k):
    return column**k * ROW


@program(ROW.copy(), COLUMN.copy())
def division_both_ways(row, column):
    return row / column + column / row


@program(ROW.copy())
def number_on_the_left(x):
    return 2.0 - x + 3.0 / x - 2.0**x


@program(ROW.copy())
def int_constants(x):
    return 2 * x - x / 4 + x**2 - (x + 1) // 1 * 0


@program(1.5)
def number_spread_over_array(x):
    return x * np.ones((2, 3)) + M


@program(1.5)
def number_and_array_in_a_branch(x):
    y = x * ROW if x > 1.0 else x
    return y * x


@program(1.5)
def number_becomes_array_in_a_loop(x):
    y = x
    for i in range(3):
        y = y * ROW + x
    return y


@program(np.array([1.0, 2.0, 3.0], np.float32), np.array([0.5, 1.5, -1.0]))
def float32_with_float64(x, y):
    return np.sum(x * y)


@program(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
def float32_matrix(A):
    return np.tanh(A @ A.T / np.float32(10)) * np.float32(2)


@program(np.array([1.0, 2.0, 3.0], np.float32))
def float32_loop(x):
    y = x
    for i in range(3):
        y = np.sin(y) * x
    return np.sum(y)


@program(np.float32(1.5))
def float32_scalar(x):
    return x * x


@program(M3.copy(), ROW.copy())
def matrix_times_row_and_column(A, row):
    return (A * row) @ row + (A * row[:, None]).T @ row


@program(ROW.copy())
def comparison_masks_as_numbers(x):
    return np.sum(x * x * (x > 0.0)) + np.sum((x < 0.0) * x)


@program(M.copy())
def normalized_rows(A):
    return A / np.sqrt(np.sum(A * A, axis=1, keepdims=True))


@program(M.copy())
def softmax_of_rows(A):
    shifted = A - np.max(A, axis=1, keepdims=True)
    e = np.exp(shifted)
    return e / np.sum(e, axis=-1, keepdims=True)


@program(np.zeros((0,)))
def nothing(x):
    return np.sum(x * 2.0)


@program(np.array([1.5, 2.5]))
def broadcast_then_reduced(x):
    return np.sum(x[:, None] + np.zeros((2, 4)), axis=1) * x
