"""Functions that carry values: nested functions, partials, methods, objects that can be called."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from stdiff.errors import UnsupportedError


@dataclasses.dataclass(frozen=True)
class Closure:
    """A nested function with the values it reads from around it: `function(*captured, *args)`."""

    function: Callable[..., Any]
    captured: tuple[Any, ...]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*self.captured, *args, **kwargs)

    @property
    def __name__(self) -> str:
        return str(self.function.__name__)


def closure(function: Callable[..., Any], *captured: Any) -> Closure:
    """The value that a nested `def` or `lambda` makes. Its adjoint is the tuple of the captured values' adjoints."""
    return Closure(function, captured)


def captures(function: Any) -> tuple[Any, ...]:
    """The values that a function carries and puts before its arguments; of a transform, those of its function.

    >>> captures(closure(pow, 2.0)), captures(pow)
    ((2.0,), ())
    """
    # Asked of the object itself: a class may answer to any name.
    while "__stdiff_primal__" in getattr(function, "__dict__", {}):
        function = function.__stdiff_primal__
    if isinstance(function, Stored):
        return captures(function.function)
    if isinstance(function, Closure):
        return function.captured
    if isinstance(function, functools.partial):
        return function.args
    if isinstance(function, types.MethodType):
        return (function.__self__,)
    return () if call_method(function) is None else (function,)


def call_method(value: Any) -> types.FunctionType | None:
    """What runs where an object is called, if its class is written in Python; None for functions and classes."""
    found = inspect.getattr_static(type(value), "__call__", None)
    return found if isinstance(found, types.FunctionType) and not isinstance(value, type) else None


@dataclasses.dataclass(frozen=True)
class Stored:
    """A function kept in an object's attribute, called as if it were a method: what comes first is the object."""

    function: Callable[..., Any]

    def __call__(self, owner: Any, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def method(value: Any, name: str) -> Any:
    """The function behind `value.name(...)`, which takes `value` first.

    Raises UnsupportedError where the attribute is not a method of the value's class: its activity would be lost.
    """
    owner = np.ndarray if isinstance(value, np.generic) else type(value)
    found = inspect.getattr_static(owner, name, None)
    if isinstance(value, type):
        owner, found = value, inspect.getattr_static(value, name, None)
        if isinstance(found, types.FunctionType):
            return Stored(found)
    if isinstance(found, staticmethod):
        return Stored(found.__func__)
    if isinstance(found, classmethod):
        return Stored(types.MethodType(found.__func__, owner))
    stored = getattr(value, "__dict__", {}).get(name) if not isinstance(value, type) else None
    if (
        callable(stored)
        and not isinstance(stored, Closure)
        and "__stdiff_primal__" not in getattr(stored, "__dict__", {})
    ):
        return Stored(stored)
    if found is None or isinstance(found, staticmethod | classmethod | property) or not callable(found):
        raise UnsupportedError(
            f"the call of `.{name}` of a {owner.__name__}",
            f"`{name}` is not a method of its class",
            "name the function that it is, and call that",
        )
    return found


vars(closure)["__stdiff_form__"] = "closure"
vars(captures)["__stdiff_form__"] = "captures"
