"""The functional transforms: grad, value_and_grad, vjp, jvp, jacobian, hessian, hvp."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from stdiff import calling, errors, nested, pipeline
from stdiff.calling import Argnums
from stdiff.containers import captures
from stdiff.structures import chosen as chosen_by_default
from stdiff.structures import conform, fill


class Transformed:
    """What a transform of `f` returns: a function that also carries the code that was generated for it."""

    def __init__(self, f: Callable[..., Any], argnums: Argnums, mode: str) -> None:
        functools.update_wrapper(self, f, updated=())
        del self.__wrapped__
        self.__stdiff_primal__ = f
        self.argnums = argnums
        self._mode = mode
        self.last: pipeline.Derived | None = None

    @property
    def primal(self) -> Callable[..., Any]:
        """The function itself."""
        return self.__stdiff_primal__

    def derived(self) -> pipeline.Derived:
        """The derivative that served the last call; before any call, the one with nothing known of the arguments."""
        if self.last is None:
            function, active, given = calling.unknown(self.primal, self.argnums)
            return pipeline.derive(function, self._mode, active, given)
        return self.last

    @property
    def source(self) -> str:
        """All of the generated code, that of the functions that `f` calls included."""
        return self.derived().source()

    @property
    def forward_source(self) -> str:
        """The generated code of the forward sweep."""
        return self.derived().texts.get("forward", "")

    @property
    def backward_source(self) -> str:
        """The generated code of the backward sweep."""
        return self.derived().texts.get("backward", "")

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} of {getattr(self.primal, '__qualname__', self.primal)}>"

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else functools.partial(self, owner)


class Gradient(Transformed):
    """`grad(f)` and `value_and_grad(f)`."""

    def __init__(self, f: Callable[..., Any], argnums: Argnums, has_aux: bool, value: bool) -> None:
        super().__init__(f, argnums, "reverse")
        self.has_aux, self.value = has_aux, value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call = calling.bind(self.primal, args, kwargs, self.argnums)
        derived = self.last = call.derive("reverse")
        result, saved = derived.parts["forward"](*call.values)
        value, aux = _with_aux(result, self) if self.has_aux else (result, None)
        _check_scalar(value, self.primal)
        seed = np.ones_like(value) if isinstance(value, np.ndarray | np.generic) else 1.0
        bars = derived.parts["backward"](saved, (seed, 0.0) if self.has_aux else seed)
        gradient = _chosen(call, bars)
        gradient = gradient if isinstance(self.argnums, tuple) else gradient[0]
        if not self.value:
            return (gradient, aux) if self.has_aux else gradient
        return ((value, aux), gradient) if self.has_aux else (value, gradient)

    def __stdiff_function__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return nested.gradient(self, args, kwargs)


def _chosen(call: calling.Call, bars: Any) -> tuple[Any, ...]:
    """The gradients by the chosen arguments, each in the form of its argument."""
    places = [k for k, a in enumerate(call.active) if a]
    by_place = dict(zip(places, bars if len(places) > 1 else (bars,), strict=True))
    found = []
    for place, key in call.paths:
        g, x = by_place[place], call.values[place]
        if key is not None:
            g, x = (0.0 if isinstance(g, float) else g[key] if not isinstance(g, dict) else g.get(key, 0.0)), x[key]
        found.append(conform(g, x))
    return tuple(found)


def _with_aux(result: Any, transform: Transformed) -> tuple[Any, Any]:
    if not isinstance(result, tuple) or len(result) != 2:
        raise errors.NotScalarError(
            f"cannot differentiate: `{transform.__name__}` with has_aux=True\n  because it did not return a pair `(value, aux)`\n"
            "  instead: return both, or leave has_aux out"
        )
    return result[0], result[1]


def _check_scalar(value: Any, f: Any) -> None:
    real = isinstance(value, int | float | np.floating | np.integer) or (isinstance(value, np.ndarray) and value.ndim == 0)
    if real and not np.iscomplexobj(value):
        return
    shape = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
    code = getattr(f, "__code__", None)
    where = f"\n  at {code.co_filename}:{code.co_firstlineno}" if code is not None else ""
    raise errors.NotScalarError(
        f"cannot differentiate: the result of `{getattr(f, '__name__', f)}`{where}\n  because it is {shape}, and a gradient is that of one real number\n"
        "  instead: reduce it (`.sum()`), or use `vjp` or `jacobian`"
    )


def grad(
    f: Any = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "python"
) -> Any:
    """The gradient of a function that returns a real scalar; also a decorator, `@grad` or `@grad(argnums=(0, 1))`.

    Arguments: `f`, a function; `argnums`, the position or name of the argument to differentiate by, or a tuple of these; `has_aux`, whether
    `f` returns a pair whose second part is handed through; `backend`, "python".
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
        raise errors.ArgumentError(f"cannot differentiate: backend={backend!r}\n  because there is no such backend\n  instead: use backend=\"python\"")
    if f is None:
        return make
    if not callable(f):
        raise errors.ArgumentError(f"cannot differentiate: {f!r}\n  because it is not a function\n  instead: give a function")
    return make(f)


