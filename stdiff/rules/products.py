"""Rules for products of arrays: `@`, dot, inner, outer, tensordot, einsum, kron, cross, vdot.

All are linear in each operand; what varies is which axes meet. The helpers of `runtime_products` sort that out.
"""

import operator

import numpy as np

from stdiff.rules.table import R, alias, at, rule
from stdiff.runtime_products import (
    cross_a_bar,
    cross_b_bar,
    dot_a_bar,
    dot_b_bar,
    einsum_bars,
    einsum_dot,
    inner_a_bar,
    inner_b_bar,
    kron_a_bar,
    kron_b_bar,
    matmul_a_bar,
    matmul_b_bar,
    outer_a_bar,
    outer_b_bar,
    refuse_interleaved,
    tensordot_a_bar,
    tensordot_b_bar,
    vdot_bar,
)

rule(
    np.matmul,
    lambda g, y, x1, x2: (matmul_a_bar(g, x1, x2), matmul_b_bar(g, x1, x2)),
    at(R(2, 3), R(3, 4)),
    at(R(2, 3), R(3)),
    at(R(3), R(3, 2)),
    at(R(3), R(3)),
    at(R(2, 2, 3), R(3)),
    at(R(3), R(2, 3, 2)),
    at(R(2, 2, 3), R(3, 2)),
    at(R(2, 3), R(2, 3, 2)),
    at(R(2, 1, 2, 3), R(3, 3, 1)),
    pushforward=lambda t, y, x1, x2: (np.matmul(t, x2), np.matmul(x1, t)),
)
alias(operator.matmul, np.matmul)

rule(
    np.dot,
    lambda g, y, a, b: (dot_a_bar(g, a, b), dot_b_bar(g, a, b)),
    at(R(2, 3), R(3, 4)),
    at(R(2, 3), R(3)),
    at(R(3), R(3, 2)),
    at(R(3), R(3)),
    at(R(), R(3)),
    at(R(2, 2), R()),
    at(R(), R()),
    at(R(2, 2, 3), R(3)),
    at(R(2, 1, 3), R(3, 2)),
    at(R(3), R(2, 3, 2)),
    at(R(2, 3), R(2, 3, 2)),
    at(R(1, 2, 3), R(2, 3, 2)),
    pushforward=lambda t, y, a, b: (np.dot(t, b), np.dot(a, t)),
)
rule(
    np.ndarray.dot,
    lambda g, y, a, b: (dot_a_bar(g, a, b), dot_b_bar(g, a, b)),
    at(R(2, 3), R(3, 2)),
    at(R(2, 3), R(3)),
    at(R(3), R(3)),
    at(R(2, 3), R()),
    pushforward=lambda t, y, a, b: (np.dot(t, b), np.dot(a, t)),
)

rule(
    np.inner,
    lambda g, y, a, b: (inner_a_bar(g, a, b), inner_b_bar(g, a, b)),
    at(R(3), R(3)),
    at(R(2, 3), R(3)),
    at(R(3), R(2, 3)),
    at(R(1, 2, 3), R(2, 3)),
    at(R(), R(2, 3)),
    at(R(3), R()),
    pushforward=lambda t, y, a, b: (np.inner(t, b), np.inner(a, t)),
)

rule(
    np.outer,
    lambda g, y, a, b: (outer_a_bar(g, a, b), outer_b_bar(g, a, b)),
    at(R(2), R(3)),
    at(R(2, 2), R(3)),
    at(R(2), R(1, 3)),
    at(R(), R(3)),
    pushforward=lambda t, y, a, b: (np.outer(t, b), np.outer(a, t)),
)

rule(
    np.vdot,
    lambda g, y, a, b: (vdot_bar(g, a, b), vdot_bar(g, b, a)),
    at(R(3), R(3)),
    at(R(2, 3), R(6)),
    at(R(), R()),
    pushforward=lambda t, y, a, b: (np.vdot(t, b), np.vdot(a, t)),
)

