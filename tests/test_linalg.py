"""Rules of numpy.linalg and of products at special points: singular matrices, equal values, ties, zeros, refusals."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import stdiff.rules.linalg
import stdiff.rules.own_linalg
import stdiff.rules.products  # noqa: F401
from stdiff.errors import StdiffError
from stdiff.rules.table import BindError, lookup, pull, push
from stdiff.runtime_linalg import singular_cofactor_dot

ROTATION = np.linalg.qr(np.random.default_rng(3).standard_normal((3, 3)))[0]
TWICE = ROTATION @ np.diag([1.0, 1.0, 3.0]) @ ROTATION.T
B = np.random.default_rng(4).standard_normal((3, 3))
COUNTING = np.arange(1.0, 10.0).reshape(3, 3)


def bar(function: Any, g: Any, *args: Any, **kwargs: Any) -> Any:
    """The cotangent of the first operand."""
    return pull(lookup(function), g, function(*args, **kwargs), args, kwargs)[0]


def dot(function: Any, t: Any, *args: Any, **kwargs: Any) -> Any:
    """The tangent of the result, the first operand's being `t`."""
    return push(lookup(function), (t,), function(*args, **kwargs), args, kwargs)


def differences(f: Callable[[Any], Any], x: Any, symmetric: bool = False) -> Any:
    """The gradient of a scalar function of a matrix by central differences; along symmetric directions if asked."""
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[index] = 1e-5
        if symmetric:
            e = (e + e.T) / 2
        gradient[index] = (f(x + e) - f(x - e)) / 2e-5
    return gradient


