"""The errors that stdiff raises, each pointing at the user's file, line and column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Positioned(Protocol):
    """Where a Program came from: what an error needs of it."""

    @property
    def filename(self) -> str: ...
    @property
    def lines(self) -> Sequence[str]: ...


class StdiffError(Exception):
    """Base of every error that stdiff raises on its own account.

    Its message has four parts: `met`, what was met; `where`, the file and line, with the source line and a caret; `why`
    it is refused; what to do `instead`. Where the place is not known to who raises it, it is found on the way out.

    >>> where = Place("a.py", 2, 4, 11, "    yield x")
    >>> print(StdiffError("`yield`", "it suspends the function", "return a list", where))
    cannot differentiate: `yield`
      at a.py:2
            yield x
            ^^^^^^^
      because it suspends the function
      instead: return a list
    """

    def __init__(self, met: str, why: str, instead: str, where: Place | None = None) -> None:
        super().__init__(met, why, instead, where)
        self.met, self.why, self.instead, self.where = met, why, instead, where

    def called_at(self, where: Place) -> None:
        """Say, in a note, from where the function is called in which the error lies."""
        note = f"  in the call at {where}"
        if not where.generated and note not in getattr(self, "__notes__", ()):
            self.add_note(note)

    def __str__(self) -> str:
        where = f"  at {self.where}\n" if self.where is not None else ""
        return f"cannot differentiate: {self.met}\n{where}  because {self.why}\n  instead: {self.instead}"


class SourceError(StdiffError):
    """The function has no source that could be read."""


class UnsupportedError(StdiffError):
    """A construct that stdiff does not differentiate."""


class NoRuleError(StdiffError):
    """A function that has no entry in the rule table."""


class NotScalarError(StdiffError, TypeError):
    """A gradient was asked of a result that is not a real scalar."""


class ArgumentError(StdiffError, TypeError):
    """An argument that cannot carry a derivative."""


@dataclass(frozen=True)
class Place:
    """A position in a user's file, kept where the node is gone (in generated code, at run time)."""

    filename: str
    lineno: int
    col_offset: int
    end_col_offset: int
    line: str

    @property
    def generated(self) -> bool:
        """Whether the file is one that stdiff wrote."""
        return self.filename.startswith("<stdiff ")

    def __str__(self) -> str:
        if not self.line.strip():
            return f"{self.filename}:{self.lineno}"
        width = max(1, self.end_col_offset - self.col_offset)
        caret = " " * (4 + self.col_offset) + "^" * width
        return f"{self.filename}:{self.lineno}\n    {self.line.rstrip()}\n{caret}"


def place(node: Any, origin: Positioned) -> Place:
    """The place of a syntax node in the file that `origin` describes."""
    lineno = getattr(node, "lineno", None) or 1
    line = origin.lines[lineno - 1] if 0 < lineno <= len(origin.lines) else ""
    col = _column(line, getattr(node, "col_offset", None) or 0)
    end = getattr(node, "end_col_offset", None)
    one_line = getattr(node, "end_lineno", lineno) == lineno
    end = _column(line, end) if one_line and end is not None else len(line.rstrip())
    return Place(origin.filename, lineno, col, end, line)


def _column(line: str, offset: int) -> int:
    """A syntax node's offset counts bytes of UTF-8; a caret counts characters."""
    return len(line.encode()[:offset].decode(errors="ignore"))


def at(
    node: Any, origin: Positioned, met: str, why: str, instead: str, kind: type[StdiffError] = UnsupportedError
) -> StdiffError:
    """An error (to be raised by the caller) at a syntax node.

    Arguments: `node`, any node with `lineno` and `col_offset`; `origin`, the file; `met`, `why` and `instead`, the
    parts of the message; `kind`, the class of the error.
    """
    return kind(met, why, instead, place(node, origin))
