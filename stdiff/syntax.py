"""Small tools on syntax trees: quote text, make names, list what a statement reads and writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import gast

Node = Any  # gast ships no types


def parse(text: str) -> Node:
    """The gast module of a text.

    >>> type(parse("x = 1").body[0]).__name__
    'Assign'
    """
    return gast.parse(text)


def quote(text: str, **parts: Node) -> list[Node]:
    """Statements from text, with names replaced by nodes (or by other names, where a part is a str).

    >>> from stdiff.program import unparse
    >>> print(unparse(quote("a = f(b)", b=expression("x + 1"), a="y")[0]))
    y = f(x + 1)
    """
    body: list[Node] = parse(text).body
    return [substitute(statement, parts) for statement in body] if parts else body


def expression(text: str, **parts: Node) -> Node:
    """One expression from text, with names replaced as `quote` does."""
    (statement,) = quote(text, **parts)
    return statement.value


def substitute(node: Node, parts: Mapping[str, Node]) -> Node:
    """`node` with the names in `parts` replaced, in place; a part is a node (shared, not copied) or the new name."""
    if type(node) is gast.Name:
        part = parts.get(node.id, node)
        return gast.copy_location(name(part, node.ctx), node) if isinstance(part, str) else part
    for field, value in vars(node).items():
        if type(value) is list:
            value[:] = [substitute(item, parts) if isinstance(item, gast.AST) else item for item in value]
        elif isinstance(value, gast.AST) and value._fields:
            setattr(node, field, substitute(value, parts))
    return node


def name(id: str, ctx: Node = None) -> Node:
    """A Name node, read unless another context is given."""
    return gast.Name(id, ctx or gast.Load(), None, None)


def store(id: str) -> Node:
    """A Name node that is assigned."""
    return name(id, gast.Store())


def constant(value: object) -> Node:
    """A Constant node."""
    return gast.Constant(value, None)


def assign(target: str, value: Node, like: Node = None) -> Node:
    """`target = value`, placed where `like` stands."""
    node = gast.Assign([store(target)], value, None)
    return gast.copy_location(node, like) if like is not None else node


def copy(node: Node) -> Node:
    """A deep copy of a tree; constants, operators and contexts, which are never changed in place, are shared."""
    if type(node) is list:
        return [copy(item) for item in node]
    if not isinstance(node, gast.AST) or not node._fields:
        return node
    new = type(node)()
    inside = vars(new)
    for field, value in vars(node).items():
        inside[field] = copy(value) if isinstance(value, list | gast.AST) else value
    return new


def walk(node: Node) -> list[Node]:
    """The nodes of a tree, breadth first; not operators and contexts, which have no parts."""
    found = [node]
    for part in found:
        inside = vars(part)
        for field in _INNER[type(part)]:
            value = inside.get(field)
            if type(value) is list:
                found.extend([item for item in value if isinstance(item, gast.AST) and item._fields])
            elif isinstance(value, gast.AST):
                found.append(value)
    return found


_PLAIN = {"id", "ctx", "op", "ops", "attr", "kind", "type_comment", "conversion", "level", "simple", "is_async"}
_CLASSES: list[Any] = [cls for cls in vars(gast).values() if isinstance(cls, type) and issubclass(cls, gast.AST)]
# The fields that may hold a node with parts, by class.
_INNER = {cls: tuple(field for field in cls._fields if field not in _PLAIN) for cls in _CLASSES}


def statements(body: list[Node]) -> list[Node]:
    """The statements of a block, and the handlers and statements inside them, in the order of the text."""
    found: list[Node] = []
    waiting = body[::-1]
    while waiting:
        node = waiting.pop()
        found.append(node)
        for part in ("finalbody", "orelse", "handlers", "body"):
            waiting.extend(reversed(getattr(node, part, ())))
    return found


def walk_names(node: Node) -> list[Node]:
    """Every Name node of a tree, in no particular order."""
    return [part for part in walk(node) if type(part) is gast.Name]


def reads(node: Node) -> set[str]:
    """The names that a statement or expression reads (in nested blocks too).

    >>> sorted(reads(parse("x[i] = y + f(z)").body[0]))
    ['f', 'i', 'x', 'y', 'z']
    """
    parts = walk(node)
    found = {n.id for n in parts if type(n) is gast.Name and isinstance(n.ctx, gast.Load)}
    for part in parts:
        if isinstance(part, gast.AugAssign) and isinstance(part.target, gast.Name):
            found.add(part.target.id)
        elif isinstance(part, gast.NamedExpr):
            found.discard(part.target.id) if part.target.id not in reads(part.value) else None
    return found


def writes(node: Node) -> set[str]:
    """The names that a statement binds (in nested blocks too).

    >>> sorted(writes(parse("for i in x:\\n  a, b = i").body[0]))
    ['a', 'b', 'i']
    """
    parts = walk(node)
    found = {n.id for n in parts if type(n) is gast.Name and not isinstance(n.ctx, gast.Load)}
    for part in parts:
        if isinstance(part, gast.ExceptHandler) and part.name:
            found.add(part.name if isinstance(part.name, str) else part.name.id)
        elif isinstance(part, gast.Import | gast.ImportFrom):
            found.update((alias.asname or alias.name).split(".")[0] for alias in part.names)
        elif isinstance(part, gast.FunctionDef | gast.ClassDef):
            found.add(part.name)
    return found


def store_names(node: Node) -> list[str]:
    """The names that a simple statement or a target binds, in order; `b[i] = v` and `b.append(v)` bind `b` too.

    >>> store_names(parse("a, (b, *c) = d").body[0]), store_names(parse("b[i] += v").body[0])
    (['a', 'b', 'c'], ['b'])
    """
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Subscript | gast.Attribute):
        return [node.target.value.id] if isinstance(node.target.value, gast.Name) else []
    if isinstance(node, gast.Import | gast.ImportFrom):
        return sorted(writes(node))
    if isinstance(node, gast.Expr):
        return _resized(node.value)
    if not isinstance(
        node, gast.Assign | gast.AugAssign | gast.AnnAssign | gast.Name | gast.Tuple | gast.List | gast.Starred
    ):
        return []
    found = [n.id for n in walk_names(node) if not isinstance(n.ctx, gast.Load)]
    if isinstance(node, gast.Assign):
        places = [t.value.id for t in node.targets if isinstance(t, gast.Subscript) and isinstance(t.value, gast.Name)]
        return found + places + _resized(node.value)
    return found


def _resized(value: Node) -> list[str]:
    """The list that a call `b.append(v)` or `b.pop()` changes."""
    func = getattr(value, "func", None)
    if isinstance(func, gast.Attribute) and func.attr in ("append", "pop") and isinstance(func.value, gast.Name):
        return [func.value.id]
    return []


def parameters(tree: Node) -> list[str]:
    """The parameters of a function in the order of all calls inside: positional, *args, keyword-only, **kwargs."""
    a = tree.args
    found = [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs, *([a.kwarg] if a.kwarg else [])]
    return [p.id for p in found]


def dotted(node: Node) -> str | None:
    """The text of a dotted path, None for anything else.

    >>> dotted(expression("np.linalg.norm"))
    'np.linalg.norm'
    """
    parts: list[str] = []
    while isinstance(node, gast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, gast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


class Names:
    """Gives out names that nothing else uses.

    >>> names = Names({"x", "x_bar"})
    >>> names.fresh("x_bar"), names.fresh("t"), names.fresh("t")
    ('x_bar_1', 't', 't_1')
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self._last: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """`wanted` itself if it is free, else `wanted_1`, `wanted_2` ..."""
        if wanted not in self.taken:
            self.taken.add(wanted)
            return wanted
        base = re.sub(r"_\d+$", "", wanted)
        k = self._last.get(base, 0) + 1
        while f"{base}_{k}" in self.taken:
            k += 1
        self._last[base] = k
        self.taken.add(f"{base}_{k}")
        return f"{base}_{k}"

    def temporary(self) -> str:
        """The next of `t1`, `t2` ..."""
        k = self._last.get("t#", 0) + 1
        while f"t{k}" in self.taken:
            k += 1
        self._last["t#"] = k
        self.taken.add(f"t{k}")
        return f"t{k}"
