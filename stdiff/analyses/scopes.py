"""Scopes: which names a function binds, which it takes from outside, and the renaming of the latter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import gast

from stdiff import syntax
from stdiff.syntax import Node

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)

_TEXT = ("ctx", "id", "attr", "kind", "type_comment")  # fields that hold no node, or none that says anything by itself


_node_fields: dict[type, tuple[str, ...]] = {}  # of each kind of node that was met: the fields that may hold nodes


def children(node: Node) -> list[Node]:
    """The nodes directly in a node, operators among them, the last first: a stack gives them in the source's order."""
    fields = _node_fields.get(type(node))
    if fields is None:
        fields = tuple(field for field in reversed(node._fields) if field not in _TEXT)
        _node_fields[type(node)] = fields
    found: list[Node] = []
    for name in fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in reversed(value) if isinstance(item, gast.AST)]
        elif isinstance(value, gast.AST):
            found.append(value)
    return found


@dataclass
class _Use:
    """The names that one scope reads, binds, and declares global."""

    read: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)


def bound(function: Node) -> set[str]:
    """The local names of a function or lambda: its parameters and whatever its body binds.

    >>> from stdiff.syntax import expression
    >>> sorted(bound(expression("lambda a, *b: [c for c in a if (d := c)]")))
    ['a', 'b', 'd']
    """
    use = _use_of_function(function)
    return use.bound - use.outside


def free(function: Node) -> set[str]:
    """The names that a function or lambda, with all that is nested in it, takes from outside.

    >>> from stdiff.syntax import expression
    >>> sorted(free(expression("lambda a: [a * c + d for c in e]")))
    ['d', 'e']
    """
    use = _use_of_function(function)
    return use.read - (use.bound - use.outside)


def used(function: Node) -> set[str]:
    """The names that mean something in a function's own scope: those that it binds, and those from outside."""
    use = _use_of_function(function)
    return use.read | use.bound


def bound_anywhere(function: Node) -> set[str]:
    """The names that a function binds, in whatever scope in it."""
    found = {n.id for n in syntax.walk_names(function) if not isinstance(n.ctx, gast.Load)}
    for node in gast.walk(function):
        found.update(bound_as_text(node))
    return found


def targets(generators: list[Node]) -> set[str]:
    """The names that the `for`s of a comprehension bind."""
    return {n.id for g in generators for n in syntax.walk_names(g.target) if not isinstance(n.ctx, gast.Load)}


def rename_targets(comprehension: Node, names: Mapping[str, str]) -> Node:
    """A copy of a comprehension with other loop variables.

    >>> from stdiff.syntax import expression
    >>> from stdiff.program import unparse
    >>> print(unparse(rename_targets(expression("[i * j for i in i]"), {"i": "k"})))
    [(k * j) for k in i]
    """
    return Replacing(names).visit_within(syntax.copy(comprehension)) if names else comprehension


class Replacing(gast.NodeTransformer):  # type: ignore[misc]
    """Replaces names, in place, wherever they mean what they mean outside.

    >>> from stdiff.syntax import expression
    >>> from stdiff.program import unparse
    >>> print(unparse(Replacing({"a": "z", "b": "y"}).visit(expression("f(a, [a for a in a], lambda b: a + b)"))))
    f(z, [a for a in z], lambda b: z + b)
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def inside(self, hidden: set[str]) -> Replacing:
        """The same replacement where `hidden` are other variables."""
        return type(self)({name: new for name, new in self.names.items() if name not in hidden})

    def visit_Name(self, node: Node) -> Node:
        if node.id in self.names:
            node.id = self.names[node.id]
        return node

    def visit_FunctionDef(self, node: Node) -> Node:
        node.name = self.names.get(node.name, node.name)
        inner = self._visit_function(node)
        node.body = [inner.visit(statement) for statement in node.body]
        return node

    def visit_Lambda(self, node: Node) -> Node:
        node.body = self._visit_function(node).visit(node.body)
        return node

    def _visit_function(self, node: Node) -> Replacing:
        arguments = node.args
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        arguments.kw_defaults = [default and self.visit(default) for default in arguments.kw_defaults]
        return self.inside(bound(node))

    def _visit_comprehension(self, node: Node) -> Node:
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        return self.inside(targets(node.generators)).visit_within(node)

    def visit_within(self, node: Node) -> Node:
        """Replaces in the scope of a comprehension: everywhere in it but in its first iterable."""
        for number, generator in enumerate(node.generators):
            generator.target = self.visit(generator.target)
            generator.iter = self.visit(generator.iter) if number else generator.iter
            generator.ifs = [self.visit(condition) for condition in generator.ifs]
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                setattr(node, part, self.visit(getattr(node, part)))
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension


def _use_of_function(function: Node) -> _Use:
    use = _Use(bound=set(syntax.parameters(function)))
    _collect(function.body if isinstance(function.body, list) else [function.body], use)
    return use


def _collect(nodes: list[Node], use: _Use) -> None:
    """Adds what the nodes read and bind in their own scope."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is gast.Name:
            (use.read if type(node.ctx) is gast.Load else use.bound).add(node.id)
        elif kind in COMPREHENSIONS:
            _collect_comprehension(node, use)
        elif kind is gast.Global:
            use.outside.update(node.names)
        elif kind in _BINDERS:
            use.bound.update(bound_as_text(node))
            if kind is gast.FunctionDef or kind is gast.Lambda:
                use.read |= free(node)
                waiting += [default for default in (*node.args.defaults, *node.args.kw_defaults) if default is not None]
            else:
                waiting += children(node)
        elif kind is not gast.Constant:
            waiting += children(node)


_BINDERS = (
    gast.FunctionDef, gast.Lambda, gast.Import, gast.ImportFrom, gast.MatchAs, gast.MatchStar, gast.MatchMapping,
)  # fmt: skip


def _collect_comprehension(node: Node, use: _Use) -> None:
    first, *others = node.generators
    inner, own = _Use(), targets(node.generators)
    parts = [getattr(node, part) for part in ("elt", "key", "value") if hasattr(node, part)]
    _collect([*parts, *first.ifs, *others], inner)
    _collect([first.iter], use)
    use.read |= inner.read - own
    use.bound |= inner.bound - own


def bound_as_text(node: Node) -> list[str]:
    """The names that a node itself binds without a Name node: of an import, an inner function, a capture of `match`."""
    if isinstance(node, gast.MatchAs | gast.MatchStar):
        return [node.name] if node.name else []
    if isinstance(node, gast.MatchMapping):
        return [node.rest] if node.rest else []
    if isinstance(node, gast.Import | gast.ImportFrom):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    return [node.name] if isinstance(node, gast.FunctionDef) else []
