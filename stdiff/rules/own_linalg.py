"""Rules for the helpers of `runtime_linalg`, `_products` and `_spectral` that are not derived from their text."""

from stdiff import runtime_linalg, runtime_products, runtime_spectral
from stdiff.rules.table import R, at, constant, rule
from stdiff.runtime_linalg import refuse_third_det, singular_cofactor, singular_cofactor_dot
from stdiff.runtime_products import contract, einsum_bars, einsum_dot

constant(
    runtime_products.tensordot_plan,
    runtime_products.kron_plan,
    runtime_products.einsum_plan,
    runtime_products.refuse_interleaved,
    runtime_products.refuse_complex,
    runtime_products.require_three,
    runtime_linalg.well_conditioned,
    runtime_linalg.refuse_third_det,
    runtime_linalg.norm_axes,
    runtime_linalg.is_euclidean,
    runtime_linalg.is_spectral,
    runtime_linalg.spectral_weights,
    runtime_linalg.polyhedral_slope,
    runtime_spectral.size,
    runtime_spectral.equal,
    runtime_spectral.require_distinct,
    runtime_spectral.undefined,
    runtime_spectral.zero,
    runtime_spectral.both_zero,
    runtime_spectral.undefined_at_zero,
    runtime_spectral.require_turn_at_zero,
    runtime_spectral.require_full_rank,
    runtime_spectral.require_thin,
)

# one operand may come back as a view of itself
rule(
    contract,
    lambda g, y, subscripts, operands, optimize=False: (None, list(einsum_bars(g, subscripts, operands, optimize))),
    at("ij,jk->ik", [R(2, 3), R(3, 2)]),
    at("ii->i", [R(2, 2)]),
    at("i,ij,j->", [R(2), R(2, 3), R(3)]),
    pushforward=lambda t, y, subscripts, operands, optimize=False: (
        None,
        einsum_dot(t, subscripts, operands, optimize),
    ),
    view=("operands",),
)

# the derivative of det(U) det(V) U C V^T in the direction t; see `singular_cofactor_dot`
rule(
    singular_cofactor,
    lambda g, y, a: singular_cofactor_dot(g, a),
    at(R(1, 1)),
    at(R(2, 2)),
    at(R(3, 3)),
    at(R(2, 3, 3)),
    pushforward=lambda t, y, a: singular_cofactor_dot(t, a),
)

rule(
    singular_cofactor_dot,
    lambda g, y, t, a: (singular_cofactor_dot(g, a), refuse_third_det(a)),
    pushforward=lambda t_dot, y, t, a: (singular_cofactor_dot(t_dot, a), refuse_third_det(a)),
)
