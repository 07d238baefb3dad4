"""Syntax trees to text: astor's printer, corrected where newer Pythons left it behind, laid out for 100 columns.

The only file that uses astor.
"""

from __future__ import annotations

import ast
import math
import os
import tokenize
import warnings
from collections.abc import Iterator
from typing import Any

import gast

from stdiff.errors import Positioned

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # astor looks up ast.Num and the like
    from astor.code_gen import SourceGenerator, set_precedence
    from astor.op_util import Precedence
    from astor.source_repr import wrap_line

WIDTH = 100

_LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


class _Mark(str):
    """An empty token that opens a statement; it says which line of the source the statement comes from."""

    lineno: int | None


def unparse(node: Any) -> str:
    r"""The text of a gast node, or of a list of statements.

    Arguments: `node`, a gast statement, expression or module, or a list of statements.
    Returns: the text, lines of at most 100 columns where possible, without a line end after the last.

    >>> unparse(gast.parse("x=(a*(b)) ; y = f ( x )").body)
    'x = a * b\ny = f(x)'
    >>> unparse(gast.parse("(-1)**2 + x[(i, 1)]").body[0].value)
    '(-1) ** 2 + x[i, 1]'
    """
    return "\n".join(line for _, lines in pieces(node) for line in lines)


def pieces(node: Any) -> Iterator[tuple[int | None, list[str]]]:
    """The text piece by piece: the line in the source that a statement comes from, if known, and its printed lines.

    The header of a compound statement is a piece of its own; `else:` and the like, and empty lines, come with None.
    """
    printer = _Printer()
    for part in node if isinstance(node, list) else [node]:
        tree = gast.gast_to_ast(part)
        if isinstance(tree, ast.expr):
            set_precedence(Precedence.Comma, tree)
        printer.visit(tree)
    line: list[str] = []
    for token in [*printer.result, "\n"]:
        if not token.startswith("\n"):
            line.append(token)
            continue
        if line:
            yield _piece(line)
            line = []
        if len(token) > 1:
            yield None, [""] * (len(token) - 1)


def _piece(line: list[str]) -> tuple[int | None, list[str]]:
    lineno = next((token.lineno for token in line if isinstance(token, _Mark)), None)
    tokens = [token for token in line if token]
    text = "".join(tokens)
    if len(text) > WIDTH and "\n" not in text:
        wrapped: list[str] = []
        wrap_line(tokens, WIDTH, wrapped)
        text = "".join(wrapped)
    return lineno, text.split("\n")


class _Printer(SourceGenerator):  # type: ignore[misc]
    """astor's printer, with the statements that newer Pythons added and without some needless parentheses."""

    def __init__(self) -> None:
        self.new_lines = 0
        super().__init__(" " * 4)

    # Statements

    def newline(self, node: Any = None, extra: int = 0) -> None:
        if self.result:
            self.new_lines = max(self.new_lines, 1 + extra)
        if node is not None:
            self.write("")  # the line end that is due
            mark = _Mark()
            mark.lineno = getattr(node, "lineno", None)
            self.result.append(mark)

    def visit_FunctionDef(self, node: Any, is_async: bool = False) -> None:
        self.decorators(node, 1 if self.indentation else 2)
        self.statement(node, "async def " if is_async else "def ", node.name)
        self._type_parameters(node)
        self.write("(")
        self.visit_arguments(node.args)
        self.write(")")
        self.conditional_write(" -> ", node.returns)
        self.write(":")
        self.body(node.body)
        if not self.indentation:
            self.newline(extra=2)

    def visit_ClassDef(self, node: Any) -> None:
        self.decorators(node, 2)
        self.statement(node, "class ", node.name)
        self._type_parameters(node)
        if node.bases or node.keywords:
            call = ast.Call(ast.Name("", ast.Load()), node.bases, node.keywords)
            self.visit(call)
        self.write(":")
        self.body(node.body)
        if not self.indentation:
            self.newline(extra=2)

    def _type_parameters(self, node: Any) -> None:
        if getattr(node, "type_params", None):
            self.write("[", ", ".join(ast.unparse(parameter) for parameter in node.type_params), "]")

    def visit_TypeAlias(self, node: Any) -> None:
        self.statement(node, ast.unparse(node))

    def visit_For(self, node: Any, is_async: bool = False) -> None:
        set_precedence(node, node.target, node.iter)
        self.statement(node, "async for " if is_async else "for ", node.target, " in ", node.iter, ":")
        self.body_or_else(node)

    def visit_withitem(self, node: Any) -> None:
        set_precedence(Precedence.Comma, node.context_expr, node.optional_vars)
        super().visit_withitem(node)

    def visit_Try(self, node: Any, star: str = "") -> None:
        self.statement(node, "try:")
        self.body(node.body)
        for handler in node.handlers:
            self.statement(handler, "except", star)
            self.conditional_write(" ", handler.type)
            self.conditional_write(" as ", handler.name)
            self.write(":")
            self.body(handler.body)
        self.else_body(node.orelse)
        if node.finalbody:
            self.newline()
            self.write("finally:")
            self.body(node.finalbody)

    def visit_TryStar(self, node: Any) -> None:
        self.visit_Try(node, star="*")

    def visit_Raise(self, node: Any) -> None:
        set_precedence(node, node.exc, node.cause)
        super().visit_Raise(node)

    def visit_Match(self, node: Any) -> None:
        set_precedence(Precedence.If, node.subject)
        self.statement(node, "match ", node.subject, ":")
        self.indentation += 1
        for case in node.cases:
            self.statement(case.pattern, "case ", ast.unparse(case.pattern))
            self.conditional_write(" if ", case.guard)
            self.write(":")
            self.body(case.body)
        self.indentation -= 1

    # Expressions

    def visit_Constant(self, node: Any) -> None:
        value = node.value
        if isinstance(value, str):
            if self.get__pp(node) == Precedence.Expr:  # a docstring
                super().visit_Constant(node)
            else:
                self.write((node.kind or "") + repr(value))
        elif isinstance(value, int | float | complex):
            number = _number(value)
            negative = number.startswith("-")
            with self.delimit(node, ast.USub()) if negative else self.delimit(node):
                self.write(number)
        else:
            super().visit_Constant(node)

    def visit_Lambda(self, node: Any) -> None:
        with self.delimit(node) as delimiters:
            set_precedence(delimiters.p, node.body)
            self.write("lambda ")
            self.visit_arguments(node.args)
            if self.result[-1] == "lambda ":
                self.result[-1] = "lambda"
            self.write(": ", node.body)

    def visit_JoinedStr(self, node: Any) -> None:
        self.write(ast.unparse(node))

    visit_TemplateStr = visit_JoinedStr


