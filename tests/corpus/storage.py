"""Programs that write into arrays, containers and objects.

To refuse one is as good as to be right; a wrong number is not.
"""

import functools

import numpy as np

from tests.corpus.case import program
from tests.corpus.prelude import IDX, M3, V3, Pair, V

writes = functools.partial(program, may_refuse="it writes into storage")


@writes(1.5, expect=6.0)
def list_append(x):
    l = []
    for i in range(3):
        l.append(x * i)
    return l[2] * x


@writes(1.5, expect=3 * 1.5**2)
def dict_item_assigned(x):
    d = {}
    d["a"] = x * x
    return d["a"] * x


@writes(np.array([1.0, 2.0, 3.0]), expect=[2, 4, 6])
def local_array_filled(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * x[i]
    return np.sum(y)


@writes(np.array([1.0, 2.0, 3.0]))
def overwrites_a_used_value(x):
    y = x * x
    s = y[0] * y[0]
    y[0] = x[1]
    return s + y[0] * y[1]


@writes(np.array([1.0, 2.0, 3.0]))
def slice_assigned_a_number(x):
    y = np.zeros(3)
    y[:] = x[0] * x[1]
    return np.sum(y * x)


@writes(np.array([1.0, 2.0, 3.0]), expect=[2, 4, 6])
def element_augmented(x):
    y = np.zeros(3)
    for i in range(3):
        y[0] += x[i] * x[i]
    return y[0]


@writes(np.array([1.0, 2.0, 3.0]), expect=[3, 5, 7])
def array_augmented(x):
    y = x * 1.0
    y += x * x
    return np.sum(y)


@writes(np.array([1.0, 2.0, 3.0]), expect=[12, 60, 168])
def alias_augmented(x):
    z = x * 1.0
    y = z
    y += x * x
    return np.sum(z * z)


@writes(M3.copy())
def rows_augmented(x):
    A = x * 1.0
    for row in A:
        row *= 2.0
    return np.sum(A * A)


@writes(np.array([1.0, 2.0, 3.0]), expect=[10, 12, 27])
def operand_overwritten_after_use(x):
    y = x * 1.0
    z = y * y
    y[0] = 5.0
    return np.sum(z * y)


@writes(np.array([1.0, 2.0, 3.0]), expect=[2, 4, 6])
def out_keyword(x):
    y = np.zeros(3)
    np.multiply(x, x, out=y)
    return np.sum(y)


def embedded(A):
    B = np.zeros((4, 4))
    B[:2, :2] = A
    return B.sum()


@writes(np.ones((2, 2)), expect=np.ones((2, 2)))
def callee_fills_zeros(A):
    return embedded(A)


@writes(np.ones(3), expect=[3, 4, 3])
def constant_buffer_refilled_one_by_one(x):
    buf = np.zeros(3)
    ys = 0.0
    for i in range(3):
        buf[i] = i + 1.0
        ys = ys + np.dot(buf, x)
    return ys


@writes(V3.copy())
def constant_buffer_after_use(x):
    buf = np.ones(3)
    y = x * buf
    buf[:] = 7.0
    return np.sum(y * buf)


@writes(V3.copy())
def argument_written(x):
    y = np.sum(x * x)
    x[0] = 4.0
    return y + np.sum(x * x)


@writes(V3.copy())
def argument_augmented(x):
    x *= 2.0
    return np.sum(x * x)


def doubles_in_place(a):
    a *= 2.0


@writes(V3.copy())
def callee_writes_its_argument(x):
    y = x * x
    doubles_in_place(y)
    return np.sum(y * x)


@writes(V3.copy())
def view_written(x):
    y = x * 1.0
    head = y[:2]
    head[0] = x[2] * x[2]
    return np.sum(y * y)


@writes(M3.copy())
def transpose_written(A):
    B = A * 1.0
    B.T[0] = A[0] * 2.0
    return np.sum(B * B)


@writes(M3.copy())
def reshape_written(A):
    B = A * 1.0
    flat = B.reshape(-1)
    flat[4] = A[0, 0] ** 2
    return np.sum(B * B)


@writes(M3.copy())
def ravel_written(A):
    B = A * 1.0
    np.ravel(B)[1] = 0.0
    return np.sum(B * B)


@writes(V3.copy())
def fancy_assignment(x):
    y = np.zeros(3)
    y[IDX] = x
    return np.sum(y * x)


@writes(V3.copy())
def fancy_augmentation(x):
    y = np.zeros(3)
    y[IDX] += x
    return np.sum(y * x)


@writes(V.copy())
def mask_assignment(x):
    y = x * x
    y[x < 0.5] = 0.0
    return np.sum(y * x)


@writes(V.copy())
def sorted_in_place(x):
    y = x * 1.0
    y.sort()
    return np.sum(y * np.arange(6.0))


@writes(V.copy())
def fill_method(x):
    y = x * x
    s = np.sum(y)
    y.fill(2.0)
    return s * np.sum(y)


@writes(V3.copy())
def copyto(x):
    y = np.zeros(3)
    np.copyto(y, x * x)
    return np.sum(y)


@writes(V3.copy())
def add_at(x):
    y = np.zeros(3)
    np.add.at(y, IDX, x)
    return np.sum(y * x)


@writes([1.5, 2.0])
def list_item_assigned(xs):
    ys = [xs[0], xs[1]]
    ys[0] = ys[1] * ys[0]
    return ys[0] * ys[1]


@writes([1.5, 2.0])
def argument_list_item_assigned(xs):
    y = xs[0] * xs[0]
    xs[0] = 3.0
    return y * xs[0] * xs[1]


@writes(1.5)
def list_extended_and_popped(x):
    ys = [x]
    ys.extend([x * x, x**3])
    last = ys.pop()
    ys.insert(0, 2.0)
    return last * ys[0] * ys[-1]


@writes(1.5)
def list_augmented(x):
    ys = [x]
    zs = ys
    ys += [x * x]
    return zs[0] * zs[1]


@writes(1.5)
def list_sorted_in_place(x):
    ys = [x * x, x, 1.0]
    ys.sort()
    return ys[0] + 2.0 * ys[1] + 3.0 * ys[2]


@writes({"a": 1.5, "b": 2.0})
def dict_updated(d):
    e = dict(d)
    e.update(a=d["b"] * d["a"])
    e["c"] = e.pop("b")
    return e["a"] * e["c"]


@writes({"a": 1.5, "b": 2.0})
def argument_dict_written(d):
    d["a"] = d["a"] * d["b"]
    return d["a"] * d["b"]


@writes(1.5)
def dict_counted(x):
    d = {}
    for k in ("a", "b", "a"):
        d[k] = d.get(k, 0.0) + x
    return d["a"] * d["b"]


@writes(1.5)
def setdefault(x):
    d = {}
    d.setdefault("a", x * x)
    d.setdefault("a", x)
    return d["a"]


@writes(Pair(1.5, 2.0))
def attribute_of_argument_assigned(p):
    p.first = p.first * p.second
    return p.first * p.second


@writes(1.5)
def attribute_of_local_assigned(x):
    p = Pair(x, 2.0)
    p.second = x * x
    return p.first * p.second


@writes(1.5)
def attribute_augmented(x):
    p = Pair(x, 2.0)
    p.first += x * x
    return p.first * p.second


@writes(V3.copy())
def result_is_written_alias(x):
    y = x * 1.0
    z = y
    z[1] = 0.0
    return y


@writes(V3.copy())
def array_in_a_list_written(x):
    rows = [x * 1.0, x * 2.0]
    for row in rows:
        row[0] = x[1]
    return np.sum(rows[0] * rows[1])


@writes(V3.copy())
def array_swapped_in_place(x):
    y = x * 1.0
    y[0], y[1] = y[1], y[0]
    return np.sum(y * np.arange(3.0))


@writes(1.5)
def nested_list_written(x):
    table = [[0.0] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            table[i][j] = x ** (i + j)
    return table[1][1] * table[0][1]


@writes(1.5)
def row_shared_by_multiplication(x):
    table = [[0.0, 0.0]] * 2
    table[0][0] = x
    return table[1][0] * x


@writes(np.array([0.3, 0.5, 0.2]))
def recurrence_in_an_array(x):
    h = np.zeros(6)
    h[0] = x[0]
    for t in range(1, 6):
        h[t] = np.tanh(x[1] * h[t - 1] + x[2])
    return np.sum(h)


@writes(V3.copy())
def augmented_by_itself(x):
    y = x * 1.0
    y += y
    y *= y
    return np.sum(y)


@writes(V3.copy())
def augmented_argument_of_number_or_array(x):
    s = x[0] * 1.0
    s += x[1]
    t = x[:2] * 1.0
    t += x[1:]
    return s * np.sum(t)


@writes(V3.copy())
def overlapping_views(x):
    y = np.zeros(4)
    y[1:] = x
    y[:-1] = y[1:] * 2.0
    return np.sum(y * np.arange(4.0))


@writes(V3.copy())
def real_part_written(x):
    y = x * 1.0
    y.real[0] = 5.0
    return np.sum(y * y)


@writes(V3.copy())
def resized_by_flat(x):
    y = x * 1.0
    y.flat[1] = x[0]
    return np.sum(y * y)


@writes(V3.copy())
def atleast_view_written(x):
    y = x * 1.0
    z = np.atleast_2d(y)
    z[0, 0] = 3.0
    return np.sum(y * y)


@writes(V3.copy())
def asarray_is_the_same_array(x):
    y = x * 1.0
    z = np.asarray(y)
    z[0] = x[1] * x[2]
    return np.sum(y * y)


@writes(V3.copy())
def a_copy_is_not_shared(x):
    y = x * 1.0
    z = y.copy()
    z[0] = 100.0
    return np.sum(y * y)


@writes(V3.copy())
def written_in_one_branch(x):
    y = x * x
    if x[0] > 0.0:
        y[0] = x[1]
    else:
        y[1] = x[0]
    return np.sum(y * x)


@writes(V3.copy())
def deleted_item(x):
    ys = [x[0], x[1], x[2]]
    del ys[1]
    return ys[0] * ys[1]


@writes(1.5)
def setattr_builtin(x):
    p = Pair(x, 2.0)
    setattr(p, "second", x * x)
    return p.first * p.second


@writes(1.5)
def closure_appends(x):
    seen = []

    def note(a):
        seen.append(a)
        return a * a

    y = note(x) + note(x * x)
    return y * seen[1]


def counting(a, box=[0.0]):
    box[0] = box[0] * 0.0 + a
    return a * box[0]


@writes(1.5)
def mutable_default(x):
    return counting(x) * x


@writes(1.5)
def global_array_written(x):
    SCRATCH[0] = x * x
    return SCRATCH[0] * x


SCRATCH = np.zeros(2)


@writes(V3.copy())
def put_function(x):
    y = x * 1.0
    np.put(y, [0, 2], x[1])
    return np.sum(y * y)


@writes(V3.copy())
def fill_diagonal(x):
    A = np.ones((3, 3))
    np.fill_diagonal(A, x)
    return np.sum(A @ x)


@writes(V3.copy())
def where_keyword_with_out(x):
    y = np.ones(3)
    np.multiply(x, x, out=y, where=x > 1.5)
    return np.sum(y * x)


@writes(V3.copy())
def method_out_keyword(x):
    y = np.zeros(())
    x.sum(out=y)
    return y * x[0]


@writes(V3.copy())
def written_by_iteration_variable(x):
    ys = [x * 1.0, x * x]
    for i, y in enumerate(ys):
        y += i + x
    return np.sum(ys[0] * ys[1])


@writes(V3.copy())
def written_by_unpacked_name(x):
    a, b = x * 1.0, x * x
    pair = (a, b)
    c, _ = pair
    c[0] = 9.0
    return np.sum(a * b)


@writes(V3.copy())
def written_through_keyword_argument(x):
    y = x * x
    fill_first(value=x[1], a=y)
    return np.sum(y * x)


def fill_first(a, value):
    a[0] = value


@writes(V3.copy())
def written_through_star_arguments(x):
    y = x * x
    args = (y, x[1])
    fill_first(*args)
    return np.sum(y * x)


def first_row(A):
    return A[0]


@writes(M3.copy())
def callee_returns_a_view_that_is_written(A):
    B = A * 1.0
    row = first_row(B)
    row[:] = A[1] * 2.0
    return np.sum(B * B)
