"""The second pass: local names that can mean only one object are bound to it."""

from __future__ import annotations

import importlib
import sys
import types
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import gast

from stdiff.analyses import scopes
from stdiff.analyses.calls import MISSING, known
from stdiff.program import Program
from stdiff.syntax import Node


def resolve(program: Program) -> Program:
    """Bind the local names of imports, and of functions and modules that get a short name, to what they mean.

    A name counts where the function binds it once: by `import`, or by an assignment of a dotted path that is known to
    be a function, a class or a module. The statement stays, so that a use before it fails as it did.

    Arguments: `program`, accepted.
    Returns: a Program with the same tree and, where there is something to bind, a larger namespace.

    Before and after:

    >>> from stdiff.program import of
    >>> def f(x):
    ...     import math
    ...     s = math.sin
    ...     return s(x)
    >>> sorted(of(f).namespace), sorted(resolve(of(f)).namespace)
    ([], ['math', 's'])
    """
    namespace = dict(program.namespace)
    times: Counter[str] | None = None
    for name, meaning in _meanings(program.tree, namespace):
        if times is None:
            times = _bindings(program.tree)
        if times[name] == 1:
            namespace[name] = meaning
    if times is None:
        return program
    return Program(program.tree, namespace, program.origin, program.lifted, program.free)


def _meanings(tree: Node, namespace: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The names that statements give to known functions, classes and modules; `namespace` may grow meanwhile."""
    for statement in _statements(tree):
        if isinstance(statement, gast.Import):
            for alias in statement.names:
                yield from _found(alias.asname or alias.name.split(".")[0], _module(alias.name, alias.asname is None))
        elif isinstance(statement, gast.ImportFrom):
            for alias in statement.names:
                yield from _found(alias.asname or alias.name, _member(statement.module, alias.name))
        elif isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Name | gast.Attribute):
            meaning = known(statement.value, namespace)
            if callable(meaning) or isinstance(meaning, types.ModuleType):
                yield from ((target.id, meaning) for target in statement.targets if isinstance(target, gast.Name))


def _found(name: str, meaning: Any) -> Iterator[tuple[str, object]]:
    if meaning is not MISSING:
        yield name, meaning


def _module(path: str, root: bool) -> Any:
    """What `import path` binds (`root`: the first package of the path); MISSING where it cannot be imported."""
    try:
        found = importlib.import_module(path)
    except Exception:  # whatever importing runs: it is raised where the program runs it
        return MISSING
    return sys.modules[path.split(".")[0]] if root else found


def _member(path: str, name: str) -> Any:
    """What `from path import name` binds."""
    module = _module(path, root=False)
    if module is MISSING:
        return MISSING
    found = getattr(module, name, MISSING)
    return _module(f"{path}.{name}", root=False) if found is MISSING else found


def _statements(tree: Node) -> Iterator[Node]:
    """The statements of a function, without those of inner functions."""
    waiting = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        yield node
        blocks = [getattr(node, name, ()) for name in ("finalbody", "orelse", "handlers", "cases", "body")]
        if not isinstance(node, gast.FunctionDef):
            waiting += [inner for block in blocks for inner in reversed(block)]


def _bindings(tree: Node) -> Counter[str]:
    """How often each name is bound, in whatever scope of the function: a name bound once has one meaning in it."""
    found: Counter[str] = Counter()
    waiting = [tree.args, *tree.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            found[node.id] += 1
        found.update(scopes.bound_as_text(node))
        waiting += scopes.children(node)
    return found
