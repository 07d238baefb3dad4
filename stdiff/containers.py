"""What generated code calls for adjoints of tuples, lists, dicts, objects, and of functions that carry values.

The adjoint of a tuple, a list or a namedtuple is a tuple or list; that of a dict, a dict; that of an object, a dict by
attribute. The float 0.0 is the adjoint of anything on which the result does not depend.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from stdiff.errors import Place, UnsupportedError

_OWN_WAY = "its class may give items in a way of its own"


def part(g: Any, key: Any) -> Any:
    """The adjoint of `container[key]` (of `object.key` where it is by attribute) in the container's adjoint `g`.

    >>> part((1.0, 2.0), 1), part({"a": 3.0}, "b"), part(0.0, 5)
    (2.0, 0.0, 0.0)
    """
    if isinstance(g, dict):
        return g.get(key, 0.0)
    if isinstance(g, float):
        return [] if isinstance(key, slice) else 0.0
    return g[key]


def part_bar(whole: Any, key: Any, g: Any) -> Any:
    """The adjoint of an adjoint `whole` from that of its part: 0.0 where the whole was 0.0."""
    return 0.0 if isinstance(whole, float) else accumulate_at(0.0, whole, key, g)


def without(g: Any, keys: tuple[Any, ...]) -> Any:
    """The adjoint of the `**` part of a dict display: without the items that were written after it."""
    return {key: bar for key, bar in g.items() if key not in keys} if isinstance(g, dict) else g


def zeros_like(x: Any) -> Any:
    """The zero adjoint of `x`, one that `accumulate_at` may add into."""
    if isinstance(x, np.ndarray):
        if x.dtype.kind == "O":
            raise UnsupportedError(
                "an array of objects", "its elements are not numbers to NumPy", "make it an array of floats"
            )
        return np.zeros_like(floating(x))
    if isinstance(x, tuple | list | type({}.items()) | type({}.values())):
        return [0.0] * len(x)
    if isinstance(x, dict) or hasattr(x, "__dict__"):
        return {}
    return 0.0


def floating(x: np.ndarray) -> np.ndarray:
    """`x` itself, refused where it is an array of whole numbers, to which what is written is cut."""
    if x.dtype.kind in "iub":
        met, why = f"a derivative of an array of {x.dtype}", "what is written into it is cut to whole numbers"
        raise UnsupportedError(met, why, "make it an array of floats")
    return x


def own(g: Any, x: Any) -> Any:
    """A copy of the adjoint `g` of `x` that nothing else holds, filled up to the shape of `x`."""
    if isinstance(g, float) and not isinstance(x, float):
        return zeros_like(x) + g if isinstance(x, np.ndarray) else zeros_like(x)
    if isinstance(g, np.ndarray) and isinstance(x, np.ndarray):
        return g.copy() if g.shape == floating(x).shape else g + zeros_like(x)
    if isinstance(g, np.ndarray):
        return g.copy()
    if isinstance(g, tuple | list):
        return list(g)
    return dict(g) if isinstance(g, dict) else g


def as_list(g: Any, x: Any) -> list[Any]:
    """The adjoint `g` of the list `x` as a list of its own, from which the adjoints of appended items are taken.

    >>> as_list(0.0, ["a", "b"])
    [0.0, 0.0]
    """
    if isinstance(g, float):
        return [0.0] * len(x or ())  # None where no path made the list
    return list(g)


def kept(part: Any) -> Any:
    """A part of an array, as it is now: a copy of a view."""
    return part.copy() if isinstance(part, np.ndarray) else part


def accumulate(a: Any, b: Any) -> Any:
    """The sum of two adjoints of one value, a new object.

    >>> accumulate((1.0, [2.0]), (3.0, 0.0))
    [4.0, [2.0]]
    """
    if isinstance(a, dict) and isinstance(b, dict):
        return {key: accumulate(a.get(key, 0.0), b.get(key, 0.0)) for key in a | b}
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return [accumulate(p, q) for p, q in zip(a, b, strict=True)]
    if isinstance(a, tuple | list | dict) and isinstance(b, float):
        return own(a, a)
    if isinstance(b, tuple | list | dict) and isinstance(a, float):
        return own(b, b)
    return a + b


def accumulate_at(x_bar: Any, x: Any, key: Any, g: Any) -> Any:
    """`x_bar` with the adjoint `g` of `x[key]` added: in place where that can be, in a new one where `x_bar` is 0.0.

    >>> accumulate_at(0.0, np.zeros(3), [0, 0], np.array([1.0, 2.0]))
    array([3., 0., 0.])
    """
    if not plain(x):
        raise UnsupportedError(f"an item of a {type(x).__name__}", _OWN_WAY, "use a plain list, dict or array")
    if isinstance(x_bar, float | int | np.floating | np.integer):
        x_bar = own(float(x_bar), x)
    if isinstance(x_bar, np.ndarray):
        if _repeats(key):
            np.add.at(x_bar, key, g)
        else:
            x_bar[key] += g
    elif isinstance(key, slice):
        for k, part_bar in zip(range(*key.indices(len(x_bar))), parts(g), strict=False):
            x_bar[k] = accumulate(x_bar[k], part_bar)
    elif isinstance(x_bar, dict):
        x_bar[key] = accumulate(x_bar.get(key, 0.0), g)
    elif isinstance(x_bar, list):
        x_bar[key] = accumulate(x_bar[key], g)
    else:
        raise UnsupportedError(f"an item of a {type(x).__name__}", _OWN_WAY, "use a plain list, dict or array")
    return x_bar


_BUILTIN: tuple[type, ...] = (
    type({}.items()), type({}.values()), range, zip, enumerate, map, filter, type(reversed([])),
)


def plain(x: Any) -> bool:
    """Whether a container gives its items as NumPy and Python do: no class of its own changes anything there.

    >>> plain((1.0, 2.0)), plain(np.matrix([[1.0]]))
    (True, False)
    """
    kind = type(x)
    if isinstance(x, np.ndarray):
        return kind is np.ndarray
    for base in (tuple, list, dict):
        if isinstance(x, base):
            return kind.__getitem__ is base.__getitem__ and kind.__iter__ is base.__iter__
    return isinstance(x, _BUILTIN) or hasattr(type(x), "__cuda_array_interface__")


def item_at(x: Any, k: int) -> int:
    """The index of the item that the k-th iteration of a loop over `x` met.

    Raises UnsupportedError for what has no items by number: a dict, a set, an iterator.
    """
    if not isinstance(x, np.ndarray | list | tuple | type({}.items()) | type({}.values())):
        raise UnsupportedError(
            f"a loop over a {type(x).__name__} that carries derivatives", "its items have no places", "loop over a list"
        )
    return k


def parts(g: Any) -> Sequence[Any]:
    """The adjoints of a container's items; none where the adjoint is 0.0."""
    return () if isinstance(g, float) else list(g)


