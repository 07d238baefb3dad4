"""A lifted inner function: what takes the place of its uses, and the Program that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import gast

from stdiff import syntax
from stdiff.analyses import scopes
from stdiff.program import Origin, Program
from stdiff.syntax import Node
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.inner import Inner
from stdiff.transforms.nodes import at, everywhere_at, named


class Unset:
    """The default of a parameter whose own default is computed where the inner function stands."""


@dataclass(eq=False)
class Lifted:
    """An inner function on its way out.

    `name`: of the function that it becomes; `free`: the variables of the outer function that it reads; `computed`: for
    each parameter whose default has to be computed, the parameter, a variable for the default, and the expression;
    `direct`: whether calls by its variable can only be calls of it, after it was defined; `captured`: the variables of
    the outer function that it gets first, in their order there.
    """

    inner: Inner
    name: str
    free: set[str]
    computed: list[tuple[str, str, Node]]
    direct: bool
    captured: list[str] = field(default_factory=list)

    @property
    def own(self) -> list[str]:
        """The variables of its computed defaults."""
        return [variable for _, variable, _ in self.computed]


class Uses(scopes.Replacing):
    """Replaces variables and the uses of direct inner functions, in place.

    `local`: what a variable of the outer function is called here, where that is another name.
    """

    def __init__(
        self, names: Mapping[str, str], direct: Mapping[str, Lifted], closure: str, local: Mapping[str, str]
    ) -> None:
        super().__init__(names)
        self.direct, self.closure, self.local = direct, closure, local

    def inside(self, hidden: set[str]) -> Uses:
        names = {name: new for name, new in self.names.items() if name not in hidden}
        return Uses(names, {n: f for n, f in self.direct.items() if n not in hidden}, self.closure, self.local)

    def visit_Name(self, node: Node) -> Node:
        if node.id in self.direct and isinstance(node.ctx, gast.Load):
            return self.value(self.direct[node.id], node)
        return super().visit_Name(node)

    def visit_Call(self, node: Node) -> Node:
        f = self.called(node.func)
        if f is None:
            return self.generic_visit(node)
        node.args = [*self.captured(f, node.func), *(self.visit(argument) for argument in node.args)]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        node.func = named(f.name, node.func)
        return node

    def called(self, func: Node) -> Lifted | None:
        """The inner function that is called by writing `func` in front of the arguments."""
        return self.direct.get(func.id) if isinstance(func, gast.Name) else None

    def captured(self, f: Lifted, like: Node) -> list[Node]:
        """The variables that a call of the lifted function gets first."""
        return [named(self.local.get(variable, variable), like) for variable in f.captured]

    def value(self, f: Lifted, like: Node) -> Node:
        """The inner function as a value."""
        if not f.captured:
            return named(f.name, like)
        made = gast.Call(named(self.closure, like), [named(f.name, like), *self.captured(f, like)], [])
        return at(made, like)


def program(f: Lifted, direct: Mapping[str, Lifted], closure: str, context: Context) -> Program:
    """The Program of an inner function that gets what it captures as its first parameters.

    Arguments: `direct`, the functions that can be called by a variable of the outer function; `closure`, the name of
    `functions.closure`; `context`, of the outer function, whose names the new ones must not meet.
    """
    node = f.inner.node
    taken = scopes.bound_anywhere(node)
    local = {variable: context.names.fresh(variable) for variable in f.captured if variable in taken}
    rewriting = Uses(local, direct, closure, local).inside(scopes.bound(node))
    if isinstance(node, gast.Lambda):
        body = [at(gast.Return(rewriting.visit(node.body)), node.body)]
    else:
        body = [rewriting.visit(statement) for statement in node.body]
    unset = context.bind("Unset", Unset) if f.computed else ""
    chosen: Statements = []
    for parameter, variable, default in f.computed:
        parts = {"p": parameter, "unset": unset, "own": local.get(variable, variable)}
        (choice,) = syntax.quote("if p is unset:\n    p = own")
        chosen.append(syntax.substitute(everywhere_at(choice, default), parts))
    arguments = _arguments(f, local, unset)
    tree = at(gast.FunctionDef(f.name, arguments, [*chosen, *body], [], None, None, []), node)
    free = scopes.free(tree).union(*map(syntax.reads, (d for d in (*arguments.defaults, *arguments.kw_defaults) if d)))
    namespace = {name: context.namespace[name] for name in free if name in context.namespace}
    qualname = f"{context.origin.qualname}.<locals>.{f.inner.name or '<lambda>'}"
    return Program(tree, namespace, Origin(context.origin.filename, context.origin.lines, qualname))


def _arguments(f: Lifted, local: Mapping[str, str], unset: str) -> Node:
    """The parameters: what is captured, then the function's own."""
    a = f.inner.node.args

    def parameter(p: Node) -> Node:
        return at(gast.Name(p.id, gast.Param(), None, None), p)

    def default(d: Node) -> Node:
        return named(unset, d) if any(d is expression for _, _, expression in f.computed) else d

    first = [at(gast.Name(local.get(v, v), gast.Param(), None, None), f.inner.node) for v in f.captured]
    positional_only = [parameter(p) for p in a.posonlyargs]
    ordinary = [parameter(p) for p in a.args]
    if a.posonlyargs or a.kwarg:  # a keyword of the caller may have the name of a captured variable
        positional_only = [*first, *positional_only]
    else:
        ordinary = [*first, *ordinary]
    return gast.arguments(
        ordinary,
        positional_only,
        a.vararg and parameter(a.vararg),
        [parameter(p) for p in a.kwonlyargs],
        [default(d) for d in a.kw_defaults],
        a.kwarg and parameter(a.kwarg),
        [default(d) for d in a.defaults],
    )