def _number(value: complex) -> str:
    """A text that evaluates to the number, signs of zeros included; infinity has no literal but one that overflows."""
    if isinstance(value, complex):
        tries = [_imaginary(value.imag), _sum(value), f"-{_sum(-value)}"]
        tries += [f"{_sum(value.conjugate())}.conjugate()", f"-{_sum(-value.conjugate())}.conjugate()"]
        return next(t for t in tries if repr(eval(t)) == repr(value))
    if isinstance(value, float) and not math.isfinite(value):
        return "(1e1000 - 1e1000)" if math.isnan(value) else "1e1000" if value > 0 else "-1e1000"
    return repr(value)


def _sum(value: complex) -> str:
    sign = "-" if math.copysign(1.0, value.imag) < 0 else "+"
    return f"({_number(value.real)} {sign} {_imaginary(abs(value.imag))})"


def _imaginary(part: float) -> str:
    return "(1e1000j - 1e1000j)" if math.isnan(part) else _number(part).removesuffix(".0") + "j"


def commented(tree: Any, origin: Positioned) -> Iterator[str]:
    """The lines of a function, each run of statements that one line of the source gave rise to marked with that line.

    The comment ends the line where the run is one short line, else it stands above; none where the line is among them.
    A statement with the place of the `def` itself comes from no line in particular, and has no comment.
    """
    sources = _logical_lines(tree, origin)
    runs: list[tuple[tuple[int, str] | None, list[list[str]]]] = []
    for lineno, lines in pieces(tree):
        source = sources.get(lineno) if lineno is not None else None
        if not runs:
            if source is not None:
                yield f"# {os.path.basename(origin.filename)}:{source[0]}  {source[1]}"
            runs.append((source, [lines]))  # the header, and a body on the same line
        elif lineno is None or source == runs[-1][0]:
            runs[-1][1].append(lines)
        else:
            runs.append((source, [lines]))
    header, shown = runs[0][0], None
    yield from (line for lines in runs[0][1] for line in lines)
    following = [source for source, _ in runs[1:] if source != header][::-1]
    for source, printed in runs[1:]:
        if source == header:
            yield from (line for lines in printed for line in lines)
        else:
            following.pop()
            goes_on = following[-1:] == [source]
            yield from _with_comment(source[1] if source and source != shown else "", printed, goes_on)
            shown = source


def _with_comment(source: str, run: list[list[str]], goes_on: bool) -> Iterator[str]:
    """`goes_on`: after statements of no line, more comes from this one."""
    lines = [line for lines in run for line in lines]
    statements = [ls for ls in run if ls[0].strip() not in ("", "else:", "finally:") and ls[0].strip()[:5] != "elif "]
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    if not source or any(_shows("".join(ls), source) for ls in statements):
        yield from lines
    elif len(statements) == 1 and not goes_on and len(run[0]) == 1 and len(lines[0]) + len(source) + 4 <= WIDTH:
        yield f"{lines[0]}  # {source}"
        yield from lines[1:]
    else:
        comment, room = f"{indent}# {source}", max(WIDTH, len(indent) + 40)
        yield comment if len(comment) <= room else comment[: room - 4] + " ..."
        yield from lines


def _shows(line: str, source: str) -> bool:
    """Whether a printed line has the source's text in it: the same, or `return y, saved` for `return y`."""
    printed, wanted = _bare(line), _bare(source)
    return printed == wanted or (wanted.startswith("return") and printed.startswith(f"{wanted},"))


def _bare(line: str) -> str:
    return "".join(line.split())


def _logical_lines(tree: Any, origin: Positioned) -> dict[int, tuple[int, str]]:
    """For each line of a function in its file, the first line and the text of the statement that it belongs to."""
    first, last = getattr(tree, "lineno", None) or 1, getattr(tree, "end_lineno", None) or 0
    lines = origin.lines[first - 1 : last]
    found: dict[int, tuple[int, str]] = {}
    parts: list[str] = []
    start = row = column = 0
    try:
        for token in tokenize.generate_tokens(iter([f"{line}\n" for line in lines]).__next__):
            if token.type == tokenize.NEWLINE:
                statement = first + start - 1, "".join(parts)
                found |= dict.fromkeys(range(first + start - 1, first + token.start[0]), statement)
                parts = []
            elif token.type not in _LAYOUT:
                if not parts:
                    start = token.start[0]
                elif token.start != (row, column):
                    parts.append(" ")
                parts.append(" ".join(token.string.split("\n")))
                row, column = token.end
    except (tokenize.TokenError, IndentationError):  # a lambda in the middle of a statement
        for number, line in enumerate(lines, first):
            found.setdefault(number, (number, line.strip()))
    return found
