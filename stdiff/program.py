"""Function object to Program, and Program to text and back to a function object."""

from __future__ import annotations

import builtins
import hashlib
import linecache
import symtable
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import gast

from stdiff import printing
from stdiff.errors import SourceError
from stdiff.printing import unparse
from stdiff.source import Found, find
from stdiff.syntax import Names, walk_names

__all__ = [
    "Origin", "Program", "compile", "execute", "lambda_source", "of", "of_code", "register", "stale", "text", "unparse"
]


@dataclass(frozen=True)
class Origin:
    """Where a Program came from: the file, its lines (so that `node.lineno` indexes them) and the function's name."""

    filename: str
    lines: tuple[str, ...]
    qualname: str


@dataclass(frozen=True)
class Program:
    """One function: its tree, what each free name of it means, and where it came from."""

    tree: Any  # gast.FunctionDef; a lambda has become `def lambda_` with a single return
    namespace: dict[str, object]
    origin: Origin
    lifted: tuple[Program, ...] = ()
    free: tuple[str, ...] = ()  # every free name that the source reads, bound or not


_registered: WeakKeyDictionary[FunctionType, Program] = WeakKeyDictionary()
_UNBOUND = object()


def register(fn: FunctionType, program: Program) -> None:
    """Makes `of(fn)` return `program`: for the functions that the compiler makes."""
    _registered[fn] = program


def of(fn: object) -> Program:
    """The Program of a Python function.

    Defaults become what the function object holds; decorators and annotations, which a call does not run, are left out.

    Arguments: `fn`, a function or lambda (of a bound method, its `__func__`).
    Returns: the Program that was registered for `fn`, else a new one.
    Raises: SourceError where `fn` is not a Python function or its source cannot be had.

    >>> square = lambda x, n=2: x ** n
    >>> print(unparse(of(square).tree))
    def lambda_(x, n=2):
        return x ** n
    """
    if not isinstance(fn, FunctionType):
        raise _not_a_function(fn)
    known = _registered.get(fn)
    if known is not None:
        return known
    found = find(fn)
    tree = _function_tree(found)
    free = tuple(sorted(_free_names(tree)))
    namespace = {name: value for name in free if (value := _lookup(fn, name)) is not _UNBOUND}
    _set_defaults(tree, fn, namespace)
    return Program(tree, namespace, Origin(fn.__code__.co_filename, found.lines, fn.__qualname__), (), free)


def of_code(code: CodeType) -> Program | None:
    """The Program that was registered for a function with this code object."""
    return next((known for fn, known in list(_registered.items()) if fn.__code__ is code), None)


def stale(program: Program, fn: FunctionType) -> bool:
    """Would a free name of `fn` be bound to another object now than when `program` was made from it?"""
    namespace = program.namespace
    return any(_lookup(fn, name) is not namespace.get(name, _UNBOUND) for name in program.free)


def lambda_source(fn: FunctionType) -> tuple[Any, Mapping[str, object]] | None:
    """The gast.Lambda of a lambda and the names it sees (globals, and what it closes over); None for a `def`.

    Raises: SourceError where there is no source.
    """
    if fn.__name__ != "<lambda>" or fn.__code__.co_name != "<lambda>":
        return None
    found = find(fn)
    node = gast.ast_to_gast(found.node)
    return node, {**fn.__globals__, **_cells(fn)} if fn.__closure__ else fn.__globals__


def _not_a_function(fn: object) -> SourceError:
    name = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    if isinstance(fn, type):
        what, instead = "a class", "differentiate a function that makes and uses the object"
    elif callable(fn) and hasattr(fn, "__func__"):
        what, instead = "a bound method", "its `__func__` is the function"
    elif callable(fn) and isinstance(vars(type(fn)).get("__call__"), FunctionType):
        what, instead = "an object that is called through its class", "use the class's `__call__`"
    elif callable(fn):
        what, instead = "not written in Python", "write a rule for it, or a Python function that does the same"
    else:
        what, instead = "not a function", "give a Python function"
    return SourceError(f"`{name}`", f"it is {what}", instead)


# From the tree of the source to that of a Program


def _function_tree(found: Found) -> Any:
    """The gast.FunctionDef: private names written out, without what runs at the `def` and not at a call."""
    tree = gast.ast_to_gast(found.node)
    if isinstance(tree, gast.Lambda):
        result = gast.copy_location(gast.Return(tree.body), tree.body)
        tree = gast.copy_location(gast.FunctionDef("lambda_", tree.args, [result], [], None, None, []), tree)
    tree.decorator_list, tree.returns, tree.type_comment, tree.type_params = [], None, None, []
    for parameter in walk_names(tree.args):
        if isinstance(parameter.ctx, gast.Param):
            parameter.annotation = parameter.type_comment = None
    private = found.class_name.lstrip("_") if found.class_name else ""
    if private:
        _mangle(tree, f"_{private}")
    return tree