rule(
    np.tensordot,
    lambda g, y, a, b, axes=2: (tensordot_a_bar(g, a, b, axes), tensordot_b_bar(g, a, b, axes)),
    at(R(2, 3, 2), R(3, 2, 4)),
    at(R(2, 3), R(3, 2), 1),
    at(R(2), R(3), axes=0),
    at(R(2, 3), R(2, 3), axes=2),
    at(R(2, 3), R(4, 3), axes=(1, 1)),
    at(R(2, 3, 4), R(4, 1, 2), axes=([0, 2], [2, 0])),
    at(R(2, 3, 4), R(3, 4, 2), axes=((2, -2), (-2, 0))),
    pushforward=lambda t, y, a, b, axes=2: (np.tensordot(t, b, axes), np.tensordot(a, t, axes)),
)

rule(
    np.kron,
    lambda g, y, a, b: (kron_a_bar(g, a, b), kron_b_bar(g, a, b)),
    at(R(2, 3), R(2, 2)),
    at(R(2), R(3)),
    at(R(2), R(2, 3)),
    at(R(2, 1, 2), R(2, 3)),
    at(R(), R(2, 2)),
    pushforward=lambda t, y, a, b: (np.kron(t, b), np.kron(a, t)),
)

rule(
    np.cross,
    lambda g, y, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None: (
        cross_a_bar(g, a, b, axisa, axisb, axisc, axis),
        cross_b_bar(g, a, b, axisa, axisb, axisc, axis),
    ),
    at(R(3), R(3)),
    at(R(2, 3), R(3)),
    at(R(2, 1, 3), R(4, 3)),
    at(R(3, 2), R(3, 2), axis=0),
    at(R(3, 2), R(2, 3), axisa=0),
    at(R(2, 3), R(3, 2), axisb=0, axisc=0),
    pushforward=lambda t, y, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None: (
        np.cross(t, b, axisa, axisb, axisc, axis),
        np.cross(a, t, axisa, axisb, axisc, axis),
    ),
)

# a single operand may come back as a view of itself (`np.einsum("ij->ji", a)`, `np.einsum("ii->i", a)`)
rule(
    np.einsum,
    lambda g, y, subscripts, *operands, optimize=False: (
        refuse_interleaved(subscripts),
        einsum_bars(g, subscripts, operands, optimize),
    ),
    at("ij,jk->ik", R(2, 3), R(3, 4)),
    at("ij,j", R(2, 3), R(3)),
    at("i,i->", R(3), R(3)),
    at("i,j->ij", R(2), R(3)),
    at("ij->ji", R(2, 3)),
    at("ba", R(2, 3)),
    at("ij->", R(2, 3)),
    at("ij->j", R(2, 3)),
    at("ii", R(3, 3)),
    at("ii->i", R(3, 3)),
    at("iij->j", R(2, 2, 3)),
    at("iii->i", R(2, 2, 2)),
    at("ij,k->i", R(2, 3), R(2)),
    at("ii,ij->j", R(3, 3), R(3, 2)),
    at("...ij,...jk->...ik", R(2, 2, 3), R(3, 2)),
    at("...ij,...jk", R(1, 1, 2), R(3, 2, 2)),
    at("i...,i...->i...", R(3), R(3, 2)),
    at("i...->...", R(2, 3)),
    at("i,i->i", R(1), R(3)),
    at("ij,ii->i", R(3, 2), R(1, 1)),
    at("ij,jk,kl->il", R(2, 3), R(3, 2), R(2, 2), optimize=True),
    at("bi,ij,bj->b", R(2, 3), R(3, 3), R(2, 3)),
    at("a,b,c,d->", R(2), R(2), R(2), R(2)),
    at(" i j , j -> i", R(2, 3), R(3)),
    at(",i->i", R(), R(3)),
    pushforward=lambda t, y, subscripts, *operands, optimize=False: (
        refuse_interleaved(subscripts),
        einsum_dot(t, subscripts, operands, optimize),
    ),
    view=("operands",),
)
