"""A call of whatever can be called, written out as a Python function that can be derived."""

from __future__ import annotations

import functools
import types
from typing import Any

from stdiff import program
from stdiff.functions import Closure, Stored, call_method, captures

_adapters: dict[Any, types.FunctionType] = {}


def adapter(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> types.FunctionType:
    """`call(function, args, kwargs)` for one function, written out so that it can be derived.

    It takes its arguments apart, and from the function the values that it carries.
    """
    if not callable(function):
        function(*args, **kwargs)  # it raises what Python raises there
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
        found = _adapters[key] = made
    return found


def _take_apart(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[str], list[str], Any]:
    """What a callable calls in the end, the statements that take what it carries, the names of that, and a key."""
    if isinstance(function, Closure):
        names = [f"c{k}" for k in range(len(function.captured))]
        lines = [f"{', '.join(names)}{',' if len(names) == 1 else ''} = captures(function)"] if names else []
        return function.function, lines, names, (function.function, len(names))
    written_out = getattr(function, "__stdiff_expand__", None) if isinstance(function, types.FunctionType) else None
    if written_out is not None:
        base = written_out(*args, **kwargs)
        return base, [], [], base
    transformed = function.__stdiff_function__ if hasattr(type(function), "__stdiff_function__") else None
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
    call = call_method(function)
    if call is not None:
        return call, [], ["function"], (call, "call")
    return function, [], [], function


def _with_keywords(function: functools.partial[Any]) -> Any:
    """The function of a partial with its keywords, which are constants, put in."""
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
