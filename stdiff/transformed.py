"""What the functional transforms return: a function that computes a derivative, with the code generated for it."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from stdiff import calling, nested, pipeline
from stdiff.calling import Argnums
from stdiff.derived import Derived
from stdiff.functions import captures
from stdiff.locating import located
from stdiff.structures import conform, require_pair, require_scalar


class Transformed(ABC):
    """What a transform of `f` returns: a function that also carries the code that was generated for it."""

    __name__: str
    __wrapped__: Any

    def __init__(self, f: Callable[..., Any], argnums: Argnums, mode: str) -> None:
        functools.update_wrapper(self, f, updated=())
        del self.__wrapped__
        self.__name__ = str(getattr(f, "__name__", type(f).__name__))
        self.__stdiff_primal__ = f
        with located(f):
            self.argnums = calling.checked(argnums)
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
            value = aux = result
            if self.has_aux:
                require_pair(result, self.__name__)
                value, aux = result
            require_scalar(value, self.__name__)
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
