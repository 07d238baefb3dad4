"""The Python backend: one text, one pseudo file, plain function objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stdiff import program
from stdiff.program import Program


def compile_program(p: Program, hint: str | None = None) -> Callable[..., Any]:
    """The function of a Program; `hint` (by default its name) is the word that its pseudo file is named after."""
    (fn,) = compile_programs([p], hint or p.tree.name)
    return fn


def compile_programs(programs: Sequence[Program], hint: str) -> tuple[Callable[..., Any], ...]:
    """The functions of several Programs (a forward and a backward sweep, say) whose text shares one pseudo file."""
    source = "\n\n".join(program.text(p) for p in programs)
    return program.execute(source, hint, [(p.tree.name, p.namespace) for p in programs])
