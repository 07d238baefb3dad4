"""Reading parts of arrays: integers, slices, newaxis, ellipsis, integer arrays, masks."""

import numpy as np

from tests.corpus.case import program
from tests.corpus.prelude import IDX, IDX2, M3, V3, M, V


@program(np.array([1.0, 2.0, 3.0]), expect=[3, 0, 1])
def last_and_first(x):
    return x[-1] * x[0]


@program(np.array([1.0, 2.0, 3.0]), expect=[6, 4, 2])
def reversed_by_step(x):
    return np.sum(x[::-1] * x)


@program(M3.copy())
def ellipsis(x):
    y = x[..., 0]
    return np.sum(y * y)


@program(np.array([1.0, 2.0, 3.0]), expect=[2, 4, 6])
def newaxis(x):
    y = x[np.newaxis, :]
    return np.sum(y * y)


@program(np.array([1.0, 2.0, 3.0]), expect=[2, 0, 6])
def list_as_index(x):
    idx = [0, 2]
    y = x[idx]
    return np.sum(y * y)


@program(np.array([1.0, 2.0, 3.0]), expect=[2, 4, 0])
def slice_object(x):
    s = slice(0, 2)
    y = x[s]
    return np.sum(y * y)


@program(np.array([1.0, 2.0]), expect=[0, 4], smooth=False)
def mask(x):
    return np.sum(x[x > 1] ** 2)


@program(np.array([1.5, 0.5, 2.0]), expect=[3, 0, 4])
def mask_away_from_its_edge(x):
    return np.sum(x[x > 1] ** 2)


@program(V3.copy(), expect=[4.0, 0.0, 6.0])
def repeated_indices(x):
    return np.sum(x[IDX] ** 2)


@program(V3.copy())
def repeated_indices_array_result(x):
    return x[IDX] * x[[1, 1, 1]]


@program(V3.copy())
def negative_indices(x):
    return np.sum(x[np.array([-1, 0, -1])] * np.array([1.0, 2.0, 4.0]))


@program(M.copy())
def two_integer_arrays(A):
    return A[np.array([0, 1, 1]), IDX]


@program(M.copy())
def integer_and_slice(A):
    return A[1, :] * A[0, ::-1]


@program(M.copy())
def integer_array_and_slice(A):
    return np.sum(A[[0, 0, 1], 1:] ** 2)


@program(M3.copy())
def slice_and_integer_array(A):
    return A[1:, IDX2] * 2.0


@program(M3.copy())
def open_mesh(A):
    return np.sum(A[np.ix_([0, 2], [1, 1])] ** 2)


@program(M3.copy())
def element_by_tuple(A):
    i = (1, 2)
    return A[i] * A[0, 0] + A[2][1]


@program(M3.copy())
def index_of_index(A):
    return A[1:][0][::2][1] * A[0][1]


@program(M3.copy())
def diagonal_in_a_loop(A):
    s = 1.0
    for i in range(A.shape[0]):
        s = s * A[i, i] + A[i, -1 - i]
    return s


@program(V.copy())
def slices_with_step(x):
    return np.sum(x[1::2] * x[::2] + x[4::-2])


@program(V.copy())
def slice_bounds_computed(x):
    n = len(x)
    s = 0.0
    for k in range(1, n):
        s = s + np.sum(x[k:] * x[:-k]) / k
    return s


@program(V.copy())
def empty_slice(x):
    return np.sum(x[3:3]) + np.sum(x[10:]) + x[0]


@program(V.copy(), 2)
def index_argument(x, k):
    return x[k] * x[k + 1] * x[-k]


@program(V.copy())
def differences_by_slices(x):
    d = x[1:] - x[:-1]
    return np.sum(d * d)


@program(M.copy())
def row_read_twice(A):
    row = A[0]
    return np.sum(row * row) + row[1] * A[0, 1]


@program(M.copy())
def mask_of_matrix(A):
    return np.sum(A[A > 0.5]) + A[M < 0.0][0] ** 2


@program(M.copy())
def mask_of_rows(A):
    keep = np.array([True, False])
    return np.sum(A[keep] ** 3)


@program(V3.copy())
def mask_of_nothing(x):
    return np.sum(x[x > 100.0]) + x[0]


@program(M.copy())
def column_as_matrix(A):
    return A[:, [1]] * A


@program(V3.copy())
def outer_by_newaxis(x):
    return x[:, None] * x[None, :]


@program(M.copy())
def ellipsis_and_newaxis(A):
    return np.sum(A[..., None, 0] * A[:, None, 1])


@program(V3.copy())
def ellipsis_alone(x):
    return np.sum(x[...] * x)


@program(V3.copy())
def index_by_argmax(x):
    return x[np.argmax(x)] * x[np.argmin(x)]


@program(np.array([2.0, 0.5, 1.0]))
def index_by_argsort(x):
    y = x[np.argsort(x)]
    return y * np.array([1.0, 10.0, 100.0])


@program(V3.copy())
def many_reads_of_one_element(x):
    s = 0.0
    for i in range(5):
        s = s + x[1] * x[i % 3]
    return s


@program(np.arange(24.0).reshape(2, 3, 4) / 10.0)
def three_dimensions(A):
    return np.sum(A[1, ::2, -1] * A[0, 1:, 2]) + A[1, 1, 1] ** 2


@program(np.arange(24.0).reshape(2, 3, 4) / 10.0)
def separated_integer_arrays(A):
    return np.sum(A[[0, 1], :, [1, 3]] ** 2)


@program(V3.copy(), np.array([[0, 1], [2, 0]]))
def index_array_of_two_dimensions(x, index):
    return x[index] * 2.0 + x[index] ** 2


@program(M3.copy())
def transposed_view(A):
    return A.T[0] * A[0]


@program(V3.copy())
def bool_scalar_index(x):
    return np.sum(x[True] * 2.0) + x[np.int64(1)]


@program(V.copy())
def gather_then_scatter_free(x):
    order = [2, 0, 1, 5, 4, 3]
    y = x
    for _ in range(3):
        y = y[order] * x
    return np.sum(y)


@program(V.copy(), may_refuse="np.take has no rule yet")
def take_along_the_way(x):
    return np.take(x, [1, 1, 3]) * 2.0


@program(V3.copy(), expect=[2 * np.cos(1), 2 * np.cos(2), 2 * np.cos(3)])
def whole_slice(x):
    return x[:] * 2.0


@program(M3.copy())
def slice_of_slice_object_tuple(A):
    window = (slice(1, None), slice(None, 2))
    return np.sum(A[window] ** 2)
