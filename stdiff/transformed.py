"""What the functional transforms return: a function that computes a derivative, with the code generated for it."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from stdiff import calling, errors, nested, pipeline
from stdiff.calling import Argnums
from stdiff.derived import Derived
from stdiff.functions import captures
from stdiff.locating import located
from stdiff.structures import conform


class Transformed(ABC):
    """What a transform of `f` returns: a function that also carries the code that was generated for it."""

    __name__: str
    __wrapped__: Any

    def __init__(self, f: Callable[..., Any], argnums: Argnums, mode: str) -> None:
        functools.update_wrapper(self, f, updated=())
        del self.__wrapped__
        self.__stdiff_primal__ = f
        self.argnums = argnums
        self._mode = mode
        self.last: Derived | None = None

    @abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative at these arguments."""

    @property
    def primal(self) -> Callable[..., Any]:
        """The function itself."""
        return self.__stdiff_primal__

    def derived(self) -> Derived:
        """The derivative that served the last call; before any call, the one with nothing known of the arguments."""
        if self.last is not None:
            return self.last
        with located(self.primal):
            function, active, given = calling.unknown(self.primal, self.argnums)
            return pipeline.derive(function, self._mode, active, given)

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
        with located(self.primal):
            call = calling.bind(self.primal, args, kwargs, self.argnums)
            derived = self.last = call.derive("reverse")
            result, saved = derived.parts["forward"](*call.values)
            value, aux = _with_aux(result, self) if self.has_aux else (result, None)
            _check_scalar(value, self.primal)
            seed = np.ones_like(value) if isinstance(value, np.ndarray | np.generic) else 1.0
            bars = derived.parts["backward"](saved, (seed, 0.0) if self.has_aux else seed)
            gradient = gradients(call, bars)
        gradient = gradient if isinstance(self.argnums, tuple) else gradient[0]
        if not self.value:
            return (gradient, aux) if self.has_aux else gradient
        return ((value, aux), gradient) if self.has_aux else (value, gradient)

    def __stdiff_function__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return nested.gradient(self, args, kwargs)


class Jacobian(Transformed):
    """`jacrev(f)`, `jacfwd(f)` and `jacobian(f)`: each element of the result by each element of an argument."""

    def __init__(self, f: Callable[..., Any], argnums: Argnums, direction: str) -> None:
        super().__init__(f, argnums, "forward" if direction == "forward" else "reverse")
        self.direction = direction

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with located(self.primal):
            return nested.jacobian(self, args, kwargs)(*captures(self), *args, **kwargs)

    def __stdiff_function__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return nested.jacobian(self, args, kwargs)


def gradients(call: calling.Call, bars: Any) -> tuple[Any, ...]:
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
            f"`{transform.__name__}` with has_aux=True",
            "it did not return a pair `(value, aux)`",
            "return both, or leave has_aux out",
        )
    return result[0], result[1]


def _check_scalar(value: Any, f: Any) -> None:
    real = isinstance(value, int | float | np.floating | np.integer) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )
    if real and not np.iscomplexobj(value):
        return
    shape = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
    raise errors.NotScalarError(
        f"the result of `{getattr(f, '__name__', f)}`",
        f"it is {shape}, and a gradient is that of one real number",
        "reduce it (`.sum()`), or use `vjp` or `jacobian`",
    )
