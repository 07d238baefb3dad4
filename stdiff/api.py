"""The functional transforms: grad, value_and_grad, vjp, jvp, jacobian, hessian, hvp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stdiff import calling, errors, nested
from stdiff.calling import Argnums
from stdiff.locating import located
from stdiff.structures import chosen as chosen_by_default
from stdiff.structures import conform, fill
from stdiff.transformed import Gradient, Jacobian, gradients


def grad(
    f: Any = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "python"
) -> Any:
    """The gradient of a function that returns a real scalar; also a decorator, `@grad` or `@grad(argnums=(0, 1))`.

    Arguments: `f`, a function; `argnums`, the position or name of the argument to differentiate by, or a tuple of
    these; `has_aux`, whether `f` returns a pair whose second part is handed through; `backend`, "python".
    Returns: a function of the same arguments that gives the gradient, in the type, shape and dtype of the argument.
    Raises: StdiffError, at the user's line, where `f` cannot be differentiated.

    >>> grad(lambda x: x * x)(3.0)
    6.0
    """
    return _decorated(f, lambda g: Gradient(g, argnums, has_aux, False), backend)


def value_and_grad(f: Any = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "python") -> Any:
    """As `grad`, but the function gives `(value, gradient)`; with `has_aux`, `((value, aux), gradient)`.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return _decorated(f, lambda g: Gradient(g, argnums, has_aux, True), backend)


def _decorated(f: Any, make: Callable[[Any], Any], backend: str) -> Any:
    if backend != "python":
        raise errors.ArgumentError(
            f"with backend={backend!r}", "there is no such backend", 'use backend="python"'
        )
    if f is None:
        return make
    if not callable(f):
        raise errors.ArgumentError(repr(f), "it is not a function", "give a function")
    return make(f)