def _mangle(tree: Any, prefix: str) -> None:
    """Writes out private names (`__x` in class C is `_C__x`), as the compiler does, in place."""

    def written_out(name: str | None) -> str | None:
        return prefix + name if name and name.startswith("__") and not name.endswith("__") else name

    for node in gast.walk(tree):
        for attribute in ("asname",) if isinstance(node, gast.alias) else ("id", "attr", "arg", "name"):
            if isinstance(getattr(node, attribute, None), str):
                setattr(node, attribute, written_out(getattr(node, attribute)))
        if isinstance(node, gast.Global | gast.Nonlocal):
            node.names = [written_out(name) for name in node.names]


def _free_names(tree: Any) -> set[str]:
    """The names that a function (with the functions in it) takes from outside, as Python's own symbol table has it."""
    outer = sorted({name for node in gast.walk(tree) if isinstance(node, gast.Nonlocal) for name in node.names})
    indented = unparse(tree).replace("\n", "\n ")
    module = symtable.symtable(f"def outer({', '.join(outer)}):\n {indented}", "<free names>", "exec")
    table = module.get_children()[0].get_children()[0]
    found = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() or symbol.is_free()}
    waiting = table.get_children()
    while waiting:
        inner = waiting.pop()
        found.update(symbol.get_name() for symbol in inner.get_symbols() if symbol.is_global())
        waiting += inner.get_children()
    return found


def _cells(fn: FunctionType) -> dict[str, object]:
    return {name: value for name in fn.__code__.co_freevars if (value := _lookup(fn, name)) is not _UNBOUND}


def _lookup(fn: FunctionType, name: str) -> object:
    """What a free name means in a function now: its closure, then its globals, then its builtins."""
    freevars = fn.__code__.co_freevars
    if name in freevars:
        try:
            return fn.__closure__[freevars.index(name)].cell_contents  # type: ignore[index]
        except ValueError:  # not assigned yet
            return _UNBOUND
    value = fn.__globals__.get(name, _UNBOUND)
    scopes: Any = fn  # mypy's cache forgets that a function has `__builtins__`
    return scopes.__builtins__.get(name, _UNBOUND) if value is _UNBOUND else value


def _set_defaults(tree: Any, fn: FunctionType, namespace: dict[str, object]) -> None:
    """Puts the objects that `fn` holds as defaults into its tree: constants as such, others as names in `namespace`."""
    names = Names({*fn.__code__.co_varnames, *fn.__code__.co_cellvars, *(n.id for n in walk_names(tree)), *namespace})

    def node(parameter: Any, value: object) -> Any:
        if type(value) in (bool, int, float, str, bytes, type(None)):
            return gast.copy_location(gast.Constant(value, None), parameter)
        name = names.fresh(f"{parameter.id}_default")
        namespace[name] = value
        return gast.copy_location(gast.Name(name, gast.Load(), None, None), parameter)

    arguments, keywords = tree.args, fn.__kwdefaults__ or {}
    positional, values = [*arguments.posonlyargs, *arguments.args], fn.__defaults__ or ()
    arguments.defaults = [node(p, v) for p, v in zip(positional[len(positional) - len(values) :], values, strict=True)]
    arguments.kw_defaults = [node(p, keywords[p.id]) if p.id in keywords else None for p in arguments.kwonlyargs]


# From Programs to text and function objects


def text(program: Program, comments: bool = True) -> str:
    """The Python text of a Program; with `comments`, each statement says which line of the source it comes from."""
    if comments:
        return "\n".join(printing.commented(program.tree, program.origin)) + "\n"
    return unparse(program.tree) + "\n"


def compile(program: Program) -> Callable[..., Any]:
    """The function that a Program stands for, as an object that can be called, read and stepped through.

    >>> compile(of(lambda x: x * x))(3.0)
    9.0
    """
    (fn,) = execute(text(program), program.tree.name, [(program.tree.name, program.namespace)])
    return fn


def execute(
    source: str, hint: str, wanted: Sequence[tuple[str, Mapping[str, object]]]
) -> tuple[FunctionType, ...]:
    """Runs the text of one or more functions, and files it so that inspect, tracebacks and pdb show its lines.

    Arguments: `source`, the text; `hint`, a word for its pseudo file name `<stdiff hint hash>`; `wanted`, the name and
    the namespace of each function to be returned. Each sees its own namespace, where its own name means what it meant.
    """
    filename = f"<stdiff {hint} {hashlib.sha256(source.encode()).hexdigest()[:8]}>"
    code = builtins.compile(source, filename, "exec", dont_inherit=True)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)  # no time: checkcache keeps it
    functions: list[Any] = []
    for name, namespace in wanted:
        seen = dict(namespace)
        exec(code, seen)
        functions.append(seen[name])
        for defined in {*seen} - {*namespace, "__builtins__"}:
            del seen[defined]
        seen.update(namespace)
    return tuple(functions)
