"""The syntax of a function object: finds the `def` or `lambda` that a code object was compiled from."""

from __future__ import annotations
import __future__

import ast
import dis
import linecache
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from types import CodeType, FunctionType

from stdiff.errors import Place, SourceError

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Span = tuple[int, int, int, int]

_FUTURE_FLAGS = reduce(or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))


@dataclass(frozen=True)
class Found:
    """A function's node, the lines of its file and the class that it stands in (for private names), if any."""

    node: Function
    lines: tuple[str, ...]
    class_name: str | None


@dataclass
class _Module:
    lines: tuple[str, ...]
    body: list[ast.stmt]
    codes: dict[int, list[CodeType]] = field(default_factory=dict)  # what it compiles to under these future flags


_modules: dict[str, _Module] = {}  # by file name, the last text that was parsed


def find(fn: FunctionType) -> Found:
    """The `def` or `lambda` that `fn` was compiled from, proved by compiling it again and comparing the code.

    Works on the code object: a decorated function is not confused with what it wraps, and two lambdas on one line are
    told apart.

    Raises: SourceError where there is no source, where it has changed since, or where the lambda cannot be told.

    >>> pair = lambda x: x + 1, lambda x: x + 2
    >>> ast.unparse(find(pair[1]).node)
    'lambda x: x + 2'
    """
    code = fn.__code__
    seen = False
    for lines in _texts(fn):
        module = _module(code.co_filename, lines)
        candidates = _candidates(module, code)
        if candidates:
            node, class_name = _choose(candidates, fn)
            return Found(node, module.lines, class_name)
        seen = True
    raise _changed(fn) if seen and fn.__code__.co_filename != _ANYTHING else _no_source(fn)


def _texts(fn: FunctionType) -> Iterator[list[str]]:
    """The texts that `fn` may come from: linecache (perhaps older than the file), the file, what a prompt kept."""
    filename = fn.__code__.co_filename
    lines = linecache.getlines(filename, fn.__globals__)
    if lines:
        yield lines
    linecache.checkcache(filename)
    newer = linecache.getlines(filename, fn.__globals__)
    if newer and newer != lines:
        yield newer
    of_prompt = getattr(linecache, "_getlines_from_code", None)  # from Python 3.13.1 on, read by inspect too
    if of_prompt is not None and (lines := of_prompt(fn.__code__)):
        yield lines


def _module(filename: str, lines: Sequence[str]) -> _Module:
    stripped = tuple(line.rstrip("\r\n") for line in lines)
    known = _modules.get(filename)
    if known is not None and known.lines == stripped:
        return known
    try:
        body = ast.parse("".join(lines), filename).body
    except SyntaxError:  # half-edited since
        body = []
    module = _modules[filename] = _Module(stripped, body)
    return module


def _candidates(module: _Module, code: CodeType) -> list[tuple[Function, str | None]]:
    """The functions of that name on that line, if the text compiles to that code."""
    line, flags = code.co_firstlineno, code.co_flags & _FUTURE_FLAGS
    statements = [s for s in module.body if _first_line(s) <= line <= (s.end_lineno or 0)]
    if flags not in module.codes:
        module.codes[flags] = _compiled(module.body, flags)
    if not _any_same(code, module.codes[flags]) and not _any_same(code, _compiled(statements, flags)):
        return []
    return [
        (node, class_name)
        for statement in statements
        for node, class_name in _functions(statement)
        if _first_line(node) == line and _name(node) == code.co_name
    ]


def _compiled(statements: list[ast.stmt], flags: int) -> list[CodeType]:
    """The code objects in some statements (a notebook compiles each alone, and imports in others make a difference)."""
    module = ast.Module(statements, [])
    return list(_nested(compile(module, "<again>", "exec", flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)))


def _any_same(code: CodeType, compiled: list[CodeType]) -> bool:
    key = code.co_firstlineno, code.co_name
    return any(_same(code, other) for other in compiled if (other.co_firstlineno, other.co_name) == key)


def _same(code: CodeType, compiled: CodeType) -> bool:
    """Is `code` what the text compiles to? pytest rewrites assertions: such code must contain all that the text has."""
    if code == compiled:
        return True
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if "@pytest_ar" not in _all_names(code) or (code.co_name, code.co_firstlineno, arguments) != (
        compiled.co_name,
        compiled.co_firstlineno,
        compiled.co_varnames[: compiled.co_argcount + compiled.co_kwonlyargcount],
    ):
        return False
    inner = {c.co_qualname: c for c in code.co_consts if isinstance(c, CodeType)}
    constants = {(type(c), repr(c)) for c in code.co_consts}
    if not (set(compiled.co_names) <= set(code.co_names) and _operators(compiled) <= _operators(code)):
        return False
    return all(
        c.co_qualname in inner and _same(inner[c.co_qualname], c)
        if isinstance(c, CodeType)
        else (type(c), repr(c)) in constants
        for c in compiled.co_consts
    )


