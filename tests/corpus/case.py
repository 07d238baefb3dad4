"""How a program enters the corpus."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.differences import carries, is_number, leaves


@dataclass(frozen=True)
class Case:
    """A program, arguments for it, and what is known of its derivative."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    expect: Any
    order: int
    may_refuse: str
    refused: bool
    smooth: bool

    def args(self) -> tuple[Any, ...]:
        """Fresh copies of the arguments."""
        return copy.deepcopy(self.arguments)

    @property
    def active(self) -> list[int]:
        """The first argument and every other one that is made of floats."""
        return [i for i, arg in enumerate(self.arguments) if i == 0 or is_floats(arg)]

    def __str__(self) -> str:
        return self.name


def is_floats(value: Any) -> bool:
    """Whether a value is made of floats and nothing else."""
    return all(carries(leaf) and not (is_number(leaf) and isinstance(leaf, int)) for leaf in leaves(value))


CASES: list[Case] = []


def program(
    *args: Any,
    expect: Any = None,
    order: int = 1,
    may_refuse: str = "",
    refused: bool = False,
    smooth: bool = True,
    name: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: the function, unchanged, becomes a case with these arguments.

    Arguments: `expect`, the derivative of that `order` with respect to the first argument, where it is known by hand
    (for a result that is not one number: with the cotangent cos(1), cos(2), ...); `may_refuse`, the reason why a
    StdiffError is as good as the right answer; `refused`, whether a StdiffError is the only right answer; `smooth`,
    False where differences do not exist (then `expect` decides); `name`, for functions that no `def` names.
    """

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        theme = f.__module__.rpartition(".")[2]
        full = name or f"{theme}.{f.__name__}"
        if any(case.name == full for case in CASES):
            raise ValueError(f"two programs are called {full}")
        CASES.append(Case(full, f, args, expect, order, may_refuse, refused, smooth))
        return f

    return register
