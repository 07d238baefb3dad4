"""Room for recursion over trees that are deeper than Python's limit allows."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TypeVar

from stdiff.program import Program

Pass = TypeVar("Pass", bound=Callable[[Program], Program])

_ROOM = 200_000  # calls between Python functions take heap, not stack: only the limit is in the way


def deep(transform: Pass) -> Pass:
    """The pass `transform`, able to go down an expression of some thousand terms.

    The limit is the interpreter's, so it is put back afterwards.
    """

    @functools.wraps(transform)
    def with_room(program: Program) -> Program:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _ROOM))
        try:
            return transform(program)
        finally:
            sys.setrecursionlimit(limit)

    return with_room  # type: ignore[return-value]