def minors(a: Any) -> Any:
    """The matrix of cofactors from its definition."""
    n = len(a)
    cofactors = [
        (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for i, j in product(range(n), range(n))
    ]
    return np.reshape(cofactors, (n, n))


# --- det, slogdet, pinv ---


@pytest.mark.parametrize(
    "a",
    [COUNTING, np.zeros((3, 3)), np.ones((3, 3)), np.eye(3), -np.eye(3), np.diag([0.0, 2.0, 3.0]), B, np.zeros((1, 1))],
)
def test_the_gradient_of_det_is_the_cofactors_even_where_it_is_zero(a: Any) -> None:
    expected = minors(a) if a.size > 1 else np.ones((1, 1))
    np.testing.assert_allclose(bar(np.linalg.det, 1.0, a), expected, atol=1e-12)
    np.testing.assert_allclose(dot(np.linalg.det, np.ones_like(a), a), expected.sum(), atol=1e-12)


def test_det_of_a_stack_in_which_one_matrix_is_singular() -> None:
    a = np.stack([B, COUNTING])
    expected = np.stack([2.0 * minors(B), 3.0 * minors(COUNTING)])
    np.testing.assert_allclose(bar(np.linalg.det, np.array([2.0, 3.0]), a), expected, atol=1e-12)


@pytest.mark.parametrize("a", [COUNTING, np.ones((3, 3)), np.eye(3), np.diag([0.0, 0.0, 3.0]), TWICE])
def test_the_second_derivative_of_det_where_singular_values_vanish_or_are_equal(a: Any) -> None:
    expected = (minors(a + 1e-5 * B) - minors(a - 1e-5 * B)) / 2e-5
    np.testing.assert_allclose(singular_cofactor_dot(B, a), expected, atol=1e-8)


def test_slogdet_of_a_singular_matrix_raises() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        bar(np.linalg.slogdet, (0.0, 1.0), np.ones((2, 2)))


def test_pinv_where_the_rank_is_held() -> None:
    column, row = B[:, :1], B[:1, :2]
    gradient = bar(np.linalg.pinv, B[:2], column @ row)
    expected = differences(lambda c: np.sum(B[:2] * np.linalg.pinv(c @ row)), column)
    np.testing.assert_allclose(gradient @ row.T, expected, rtol=1e-6)


# --- cholesky, eigh ---


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_takes_its_argument_as_symmetric(upper: bool) -> None:
    gradient = bar(np.linalg.cholesky, B, TWICE, upper=upper)
    expected = differences(lambda a: np.sum(B * np.linalg.cholesky(a, upper=upper)), TWICE, symmetric=True)
    np.testing.assert_allclose(gradient, gradient.T, atol=1e-12)
    np.testing.assert_allclose(gradient, expected, atol=1e-8)
    np.testing.assert_allclose(
        dot(np.linalg.cholesky, B, TWICE, upper=upper), dot(np.linalg.cholesky, B.T, TWICE, upper=upper)
    )


@pytest.mark.parametrize("a", [np.eye(3), TWICE, np.zeros((3, 3))])
def test_equal_eigenvalues_without_their_vectors(a: Any) -> None:
    w = np.linalg.eigh(a)[0]
    np.testing.assert_allclose(bar(np.linalg.eigh, (2 * w, 0.0), a), 2 * a, atol=1e-12)
    np.testing.assert_allclose(dot(np.linalg.eigh, B, a)[0].sum(), np.trace(B))


def test_the_projector_on_the_space_of_equal_eigenvalues() -> None:
    def loss(a: Any) -> Any:
        v = np.linalg.eigh(a)[1][:, :2]
        return np.sum(B * (v @ v.T))

    v = np.linalg.eigh(TWICE)[1]
    v_bar = np.hstack([(B + B.T) @ v[:, :2], np.zeros((3, 1))])
    expected = differences(loss, TWICE, symmetric=True)
    np.testing.assert_allclose(bar(np.linalg.eigh, (0.0, v_bar), TWICE), expected, atol=1e-8)
    np.testing.assert_array_equal(bar(np.linalg.eigh, (0.0, 2 * np.ones((2, 2))), np.eye(2)), np.zeros((2, 2)))
    np.testing.assert_allclose(bar(np.linalg.eigh, (0.0, (B + B.T) @ v), TWICE), np.zeros((3, 3)), atol=1e-12)


@pytest.mark.parametrize("a", [np.eye(3), TWICE])
def test_vectors_of_equal_eigenvalues_are_refused(a: Any) -> None:
    w, v = np.linalg.eigh(a)
    with pytest.raises(StdiffError, match="vectors"):
        bar(np.linalg.eigh, (0.0, B), a)
    with pytest.raises(StdiffError, match="vectors"):
        bar(np.linalg.eigh, (np.diag(v.T @ B @ v), (B + B.T) @ v * w), a)  # of sum(B * (V diag(w) V^T))
    assert np.isnan(dot(np.linalg.eigh, B, a)[1]).any()


def test_eigenvectors_apart_from_equal_eigenvalues_have_tangents() -> None:
    t = (B + B.T) / 2

    def last(a: Any) -> Any:
        v = np.linalg.eigh(a)[1][:, 2]
        return v * np.sign(v @ ROTATION[:, 2])

    expected = (last(TWICE + 1e-5 * t) - last(TWICE - 1e-5 * t)) / 2e-5
    sign = np.sign(np.linalg.eigh(TWICE)[1][:, 2] @ ROTATION[:, 2])
    np.testing.assert_allclose(sign * dot(np.linalg.eigh, t, TWICE)[1][:, 2], expected, atol=1e-8)


# --- svd ---


def polar(a: Any) -> Any:
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return u @ vh


@pytest.mark.parametrize("a", [np.eye(3), TWICE, TWICE[:, :2], TWICE[:2], np.eye(3)[:, :2], B])
def test_the_polar_factor_at_equal_singular_values(a: Any) -> None:
    g = B[: a.shape[0], : a.shape[1]]
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    gradient = bar(np.linalg.svd, (g @ vh.T, 0.0, u.T @ g), a, full_matrices=False)
    np.testing.assert_allclose(gradient, differences(lambda x: np.sum(g * polar(x)), a), atol=1e-7)


@pytest.mark.parametrize(("a", "t"), [(np.eye(3), B - B.T), (TWICE, B - B.T), (B, B.T), (B[:, :2], B[1:].T)])
def test_the_tangent_of_the_polar_factor_where_the_vectors_have_one(a: Any, t: Any) -> None:
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    u_dot, _, vh_dot = dot(np.linalg.svd, t, a, full_matrices=False)
    expected = (polar(a + 1e-5 * t) - polar(a - 1e-5 * t)) / 2e-5
    np.testing.assert_allclose(u_dot @ vh + u @ vh_dot, expected, atol=1e-7)


def test_singular_values_that_are_equal_without_their_vectors() -> None:
    s = np.linalg.svd(TWICE, compute_uv=False)
    np.testing.assert_allclose(bar(np.linalg.svd, 2 * s, TWICE, compute_uv=False), 2 * TWICE, atol=1e-12)
    np.testing.assert_allclose(bar(np.linalg.svd, (0.0, 2 * s, 0.0), TWICE), 2 * TWICE, atol=1e-12)


def test_singular_vectors_that_have_no_derivative_are_refused() -> None:
    with pytest.raises(StdiffError, match="two values are equal"):
        bar(np.linalg.svd, (B, 0.0, 0.0), np.eye(3))
    with pytest.raises(StdiffError, match="two values are equal"):
        bar(np.linalg.svd, (np.zeros((3, 3)), np.ones(3), 0.0), np.eye(3))
    with pytest.raises(StdiffError, match="without full rank"):
        bar(np.linalg.svd, (B[:, :2], 0.0, 0.0), np.outer(B[0], [1.0, 2.0]), full_matrices=False)
    u, _, vh = np.linalg.svd(np.diag([1.0, 0.0, 0.0]))
    with pytest.raises(StdiffError, match="without full rank"):
        bar(np.linalg.svd, (B @ vh.T, 0.0, u.T @ B), np.diag([1.0, 0.0, 0.0]))
    for form in (bar, dot):
        with pytest.raises(StdiffError, match="full_matrices"):
            form(np.linalg.svd, (0.0, np.ones(2), 0.0) if form is bar else B[:, :2], B[:, :2])
    assert np.isnan(dot(np.linalg.svd, B, np.eye(3))[0]).any()


# --- norm ---

NORMS: list[tuple[Any, tuple[int, ...]]] = [
    *product([None, 1, 2, np.inf, -np.inf], [(3,)]),
    *product([None, "fro", "nuc", 1, 2, np.inf, -np.inf], [(2, 3)]),
]


@pytest.mark.parametrize(("ord", "shape"), NORMS)
@pytest.mark.filterwarnings("error")
def test_the_norm_at_zero_has_derivative_zero(ord: Any, shape: Any) -> None:
    np.testing.assert_array_equal(bar(np.linalg.norm, 1.0, np.zeros(shape), ord), np.zeros(shape))
    assert dot(np.linalg.norm, np.ones(shape), np.zeros(shape), ord) == 0.0


def test_norms_share_ties_equally() -> None:
    np.testing.assert_array_equal(bar(np.linalg.norm, 1.0, np.array([2.0, -2.0, 1.0]), np.inf), [0.5, -0.5, 0.0])
    np.testing.assert_array_equal(bar(np.linalg.norm, 1.0, np.array([2.0, -1.0, 1.0]), -np.inf), [0.0, -0.5, 0.5])
    np.testing.assert_array_equal(bar(np.linalg.norm, 1.0, np.ones((2, 2)), 1), np.full((2, 2), 0.5))
    np.testing.assert_allclose(bar(np.linalg.norm, 1.0, np.eye(2), 2), np.eye(2) / 2)
    np.testing.assert_allclose(bar(np.linalg.norm, 1.0, np.diag([3.0, 0.0]), "nuc"), np.diag([1.0, 0.0]), atol=1e-12)


def test_the_norm_of_a_row_of_zeros_among_others() -> None:
    x = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(bar(np.linalg.norm, np.ones(2), x, axis=1), [[0.6, 0.8], [0.0, 0.0]])


@pytest.mark.parametrize(("x", "ord"), [(B[0], 3), (B[0], 0), (B[0], -1), (B, -2), (B, -1)])
def test_other_norms_are_refused_by_name(x: Any, ord: Any) -> None:
    with pytest.raises(StdiffError, match=f"ord={ord}"):
        bar(np.linalg.norm, 1.0, x, ord)


# --- products ---


def test_einsum_by_hand() -> None:
    np.testing.assert_array_equal(pull(lookup(np.einsum), 2.0, 0.0, ("ii", np.ones((2, 2))), {})[1][0], 2 * np.eye(2))
    five = [np.array([float(k)]) for k in (2, 3, 5, 7, 11)]
    cotangents = pull(lookup(np.einsum), 1.0, 2310.0, ("a,b,c,d,e->", *five), {})[1]
    np.testing.assert_allclose(np.ravel(cotangents), [1155.0, 770.0, 462.0, 330.0, 210.0])


def test_einsum_in_its_interleaved_form_is_refused() -> None:
    with pytest.raises(StdiffError, match="interleaved"):
        pull(lookup(np.einsum), B, B, (B, [0, 1]), {})


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_cross_of_two_dimensional_vectors_is_refused() -> None:
    # from NumPy 2.5 on it is NumPy that refuses them
    with pytest.raises((StdiffError, ValueError), match=r"length 3|3-dimensional"):
        bar(np.cross, 1.0, np.ones(2), np.ones(2))


# --- what no formula here covers ---


@pytest.mark.parametrize(
    ("function", "g"),
    [
        (np.linalg.norm, 1.0),
        (np.linalg.slogdet, (0.0, 1.0)),
        (np.linalg.pinv, np.eye(2)),
        (np.linalg.cholesky, np.eye(2)),
        (np.linalg.eigh, (np.ones(2), 0.0)),
        (np.linalg.svd, (0.0, np.ones(2), 0.0)),
    ],
)
def test_complex_matrices_are_refused(function: Any, g: Any) -> None:
    a = np.diag([1.0 + 0j, 2.0])
    with pytest.raises(StdiffError, match="complex"):
        bar(function, g, a)
    with pytest.raises(StdiffError, match="complex"):
        dot(function, a, a)


def test_a_real_operand_never_gets_a_complex_cotangent() -> None:
    with pytest.raises(StdiffError, match="complex"):
        bar(np.vdot, 1.0, np.ones(2), np.array([1j, 2.0]))
    for function in (np.dot, np.matmul, np.inner):
        with pytest.raises(StdiffError, match="complex"):
            bar(function, np.array([1.0 + 0j, 0.0]), np.ones((2, 2)), np.array([1j, 2.0]))


@pytest.mark.parametrize(
    ("function", "option"),
    [(np.dot, {"out": B}), (np.linalg.svd, {"hermitian": True}), (np.linalg.pinv, {"hermitian": True})],
)
def test_options_that_are_not_done_are_refused_by_name(function: Any, option: dict[str, Any]) -> None:
    args = (B, B) if function is np.dot else (B,)
    with pytest.raises(BindError, match=next(iter(option))):
        pull(lookup(function), B, B, args, option)
