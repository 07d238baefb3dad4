"""Functions that are known only when running: their derivatives are made on first sight."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from stdiff import pipeline, program
from stdiff.analyses.kinds import DICT, FUNCTION, kind_of
from stdiff.containers import Closure, Stored, captures
from stdiff.rules import table

_adapters: dict[Any, types.FunctionType] = {}


def sweeps(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The forward and the backward sweep of `function(*args, **kwargs)`, as a function of all three."""
    parts = _derive(function, args, kwargs, "reverse").parts
    return parts["forward"], parts["backward"]


def tangent(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
    """The tangent of `function(*args, **kwargs)`, as a function of all three and of their tangents."""
    return _derive(function, args, kwargs, "forward").parts["tangent"]


def check_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a call, not itself differentiated, of a function that writes into what is not its own."""
    given = (FUNCTION, kind_of(tuple(args), "args"), DICT)
    pipeline.Callees("reverse").check(adapter(function, args, kwargs), list(given))


table.constant(sweeps, tangent, check_call)  # which function is derived carries no derivative; what the function carries is handed over beside it


def _derive(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], mode: str) -> pipeline.Derived:
    given = pipeline.canonical((FUNCTION, kind_of(tuple(args), "args"), DICT))
    return pipeline.derive(adapter(function, args, kwargs), mode, (True, True, True), given)


def adapter(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> types.FunctionType:
    """`call(function, args, kwargs)` for one function, written out so that it can be derived: it takes its arguments apart, and from
    the function the values that it carries."""
    stored = isinstance(function, Stored)
    base, lines, first, key = _take_apart(function.function if stored else function, args[stored:], kwargs)
    names = list(kwargs)
    key = (key, len(args), tuple(names), stored)
    found = _adapters.get(key)
    if found is None:
        places = [f"a{k}" for k in range(len(args))]
        if places:
            lines.append(f"{', '.join(places)}{',' if len(places) == 1 else ''} = args")
        lines += [f"k{k} = kwargs[{name!r}]" for k, name in enumerate(names)]
        given = [*first, *places[stored:], *(f"{name}=k{k}" for k, name in enumerate(names))]
        body = "\n".join(f"    {line}" for line in (*lines, f"return base({', '.join(given)})"))
        label = "".join(c if c.isalnum() else "_" for c in getattr(base, "__name__", "function"))
        text = f"def call_{label}(function, args, kwargs):\n{body}\n"
        (made,) = program.execute(text, f"call {label}", [(f"call_{label}", {"base": base, "captures": captures})])
        assert isinstance(made, types.FunctionType)
        found = _adapters[key] = made
    return found


def _take_apart(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[str], list[str], Any]:
    """What a callable calls in the end, the statements that take from it what it carries, the names of that, and a key."""
    if isinstance(function, Closure):
        names = [f"c{k}" for k in range(len(function.captured))]
        lines = [f"{', '.join(names)}{',' if len(names) == 1 else ''} = captures(function)"] if names else []
        return function.function, lines, names, (function.function, len(names))
    written_out = getattr(function, "__stdiff_expand__", None)
    if written_out is not None:
        base = written_out(*args, **kwargs)
        return base, [], [], base
    transformed = getattr(function, "__stdiff_function__", None)
    if transformed is not None:
        carried = captures(function)
        names = [f"c{k}" for k in range(len(carried))]
        lines = [f"{', '.join(names)}{',' if len(names) == 1 else ''} = captures(function)"] if names else []
        base = transformed(args, kwargs)
        return base, lines, names, base
    if isinstance(function, types.MethodType):
        return function.__func__, ["receiver, = captures(function)"], ["receiver"], (function.__func__, "method")
    if isinstance(function, functools.partial):
        names = [f"c{k}" for k in range(len(function.args))]
        lines = [f"{', '.join(names)}, = captures(function)"] if names else []
        return _with_keywords(function), lines, names, ("partial", function)
    if isinstance(getattr(type(function), "__call__", None), types.FunctionType):
        return type(function).__call__, [], ["function"], (type(function).__call__, "call")
    return function, [], [], function


def _with_keywords(function: functools.partial[Any]) -> Any:
    """The function of a partial with the partial's keywords, which are constants, put in; its own arguments come before those of a call."""
    if not function.keywords:
        return function.func
    fixed = {f"{key}_": value for key, value in function.keywords.items()}
    given = ["*args", *(f"{key}={key}_" for key in function.keywords), "**kwargs"]
    text = f"def partial(*args, **kwargs):\n    return base({', '.join(given)})\n"
    (made,) = program.execute(text, "partial", [("partial", {"base": function.func, **fixed})])
    return made


def partial(function: functools.partial[Any]) -> tuple[Any, tuple[Any, ...]]:
    """The function that a partial calls, and the arguments that it puts first."""
    return _with_keywords(function), function.args
