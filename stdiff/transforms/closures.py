"""Inner functions become functions of their own, which get what they read from around them as arguments."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType

import gast

from stdiff import functions, program, syntax
from stdiff.analyses import scopes
from stdiff.analyses.calls import known
from stdiff.program import Program
from stdiff.syntax import Node
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.inner import Inner, Survey, survey
from stdiff.transforms.lifted import Lifted, Uses
from stdiff.transforms.lifted import program as program_of
from stdiff.transforms.nodes import assigned, at


def closures(tree: Node, body: Statements, context: Context) -> tuple[Statements, tuple[Program, ...]]:
    """Lift the inner functions out of a function.

    `def h(a): return a * x` in `f` becomes `f_h(x, a)`. A call `h(v)` becomes `f_h(x, v)`, which reads `x` when it is
    called, as Python does. Where `h` is used in another way, it is the value `closure(f_h, x)`, which holds the `x` of
    that moment.

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
    closure = context.bind("closure", functions.closure)
    rewriting = _Outer(direct, closure, lifted, found)
    body = [new for statement in body for new in rewriting.statements(statement)]
    programs = tuple(program_of(f, direct, closure, context) for f in lifted)
    _make(lifted, programs, context)
    return body, programs


def _lifted(inner: Inner, tree: Node, found: Survey, context: Context) -> Lifted:
    label = inner.name or "lambda"
    name = context.names.fresh(f"{tree.name}_{label}")
    free = {n for n in scopes.free(inner.node) if n in found.bindings and n not in context.namespace}
    a = inner.node.args
    positional = [*a.posonlyargs, *a.args]
    pairs = [*zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True)]
    pairs += [(p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
    computed = [(p.id, context.names.fresh(f"{label}_{p.id}"), d) for p, d in pairs if not _is_fixed(d, context)]
    found.bindings.update({variable: [inner.spot] for _, variable, _ in computed})
    return Lifted(inner, name, free, computed, direct=len(found.bindings.get(inner.name, ())) == 1)


def _is_fixed(default: Node, context: Context) -> bool:
    """Whether a default is the same wherever it is evaluated: a constant, or the path of a known function or module."""
    if isinstance(default, gast.UnaryOp):
        default = default.operand
    return isinstance(default, gast.Constant) or callable(known(default, context.namespace))


# What is captured


def _settle_direct(lifted: list[Lifted], found: Survey) -> None:
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


def _reached(f: Lifted, direct: Mapping[str, Lifted]) -> set[str]:
    """The direct functions that a call of `f` may call, itself among them."""
    found = {f.inner.name} & set(direct)
    waiting = [f]
    while waiting:
        new = (waiting.pop().free & set(direct)) - found
        found |= new
        waiting += [direct[name] for name in new]
    return found


def _capture(lifted: list[Lifted], found: Survey) -> None:
    """What each function reads itself, and what it needs for the functions that it calls."""
    direct = {f.inner.name: f for f in lifted if f.direct}
    order = {name: k for k, name in enumerate(found.bindings)}
    for f in lifted:
        functions = [f, *(direct[name] for name in _reached(f, direct) if direct[name] is not f)]
        names = {name for g in functions for name in (*(g.free - set(direct)), *g.own)}
        f.captured = sorted(names, key=order.__getitem__)


def _outlives(f: Lifted, lifted: list[Lifted], found: Survey) -> bool:
    """Whether a value made of the function may be used after the place where it is made."""
    node, name = f.inner.node, f.inner.name
    if not name:
        return id(node) not in found.called | found.passing
    return _is_stored(f, found) or any(name in g.free and _uses_as_value(name, g.inner.node) for g in lifted)


def _is_stored(f: Lifted, found: Survey) -> bool:
    """Whether its variable has to hold the function, for uses other than those that are replaced."""
    return not f.direct or any(
        id(use) not in found.called | found.passing for use, _ in found.reads.get(f.inner.name, ())
    )


def _uses_as_value(name: str, node: Node) -> bool:
    called = {id(part.func) for part in gast.walk(node) if isinstance(part, gast.Call)}
    return any(part.id == name and id(part) not in called for part in syntax.walk_names(node))


def _check_unchanged(f: Lifted, found: Survey, context: Context) -> None:
    for variable in f.captured:
        if variable in f.own or not any(b.may_follow(f.inner.spot) for b in found.bindings[variable]):
            continue
        who = f"the inner function `{f.inner.name}`" if f.inner.name else "a `lambda`"
        raise context.refuse(
            f.inner.node,
            f"{who} that is kept while `{variable}`, which it reads, is assigned again",
            f"it would have to see the new `{variable}`, which is looked up when it runs",
            f"give it the value as a default, `{variable}={variable}`, or assign to another name",
        )


# What replaces the uses of an inner function


class _Outer(Uses):
    """The same in the outer function, where inner functions are defined too."""

    def __init__(self, direct: Mapping[str, Lifted], closure: str, lifted: list[Lifted], found: Survey) -> None:
        super().__init__({}, direct, closure, {})
        self.by_node = {id(f.inner.node): f for f in lifted}
        self.stored = {f.inner.name for f in lifted if _is_stored(f, found)}
        self.passing = found.passing
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
        """Elsewhere than in front of a `(`, a function is made where a call takes it, or its variable holds it."""
        return super().visit_Name(node) if id(node) in self.passing and node.id not in self.stored else node

    def called(self, func: Node) -> Lifted | None:
        f = self.by_node.get(id(func))
        if f is not None:
            self.before += self.defaults(f)
        return f or super().called(func)

    def defaults(self, f: Lifted) -> Statements:
        """The assignments of the computed defaults."""
        return [assigned(variable, self.visit(default), default) for _, variable, default in f.computed]

    def defined(self, f: Lifted) -> Statements:
        """What stands for the definition: the computed defaults, and the value where one is used."""
        made = self.defaults(f)
        if f.inner.name in self.stored:
            made.append(assigned(f.inner.name, self.value(f, f.inner.node), f.inner.node))
        return made


def _make(lifted: list[Lifted], programs: tuple[Program, ...], context: Context) -> None:
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
