"""Arguments and results as trees: what carries a derivative in them, and derivatives shaped like them."""

from __future__ import annotations

import copy
import dataclasses
import types
from typing import Any

import numpy as np

from stdiff.containers import part
from stdiff.errors import ArgumentError, NotScalarError


def fields(x: Any) -> dict[Any, Any] | None:
    """The items of a tuple, list or dict or the fields of an object, by the key that adjoints use; None for a leaf.

    >>> fields((1.0, 2.0)), fields(3.0)
    ({0: 1.0, 1: 2.0}, None)
    """
    if isinstance(x, tuple | list):
        return dict(enumerate(x))
    if isinstance(x, dict):
        return dict(x)
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return {f.name: getattr(x, f.name) for f in dataclasses.fields(x)}
    if isinstance(x, np.ndarray | np.generic | type | types.ModuleType | types.FunctionType) or callable(x):
        return None
    return dict(vars(x)) if hasattr(x, "__dict__") else None


def rebuild(x: Any, items: dict[Any, Any]) -> Any:
    """A structure like `x` with other items (a plain namespace where its class cannot be built)."""
    if isinstance(x, tuple):
        return type(x)(*items.values()) if hasattr(x, "_fields") else tuple(items.values())
    if isinstance(x, list):
        return list(items.values())
    if isinstance(x, dict):
        return dict(items)
    try:
        made = copy.copy(x)
        for name, value in items.items():
            object.__setattr__(made, name, value)
    except (AttributeError, TypeError):
        return types.SimpleNamespace(**items)
    return made


def is_float(x: Any) -> bool:
    """Whether a leaf is real and floating, or an int that is taken as a float."""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind == "f"
    return isinstance(x, float | int) and not isinstance(x, bool)


def differentiable(x: Any) -> bool:
    """Whether an argument holds anything that can carry a derivative."""
    items = fields(x)
    return is_float(x) if items is None else any(map(differentiable, items.values()))


def chosen(args: tuple[Any, ...]) -> list[int]:
    """The arguments to differentiate by if the caller does not say: those that hold floats, else the first if an int.

    >>> chosen((1.5, 2, "a")), chosen((3,))
    ([0], [0])
    """
    floats = [k for k, a in enumerate(args) if _holds_float(a)]
    return floats or [k for k, a in enumerate(args[:1]) if differentiable(a)]


def _holds_float(x: Any) -> bool:
    items = fields(x)
    return is_float(x) and not isinstance(x, int) if items is None else any(map(_holds_float, items.values()))


def as_active(x: Any, label: str) -> Any:
    """An argument to differentiate by: an int is taken as a float.

    Raises: ArgumentError for an integer, bool or complex array, and for what holds no real number.
    """
    items = fields(x)
    if items is not None:
        if not differentiable(x):
            raise ArgumentError(label, "it holds no real number", "choose another argument with `argnums`")
        if not any(type(v) is int for v in items.values()):
            return x
        return rebuild(x, {k: float(v) if type(v) is int else v for k, v in items.items()})
    if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "iub":
        raise ArgumentError(
            label, f"it is an array of {x.dtype}, which has no derivative", "convert it with `.astype(float)`"
        )
    if isinstance(x, np.ndarray) and type(x) is not np.ndarray:
        raise ArgumentError(
            label, f"it is a {type(x).__name__}, whose operators are not those of an array", "give `np.asarray` of it"
        )
    if not is_float(x):
        kind = f"an array of {x.dtype}" if isinstance(x, np.ndarray) else f"a {type(x).__name__}"
        raise ArgumentError(
            label, f"it is {kind}, which carries no real derivative", "choose another argument with `argnums`"
        )
    return float(x) if type(x) is int else x


