"""Programs whose point is the NumPy function that they call, as people call it.

The rules of the functions have tests of their own.
"""

import math

import numpy as np
import scipy.linalg as spl
import scipy.special as sps
import scipy.stats as sst

from tests.corpus.case import program
from tests.corpus.prelude import M3, POS, V3, M, S, V

LATER = "a rule that may not be written yet"


@program(np.array([1.0, 2.0, 3.0]), expect=[1, 1, 1])
def sum_method(x):
    return x.sum()


@program(M3.copy())
def reshape_method(x):
    y = x.reshape((9,))
    return np.sum(y * y)


@program(1.5, expect=math.cos(1.5))
def math_sin(x):
    return math.sin(x)


@program(np.array([1.0, 2.0, 3.0]), expect=[1, 1, 1])
def absolute(x):
    return np.sum(np.abs(x))


@program(np.array([1.0, 2.0, 3.0]), expect=[1, 1, 1])
def subtract(x):
    return np.sum(np.subtract(x, 1.0))


@program(np.array([1.0, 2.0, 3.0]), expect=[0, 0, 1])
def maximum_of_array(x):
    return np.max(x)


@program(np.array([1.0, 2.0, 3.0]), expect=[1 / 3, 1 / 3, 1 / 3])
def mean(x):
    return np.mean(x)


@program(M3.copy())
def sum_axis_keepdims(x):
    return np.sum(x * np.sum(x, axis=1, keepdims=True))


@program(np.array([1.0, 2.0, 3.0]))
def cumsum(x):
    return np.sum(np.cumsum(x) * x)


@program(M3.copy())
def solve(x):
    return np.sum(np.linalg.solve(x + np.eye(3), np.ones(3)))


@program(np.array([1.0, 2.0, 3.0]), expect=[3, 5, 7])
def stack(x):
    return np.sum(np.stack([x, x * x]))


@program(M3.copy(), expect=np.ones((3, 3)))
def dot_matrix_vector(x):
    return np.sum(np.dot(x, np.ones(3)))


@program(np.array([1.0, 2.0, 3.0]), expect=[2, 4, 6])
def einsum(x):
    return np.einsum("i,i->", x, x)


@program(np.array([1.0, 2.0, 3.0]), expect=[1 / 2, 1 / 3, 1 / 4])
def log1p(x):
    return np.sum(np.log1p(x))


@program(np.array([1.0, 2.0, 3.0]), expect=[-1, -1, -1])
def negative(x):
    return np.sum(np.negative(x))


@program(np.array([1.0, 2.0, 3.0]), expect=[2 / 5, 2 / 8, 2 / 13])
def arctan2(x):
    return np.sum(np.arctan2(x, 2.0))


@program(M3.copy(), expect=np.ones((3, 3)))
def eye(x):
    return np.sum(np.dot(x, np.eye(3)))


@program(np.array([1.0, 2.0, 3.0]), expect=[1, 4, 0])
def array_of_parts(x):
    return np.sum(np.array([x[0], x[1] * x[1]]))


@program(np.array([1.0, 2.0, 3.0]), expect=[-2, 0, 2])
def diff(x):
    return np.sum(np.diff(x) ** 2.0)


@program(np.array([1.0, 2.0, 3.0]), may_refuse=LATER)
def fft(x):
    return np.sum(np.abs(np.fft.fft(x)))


@program(np.array([1.0, 2.0, 3.0]), expect=[2, 4, 6])
def squeeze(x):
    return np.sum(np.squeeze(x) * x)


@program(0.0, expect=0.0, smooth=False)
def square_root_at_zero(x):
    return x * x**0.5


program(np.array([0.0, 2.0, 3.0]), expect=[6, 0, 0], name="numpy_calls.prod_with_zero")(np.prod)


@program(np.ones(3), expect=[4, 4, 4])
def broadcast_to(x):
    return np.sum(np.broadcast_to(x, (4, 3)))


@program(np.array([1.0, np.nan, 3.0]), expect=[0.5, 0, 0.5], may_refuse=LATER)
def nanmean(x):
    return np.nanmean(x)


@program(np.array([3.0, 5.0]), expect=[0, 1])
def flip(y):
    return np.flip(y)[0]


@program(np.array([3.0, 5.0]), expect=[6, 10])
def dot_method(y):
    return y.dot(y)


@program(np.array([1.0, 2.0]), expect=[1, 1])
def dot_of_a_constant(y):
    return np.sum(np.dot(np.eye(2), y))


