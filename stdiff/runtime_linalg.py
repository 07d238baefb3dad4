"""What generated code calls for `numpy.linalg`, but for eigh and svd, which are in `runtime_spectral`.

The functions that formulas name are written in the accepted language, so that the compiler differentiates them as it
does a user's function; those marked "a constant" carry no derivative, and the few marked "its rule is in
`rules/own_linalg.py`" have one of their own.

References: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
(2008); I. Murray, "Differentiation of the Cholesky decomposition" (2016), arXiv:1602.07527; G. Golub and V. Pereyra,
"The differentiation of pseudo-inverses and nonlinear least squares problems ..." (1973).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stdiff.errors import UnsupportedError
from stdiff.runtime import unbroadcast
from stdiff.runtime_products import mT, refuse_complex
from stdiff.runtime_spectral import equal, per_matrix, weighted, zero

# --- solve, det, slogdet, pinv ---


def solve_a_bar(g: Any, y: Any, a: Any, b: Any) -> Any:
    """The cotangent of `a` in `y = np.linalg.solve(a, b)`: minus `solve(a.T, g)` times `y.T` (Giles 2008, section
    2.3.1).
    """
    if np.ndim(b) == 1:
        return unbroadcast(-np.linalg.solve(mT(a), g[..., None]) * y[..., None, :], a)
    return unbroadcast(-np.linalg.solve(mT(a), g) @ mT(y), a)


def solve_b_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of `b` in `np.linalg.solve(a, b)`: `solve(a.T, g)` (Giles 2008, section 2.3.1)."""
    if np.ndim(b) == 1:
        return unbroadcast(np.linalg.solve(mT(a), g[..., None])[..., 0], b)
    return unbroadcast(np.linalg.solve(mT(a), g), b)


def solve_dot(t: Any, y: Any, a: Any, b: Any) -> Any:
    """What the tangent `t` of `a` contributes to that of `y = np.linalg.solve(a, b)`."""
    if np.ndim(b) == 1:
        return -np.linalg.solve(a, t @ y[..., None])[..., 0]
    return -np.linalg.solve(a, t @ y)