def _repeats(key: Any) -> bool:
    """Whether an index may name an element twice: it holds integer arrays or lists."""
    for k in key if isinstance(key, tuple) else (key,):
        if isinstance(k, list) or (isinstance(k, np.ndarray) and k.dtype.kind != "b" and k.ndim):
            return True
    return False


def unpacked(x: Any, bars: Sequence[Any]) -> Any:
    """The adjoint of `x` from those of its items, where `a, b = x` was met.

    >>> unpacked(np.array([1.0, 2.0]), (3.0, 0.0))
    array([3., 0.])
    """
    if not plain(x):
        raise UnsupportedError(f"unpacking a {type(x).__name__}", _OWN_WAY, "use a plain list, dict or array")
    if not isinstance(x, np.ndarray):
        return list(bars)
    x_bar = zeros_like(x)
    for k, bar in enumerate(bars):
        x_bar[k] += bar
    return x_bar


_NO_FIELD = property()  # stands for what a class does not have: it is refused like a property


def attribute_bar(x: Any, name: str, g: Any) -> Any:
    """The adjoint of `x` from that of `x.name`: a field of a namedtuple or an object, or an array's `T` or `real`.

    Raises UnsupportedError for what is computed (a property), since its derivative is not known here.
    """
    if isinstance(x, np.ndarray | np.generic):
        if name in ("T", "real"):
            return g.T if name == "T" and isinstance(g, np.ndarray) else g
        if name in ("shape", "ndim", "size", "dtype"):
            return 0.0
    elif isinstance(inspect.getattr_static(type(x), name, None), types.FunctionType):
        return part(g, 0)  # a method, which carries the object
    elif isinstance(x, tuple) and name in getattr(type(x), "_fields", ()):
        bars: list[Any] = [0.0] * len(x)
        bars[type(x)._fields.index(name)] = g  # type: ignore[attr-defined]
        return bars
    elif name in getattr(x, "__dict__", ()) or (
        dataclasses.is_dataclass(x) and name in (f.name for f in dataclasses.fields(x))
    ):
        return {name: g}
    elif not hasattr(inspect.getattr_static(type(x), name, _NO_FIELD), "__get__"):
        return 0.0  # a constant of the class
    elif isinstance(x, float | int) and name in ("real", "imag"):
        return g if name == "real" else 0.0
    raise UnsupportedError(
        f"the attribute `{name}` of a {type(x).__name__}",
        "it is not a stored field, or not one that carries a derivative",
        "pass what is needed as an argument",
    )


def rebinds(value: Any, place: Place) -> None:
    """Refuse `value += ...` where the value turns out to be something that is written into in place."""
    if isinstance(value, np.ndarray | list | dict | set):
        what = "an array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
        raise UnsupportedError(
            f"an update in place of {what}",
            "it writes into the object that the name holds, which other names may share",
            "write `x = x + ...`, which makes a new value",
            place,
        )


