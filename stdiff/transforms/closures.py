"""Inner functions become functions of their own, which get what they read from around them as arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FunctionType

import gast

from stdiff import containers, program, syntax
from stdiff.analyses import scopes
from stdiff.program import Origin, Program
from stdiff.syntax import Node
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.inner import Inner, Survey, defaults, survey
from stdiff.transforms.nodes import assigned, at, named


class Unset:
    """The default of a parameter whose own default is computed where the inner function stands."""


@dataclass(eq=False)
class _Lifted:
    """An inner function on its way out.

    `name`: of the function that it becomes; `captured`: the variables of the outer function that it gets first, in their order
    there; `own`: for each of its parameters whose default is computed, the variable that holds it; `direct`: whether calls by
    its variable can only be calls of it, after it was defined.
    """

    inner: Inner
    name: str
    free: set[str]
    own: dict[str, str]
    direct: bool
    captured: list[str] = field(default_factory=list)


def closures(tree: Node, body: Statements, context: Context) -> tuple[Statements, tuple[Program, ...]]:
    """Lift the inner functions out of a function.

    `def h(a): return a * x` in `f` becomes `f_h(x, a)`. A call `h(v)` becomes `f_h(x, v)`, which reads `x` when it is called,
    as Python does. Where `h` is used in another way, it is the value `closure(f_h, x)`, which holds the `x` of that moment.

    Arguments: `tree`, the outer function; `body`, its statements, desugared but for inner functions; `context`, whose
    namespace gets the new functions.
    Returns: the statements without inner functions, and the Programs of these, each registered for its function object.
    Raises: UnsupportedError where such a value would outlive the value of a variable that it holds.
    """
    if not context.nested:
        return body, ()
    body = syntax.copy(body)
    found = survey(tree, body, context.namespace)
    lifted = [_lifted(inner, tree, found, context) for inner in found.functions]
    _settle_direct(lifted, found)
    _capture(lifted, found)
    for f in lifted:
        if _outlives(f, lifted, found):
            _check_unchanged(f, found, context)
    direct = {f.inner.name: f for f in lifted if f.direct}
    closure = context.bind("closure", containers.closure)
    rewriting = _Outer(direct, closure, {id(f.inner.node): f for f in lifted}, found)
    body = [new for statement in body for new in rewriting.statements(statement)]
    programs = tuple(_program(f, direct, closure, context) for f in lifted)
    _make(lifted, programs, context)
    return body, programs


def _lifted(inner: Inner, tree: Node, found: Survey, context: Context) -> _Lifted:
    label = inner.name or "lambda"
    name = context.names.fresh(f"{tree.name}_{label}")
    free = {n for n in scopes.free(inner.node) if n in found.bindings and n not in context.namespace}
    a = inner.node.args
    positional = [*a.posonlyargs, *a.args]
    pairs = [*zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True)]
    pairs += [(p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
    computed = [p.id for p, d in pairs if not isinstance(d, gast.Constant)]
    own = {p: context.names.fresh(f"{label}_{p}") for p in computed}
    for variable in own.values():
        found.bindings[variable] = [inner.spot]
    return _Lifted(inner, name, free, own, direct=len(found.bindings.get(inner.name, ())) == 1)


# What is captured


def _settle_direct(lifted: list[_Lifted], found: Survey) -> None:
    """A function is not direct where one of its uses may come before its definition."""
    changed = True
    while changed:
        direct = {f.inner.name: f for f in lifted if f.direct}
        early: set[str] = set()
        for f in lifted:
            spots = [spot for _, spot in found.reads.get(f.inner.name, ())] if f.direct else [f.inner.spot]
            for name in _reached(f, direct):
                if any(not direct[name].inner.spot.precedes(spot) for spot in spots):
                    early.add(name)
        for name in early:
            direct[name].direct = False
        changed = bool(early)


def _reached(f: _Lifted, direct: Mapping[str, _Lifted]) -> set[str]:
    """The direct functions that a call of `f` may call, itself among them."""
    found = {f.inner.name} & set(direct)
    waiting = [f]
    while waiting:
        new = (waiting.pop().free & set(direct)) - found
        found |= new
        waiting += [direct[name] for name in new]
    return found


def _capture(lifted: list[_Lifted], found: Survey) -> None:
    """What each function reads itself, and what it needs for the functions that it calls."""
    direct = {f.inner.name: f for f in lifted if f.direct}
    order = {name: k for k, name in enumerate(found.bindings)}
    for f in lifted:
        functions = [f, *(direct[name] for name in _reached(f, direct) if direct[name] is not f)]
        names = {name for g in functions for name in (*(g.free - set(direct)), *g.own.values())}
        f.captured = sorted(names, key=order.__getitem__)


def _outlives(f: _Lifted, lifted: list[_Lifted], found: Survey) -> bool:
    """Whether a value made of the function may be used after the place where it is made."""
    node, name = f.inner.node, f.inner.name
    if not name:
        return id(node) not in found.called | found.passing
    if not f.direct or any(id(use) not in found.called | found.passing for use, _ in found.reads.get(name, ())):
        return True
    return any(name in g.free and _uses_as_value(name, g.inner.node) for g in lifted)


def _uses_as_value(name: str, node: Node) -> bool:
    called = {id(part.func) for part in gast.walk(node) if isinstance(part, gast.Call)}
    return any(part.id == name and id(part) not in called for part in syntax.walk_names(node))


def _check_unchanged(f: _Lifted, found: Survey, context: Context) -> None:
    for variable in f.captured:
        if variable in f.own.values() or not any(b.may_follow(f.inner.spot) for b in found.bindings[variable]):
            continue
        who = f"the inner function `{f.inner.name}`" if f.inner.name else "a `lambda`"
        raise context.refuse(
            f.inner.node,
            f"{who} that is kept while `{variable}`, which it reads, is assigned again",
            f"it would have to see the new `{variable}`, which is looked up when it runs",
            f"give it the value as a default, `{variable}={variable}`, or assign to another name",
        )


# What replaces the uses of an inner function


class _Uses(scopes.Replacing):
    """Replaces variables and the uses of direct inner functions, in place.

    `local`: what a variable of the outer function is called here, where that is another name.
    """

    def __init__(
        self, names: Mapping[str, str], direct: Mapping[str, _Lifted], closure: str, local: Mapping[str, str]
    ) -> None:
        super().__init__(names)
        self.direct, self.closure, self.local = direct, closure, local

    def inside(self, hidden: set[str]) -> _Uses:
        names = {name: new for name, new in self.names.items() if name not in hidden}
        return _Uses(names, {n: f for n, f in self.direct.items() if n not in hidden}, self.closure, self.local)

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

    def called(self, func: Node) -> _Lifted | None:
        """The inner function that is called by writing `func` in front of the arguments."""
        return self.direct.get(func.id) if isinstance(func, gast.Name) else None

    def captured(self, f: _Lifted, like: Node) -> list[Node]:
        """The variables that a call of the lifted function gets first."""
        return [named(self.local.get(variable, variable), like) for variable in f.captured]

    def value(self, f: _Lifted, like: Node) -> Node:
        """The inner function as a value."""
        if not f.captured:
            return named(f.name, like)
        made = gast.Call(named(self.closure, like), [named(f.name, like), *self.captured(f, like)], [])
        return at(made, like)


class _Outer(_Uses):
    """The same in the outer function, where inner functions are defined too."""

    def __init__(
        self, direct: Mapping[str, _Lifted], closure: str, by_node: Mapping[int, _Lifted], found: Survey
    ) -> None:
        super().__init__({}, direct, closure, {})
        self.by_node, self.found = by_node, found
        self.before: Statements = []

    def statements(self, statement: Node) -> Statements:
        """The statements that replace one; the defaults of a lambda in it come before it."""
        outer, self.before = self.before, []
        new = self.visit(statement)
        new = [*self.before, *(new if isinstance(new, list) else [new])]
        self.before = outer
        return new

    def generic_visit(self, node: Node) -> Node:
        for name, value in gast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], gast.stmt):
                block = [new for statement in value for new in self.statements(statement)]
                setattr(node, name, block or [at(gast.Pass(), value[0])])
            elif isinstance(value, list):
                setattr(node, name, [self.visit(part) if isinstance(part, gast.AST) else part for part in value])
            elif isinstance(value, gast.AST):
                setattr(node, name, self.visit(value))
        return node

    def visit_FunctionDef(self, node: Node) -> Statements:
        return self.defined(self.by_node[id(node)])

    def visit_Assign(self, node: Node) -> Node | Statements:
        f = self.by_node.get(id(node.value))
        return self.defined(f) if f is not None and f.inner.name else self.generic_visit(node)

    def visit_Lambda(self, node: Node) -> Node:
        f = self.by_node[id(node)]
        self.before += self.defaults(f)
        return self.value(f, node)

    def visit_Name(self, node: Node) -> Node:
        return super().visit_Name(node) if id(node) in self.found.passing else node

    def called(self, func: Node) -> _Lifted | None:
        f = self.by_node.get(id(func))
        if f is not None:
            self.before += self.defaults(f)
        return f or super().called(func)

    def defaults(self, f: _Lifted) -> Statements:
        """The assignments of the computed defaults."""
        computed = [self.visit(default) for default in defaults(f.inner.node) if not isinstance(default, gast.Constant)]
        return [assigned(v, d, d) for v, d in zip(f.own.values(), computed, strict=True)]

    def defined(self, f: _Lifted) -> Statements:
        """What stands for the definition: the computed defaults, and the value where one is used."""
        made = self.defaults(f)
        used = (use for use, _ in self.found.reads.get(f.inner.name, ()))
        if not f.direct or any(id(use) not in self.found.called | self.found.passing for use in used):
            made.append(assigned(f.inner.name, self.value(f, f.inner.node), f.inner.node))
        return made


# The new functions


def _program(f: _Lifted, direct: Mapping[str, _Lifted], closure: str, context: Context) -> Program:
    """The inner function with what it captures as its first parameters."""
    node = f.inner.node
    taken = scopes.bound_anywhere(node)
    local = {variable: context.names.fresh(variable) for variable in f.captured if variable in taken}
    rewriting = _Uses(local, direct, closure, local).inside(scopes.bound(node))
    if isinstance(node, gast.Lambda):
        body = [at(gast.Return(rewriting.visit(node.body)), node.body)]
    else:
        body = [rewriting.visit(statement) for statement in node.body]
    unset = context.bind("Unset", Unset) if f.own else ""
    for parameter, variable in reversed(f.own.items()):
        test, chosen = (
            syntax.quote("if p is unset:\n    p = own", p=parameter, unset=unset, own=local.get(variable, variable)),
            node,
        )
        body[:0] = [at(statement, chosen) for statement in test]
    tree = gast.FunctionDef(f.name, _arguments(f, local, unset), body, [], None, None, [])
    tree = at(tree, node)
    namespace = {name: context.namespace[name] for name in scopes.free(tree) if name in context.namespace}
    origin = context.origin
    qualname = f"{origin.qualname}.<locals>.{f.inner.name or '<lambda>'}"
    return Program(tree, namespace, Origin(origin.filename, origin.lines, qualname))


def _arguments(f: _Lifted, local: Mapping[str, str], unset: str) -> Node:
    """The parameters: what is captured, then the function's own."""
    a = f.inner.node.args

    def parameter(p: Node) -> Node:
        return at(gast.Name(p.id, gast.Param(), None, None), p)

    def default(d: Node) -> Node:
        return d if d is None or isinstance(d, gast.Constant) else named(unset, d)

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


def _make(lifted: list[_Lifted], programs: tuple[Program, ...], context: Context) -> None:
    """Makes the function objects and lets them see one another."""
    functions = [program.compile(p) for p in programs]
    made = {f.name: function for f, function in zip(lifted, functions, strict=True)}
    context.namespace.update(made)
    for p, function in zip(programs, functions, strict=True):
        assert isinstance(function, FunctionType)
        seen = {name: made[name] for name in scopes.free(p.tree) & set(made)}
        p.namespace.update(seen)
        function.__globals__.update(seen)
        program.register(function, p)
