"""From a call `f(*args, **kwargs)` to the derived function that serves it."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from stdiff import dynamic, errors, pipeline, program, structures
from stdiff.analyses.kinds import ANY, Kind, canonical, kind_of
from stdiff.derived import Derived
from stdiff.functions import Closure, call_method, captures
from stdiff.rules import table
from stdiff.structures import as_active

Argnums = int | str | tuple[int | str, ...]


@dataclass
class Call:
    """A call bound to a Python function's parameters: a value for each, and which to differentiate by.

    `paths` says where the user's chosen arguments are: a parameter's place, and for `*args` and `**kwargs` the key in
    it.
    """

    function: types.FunctionType
    values: list[Any]
    active: tuple[bool, ...]
    paths: list[tuple[int, Any]]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(kind_of(v, k) for k, v in enumerate(self.values))

    def derive(self, mode: str) -> Derived:
        """The derivative for the kinds of these arguments."""
        return pipeline.derive(self.function, mode, self.active, canonical(self.kinds))


def function_of(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[types.FunctionType, tuple[Any, ...]]:
    """The Python function that a callable runs for a call, and the arguments that it puts before those given.

    Raises: SourceError for a class or an object that cannot be called.
    """
    if isinstance(f, types.FunctionType):
        return f, ()
    if isinstance(f, types.MethodType) and isinstance(f.__func__, types.FunctionType):
        return f.__func__, (f.__self__,)
    if isinstance(f, Closure):
        return f.function, f.captured  # type: ignore[return-value]
    transformed = getattr(f, "__stdiff_function__", None) if hasattr(type(f), "__stdiff_function__") else None
    if transformed is not None:
        return transformed(args, kwargs), captures(f)
    if isinstance(f, functools.partial):
        base, before = _partial(f)
        function, inner = function_of(base, (*before, *args), kwargs)
        return function, (*inner, *before)
    if table.lookup(f) is not None:
        return _named(f, len(args), tuple(kwargs)), ()
    call = call_method(f)
    if call is not None:
        return call, (f,)
    if isinstance(f, type) or not callable(f):
        program.of(f)  # raises the error that says what `f` is
    raise table.missing(f, len(args) + len(kwargs))


@functools.cache
def _partial(f: functools.partial[Any]) -> tuple[Any, tuple[Any, ...]]:
    return dynamic.partial(f)


@functools.cache
def _named(f: Any, count: int, names: tuple[str, ...]) -> types.FunctionType:
    """A Python function that calls a function that has a rule."""
    label = "".join(c if c.isalnum() else "_" for c in getattr(f, "__name__", "function"))
    places = [f"x{k}" if count > 1 else "x" for k in range(count)]
    given = ", ".join([*places, *(f"{n}={n}" for n in names)])
    text = f"def {label}({', '.join([*places, *names])}):\n    return base({given})\n"
    (made,) = program.execute(text, label, [(label, {"base": f})])
    return made


_signatures: WeakKeyDictionary[types.FunctionType, tuple[Any, ...]] = WeakKeyDictionary()


def signature(function: types.FunctionType) -> inspect.Signature:
    """The signature of a function itself, whatever it wraps, and with the defaults that it has now."""
    state = (function.__code__, function.__defaults__, function.__kwdefaults__ and dict(function.__kwdefaults__))
    known = _signatures.get(function)
    if known is None or any(a is not b for a, b in zip(known[:2], state[:2], strict=True)) or known[2] != state[2]:
        known = _signatures[function] = (*state, inspect.signature(function, follow_wrapped=False))
    found: inspect.Signature = known[3]
    return found


def bind(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], argnums: Argnums | None) -> Call:
    """Bind a call. `argnums` None chooses every positional argument that can carry a derivative.

    Raises: ArgumentError for an argument that cannot; TypeError for a call that does not fit `f`, as Python does.
    """
    function, first = function_of(f, args, kwargs)
    bound = signature(function).bind(*first, *args, **kwargs)
    bound.apply_defaults()
    names = list(bound.arguments)
    values = list(bound.arguments.values())
    chosen: list[Any] = structures.chosen(args) if argnums is None else _listed(argnums)
    if not chosen:
        raise errors.ArgumentError(
            f"a call of `{getattr(f, '__name__', f)}`",
            "none of its arguments carries a derivative",
            "give a float or an array of floats (`.astype(float)`)",
        )
    paths = [_path(function, names, c, len(first), args, kwargs) for c in chosen]
    for (place, key), number in zip(paths, chosen, strict=True):
        label = f"argument {number!r} of `{getattr(f, '__name__', f)}`"
        if key is None:
            values[place] = as_active(values[place], label)
        elif isinstance(values[place], tuple):
            values[place] = (*values[place][:key], as_active(values[place][key], label), *values[place][key + 1 :])
        else:
            values[place] = values[place] | {key: as_active(values[place][key], label)}
    places = {place for place, _ in paths}
    return Call(function, values, tuple(k in places for k in range(len(names))), paths)


def unknown(f: Any, argnums: Argnums) -> tuple[types.FunctionType, tuple[bool, ...], tuple[Kind, ...]]:
    """A function with nothing known of its arguments: what is printed before any call."""
    function, first = function_of(f, (None,), {})
    parameters = list(signature(function).parameters.values())
    places = {_parameter(function, parameters, chosen, len(first)) for chosen in _listed(argnums)}
    return function, tuple(k in places for k in range(len(parameters))), (ANY,) * len(parameters)


def _parameter(
    function: types.FunctionType, parameters: list[inspect.Parameter], chosen: int | str, shift: int
) -> int:
    """The place of the parameter that takes an argument, where the call is not known."""
    rest = inspect.Parameter.VAR_KEYWORD if isinstance(chosen, str) else inspect.Parameter.VAR_POSITIONAL
    takers = [k for k, p in enumerate(parameters) if p.kind is rest]
    if isinstance(chosen, str):
        found = [k for k, p in enumerate(parameters) if p.name == chosen] or takers
    else:
        place = chosen + (shift if chosen >= 0 else len(parameters))
        found = [place] if 0 <= place < min([*takers, len(parameters)]) else takers
    if not found:
        raise errors.ArgumentError(
            f"with argnums={chosen!r}",
            f"`{function.__name__}` has no such parameter",
            f"choose among {', '.join(p.name for p in parameters) or 'none'}",
        )
    return found[0]


def checked(argnums: Argnums) -> Argnums:
    """What a user gives as `argnums`, a list as a tuple.

    Raises: ArgumentError for what names no argument.
    """
    found = tuple(argnums) if isinstance(argnums, list) else argnums
    listed = _listed(found)
    if not listed or not all(isinstance(n, int | str) and not isinstance(n, bool) for n in listed):
        raise errors.ArgumentError(
            f"with argnums={argnums!r}",
            "it does not say by which argument to differentiate",
            "give a position, a name, or a tuple of these",
        )
    return found


def _listed(argnums: Argnums) -> list[Any]:
    return list(argnums) if isinstance(argnums, tuple) else [argnums]


def _path(
    function: types.FunctionType,
    names: list[str],
    chosen: int | str,
    shift: int,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[int, Any]:
    """Where an argument that the user names by number or name is found."""
    parameters = signature(function).parameters
    if isinstance(chosen, str):
        if chosen in parameters and parameters[chosen].kind is not inspect.Parameter.VAR_KEYWORD:
            return names.index(chosen), None
        for k, name in enumerate(names):
            if parameters[name].kind is inspect.Parameter.VAR_KEYWORD and chosen in kwargs:
                return k, chosen
        raise errors.ArgumentError(
            f"with argnums={chosen!r}",
            f"`{function.__name__}` has no such parameter",
            f"name one of {', '.join(names)}",
        )
    place = chosen + len(args) if chosen < 0 else chosen
    if not 0 <= place < len(args):
        raise errors.ArgumentError(
            f"with argnums={chosen}",
            f"the call has {len(args)} positional argument{'s' * (len(args) != 1)}",
            "pass that argument by position, or name it in argnums",
        )
    place += shift
    for k, name in enumerate(names):
        if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL and place >= k:
            return k, place - k
    return place, None
