"""The kinds of results: of an operator, of an element, of a function that has a rule."""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from stdiff import containers, runtime, runtime_reductions
from stdiff.analyses import calls
from stdiff.analyses.kinds import ANY, ARRAY, DICT, LIST, NUMBER, NUMERIC, TEXT, Kind, cover, join
from stdiff.structures import conform
from stdiff.syntax import Node


def element(kind: Kind) -> Kind:
    """What iterating over, or unpacking, a value of this kind gives."""
    if kind.name == "array":
        if kind.rank is None:
            return NUMERIC
        return (
            NUMBER
            if kind.rank == 1
            else Kind("array", rank=kind.rank - 1, shape=(kind.shape, "row") if kind.shape else None)
        )
    if kind.name == "numeric":
        return NUMERIC
    if kind.name in ("tuple", "list"):
        return cover(list(kind.items or ()))
    return TEXT if kind.name == "text" else ANY


def binary(left: Kind | None, op: Node, right: Kind | None) -> Kind | None:
    """The kind of the result of a binary operator."""
    if left is None or right is None:
        return None
    if isinstance(op, gast.MatMult):
        if left.name == right.name == "array" and left.rank and right.rank:
            rank = max(left.rank, right.rank, 2) - (left.rank == 1) - (right.rank == 1)
            return Kind("array", rank=rank) if rank else NUMBER
        return NUMERIC if left.numeric and right.numeric else ANY
    if left.numeric and right.numeric:
        return broadcast([left, right])
    if isinstance(op, gast.Add) and left.name == right.name and left.name in ("list", "tuple", "text"):
        if left.name == "tuple":
            return (
                Kind("tuple", items=left.items + right.items)
                if left.items is not None and right.items is not None
                else Kind("tuple")
            )
        return join(left, right)
    if isinstance(op, gast.Mod) and left.name == "text":
        return TEXT
    if left.name == "list" and right == NUMBER:
        return left
    return ANY


def broadcast(parts: list[Kind | None]) -> Kind:
    """The kind of an elementwise function of operands of these kinds. Arrays without dimensions turn into scalars."""
    if any(p is None or not p.numeric for p in parts):
        return ANY
    arrays = [p for p in parts if p and p.name != "number"]
    if not arrays:
        return NUMBER
    ranks = [p.rank for p in arrays]
    if any(p.name == "array" and p.rank for p in arrays):
        same = {p.shape for p in arrays if p.name == "array"}
        known = all(p.name == "array" for p in arrays) and None not in ranks
        return Kind(
            "array",
            rank=max(r for r in ranks if r) if known else None,
            shape=same.pop() if len(same) == 1 and known else None,
        )
    return NUMBER if all(r == 0 for r in ranks) else NUMERIC


def of_rule(found: calls.Target, operands: list[Kind | None]) -> Kind | None:
    """The kind of the result of a function that has a rule; None while the kind of an operand is not known."""
    if None in operands:
        return None
    function = found.function
    if getattr(function, "__objclass__", None) is str and function not in (str.split, str.startswith, str.endswith):
        return TEXT
    if function in _NUMBERS:
        return NUMBER
    if function in _SAME:
        return _SAME[function]
    if function is np.linspace:
        plain = operands in ([NUMBER] * 2, [NUMBER] * 3) and "retstep" not in found.keywords
        return Kind("array", rank=1) if plain else ANY
    if found.rule is not None and (found.rule.form == "elementwise" or (function is np.where and len(operands) == 3)):
        return broadcast(operands)
    first = operands[0] if operands else None
    if function in _REDUCTIONS and len(operands) == 1 and not found.keywords and first and first.numeric:
        return NUMBER
    if function is sum and len(operands) == 1 and first and first.name == "list" and first.items == (NUMBER,):
        return NUMBER
    if function in (list, sorted, reversed) and first:
        return Kind("list", items=(element(first),))
    if function is tuple and first:
        return Kind("tuple")
    if (
        function in (np.zeros_like, np.ones_like, np.copy, np.ndarray.copy, np.empty_like)
        and first
        and first.name == "array"
    ):
        return first
    if function in (containers.accumulate, containers.accumulate_at) and any(
        o and o.name == "list" for o in operands[:2]
    ):
        return LIST
    if function in _LIKE and len(operands) > _LIKE[function]:
        shaped = operands[_LIKE[function]]
        return shaped if shaped and shaped.numeric else ANY
    module = getattr(function, "__module__", None) or getattr(getattr(function, "__objclass__", None), "__module__", "")
    if function is runtime.scale or module in ("stdiff.runtime_numbers", "stdiff.runtime_reductions"):
        return NUMERIC
    return NUMERIC if str(module).startswith("numpy") and function not in _STRUCTURED | _OTHER else ANY


def gives_several(function: Any) -> bool:
    """Whether a function of NumPy returns a tuple or a list of arrays, of which some may not be used."""
    return function in _STRUCTURED and function is not np.where


_NUMBERS = {len, float, int, bool, isinstance, issubclass, hasattr, callable, id, hash}
_SAME = {
    str: TEXT, repr: TEXT, np.zeros: ARRAY, np.ones: ARRAY, np.empty: ARRAY, np.full: ARRAY,
    np.eye: Kind("array", rank=2), np.arange: Kind("array", rank=1),
    range: Kind("list", items=(NUMBER,)), np.ndarray.tolist: ANY, containers.as_list: LIST,
    dict.items: Kind("list", items=(Kind("tuple", items=(ANY, ANY)),)), dict.values: Kind("list", items=(ANY,)),
    dict.keys: Kind("list", items=(ANY,)), dict.copy: DICT, np.shape: Kind("tuple"),
}
_REDUCTIONS = {
    np.sum, np.mean, np.prod, np.var, np.std, np.max, np.min, np.ndarray.sum, np.ndarray.mean, np.ndarray.prod,
    np.ndarray.var, np.ndarray.std, np.ndarray.max, np.ndarray.min, np.linalg.norm, np.vdot,
}
_LIKE = {
    runtime.unbroadcast: 1, runtime.astype: 1, runtime.broadcast: 1, runtime.filled: 1, runtime_reductions.spread: 1,
    containers.own: 1, conform: 1, containers.accumulate_at: 1, containers.unpacked: 0, containers.zeros_like: 0,
    containers.kept: 0,
}  # results shaped like an argument
_STRUCTURED = {
    np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.linalg.eigh, np.linalg.svd, np.linalg.slogdet,
    np.meshgrid, np.broadcast_arrays, np.ix_, np.nonzero, np.where, np.divmod, np.unstack, np.atleast_1d,
    np.atleast_2d, np.atleast_3d,
}
# Constant functions of NumPy whose result is no number and no array.
_OTHER = {
    np.ndarray.nonzero, np.result_type, np.promote_types, np.min_scalar_type, np.finfo, np.iinfo, np.broadcast_shapes,
    np.array2string, np.array_repr, np.array_str, np.dtype, np.errstate, np.indices, np.triu_indices, np.tril_indices,
    np.diag_indices, np.unravel_index, np.random.default_rng, np.random.RandomState, np.random.RandomState.get_state,
}