program(0.0, expect=0.0, name="numpy_calls.sinc_at_zero")(np.sinc)
program(
    np.array([-np.inf, -np.inf]),
    expect=[0, 0],
    smooth=False,
    may_refuse=LATER,
    name="numpy_calls.logsumexp_of_minus_infinity",
)(sps.logsumexp)


@program(np.ones((2, 3)), expect=[[3, 3, 2], [12, 9, 5]])
def cumsum_axis(x):
    return np.sum(np.cumsum(x, axis=-1) * np.arange(6.0).reshape(2, 3))


@program(0.5, expect=1.0)
def clip_without_lower(x):
    return np.clip(x, None, 1.0)


@program(2 * np.ones((2, 2)), expect=8 * np.ones((2, 2)))
def prod_axis_tuple(x):
    return np.prod(x, axis=(0, 1))


@program(np.ones((2, 2)), expect=8 * np.ones((2, 2)))
def outer_of_matrices(x):
    return np.sum(np.outer(x, x))


@program(np.ones((2, 3)), expect=[[1, 0, 0], [0, 1, 0]])
def diag_of_rectangle(x):
    return np.sum(np.diag(x))


@program(np.array([[3.0, 1.0], [5.0, 2.0]]), may_refuse=LATER)
def qr(x):
    return np.sum(np.linalg.qr(x)[1])


@program(np.eye(2), expect=2 * np.ones((2, 2)), may_refuse=LATER)
def matrix_power(x):
    return np.sum(np.linalg.matrix_power(x, 2))


@program(np.array([1.0, -2.0]), expect=[1, -1])
def one_norm(x):
    return np.linalg.norm(x, 1)


@program(np.eye(2) * np.array([1.0, 2.0]), expect=[[-2, 0], [0, 1]], may_refuse=LATER)
def condition_number(x):
    return np.linalg.cond(x)


@program(np.eye(2), expect=np.zeros((2, 2)), smooth=False, may_refuse="the eigenvalues are equal")
def eigh_of_equal_eigenvalues(x):
    return np.sum(np.linalg.eigh(x)[1] @ np.linalg.eigh(x)[1].T)


@program(np.ones(2), expect=[1, 1], may_refuse=LATER)
def cho_solve(b):
    return np.sum(spl.cho_solve((np.eye(2), True), b))


@program(1.0, expect=-0.25, may_refuse=LATER)
def chi_squared(x):
    return sst.chi2.logpdf(x, 2.5)


@program(np.array([1.0, 2.0]), expect=[2, 0], may_refuse=LATER)
def take_along_axis(x):
    return np.sum(np.take_along_axis(x, np.array([0, 0]), 0))


@program(np.array([1.0, 2.0, 4.0]), expect=[1 / 3, 1 / 3, 1 / 3], may_refuse=LATER)
def average(x):
    return np.average(x)


@program(8.0, expect=1 / 12)
def cube_root(x):
    return np.cbrt(x)


@program(np.array([1.0, 2.0]), expect=[2, 4], may_refuse=LATER)
def vectorize(x):
    return np.sum(np.vectorize(lambda t: t**2)(x))


@program(np.array([1.0, 2.0]), expect=[1, 1], may_refuse=LATER)
def reduce_of_ufunc(x):
    return np.add.reduce(x)


@program(2.0, expect=6.0, may_refuse=LATER)
def polyval(x):
    return np.polyval([1.0, 2.0, 3.0], x)


@program(np.array([1.0, 2.0]), expect=[2, 2], may_refuse=LATER)
def block(x):
    return np.sum(np.block([[x, x]]))


@program(np.array([1.0, 2.0, 3.0]), expect=[0, 0, 1], may_refuse=LATER)
def triu_indices(x):
    return np.sum(np.triu_indices(2)[0] * x)


@program(0.0, expect=0.0, order=3)
def square_third_derivative_at_zero(x):
    return x**2


@program(0.0, expect=6.0, order=3)
def cube_third_derivative_at_zero(x):
    return x**3


@program(np.array([2.0, 2.0, 1.0]), expect=[0.5, 0.5, 0.0], smooth=False)
def tie_of_max(x):
    return np.max(x)


@program(1.0, expect=1.0, smooth=False)
def tie_of_maximum(x):
    return np.maximum(x, 1.0) + np.minimum(1.0, x)


@program(0.0, expect=0.0, smooth=False)
def abs_at_zero(x):
    return abs(x)


@program(np.zeros(2), expect=[0, 0], smooth=False)
def norm_at_zero(x):
    return np.linalg.norm(x)


