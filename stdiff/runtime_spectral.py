"""What generated code calls for `np.linalg.eigh` and `np.linalg.svd`, where equal values need care.

Written as `runtime_linalg` is: what formulas name is in the accepted language, what is marked "a constant" carries no
derivative.

A cotangent that is the float 0.0 says that this part of the result is not used, which is more than an array of zeros
says.

References: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
(2008); J. Townsend, "Differentiating the singular value decomposition" (2016).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stdiff.errors import UnsupportedError
from stdiff.runtime_products import mT, refuse_complex


def per_matrix(g: Any) -> Any:
    """One number a matrix, ready to multiply the matrices of a stack."""
    if np.ndim(g) == 0:
        return g
    return g[..., None, None]


# --- eigh ---


def eigh_bar(g: Any, y: Any, a: Any) -> Any:
    """The symmetric cotangent of `a` in `w, v = y = np.linalg.eigh(a)` (Giles 2008, section 3.1).

    a_bar = V (diag(w_bar) + F o (V^T V_bar)) V^T with F[i, j] = 1 / (w[j] - w[i]), 0 on the diagonal. Only the
    antisymmetric part of V^T V_bar is read, which makes the middle symmetric. See `require_distinct` for equal
    eigenvalues, where F is 0.
    """
    refuse_complex("np.linalg.eigh", a)
    if np.ndim(g[1]) == 0:
        return weighted(y[1], g[0], mT(y[1]))
    turn = mT(y[1]) @ g[1] - mT(g[1]) @ y[1]
    require_distinct("np.linalg.eigh", y[0], turn, size(g[1]), np.ndim(g[0]) > 0)
    vectors = y[1] @ (turn * reciprocal_gaps(y[0]) / 2) @ mT(y[1])
    if np.ndim(g[0]) == 0:
        return vectors
    return vectors + weighted(y[1], g[0], mT(y[1]))


def eigh_dot(t: Any, y: Any, a: Any) -> Any:
    """The tangents of `w, v = y = np.linalg.eigh(a)`, with `t` made symmetric: diag(E) and V (F o E) with E = V^T t V
    (Giles 2008, section 3.1).

    Where two eigenvalues are equal and `t` mixes their vectors, these have no derivative: their tangents are NaN.
    """
    refuse_complex("np.linalg.eigh", a)
    te = (t + mT(t)) @ y[1] / 2
    e = mT(y[1]) @ te
    return np.sum(y[1] * te, axis=-2), y[1] @ (e * reciprocal_gaps(y[0]) + undefined(y[0], e, size(e)))


def weighted(u: Any, w: Any, vh: Any) -> Any:
    """`u @ diag(w) @ vh`; zero where `w` is the float 0.0, a zero of any shape."""
    if np.ndim(w) == 0:
        return w * (u @ vh)
    return (u * w[..., None, :]) @ vh


def reciprocal_gaps(w: Any) -> Any:
    """F[i, j] = 1 / (w[j] - w[i]); 0 where the two are equal to rounding, and on the diagonal."""
    gaps = w[..., None, :] - w[..., :, None]
    return np.where(equal(w), 0.0, 1 / np.where(equal(w), 1.0, gaps))


def equal(w: Any) -> Any:
    """Which pairs of eigenvalues (or singular values) are equal to rounding: a constant."""
    largest = np.max(np.abs(w), axis=-1, initial=0.0)
    gaps = np.abs(w[..., None, :] - w[..., :, None])
    return gaps <= 10 * w.shape[-1] * np.finfo(w.dtype).eps * per_matrix(largest)


def size(x: Any) -> Any:
    """The largest absolute value, by which rounding is judged: a constant."""
    return np.max(np.abs(x), initial=0.0)


def require_distinct(function: str, w: Any, turn: Any, scale: Any, both: bool) -> None:
    """Raise UnsupportedError where a loss depends on the vectors of equal values and has no derivative: a constant.

    `turn` is how the loss changes as the vectors are rotated into each other, `scale` the size of their cotangents, and
    `both` says whether the values are used as well. The vectors of equal values may be rotated at will, so the loss
    must not change under that. If it then uses nothing but vectors (the projector V V^T), what they contribute between
    themselves is 0. If it uses values as well (V f(W) V^T), the true contribution is a derivative of f, which cannot be
    told from cotangents: refused, since 0 would be wrong.
    """
    tied = equal(w) & ~np.eye(w.shape[-1], dtype=bool)
    if np.any(tied) and (both or np.any(np.abs(turn[tied]) > np.sqrt(np.finfo(w.dtype).eps) * scale)):
        why = "the vectors that belong to equal values are not unique, and have no derivative"
        instead = "use the values alone, or a matrix whose values differ"
        raise UnsupportedError(f"{function}, its vectors, where two values are equal", why, instead)


def undefined(w: Any, mixing: Any, scale: Any) -> Any:
    """NaN where a direction mixes the vectors of equal values (`mixing`, in their basis), 0 elsewhere: a constant.

    `scale` is the size of the direction.
    """
    tied = equal(w) & ~np.eye(w.shape[-1], dtype=bool)
    large = np.abs(mixing) > np.sqrt(np.finfo(w.dtype).eps) * scale
    return np.where(tied & large, np.nan, 0.0).astype(w.dtype)


# --- svd ---


def svd_bar(g: Any, y: Any, a: Any, full_matrices: bool, compute_uv: bool) -> Any:
    """The cotangent of `a` in `u, s, vh = y = np.linalg.svd(a)`, or `s = y` alone.

    Townsend 2016, section 1.2 (reverse mode), with the term between two vectors written as its symmetric part over
    s[j] - s[i] and its antisymmetric part over s[j] + s[i]: the latter is finite at equal singular values (the polar
    factor U V^T is smooth there). See `require_distinct` for the former.
    """
    refuse_complex("np.linalg.svd", a)
    if not compute_uv:
        thin = np.linalg.svd(a, full_matrices=False)
        return weighted(thin[0], g, thin[2])
    require_thin(a, full_matrices)
    values = weighted(y[0], g[1], y[2])
    if np.ndim(g[0]) == 0 and np.ndim(g[2]) == 0:
        return values
    return values + svd_vectors_bar(g[0], g[2], y[0], y[1], y[2], np.ndim(g[1]) > 0)


def svd_vectors_bar(u_bar: Any, vh_bar: Any, u: Any, s: Any, vh: Any, values_used: bool) -> Any:
    """What the singular vectors contribute to `svd_bar`; one of `u_bar`, `vh_bar` may be the float 0.0."""
    if np.ndim(u_bar) == 0:
        return svd_vectors_bar(np.zeros_like(u), vh_bar, u, s, vh, values_used)
    if np.ndim(vh_bar) == 0:
        return svd_vectors_bar(u_bar, np.zeros_like(vh), u, s, vh, values_used)
    u_turn = (mT(u) @ u_bar - mT(u_bar) @ u) / 2
    v_turn = (vh @ mT(vh_bar) - vh_bar @ mT(vh)) / 2
    require_distinct("np.linalg.svd", s, u_turn + v_turn, size(u_bar) + size(vh_bar), values_used)
    require_turn_at_zero(s, u_turn - v_turn, size(u_bar) + size(vh_bar))
    inside = u @ ((u_turn + v_turn) * reciprocal_gaps(s) + (u_turn - v_turn) * reciprocal_sums(s)) @ vh
    if u.shape[-2] > vh.shape[-1]:
        require_full_rank(s)
        return inside + (u_bar - u @ (mT(u) @ u_bar)) / s[..., None, :] @ vh
    if u.shape[-2] < vh.shape[-1]:
        require_full_rank(s)
        return inside + u @ ((vh_bar - (vh_bar @ mT(vh)) @ vh) / s[..., :, None])
    return inside


def svd_dot(t: Any, y: Any, a: Any, full_matrices: bool, compute_uv: bool) -> Any:
    """The tangents of `u, s, vh = y = np.linalg.svd(a)`, or of `s = y` alone: `svd_bar` forwards.

    Where two singular values are equal and `t` mixes their vectors, these have no derivative: their tangents are NaN.
    """
    refuse_complex("np.linalg.svd", a)
    if not compute_uv:
        thin = np.linalg.svd(a, full_matrices=False)
        return np.sum(thin[0] * (t @ mT(thin[2])), axis=-2)
    require_thin(a, full_matrices)
    u, s, vh = y
    e = mT(u) @ t @ mT(vh)
    even = (e + mT(e)) / 2 * reciprocal_gaps(s) + undefined(s, e + mT(e), size(e))
    odd = (e - mT(e)) / 2 * reciprocal_sums(s) + undefined_at_zero(s, e - mT(e), size(e))
    s_dot = np.sum(u * (t @ mT(vh)), axis=-2)
    if u.shape[-2] > vh.shape[-1]:
        outside = (t @ mT(vh) - u @ e) * safe_reciprocal(s)[..., None, :]
        return u @ (even + odd) + outside, s_dot, mT(even - odd) @ vh
    if u.shape[-2] < vh.shape[-1]:
        outside = (mT(u) @ t - e @ vh) * safe_reciprocal(s)[..., :, None]
        return u @ (even + odd), s_dot, mT(even - odd) @ vh + outside
    return u @ (even + odd), s_dot, mT(even - odd) @ vh


def reciprocal_sums(s: Any) -> Any:
    """P[i, j] = 1 / (s[j] + s[i]), 0 where both are zero to rounding, and on the diagonal."""
    sums = s[..., None, :] + s[..., :, None]
    return np.where(both_zero(s), 0.0, 1 / np.where(both_zero(s), 1.0, sums))


def safe_reciprocal(s: Any) -> Any:
    """1 / s, NaN where `s` is zero to rounding."""
    return np.where(zero(s), np.nan, 1 / np.where(zero(s), 1.0, s))


def zero(s: Any) -> Any:
    """Which singular values are zero to rounding: a constant."""
    return s <= 10 * s.shape[-1] * np.finfo(s.dtype).eps * np.max(s, axis=-1, keepdims=True, initial=0.0)


def both_zero(s: Any) -> Any:
    """Which pairs of singular values are both zero to rounding, and the diagonal: a constant."""
    return (zero(s)[..., None, :] & zero(s)[..., :, None]) | np.eye(s.shape[-1], dtype=bool)


def undefined_at_zero(s: Any, mixing: Any, scale: Any) -> Any:
    """NaN where a direction mixes the vectors of two singular values that are zero, 0 elsewhere: a constant."""
    return np.where(both_zero(s), undefined(s, mixing, scale), 0.0).astype(s.dtype)


def require_turn_at_zero(s: Any, turn: Any, scale: Any) -> None:
    """Raise UnsupportedError where a loss depends on how the vectors of zero singular values are chosen: a constant."""
    if np.any(np.abs(turn[both_zero(s)]) > np.sqrt(np.finfo(s.dtype).eps) * scale):
        _refuse_rank()


def require_full_rank(s: Any) -> None:
    """Raise UnsupportedError where a singular value of a matrix that is not square is zero: a constant."""
    if np.any(zero(s)):
        _refuse_rank()


def _refuse_rank() -> None:
    why = "the singular vectors of a zero singular value are not unique, and have no derivative"
    raise UnsupportedError(
        "np.linalg.svd, its vectors, of a matrix without full rank", why, "use the singular values alone"
    )


def require_thin(a: Any, full_matrices: bool) -> None:
    """Raise UnsupportedError where `svd` was asked for vectors that belong to no singular value: a constant."""
    if full_matrices and np.shape(a)[-1] != np.shape(a)[-2]:
        why = "the vectors beyond the singular values are not unique, and have no derivative"
        raise UnsupportedError(
            "np.linalg.svd of a matrix that is not square, with full_matrices=True", why, "pass full_matrices=False"
        )