def cofactor(a: Any) -> Any:
    """The matrix of cofactors, which is the gradient of the determinant, also where that is zero.

    For a well-conditioned matrix it is `det(a) * inv(a).T` (Giles 2008, section 2.2.4).

    >>> cofactor(np.array([[1.0, 2.0], [2.0, 4.0]])).round(9)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    if well_conditioned(a):
        return per_matrix(np.linalg.det(a)) * mT(np.linalg.inv(a))
    return singular_cofactor(a)


def well_conditioned(a: Any) -> bool:
    """Whether every matrix of the stack can be inverted, and the inverse used twice, without losing more than half of
    the digits: a constant.
    """
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return False
    condition = np.linalg.norm(a, 1, axis=(-2, -1)) * np.linalg.norm(inverse, 1, axis=(-2, -1))
    return not np.any(condition > np.finfo(inverse.dtype).eps ** -0.25)


def singular_cofactor(a: Any) -> Any:
    """`cofactor` by the singular value decomposition: with a = U S V^T it is det(U) det(V) U C V^T, and C is diagonal
    with the products of all the other singular values. Its rule is in `rules/own_linalg.py`.
    """
    refuse_complex("np.linalg.det, at a singular matrix,", a)
    u, s, vh = np.linalg.svd(a)
    return _sign(u, vh) * weighted(u, _products_without(s, 1), vh)


def singular_cofactor_dot(t: Any, a: Any) -> Any:
    """The derivative of `singular_cofactor` in the direction `t`; it is its own adjoint, as the Hessian of the
    determinant is symmetric.

    In the bases U and V of the singular vectors, with E = U^T t V and P[i, j] the product of the singular values
    other than i and j: the diagonal is sum_j P[i, j] E[j, j], the rest -P[i, j] E[j, i].
    """
    u, s, vh = np.linalg.svd(a)
    e = mT(u) @ t @ mT(vh)
    p = _products_without(s, 2)
    diagonal = (p @ np.diagonal(e, axis1=-2, axis2=-1)[..., None])[..., 0]
    inner = diagonal[..., None] * np.eye(s.shape[-1], dtype=s.dtype) - p * mT(e)
    return _sign(u, vh) * (u @ inner @ vh)


def refuse_third_det(a: Any) -> Any:
    """Raise: what stands for the derivative of `singular_cofactor_dot`."""
    why = "a third derivative of the determinant at a singular or nearly singular matrix is not done"
    raise UnsupportedError(
        "np.linalg.det, three times", why, "write the determinant out, or move off the singular matrix"
    )


def _sign(u: Any, vh: Any) -> Any:
    return np.round(per_matrix(np.linalg.det(u) * np.linalg.det(vh)))


def _products_without(s: Any, count: int) -> Any:
    """Of singular values `s`: the products of all but one (`[..., i]`), or of all but two (`[..., i, j]`, zero where
    i = j).
    """
    n = s.shape[-1]
    other = np.eye(n, dtype=bool)
    if count == 1:
        return np.prod(np.where(other, 1.0, s[..., None, :]), axis=-1).astype(s.dtype)
    left_out = other[:, None, :] | other[None, :, :]
    return np.where(other, 0.0, np.prod(np.where(left_out, 1.0, s[..., None, None, :]), axis=-1)).astype(s.dtype)


def slogdet_bar(g: Any, a: Any) -> Any:
    """The cotangent of `a` in `np.linalg.slogdet(a)`: `g.logabsdet * inv(a).T`; the sign is constant (Giles 2008,
    section 2.2.4).

    A singular matrix raises `LinAlgError`: the logarithm has no derivative there.
    """
    refuse_complex("np.linalg.slogdet", a)
    return per_matrix(g[1]) * mT(np.linalg.inv(a))


def slogdet_dot(t: Any, a: Any) -> Any:
    """The tangent of `np.linalg.slogdet(a)`: 0.0 for the sign, the trace of `inv(a) @ t` for the logarithm."""
    refuse_complex("np.linalg.slogdet", a)
    return 0.0, np.trace(np.linalg.solve(a, t), axis1=-2, axis2=-1)


def pinv_bar(g: Any, y: Any, a: Any) -> Any:
    """The cotangent of `a` in `y = np.linalg.pinv(a)`, the rank held (Golub and Pereyra 1973, equation 4.12,
    transposed).
    """
    refuse_complex("np.linalg.pinv", a)
    left = mT(g) - a @ (y @ mT(g))
    right = mT(g) - (mT(g) @ y) @ a
    return left @ y @ mT(y) + mT(y) @ y @ right - mT(y) @ g @ mT(y)


def pinv_dot(t: Any, y: Any, a: Any) -> Any:
    """The tangent of `y = np.linalg.pinv(a)`, the rank held (Golub and Pereyra 1973, equation 4.12)."""
    refuse_complex("np.linalg.pinv", a)
    right = mT(t) - (mT(t) @ a) @ y
    left = mT(t) - y @ (a @ mT(t))
    return y @ mT(y) @ right + left @ mT(y) @ y - y @ t @ y


# --- cholesky ---


def cholesky_bar(g: Any, y: Any, a: Any, upper: bool) -> Any:
    """The symmetric cotangent of `a` in `y = np.linalg.cholesky(a)` (Murray 2016, section 3.1: level 3 form of
    reverse mode).

    With L lower, P = Phi(L^T L_bar): a_bar = L^-T (P + P^T) L^-1 / 2, where Phi takes the lower triangle and halves
    the diagonal.
    """
    refuse_complex("np.linalg.cholesky", a)
    if upper:
        return cholesky_bar(mT(g), mT(y), a, False)
    p = half_triangle(mT(y) @ g)
    return np.linalg.solve(mT(y), mT(np.linalg.solve(mT(y), p + mT(p)))) / 2


def cholesky_dot(t: Any, y: Any, a: Any, upper: bool) -> Any:
    """The tangent of `y = np.linalg.cholesky(a)`: L Phi(L^-1 t L^-T), with `t` made symmetric (Murray 2016, equation
    8).
    """
    refuse_complex("np.linalg.cholesky", a)
    if upper:
        return mT(cholesky_dot(t, mT(y), a, False))
    return y @ half_triangle(np.linalg.solve(y, mT(np.linalg.solve(y, t + mT(t)))) / 2)


def half_triangle(x: Any) -> Any:
    """The lower triangle of `x`, its diagonal halved: Murray's Phi."""
    return (np.tril(x) + np.tril(x, -1)) / 2