def vjp(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of a function, and its pullback: from a cotangent of the value to those of the positional arguments.

    Returns: `(value, pullback)`; `pullback(cotangent)` has one entry for each positional argument, None where that
    carries no derivative. It can be called any number of times.

    >>> value, pullback = vjp(lambda x, y: x * y, 3.0, 4.0)
    >>> value, pullback(1.0)
    (12.0, (4.0, 3.0))
    """
    with located(f):
        call = calling.bind(f, args, kwargs, None)
        derived = call.derive("reverse")
        value, saved = derived.parts["forward"](*call.values)
    numbers = chosen_by_default(args)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        with located(f):
            bars = derived.parts["backward"](saved, fill(cotangent, value, f"the cotangent of `{_label(f)}`"))
            found = dict(zip(numbers, gradients(call, bars), strict=True))
        return tuple(found.get(k) for k in range(len(args)))

    return value, pullback


def jvp(f: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value of a function, and its derivative in a direction.

    Arguments: `primals`, the arguments; `tangents`, for each its direction, or None for zero.
    Returns: `(value, tangent)`, the tangent in the form of the value.

    >>> jvp(lambda x, y: x * y, (3.0, 4.0), (1.0, None))
    (12.0, 4.0)
    """
    with located(f):
        return _jvp(f, primals, tangents)


def _jvp(f: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    for given, what in ((primals, "arguments"), (tangents, "tangents")):
        if not isinstance(given, tuple | list):
            raise errors.ArgumentError(
                f"the {what} given to the `jvp` of `{_label(f)}`",
                f"they are a {type(given).__name__}, not a tuple",
                "give a tuple, `(x,)` for one",
            )
    if len(primals) != len(tangents):
        raise errors.ArgumentError(
            f"{len(tangents)} tangents for {len(primals)} arguments of `{_label(f)}`",
            "each argument needs its own",
            "give None for a zero tangent",
        )
    chosen = tuple(k for k, t in enumerate(tangents) if t is not None)
    if not chosen:
        value = f(*primals)
        return value, conform(0.0, value)
    call = calling.bind(f, tuple(primals), {}, chosen)
    dots = _dots(call, {k: fill(tangents[k], primals[k], f"tangent {k} of `{_label(f)}`") for k in chosen}, chosen)
    value, tangent = call.derive("forward").parts["tangent"](*call.values, *dots)
    return value, conform(tangent, value)


def _label(f: Any) -> str:
    return str(getattr(f, "__name__", f))


def _dots(call: calling.Call, given: dict[int, Any], chosen: tuple[int, ...]) -> list[Any]:
    """The tangents of the active parameters; those of `*args` are one tuple."""
    by_place: dict[int, Any] = {}
    for (place, key), number in zip(call.paths, chosen, strict=True):
        if key is None:
            by_place[place] = given[number]
        else:
            parts = by_place.setdefault(place, [0.0] * len(call.values[place]))
            parts[key] = given[number]
    return [tuple(by_place[k]) if isinstance(by_place[k], list) and isinstance(call.values[k], tuple) else by_place[k]
            for k, a in enumerate(call.active) if a]


def jacrev(f: Any = None, argnums: Argnums = 0) -> Any:
    """The Jacobian by one backward sweep for each element of the result; its shape is `result.shape + argument.shape`.

    >>> import numpy as np
    >>> jacrev(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return _decorated(f, lambda g: Jacobian(g, argnums, "reverse"), "python")


def jacfwd(f: Any = None, argnums: Argnums = 0) -> Any:
    """The Jacobian by one forward run for each element of the argument."""
    return _decorated(f, lambda g: Jacobian(g, argnums, "forward"), "python")


def jacobian(f: Any = None, argnums: Argnums = 0) -> Any:
    """The Jacobian in the cheaper mode: forward where the argument has no more elements than the result."""
    return _decorated(f, lambda g: Jacobian(g, argnums, "cheaper"), "python")


def hessian(f: Any = None, argnums: Argnums = 0) -> Any:
    """The matrix of second derivatives of a scalar function, forward over reverse.

    Its shape is `argument.shape + argument.shape`.

    >>> import numpy as np
    >>> hessian(lambda x: (x * x * x).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return _decorated(f, lambda g: Jacobian(Gradient(g, argnums, False, False), argnums, "forward"), "python")


def hvp(f: Callable[..., Any], args: tuple[Any, ...], vectors: tuple[Any, ...]) -> Any:
    """The Hessian of a scalar function times a direction, forward over reverse, without making the matrix.

    Arguments: `args`, the function's arguments; `vectors`, for each its direction, or None for zero.
    Returns: a tuple like `args`: the derivative of the gradient in that direction.

    >>> hvp(lambda x: x * x * x, (2.0,), (1.0,))
    (12.0,)
    """
    chosen = tuple(chosen_by_default(args))
    _, tangent = jvp(Gradient(f, chosen, False, False), tuple(args), tuple(vectors))
    found = dict(zip(chosen, tangent, strict=True))
    return tuple(found.get(k) for k in range(len(args)))


def _hvp_written_out(f: Any, args: tuple[Any, ...], vectors: tuple[Any, ...]) -> Any:
    """`hvp(f, args, vectors)` for these, as a plain function of all three."""
    chosen = tuple(chosen_by_default(args))
    directional = nested.jvp(Gradient(f, chosen, False, False), args, vectors)
    parts = "".join(f"found[{chosen.index(k)}], " if k in chosen else "None, " for k in range(len(args)))
    lines = ["value, found = directional(f, args, vectors)", f"return ({parts})"]
    return nested.written(
        "hvp", (directional, len(args), "hvp"), ["f", "args", "vectors"], lines, {"directional": directional}
    )


# How these are called inside a function that is itself differentiated: a transform hands the derivative of what its
# function carries on, the others are written out as plain functions when their arguments are known.
for _transform in (grad, value_and_grad, jacrev, jacfwd, jacobian, hessian):
    vars(_transform)["__stdiff_form__"] = "transform"
for _direct, _written_out in ((jvp, nested.jvp), (vjp, nested.vjp), (hvp, _hvp_written_out)):
    vars(_direct).update(__stdiff_form__="dynamic", __stdiff_expand__=_written_out)
