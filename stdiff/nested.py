"""Transforms as plain functions: what `grad(f)(x)` computes, written out, so that it can be derived again."""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np

from stdiff import calling, errors, program
from stdiff.containers import part
from stdiff.functions import captures, closure
from stdiff.structures import basis, conform, fill, require_array, require_pair, require_scalar

_made: dict[Any, types.FunctionType] = {}


def gradient(transform: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> types.FunctionType:
    """A gradient as a function of the values that the primal carries, then of the arguments.

        def f_grad(c0, a0):
            value, saved = forward(c0, a0)
            require_scalar(value, "f")
            bar1 = backward(saved, 1.0)
            return conform(bar1, a0)
    """
    call = calling.bind(transform.primal, args, kwargs, transform.argnums)
    derived = call.derive("reverse")
    names, values, namespace = _symbolic(transform.primal, call, args, kwargs)
    bars = [f"bar{k}" for k, a in enumerate(call.active) if a]
    seed = "(1.0, 0.0)" if transform.has_aux else "1.0"
    name = transform.__name__
    lines = [
        f"{'result' if transform.has_aux else 'value'}, saved = forward({', '.join(values)})",
        *[f"require_pair(result, {name!r})", "value, aux = result"] * transform.has_aux,
        f"require_scalar(value, {name!r})",
        f"{', '.join(bars)} = backward(saved, {seed})",
    ]
    chosen = []
    for place, key in call.paths:
        bar, x = f"bar{place}", values[place]
        chosen.append(f"conform({bar}, {x})" if key is None else f"conform(part({bar}, {key!r}), {x}[{key!r}])")
    result = f"({', '.join(chosen)},)" if isinstance(transform.argnums, tuple) else chosen[0]
    if transform.value:
        result = f"{'(value, aux)' if transform.has_aux else 'value'}, {result}"
    elif transform.has_aux:
        result = f"{result}, aux"
    namespace |= {
        "forward": derived.parts["forward"],
        "backward": derived.parts["backward"],
        "conform": conform,
        "part": part,
        "require_scalar": require_scalar,
        "require_pair": require_pair,
    }
    key = (derived, transform.argnums, transform.value, transform.has_aux, tuple(names))
    return written(f"{_label(call)}_grad", key, names, [*lines, f"return {result}"], namespace)


def jacobian(transform: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> types.FunctionType:
    """A Jacobian as a plain function: by columns, one forward run each, or by rows, one backward sweep each.

    Raises: ArgumentError for several arguments at once, and for one that is not a number or an array.
    """
    call = calling.bind(transform.primal, args, kwargs, transform.argnums)
    if isinstance(transform.argnums, tuple) or call.paths[0][1] is not None:
        raise _refused(
            "a Jacobian by several arguments at once",
            "its blocks have no common shape",
            "ask for one argument at a time",
        )
    place = call.paths[0][0]
    if not isinstance(call.values[place], float | np.ndarray | np.floating):
        raise _refused(
            f"a Jacobian by a {type(call.values[place]).__name__}",
            "it is not a number or an array",
            "differentiate by an array",
        )
    direction = transform.direction
    if direction == "cheaper":
        size = np.size(transform.primal(*args, **kwargs))
        direction = "forward" if np.size(call.values[place]) <= size else "reverse"
    derived = call.derive(direction)
    transform.last = derived
    names, values, namespace = _symbolic(transform.primal, call, args, kwargs)
    given = ", ".join(values)
    name = transform.__name__
    if direction == "forward":
        lines = [
            f"pairs = [run({given}, e) for e in basis({values[place]})]",
            f"require_array(pairs[0][0], {name!r})",
            f"return of_columns(pairs, {values[place]})",
        ]
        namespace |= {"run": derived.parts["tangent"], "of_columns": of_columns}
    else:
        lines = [
            f"value, saved = forward({given})",
            f"require_array(value, {name!r})",
            "rows = [backward(saved, e) for e in basis(value)]",
            f"return of_rows(rows, value, {values[place]})",
        ]
        namespace |= {**derived.parts, "of_rows": of_rows}
    namespace |= {"basis": basis, "require_array": require_array}
    return written(f"{_label(call)}_jacobian", (derived, tuple(names), place), names, lines, namespace)


def jvp(f: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> types.FunctionType:
    """`jvp(f, primals, tangents)` for these, as a plain function of all three."""
    chosen = tuple(k for k, t in enumerate(tangents) if t is not None)
    if not chosen:
        raise _refused("a `jvp` without tangents", "there is no direction", "give a tangent for one argument")
    call = calling.bind(f, tuple(primals), {}, chosen)
    if any(key is not None for _, key in call.paths):
        raise _refused(
            "a `jvp` by part of `*args`, inside a function that is differentiated",
            "its tangents have no fixed places",
            "name the parameters",
        )
    derived = call.derive("forward")
    names, values, namespace = _symbolic(f, call, primals, {})
    carried = len(names) - len(primals)
    order = sorted(zip((place for place, _ in call.paths), chosen, strict=True))
    dots = ", ".join(f"fill(tangents[{k}], primals[{k}], 'a tangent')" for _, k in order)
    lines = [*_taken(carried, "f"), f"{', '.join(names[carried:])}, = primals",
             f"value, value_dot = run({', '.join(values)}, {dots})", "return value, conform(value_dot, value)"]
    namespace |= {"run": derived.parts["tangent"], "conform": conform, "captures": captures, "fill": fill}
    return written(
        f"{_label(call)}_jvp",
        (derived, chosen, len(primals), carried, "jvp"),
        ["f", "primals", "tangents"],
        lines,
        namespace,
    )


def vjp(f: Any, *args: Any, **kwargs: Any) -> types.FunctionType:
    """`vjp(f, *args)` for these, as a plain function: its pullback carries what the forward sweep saved."""
    call = calling.bind(f, args, kwargs, None)
    if any(key is not None for _, key in call.paths):
        raise _refused(
            "a `vjp` of a function of `*args`, inside a function that is differentiated",
            "its cotangents have no fixed places",
            "name the parameters",
        )
    derived = call.derive("reverse")
    names, values, namespace = _symbolic(f, call, args, kwargs)
    carried = len(names) - len(args) - len(kwargs)
    bars = [f"bar{k}" for k, a in enumerate(call.active) if a]
    by_argument = {values[place]: f"conform(bar{place}, {values[place]})" for place, _ in call.paths}
    given = names[carried : carried + len(args)]
    results = "".join(f"{by_argument.get(a, 'None')}, " for a in given)
    pullback = written(
        f"{_label(call)}_pullback",
        (derived, len(args), carried, "pullback"),
        ["saved", *given, "cotangent"],
        [f"{', '.join(bars)} = backward(saved, cotangent)", f"return ({results})"],
        {"backward": derived.parts["backward"], "conform": conform},
    )
    lines = [
        *_taken(carried, "f"),
        f"value, saved = forward({', '.join(values)})",
        f"return value, closure(pullback, {', '.join(['saved', *given])})",
    ]
    namespace |= {"forward": derived.parts["forward"], "captures": captures, "closure": closure, "pullback": pullback}
    return written(
        f"{_label(call)}_vjp",
        (derived, len(args), tuple(kwargs), carried, "vjp"),
        ["f", *names[carried:]],
        lines,
        namespace,
    )


def _taken(carried: int, f: str) -> list[str]:
    """The statement that takes from a function the values that it carries."""
    names = [f"c{k}" for k in range(carried)]
    return [f"{', '.join(names)}, = captures({f})"] if names else []


def of_columns(pairs: list[Any], x: Any) -> Any:
    """The Jacobian from pairs of the value and the derivative by each element of `x`."""
    columns = [conform(p[1], p[0]) for p in pairs]
    if not isinstance(x, np.ndarray):
        return columns[0]
    value = pairs[0][0]
    return np.reshape(np.stack(columns, axis=-1), np.shape(value) + np.shape(x))


def of_rows(rows: list[Any], value: Any, x: Any) -> Any:
    """The Jacobian from the gradients of the elements of `value` by `x`."""
    full = [conform(row, x) for row in rows]
    if not isinstance(value, np.ndarray):
        return full[0]
    return np.reshape(np.stack(full), np.shape(value) + np.shape(x))


def _symbolic(
    primal: Any, call: calling.Call, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[str], list[str], dict[str, Any]]:
    """The parameters of the function to be written, an expression for each of the primal's, and what these name."""
    before = names = [f"c{k}" for k in range(len(captures(primal)))]
    namespace: dict[str, Any] = {}
    places = [f"a{k}" for k in range(len(args))]
    signature = calling.signature(call.function)
    bound = signature.bind(*before, *places, **{k: k for k in kwargs})
    values = []
    for name, parameter in signature.parameters.items():
        found = bound.arguments.get(name)
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            values.append("(" + "".join(f"{v}, " for v in found or ()) + ")")
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            values.append("{" + ", ".join(f"{k!r}: {k}" for k in found or {}) + "}")
        elif found is None:
            namespace[f"default_{name}"] = parameter.default
            values.append(f"default_{name}")
        else:
            values.append(found)
    return [*names, *places, *kwargs], values, namespace


def written(
    label: str, key: Any, names: list[str], lines: list[str], namespace: dict[str, Any]
) -> types.FunctionType:
    """The function with these parameters and statements, made once for each key."""
    found = _made.get(key)
    if found is None:
        body = "\n".join(f"    {line}" for line in lines)
        text = f"def {label}({', '.join(names)}):\n{body}\n"
        (made,) = program.execute(text, label, [(label, namespace)])
        found = _made[key] = made
    return found


def _label(call: calling.Call) -> str:
    return "".join(c if c.isalnum() else "_" for c in call.function.__name__).strip("_") or "function"


def _refused(met: str, why: str, instead: str) -> errors.ArgumentError:
    return errors.ArgumentError(met, why, instead)