def components(x_dot: Any, x: Any) -> Any:
    """The tangents of the items of `x`, one for each, from its tangent.

    >>> components(0.0, (1.0, 2.0)), components((3.0, 4.0), (1.0, 2.0))
    ([0.0, 0.0], (3.0, 4.0))
    """
    if not plain(x):
        raise UnsupportedError(f"the items of a {type(x).__name__}", _OWN_WAY, "use a plain list, dict or array")
    if isinstance(x_dot, dict):
        return [x_dot.get(key, 0.0) for key in x]
    if isinstance(x_dot, float) or (isinstance(x_dot, np.ndarray) and x_dot.ndim == 0):
        return [x_dot] * len(x)
    return x_dot


def attribute_dot(x: Any, name: str, x_dot: Any) -> Any:
    """The tangent of `x.name`, from that of `x`. Refuses what `attribute_bar` refuses."""
    attribute_bar(x, name, 0.0)
    if isinstance(inspect.getattr_static(type(x), name, None), types.FunctionType):
        return (x_dot,)
    if isinstance(x, np.ndarray | np.generic):
        if name == "T" and isinstance(x_dot, np.ndarray):
            return x_dot.T
        return x_dot if name in ("T", "real") else 0.0
    if isinstance(x, tuple):
        return part(x_dot, type(x)._fields.index(name))  # type: ignore[attr-defined]
    if isinstance(x, float | int):
        return x_dot if name == "real" else 0.0
    if name not in getattr(x, "__dict__", ()) and not hasattr(
        inspect.getattr_static(type(x), name, _NO_FIELD), "__get__"
    ):
        return 0.0
    return part(x_dot, name)


def item_dot(x_dot: Any, x: Any, key: Any) -> Any:
    """The tangent of `x[key]`. Refuses what `accumulate_at` refuses.

    >>> item_dot(0.0, np.ones(3), slice(2)), item_dot(0.0, [1.0, 2.0, 3.0], slice(2))
    (0.0, [0.0, 0.0])
    """
    if not plain(x):
        raise UnsupportedError(f"an item of a {type(x).__name__}", _OWN_WAY, "use a plain list, dict or array")
    if isinstance(x_dot, float) and isinstance(key, slice):
        return 0.0 if isinstance(x, np.ndarray) else zeros_like(x[key])
    return part(x_dot, key)


def as_dict(x_dot: Any) -> dict[Any, Any]:
    """The tangent of a dict as a dict: empty where it is 0.0."""
    return x_dot if isinstance(x_dot, dict) else {}


def runs_through(finished: bool, place: Place) -> None:
    """Refuse a `with` whose body was left by an exception that the context manager swallowed."""
    if not finished:
        raise UnsupportedError(
            "a context manager that swallows an exception",
            "how far its body came is not recorded",
            "use `try` and `except`",
            place,
        )


def keyed(d: Any, key: Any, g: Any) -> Any:
    """The adjoint of a dict from that of one item; 0.0 where it has no such item."""
    return {key: g} if key in d else 0.0


def items_bar(d: Any, g: Any) -> Any:
    """The adjoint of a dict from that of its `items()`."""
    return g if isinstance(g, float) else {key: part(pair, 1) for key, pair in zip(d, g, strict=True)}


def values_bar(d: Any, g: Any) -> Any:
    """The adjoint of a dict from that of its `values()`."""
    return g if isinstance(g, float) else dict(zip(d, g, strict=True))


def pairs_bar(pairs: Any, g: Any) -> Any:
    """The adjoint of the list of pairs that a dict was made from: where a key comes twice, the last counts.

    >>> pairs_bar([("a", 1.0), ("b", 2.0), ("a", 3.0)], {"a": 5.0})
    [(0.0, 0.0), (0.0, 0.0), (0.0, 5.0)]
    """
    last = {key: k for k, (key, _) in enumerate(pairs)}
    return [(0.0, part(g, key) if last[key] == k else 0.0) for k, (key, _) in enumerate(pairs)]


def pairs_dot(pairs: Any, t: Any) -> Any:
    """The tangent of a dict from that of the list of pairs that it is made from."""
    return 0.0 if isinstance(t, float) else {key: part(dot, 1) for (key, _), dot in zip(pairs, t, strict=True)}


def repeated_bar(x: Any, g: Any) -> Any:
    """The adjoint of `x` from that of `x * n`, a list or tuple repeated.

    >>> repeated_bar([0.0, 0.0], [1.0, 2.0, 3.0, 4.0])
    [4.0, 6.0]
    """
    total: Any = [0.0] * len(x)
    for k in range(0, len(parts(g)), max(len(x), 1)):
        total = accumulate(total, list(g[k : k + len(x)]))
    return total


def repeated_dot(t: Any, n: int) -> Any:
    """The tangent of `x * n`, a list or tuple repeated."""
    return t if isinstance(t, float) else list(t) * n
