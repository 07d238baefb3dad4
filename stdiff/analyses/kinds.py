"""Kinds: what is known, before running, of the value that a name holds."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stdiff.containers import plain


@dataclass(frozen=True)
class Kind:
    """One of: number (a Python or NumPy scalar), array, numeric (either), text, none, tuple, list, dict, known, object,
    function, any.

    `rank` is an array's number of dimensions where it is known; `shape` tells shapes apart: two arrays with the same
    `shape` token have the same shape. `items` are a tuple's kinds, or the one kind of a list's elements. `value` is a
    known object (a module, a function), `type` an object's class.
    """

    name: str
    rank: int | None = None
    shape: object = None
    items: tuple[Kind, ...] | None = None
    value: Any = None
    type: Any = None

    @property
    def numeric(self) -> bool:
        """Whether the value is a number or an array, so that methods and arithmetic mean what they mean in NumPy."""
        return self.name in ("number", "array", "numeric")

    @property
    def container(self) -> bool:
        return self.name in ("tuple", "list", "dict")


ANY, NUMBER, NUMERIC, TEXT, NONE = (Kind(n) for n in ("any", "number", "numeric", "text", "none"))
FUNCTION, DICT, LIST = Kind("function"), Kind("dict"), Kind("list")
ARRAY = Kind("array")


def kind_of(value: object, token: object = None) -> Kind:
    """The kind of an argument; `token` names its shape.

    >>> kind_of(1.5).name, kind_of(np.zeros((2, 3))).rank, kind_of((1.0, [2.0])).name
    ('number', 2, 'tuple')
    """
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return NUMBER
    if isinstance(value, np.ndarray | tuple | list | dict) and not plain(value):
        return Kind("object", type=type(value))
    if isinstance(value, np.ndarray):
        return Kind("array", rank=value.ndim, shape=token)
    if value is None:
        return NONE
    if isinstance(value, str | bytes):
        return TEXT
    if isinstance(value, tuple):
        kind = type(value)
        items = tuple(kind_of(v, (token, k)) for k, v in enumerate(value))
        return Kind("tuple", items=items, type=None if kind is tuple else kind)
    if type(value) is list:
        return Kind("list", items=(cover([kind_of(v) for v in value]),))
    if type(value) is dict:
        return DICT
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.MethodType | type):
        return FUNCTION
    return Kind("object", type=type(value))


def of_constant(value: object) -> Kind:
    """The kind of an object that the namespace binds: functions, classes and modules are known themselves."""
    if isinstance(value, types.ModuleType | type) or (callable(value) and not isinstance(value, np.ndarray)):
        return Kind("known", value=value)
    return kind_of(value)


def join(a: Kind | None, b: Kind | None) -> Kind:
    """The least kind that covers both; None is nothing yet."""
    if a is None or b is None:
        return b or a or ANY
    if a == b:
        return a
    if a.numeric and b.numeric:
        if a.name == b.name == "array":
            return Kind(
                "array", rank=a.rank if a.rank == b.rank else None, shape=a.shape if a.shape == b.shape else None
            )
        return NUMERIC
    if a.name == b.name == "tuple" and a.type is b.type and a.items and b.items and len(a.items) == len(b.items):
        return Kind("tuple", items=tuple(map(join, a.items, b.items)), type=a.type)
    if a.name == b.name == "list":
        return Kind(
            "list", items=(join((a.items or (None,))[0], (b.items or (None,))[0]),) if a.items or b.items else None
        )
    if a.name == b.name and a.container:
        return Kind(a.name)
    return ANY


def cover(kinds: list[Kind]) -> Kind:
    """The least kind that covers all of them."""
    found: Kind | None = None
    for kind in kinds:
        found = join(found, kind)
    return found or ANY


def canonical(given: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Kinds with their shape tokens numbered in order of appearance, so that equal situations give equal keys."""
    numbers: dict[object, int] = {}
    return tuple(_with_shapes(kind, lambda shape: numbers.setdefault(shape, len(numbers))) for kind in given)


def restored(kind: Kind, given: tuple[Kind, ...]) -> Kind:
    """A kind found from `canonical(given)` with the shape tokens of `given` again; any other shape is unknown.

    >>> x, y = Kind("array", 1, "x"), Kind("array", 1, "y")
    >>> restored(canonical((x, y))[1], (x, y)).shape, restored(Kind("array", 1, "local"), (x, y)).shape
    ('y', None)
    """
    tokens: dict[object, None] = {}
    for part in given:
        _with_shapes(part, tokens.setdefault)
    numbered = dict(enumerate(tokens))
    return _with_shapes(kind, lambda shape: numbered.get(shape) if type(shape) is int else None)


def _with_shapes(kind: Kind, of: Callable[[object], object]) -> Kind:
    shape = None if kind.shape is None else of(kind.shape)
    items = None if kind.items is None else tuple(_with_shapes(item, of) for item in kind.items)
    value = kind.value if kind.name == "known" else None
    return Kind(kind.name, kind.rank, shape, items, value, kind.type)