def conform(g: Any, x: Any) -> Any:
    """A gradient `g` of `x` in the type, shape and precision of `x`; None for a leaf that carries no derivative.

    >>> conform(0.0, np.zeros(2, np.float32)), conform([1.0, 0.0], (1.0, 2.0))
    (array([0., 0.], dtype=float32), (1.0, 0.0))
    """
    items = fields(x)
    if items is not None:
        return rebuild(x, {key: conform(part(g, key), value) for key, value in items.items()})
    if not is_float(x):
        return None
    if np.iscomplexobj(g):
        raise ArgumentError(
            "a complex cotangent of a real argument", "complex derivatives are not supported", "keep to real numbers"
        )
    if isinstance(x, np.ndarray):
        found = np.asarray(g, dtype=x.dtype)
        return found.copy() if found.shape == x.shape else np.broadcast_to(found, x.shape).copy()
    return type(x)(g) if isinstance(x, np.generic) else float(g)


def fill(t: Any, x: Any, label: str) -> Any:
    """A tangent or cotangent of `x` from a caller, checked and in the form that generated code uses: None is zero.

    Raises: ArgumentError where its structure or shape is not that of `x`.
    """
    items = fields(x)
    if t is None:
        if items is not None:
            return 0.0
        return np.zeros_like(x) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else 0.0
    if items is not None:
        given = fields(t)
        if given is None or given.keys() != items.keys():
            raise ArgumentError(
                label,
                f"its structure is not that of a {type(x).__name__} of {len(items)}",
                "give one part for each part",
            )
        parts = {key: fill(given[key], value, label) for key, value in items.items()}
        return tuple(parts.values()) if isinstance(x, tuple) else list(parts.values()) if isinstance(x, list) else parts
    if not is_float(x):
        return 0.0
    if isinstance(t, str | bytes) or np.result_type(t).kind not in "biufc":
        raise ArgumentError(label, f"it is a {type(t).__name__}", "give a number or an array")
    if np.shape(t) != np.shape(x):
        raise ArgumentError(
            label, f"its shape is {np.shape(t)}, that of the value is {np.shape(x)}", "give it the shape of the value"
        )
    if np.iscomplexobj(t):
        raise ArgumentError(label, "it is complex", "give a real one")
    if isinstance(x, np.ndarray):
        return np.asarray(t, dtype=x.dtype if x.dtype.kind == "f" else float)
    return float(t) if not isinstance(t, np.generic) else t


def require_scalar(value: Any, name: str) -> None:
    """Refuse the gradient of the function `name` where its value is not one real number: raise NotScalarError."""
    if not isinstance(value, bool | np.bool_) and np.ndim(value) == 0 and (is_float(value) or _is_integer(value)):
        return
    what = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
    raise NotScalarError(
        f"the result of `{name}`",
        f"it is {what}, and a gradient is that of one real number",
        "reduce it (`.sum()`), or use `vjp` or `jacobian`",
    )


def _is_integer(x: Any) -> bool:
    return isinstance(x, int) or getattr(getattr(x, "dtype", None), "kind", "") in ("i", "u")


def require_pair(result: Any, name: str) -> None:
    """Refuse `has_aux` where the function `name` did not return a pair: raise NotScalarError."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise NotScalarError(
            f"the result of `{name}` with has_aux=True",
            "it is not a pair `(value, aux)`",
            "return both, or leave has_aux out",
        )


def stop_gradient(x: Any) -> Any:
    """`x` itself, with a zero derivative.

    >>> stop_gradient(2.0)
    2.0
    """
    return x


def require_array(value: Any, name: str) -> None:
    """Refuse the Jacobian of the function `name` where its value is no number and no array of real numbers."""
    if not is_float(value) and not _is_integer(value):
        raise ArgumentError(
            f"the result of `{name}`",
            f"it is a {type(value).__name__}, and a Jacobian is that of real numbers",
            "return a float or an array of floats",
        )


def basis(x: Any) -> list[Any]:
    """The unit vectors of the space of `x`: a number's is 1.0.

    >>> basis(np.zeros(2))
    [array([1., 0.]), array([0., 1.])]
    """
    if not isinstance(x, np.ndarray):
        return [1.0]
    unit = np.eye(x.size, dtype=x.dtype if x.dtype.kind == "f" else float)
    return [row.reshape(x.shape) for row in unit]