def _operators(code: CodeType) -> Counter[str]:
    return Counter(step.argrepr for step in dis.get_instructions(code) if step.opname == "BINARY_OP")


def _all_names(code: CodeType) -> set[str]:
    return {name for part in (code, *_nested(code)) for name in part.co_names}


def _nested(code: CodeType) -> Iterator[CodeType]:
    waiting = [code]
    while waiting:
        inner = [c for c in waiting.pop().co_consts if isinstance(c, CodeType)]
        yield from inner
        waiting += inner


def _functions(statement: ast.stmt) -> Iterator[tuple[Function, str | None]]:
    """Every function in a statement with the innermost class around it."""
    waiting: list[tuple[ast.AST, str | None]] = [(statement, None)]
    while waiting:
        node, class_name = waiting.pop()
        if isinstance(node, Function):
            yield node, class_name
        inside = node.name if isinstance(node, ast.ClassDef) else class_name
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]


def _first_line(node: ast.stmt | ast.Lambda) -> int:
    """The line where a code object of this node begins: that of its first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


def _name(node: Function) -> str:
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name


def _choose(candidates: list[tuple[Function, str | None]], fn: FunctionType) -> tuple[Function, str | None]:
    """The innermost candidate whose body spans every instruction of the code."""
    if len(candidates) == 1:
        return candidates[0]
    spans: list[Span] = []
    for start, end, column, end_column in fn.__code__.co_positions():
        if start is None or end is None or column is None or end_column is None:
            continue
        if (start, column) < (end, end_column):  # the first instructions have an empty span
            spans.append((start, column, end, end_column))
    if spans:
        first, last = min(s[:2] for s in spans), max(s[2:] for s in spans)
        around = [c for c in candidates if _body_span(c[0])[:2] <= first and last <= _body_span(c[0])[2:]]
        if around:
            return max(around, key=lambda c: _body_span(c[0])[:2])  # of nested spans the innermost begins last
    else:  # Python 3.12 gives `lambda: 1` no columns; neither does Python under -X no_debug_ranges
        candidates = [c for c in candidates if _alone(c[0]) == _essence(fn.__code__)]
    if len({ast.dump(node) for node, _ in candidates}) == 1:
        return candidates[0]
    raise _error(
        fn,
        "several functions of this name begin on this line and the code has no column numbers",
        "put each on a line of its own, or run Python without -X no_debug_ranges",
    )


def _alone(node: Function) -> object:
    """What a lambda that closes over nothing compiles to."""
    if not isinstance(node, ast.Lambda):
        return None
    return _essence(next(_nested(compile(ast.Expression(node), "<again>", "eval", dont_inherit=True))))


def _essence(code: CodeType) -> object:
    return code.co_code, repr(code.co_consts), code.co_names, code.co_varnames, code.co_argcount, code.co_flags & 0x0C


def _body_span(node: Function) -> Span:
    parts = [node.body] if isinstance(node, ast.Lambda) else node.body
    first, last = parts[0], parts[-1]
    return first.lineno, first.col_offset, last.end_lineno or 0, last.end_col_offset or 0


_ANYTHING = "<string>"  # the file name of exec'd text, and since Python 3.13 also of what `python -c` runs


def _no_source(fn: FunctionType) -> SourceError:
    why = "there is no source text for it: it was made by exec or eval, or typed at a prompt that keeps no source"
    instead = "write it in a file, a notebook or at Python 3.13's prompt; put the text of exec'd code into linecache"
    return _error(fn, why, instead)


def _changed(fn: FunctionType) -> SourceError:
    why = "the text there is not what this function was compiled from: the file has changed since it was imported"
    return _error(fn, why, "import the module again (or restart the interpreter)")


def _error(fn: FunctionType, why: str, instead: str) -> SourceError:
    return SourceError(f"`{fn.__qualname__}`", why, instead, definition(fn))


def definition(fn: FunctionType) -> Place:
    """The place of the line on which a function is defined: that of its `def`, not of a decorator."""
    code = fn.__code__
    known = [] if code.co_filename == _ANYTHING else linecache.getlines(code.co_filename, fn.__globals__)
    lines = known[code.co_firstlineno - 1 :]
    skip = next((k for k, line in enumerate(lines) if line.lstrip().startswith(("def ", "async def "))), 0)
    skip = skip if lines and lines[0].lstrip().startswith("@") else 0
    line = lines[skip].rstrip() if lines else ""
    return Place(code.co_filename, code.co_firstlineno + skip, len(line) - len(line.lstrip()), len(line), line)
