"""Where in the user's file an error belongs that was raised without a place: in generated code, or before it ran."""

from __future__ import annotations

import linecache
import traceback
from types import CodeType, FunctionType, TracebackType
from typing import Any

import gast

from stdiff import program, syntax
from stdiff.errors import Place, StdiffError, place
from stdiff.source import definition


class located:
    """A `with` block in which a StdiffError without a place in the user's file gets one.

    It is the place of the statement whose derivative was being computed, else that of the definition of `f`. From where
    that function was called is said in notes.
    """

    __slots__ = ("f",)

    def __init__(self, f: Any) -> None:
        self.f = f

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not isinstance(error, StdiffError):
            return
        statements = _statements(trace)
        if error.where is None or error.where.generated:
            error.where = next(iter(statements), None) or _definition(self.f) or error.where
        for statement in statements:
            if statement != error.where:
                error.called_at(statement)


def _statements(trace: TracebackType | None) -> list[Place]:
    """The user's statements that the generated code in a traceback comes from, the innermost first."""
    frames = [(frame.f_code, lineno) for frame, lineno in traceback.walk_tb(trace)]
    places = [_origin(code, lineno) for code, lineno in reversed(frames) if code.co_filename.startswith("<stdiff ")]
    return [where for where in places if where is not None and not where.generated]


def _origin(code: CodeType, lineno: int) -> Place | None:
    """The place that a line of a generated function comes from.

    The function's text has the same statements, in the same order, as the tree that was printed, whose nodes keep
    their places in the user's file.
    """
    found = program.of_code(code)
    if found is None:
        return None
    printed = gast.parse("".join(linecache.getlines(code.co_filename))).body
    (function,) = [node for node in printed if node.lineno == code.co_firstlineno]
    pairs = zip(syntax.statements([function]), syntax.statements([found.tree]), strict=True)
    *_, node = (node for text, node in pairs if text.lineno <= lineno <= text.end_lineno)
    return place(node, found.origin)


def _definition(f: Any) -> Place | None:
    """The place where the Python function behind a callable is defined."""
    while not isinstance(f, FunctionType):
        inner = [getattr(f, name, None) for name in ("__stdiff_primal__", "__func__", "func", "function")]
        f = next(filter(callable, inner), None)
        if f is None:
            return None
    return definition(f)