@program(1.0, expect=1.0, smooth=False)
def clip_at_its_bound(x):
    return np.clip(x, 0.0, 1.0)


@program(V.copy())
def variance_and_deviation(x):
    return np.var(x) * np.std(x, ddof=1)


@program(M.copy())
def reductions_over_axes(A):
    return np.max(A, axis=0) * np.min(A) + np.prod(A, axis=0) - np.mean(A, axis=0)


@program(V.copy())
def log_sum_exp_by_hand(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


@program(M.copy())
def concatenations(A):
    B = np.concatenate([A, A * A], axis=1)
    C = np.vstack((A, 2.0 * A))
    return np.sum(B @ np.ones(6)) + np.sum(C[2] * C[0])


@program(V.copy())
def splits(x):
    a, b, c = np.split(x, 3)
    return np.sum(a * b * c)


@program(M.copy())
def shuffles_of_axes(A):
    B = np.transpose(A) @ A
    C = np.swapaxes(np.expand_dims(B, 0), 0, 2)
    return np.sum(np.moveaxis(C, 0, 1) ** 2)


@program(V.copy())
def rolls_and_tiles(x):
    return np.sum(np.roll(x, 2) * x) + np.sum(np.tile(x, 2) * np.repeat(x, 2)) + np.sum(np.pad(x, 1)[1:] ** 2)


@program(S.copy())
def determinant_and_inverse(A):
    return np.linalg.det(A) * np.trace(np.linalg.inv(A))


@program(S.copy())
def log_determinant(A):
    sign, logdet = np.linalg.slogdet(A)
    return sign * logdet


@program(S.copy())
def eigenvalues_of_symmetric(A):
    w, v = np.linalg.eigh(A @ A.T)
    return np.sum(w**2) + w[0]


@program(np.array([[2.0, 0.3], [0.4, 1.0]]))
def cholesky_of_a_gram_matrix(A):
    L = np.linalg.cholesky(A @ A.T + np.eye(2))
    return np.sum(L * np.array([[1.0, 0.0], [2.0, 3.0]]))


@program(M.copy())
def frobenius_and_singular(A):
    return np.linalg.norm(A) * np.linalg.norm(A[0], ord=2)


@program(POS.copy())
def elementary_functions(x):
    return np.sqrt(x) * np.log(x) + np.exp(-x) * np.sinh(x) / np.cosh(x) + np.arctan(x) ** 2 + np.log1p(x) * np.expm1(x)


@program(V.copy())
def where_and_clip(x):
    return np.sum(np.where(x > 0.5, x * x, -x)) + np.sum(np.clip(x, -0.3, 2.0) * x)


@program(M.copy(), np.arange(12.0).reshape(3, 4) / 7.0)
def matrix_products(A, B):
    return np.einsum("ij,jk->k", A, B) * np.sum(A @ B) + np.tensordot(A, B, axes=1)[0]


@program(V3.copy(), np.array([0.5, -1.0, 2.0]))
def products_of_vectors(a, b):
    return np.inner(a, b) * np.cross(a, b) + np.outer(a, b)[0] + np.kron(a, b)[:3]


@program(V.copy())
def triangular_parts(x):
    A = np.reshape(x[:4], (2, 2))
    return np.sum(np.triu(A) * np.tril(A @ A)) + np.sum(np.diag(x[:2]) ** 2)


@program(V.copy())
def constants_by_call(x):
    n = len(x)
    grid = np.linspace(0.0, 1.0, n)
    return np.sum(x * grid) + np.sum(np.ones_like(x) * x) * np.sign(x[0]) + np.floor(x[1]) * x[1] + np.zeros(n)[0]


@program(V.copy())
def copies_and_casts(x):
    y = np.asarray(x) + np.copy(x) * np.array(x)
    return np.sum(y.astype(np.float64) * x.flatten() * x.ravel())


@program(M.copy())
def constant_reads(A):
    order = np.argsort(A[0])
    return np.sum(A[:, order] * np.arange(3.0)) + np.sum(A > 0.0) * A[0, 0] + A.shape[1] * A[1, 1]


@program(1.5)
def math_module(x):
    return math.exp(x) * math.cos(x) + math.atan2(x, 2.0) + math.hypot(x, 1.0) + math.pow(x, 2.5) + math.fabs(-x)


@program(V3.copy())
def random_draw_is_a_constant(x):
    noise = np.random.default_rng(3).normal(size=3)
    return np.sum(x * x * noise)


@program(V3.copy(), may_refuse="a function without a rule")
def no_rule(x):
    return np.sum(np.unwrap(x) * x)
