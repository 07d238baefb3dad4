"""Rules for `numpy.linalg`; each acts on the last two axes, and so on every matrix of a stack.

`cholesky` and `eigh` read one triangle; their derivative treats the matrix as symmetric and gives a symmetric gradient.
"""

from typing import Any

import numpy as np

from stdiff.rules.table import R, Random, at, rule
from stdiff.runtime_linalg import (
    cholesky_bar,
    cholesky_dot,
    cofactor,
    norm_bar,
    norm_slope,
    pinv_bar,
    pinv_dot,
    slogdet_bar,
    slogdet_dot,
    solve_a_bar,
    solve_b_bar,
    solve_dot,
)
from stdiff.runtime_products import mT
from stdiff.runtime_spectral import eigh_bar, eigh_dot, per_matrix, svd_bar, svd_dot


class Definite(Random):
    """A sample operand: symmetric positive definite matrices, their eigenvalues apart. Directions must be symmetric."""

    def draw(self, generator: np.random.Generator, dtype: Any = np.float64) -> Any:
        """Q diag(1, 2, ..., n) Q^T with a random rotation Q."""
        n = self.shape[-1]
        q = np.linalg.qr(generator.standard_normal(self.shape))[0]
        return ((q * (1.0 + np.arange(n))) @ mT(q)).astype(dtype)


class Regular(Random):
    """A sample operand: matrices that are far from singular, their singular values apart."""

    def draw(self, generator: np.random.Generator, dtype: Any = np.float64) -> Any:
        """U diag(1, 2, ...) V^T with random rotations U and V."""
        u, s, vh = np.linalg.svd(generator.standard_normal(self.shape), full_matrices=False)
        return ((u * (1.0 + np.arange(s.shape[-1]))) @ vh).astype(dtype)


# Giles 2008, section 2.2.3
rule(
    np.linalg.inv,
    lambda g, y, a: -mT(y) @ g @ mT(y),
    at(Regular((3, 3))),
    at(Regular((2, 2, 2))),
    pushforward=lambda t, y, a: -y @ t @ y,
)

rule(
    np.linalg.solve,
    lambda g, y, a, b: (solve_a_bar(g, y, a, b), solve_b_bar(g, a, b)),
    at(Regular((3, 3)), R(3)),
    at(Regular((3, 3)), R(3, 2)),
    at(Regular((2, 3, 3)), R(3)),
    at(Regular((2, 2, 2)), R(2, 1)),
    at(Regular((2, 2)), R(3, 2, 2)),
    at(Regular((2, 1, 2, 2)), R(3, 2, 1)),
    pushforward=lambda t, y, a, b: (solve_dot(t, y, a, b), np.linalg.solve(a, t)),
)

rule(
    np.linalg.det,
    lambda g, y, a: per_matrix(g) * cofactor(a),
    at(Regular((3, 3))),
    at(Regular((2, 2, 2))),
    at(R(1, 1)),
    pushforward=lambda t, y, a: np.sum(t * cofactor(a), axis=(-2, -1)),
)

rule(
    np.linalg.slogdet,
    lambda g, y, a: slogdet_bar(g, a),
    at(Regular((3, 3))),
    at(Regular((2, 2, 2))),
    pushforward=lambda t, y, a: (slogdet_dot(t, a),),
)

rule(
    np.linalg.pinv,
    lambda g, y, a, rcond=None, *, rtol=None: pinv_bar(g, y, a),
    at(Regular((3, 2))),
    at(Regular((2, 3))),
    at(Regular((2, 2, 3)), rcond=1e-10),
    pushforward=lambda t, y, a, rcond=None, *, rtol=None: pinv_dot(t, y, a),
)

rule(
    np.linalg.cholesky,
    lambda g, y, a, upper=False: cholesky_bar(g, y, a, upper),
    at(Definite((3, 3))),
    at(Definite((2, 2, 2))),
    at(Definite((3, 3)), upper=True),
    pushforward=lambda t, y, a, upper=False: cholesky_dot(t, y, a, upper),
)

rule(
    np.linalg.eigh,
    lambda g, y, a, UPLO="L": eigh_bar(g, y, a),
    at(Definite((3, 3))),
    at(Definite((2, 2, 2))),
    at(Definite((3, 3)), UPLO="U"),
    pushforward=lambda t, y, a, UPLO="L": (eigh_dot(t, y, a),),
)

rule(
    np.linalg.svd,
    lambda g, y, a, full_matrices=True, compute_uv=True: svd_bar(g, y, a, full_matrices, compute_uv),
    at(Regular((3, 3))),
    at(Regular((3, 2)), full_matrices=False),
    at(Regular((2, 3)), full_matrices=False),
    at(Regular((2, 2, 3)), False),
    at(Regular((3, 2)), compute_uv=False),
    at(Regular((2, 3, 3)), compute_uv=False),
    pushforward=lambda t, y, a, full_matrices=True, compute_uv=True: (svd_dot(t, y, a, full_matrices, compute_uv),),
)

rule(
    np.linalg.norm,
    lambda g, y, x, ord=None, axis=None, keepdims=False: norm_bar(g, x, ord, axis, keepdims),
    at(R(3)),
    at(R(2, 3)),
    at(R(2, 2, 3)),
    at(R(2, 3), keepdims=True),
    at(R(2, 3), axis=1),
    at(R(2, 3), None, 0, True),
    at(R(2, 3, 2), axis=(0, 2)),
    at(R(2, 3, 2), "fro", (2, 0), keepdims=True),
    at(R(4), 2),
    at(R(4), 1),
    at(R(4), np.inf),
    at(R(4), -np.inf),
    at(R(2, 3), 1, axis=-1),
    at(R(2, 3), np.inf, axis=0, keepdims=True),
    at(Regular((2, 3)), 1),
    at(Regular((2, 3)), np.inf),
    at(Regular((3, 2)), -np.inf),
    at(Regular((3, 2)), 2),
    at(Regular((3, 2)), "nuc"),
    at(Regular((2, 3, 2)), "nuc", axis=(1, 2)),
    at(R(2, 3, 2), 2, axis=(0, 1), keepdims=True),
    at(R(2, 3, 2), 1, axis=(2, 0)),
    pushforward=lambda t, y, x, ord=None, axis=None, keepdims=False: np.sum(
        t * norm_slope(x, ord, axis), axis=axis, keepdims=keepdims
    ),
)
