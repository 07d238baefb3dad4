"""Generated functions as the text of a module, with the imports that they need: it can be saved and imported."""

from __future__ import annotations

import builtins
import dis
import io
import math
import sys
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

from stdiff import program
from stdiff.syntax import Names

_LITERALS = (bool, int, float, str, bytes, type(None))
_HOMES = ("math", "numpy", "numpy.linalg", "stdiff.runtime")  # of functions that do not say where they are from


def module(functions: Sequence[tuple[FunctionType, str]]) -> str:
    """The text of functions as one module.

    Where two functions mean different things by one name, one of these is renamed. What cannot be imported and is no
    number or text is left to the reader: a comment says what the name must be.

    Arguments: `functions`, each with its text; a function is named in its own text as in those of the others.
    """
    chosen: dict[int, str] = {}
    names = Names(set(vars(builtins)))
    for fn, _ in functions:
        chosen[id(fn)] = names.fresh(fn.__name__)
    bindings: dict[str, tuple[object, str]] = {}
    texts = []
    for fn, text in functions:
        renamed = {fn.__name__: chosen[id(fn)]}
        for label in sorted(_globals(fn.__code__)):
            value = fn.__globals__.get(label, bindings)
            if value is bindings or value is getattr(builtins, label, bindings):
                continue
            if id(value) in chosen:
                renamed[label] = chosen[id(value)]
                continue
            known = [name for name, (other, _) in bindings.items() if name.startswith(label) and _same(value, other)]
            renamed[label] = known[0] if known else names.fresh(label)
            bindings[renamed[label]] = value, _binding(renamed[label], label, value, _home(fn))
        texts.append(_renamed(text, {old: new for old, new in renamed.items() if old != new}))
    header = _header([text for _, text in bindings.values()])
    return "\n\n".join([f"{header}\n"] * bool(header) + texts)


def _globals(code: CodeType) -> Iterator[str]:
    """The global names that a function reads."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _globals(part)


def _same(a: object, b: object) -> bool:
    return a is b or (type(a) in _LITERALS and type(a) is type(b) and repr(a) == repr(b))


def _home(fn: FunctionType) -> ModuleType | None:
    """The module that the source of a generated function is in."""
    filename = program.of(fn).origin.filename
    loaded = [m for name, m in list(sys.modules.items()) if name != "__main__" and isinstance(m, ModuleType)]
    return next((m for m in loaded if getattr(m, "__file__", None) == filename), None)


def _binding(name: str, label: str, value: Any, home: ModuleType | None) -> str:
    """The line that gives a name its meaning in a module of its own."""
    if isinstance(value, ModuleType):
        return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
    own = getattr(value, "__name__", label)
    for place in (getattr(value, "__module__", None), *_HOMES, home and home.__name__):
        found = sys.modules.get(str(place))
        if found is not None and place != "__main__" and found.__spec__ is not None:
            for at in (own, label):
                if getattr(found, at, sys) is value:
                    return f"from {place} import {at}" + ("" if at == name else f" as {name}")
    if type(value) in _LITERALS and not (isinstance(value, float) and not math.isfinite(value)):
        return f"{name} = {value!r}"
    what = getattr(value, "__qualname__", None) or f"a {type(value).__name__}"
    return f"# `{name}` must be {what}, which cannot be imported: bind it here."


def _header(lines: list[str]) -> str:
    """The lines in the order of a module's head; what comes from one module is imported in one line."""
    imports = sorted({line for line in lines if line.startswith("import ")})
    merged: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("from "):
            place, _, name = line.partition(" import ")
            merged.setdefault(place, []).append(name)
    imports += [f"{place} import {', '.join(sorted(set(names)))}" for place, names in sorted(merged.items())]
    rest = sorted({line for line in lines if not line.startswith(("import ", "from "))})
    return "\n".join([*imports, *([""] if imports and rest else []), *rest])


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with global names replaced."""
    if not names:
        return text
    lines = text.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for before, token, after in reversed(list(zip(tokens, tokens[1:], tokens[2:], strict=False))):
        if token.type == tokenize.NAME and token.string in names and before.string != "." and after.string != "=":
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:column] + names[token.string] + line[token.end[1] :]
    return "".join(lines)
