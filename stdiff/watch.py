"""What a derivative was derived from: functions and attributes that must still be the same when it is used again."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from stdiff import program
from stdiff.program import Program


@dataclass(frozen=True)
class _State:
    """A function as it was: its Program, code and defaults."""

    original: Program
    code: object
    defaults: object
    kwdefaults: dict[str, object]


@dataclass
class Watch:
    """Functions and attributes to be looked at again.

    >>> def f(x, n=2): return x * n
    >>> watch = Watch()
    >>> watch.function(f, program.of(f))
    >>> watch.unchanged()
    True
    >>> f.__defaults__ = (3,)
    >>> watch.unchanged()
    False
    """

    functions: dict[FunctionType, _State] = field(default_factory=dict)
    attributes: dict[tuple[int, str], tuple[Any, str, object]] = field(default_factory=dict)

    def function(self, fn: FunctionType, original: Program) -> None:
        """Watch a function: what its names mean, its code, its defaults."""
        if fn not in self.functions:
            self.functions[fn] = _State(original, fn.__code__, fn.__defaults__, dict(fn.__kwdefaults__ or {}))

    def attribute(self, owner: Any, name: str) -> None:
        """Watch an attribute of a module or a class."""
        self.attributes[id(owner), name] = owner, name, getattr(owner, name, None)

    def include(self, other: Watch) -> None:
        """Watch all that another watches."""
        self.functions.update(other.functions)
        self.attributes.update(other.attributes)

    def unchanged(self) -> bool:
        """Whether all of it is still what it was."""
        return all(
            fn.__code__ is was.code
            and fn.__defaults__ is was.defaults
            and (fn.__kwdefaults__ or {}) == was.kwdefaults
            and not program.stale(was.original, fn)
            for fn, was in self.functions.items()
        ) and all(getattr(owner, name, None) is value for owner, name, value in self.attributes.values())