def vjp(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of a function, and its pullback: from a cotangent of the value to the cotangents of the positional arguments.

    Returns: `(value, pullback)`; `pullback(cotangent)` has one entry for each positional argument, None where that carries no derivative.
    It can be called any number of times.

    >>> value, pullback = vjp(lambda x, y: x * y, 3.0, 4.0)
    >>> value, pullback(1.0)
    (12.0, (4.0, 3.0))
    """
    call = calling.bind(f, args, kwargs, None)
    derived = call.derive("reverse")
    value, saved = derived.parts["forward"](*call.values)
    numbers = chosen_by_default(args)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        bars = derived.parts["backward"](saved, fill(cotangent, value, "the cotangent"))
        found = dict(zip(numbers, _chosen(call, bars), strict=True))
        return tuple(found.get(k) for k in range(len(args)))

    return value, pullback


def jvp(f: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value of a function, and its derivative in a direction.

    Arguments: `primals`, the arguments; `tangents`, for each its direction, or None for zero.
    Returns: `(value, tangent)`, the tangent in the form of the value.

    >>> jvp(lambda x, y: x * y, (3.0, 4.0), (1.0, None))
    (12.0, 4.0)
    """
    if len(primals) != len(tangents):
        raise errors.ArgumentError(f"cannot differentiate: {len(tangents)} tangents for {len(primals)} primals\n"
                                   "  because each argument needs its own\n  instead: give None for a zero tangent")
    chosen = tuple(k for k, t in enumerate(tangents) if t is not None)
    if not chosen:
        value = f(*primals)
        return value, conform(0.0, value)
    call = calling.bind(f, tuple(primals), {}, chosen)
    dots = _dots(call, {k: fill(tangents[k], primals[k], f"tangent {k}") for k in chosen}, chosen)
    value, tangent = call.derive("forward").parts["tangent"](*call.values, *dots)
    return value, conform(tangent, value)


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


class Jacobian(Transformed):
    """`jacrev(f)`, `jacfwd(f)` and `jacobian(f)`: the derivative of each element of the result by each element of an argument."""

    def __init__(self, f: Callable[..., Any], argnums: Argnums, direction: str) -> None:
        super().__init__(f, argnums, "forward" if direction == "forward" else "reverse")
        self.direction = direction

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return nested.jacobian(self, args, kwargs)(*captures(self), *args, **kwargs)

    def __stdiff_function__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return nested.jacobian(self, args, kwargs)


def jacrev(f: Any = None, argnums: Argnums = 0) -> Any:
    """The Jacobian by one backward sweep for each element of the result; its shape is `result.shape + argument.shape`.

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
    """The matrix of second derivatives of a scalar function, forward over reverse; its shape is `argument.shape + argument.shape`.

    >>> hessian(lambda x: (x * x * x).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return _decorated(f, lambda g: Jacobian(Gradient(g, argnums, False, False), argnums, "forward"), "python")


def hvp(f: Callable[..., Any], args: tuple[Any, ...], vectors: tuple[Any, ...]) -> Any:
    """The product of the Hessian of a scalar function with a direction, forward over reverse, without making the matrix.

    Arguments: `args`, the function's arguments; `vectors`, for each its direction, or None for zero.
    Returns: a tuple like `args`: the derivative of the gradient in that direction.

    >>> hvp(lambda x: x * x * x, (2.0,), (1.0,))
    (12.0,)
    """
    chosen = tuple(chosen_by_default(args))
    _, tangent = jvp(Gradient(f, chosen, False, False), tuple(args), tuple(vectors))
    found = dict(zip(chosen, tangent, strict=True))
    return tuple(found.get(k) for k in range(len(args)))


# How these are called inside a function that is itself differentiated: a transform hands the derivative of what its function carries on,
# the others are written out as plain functions when their arguments are known.
for _transform in (grad, value_and_grad, jacrev, jacfwd, jacobian, hessian):
    _transform.__stdiff_form__ = "transform"  # type: ignore[attr-defined]
for _direct, _written_out in ((jvp, nested.jvp), (vjp, nested.vjp), (hvp, nested.hvp)):
    _direct.__stdiff_form__ = "dynamic"  # type: ignore[attr-defined]
    _direct.__stdiff_expand__ = _written_out  # type: ignore[attr-defined]