# --- norm ---


def norm_bar(g: Any, x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The cotangent of `x` in `np.linalg.norm(x, ord, axis, keepdims)`."""
    if axis is None or keepdims:
        return g * norm_slope(x, ord, axis)
    return np.expand_dims(g, axis) * norm_slope(x, ord, axis)


def norm_slope(x: Any, ord: Any, axis: Any) -> Any:
    """The gradient of each norm that `np.linalg.norm(x, ord, axis)` takes, in the shape of `x`.

    `x / norm` for the Euclidean norm, 0 where that is 0; a sum over signs for 1 and infinity, ties shared equally;
    `U @ V.T` of the singular vectors that count for `"nuc"` and the matrix norm 2.

    >>> norm_slope(np.array([3.0, 4.0]), None, None), norm_slope(np.zeros(2), None, None)
    (array([0.6, 0.8]), array([0., 0.]))
    """
    refuse_complex("np.linalg.norm", x)
    axes = norm_axes(x, ord, axis)
    if is_euclidean(ord, axes):
        if axis is None:
            return unit(x, np.linalg.norm(x))
        return unit(x, np.linalg.norm(x, axis=axis, keepdims=True))
    if is_spectral(ord, axes):
        u, s, vh = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
        return np.moveaxis(weighted(u, spectral_weights(s, ord), vh), (-2, -1), axes)
    return polyhedral_slope(x, ord, axes)


def unit(x: Any, length: Any) -> Any:
    """`x / length`, 0 where the length is 0."""
    return np.where(length == 0, 0.0, x / np.where(length == 0, 1.0, length))


def norm_axes(x: Any, ord: Any, axis: Any) -> tuple[int, ...]:
    """The axes that a norm is taken over, none negative; raises UnsupportedError where the norm is not done. A
    constant.
    """
    ndim = np.ndim(x)
    axes = tuple(range(ndim)) if axis is None else tuple(int(k) % ndim for k in np.atleast_1d(axis))
    known = (None, 1, 2, np.inf, -np.inf) if len(axes) == 1 else (None, "fro", "nuc", 1, 2, np.inf, -np.inf)
    if ord not in known:
        what = "vectors" if len(axes) == 1 else "matrices"
        why = f"of the norms of {what}, only ord = {', '.join(map(repr, known))} are differentiated"
        raise UnsupportedError(f"np.linalg.norm with ord={ord!r}", why, "write the norm out, from abs, ** and sum")
    return axes


def is_euclidean(ord: Any, axes: tuple[int, ...]) -> bool:
    """Whether a norm is the root of the sum of all squares: a constant."""
    return ord is None or ord == "fro" or (ord == 2 and len(axes) == 1)


def is_spectral(ord: Any, axes: tuple[int, ...]) -> bool:
    """Whether a norm is one of singular values: a constant."""
    return ord == "nuc" or (ord == 2 and len(axes) == 2)


def spectral_weights(s: Any, ord: Any) -> Any:
    """How each singular value counts in the norm: all but zeros for `"nuc"`, the largest (ties share) for 2. A
    constant.
    """
    if ord == "nuc":
        return (~zero(s)).astype(s.dtype)
    top = ~zero(s) & equal(s)[..., 0, :]
    return (top / np.maximum(np.sum(top, axis=-1, keepdims=True), 1)).astype(s.dtype)


def polyhedral_slope(x: Any, ord: Any, axes: tuple[int, ...]) -> Any:
    """The gradient of the norms that are sums of absolute values, or the largest or smallest of these: a constant,
    the signs that count.
    """
    signs = np.sign(x)
    if len(axes) == 1 and ord == 1:
        return signs
    if len(axes) == 1:
        sums, over = np.abs(x), axes[0]
    else:
        along, over = axes if ord == 1 else axes[::-1]
        sums = np.sum(np.abs(x), axis=along, keepdims=True)
    best = np.min(sums, axis=over, keepdims=True) if ord == -np.inf else np.max(sums, axis=over, keepdims=True)
    hits = sums == best
    return signs * (hits / np.sum(hits, axis=over, keepdims=True)).astype(signs.dtype)
