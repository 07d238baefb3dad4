"""How a rule is written, kept and called: the derivative of one function is one entry.

An entry is an ordinary Python expression in a lambda. It is spliced as text into the printed derivative, and called by
Variables and tests:

    elementwise(np.sin,      lambda y, x: np.cos(x),                   REAL)
    elementwise(np.multiply, lambda y, a, b: (b, a),                   REAL, REAL)
    linear(np.flip,          lambda g, y, m, axis=None: np.flip(g, axis),  at(R(2, 3)), at(R(2, 3), axis=1))
    rule(np.linalg.inv,      lambda g, y, a: -y.T @ g @ y.T,           at(R(3, 3)),
         pushforward=lambda t, y, a: -y @ t @ y)
    alias(np.ndarray.sum, np.sum)
    constant(np.sign, np.floor)
    refuse(np.unique, "it sorts and drops values; use np.sort")

What a formula may count on, and must keep to:

* `y` is the result, `g` its cotangent, of the shape of `y` (whoever calls turns a zero of unknown shape, the float 0.0,
  into an array by `runtime.filled`; the local derivatives of `elementwise` never see it). `t` is the tangent of the
  operand that its place in the result stands for.
* The parameters after these are the function's own, by its own names and in its own order, with its own defaults
  written as literals. A parameter that the lambda lacks is an option that is not done: `bind` raises, and the compiler
  refuses the call by name and option.
* A tuple as the body has one part an operand, in order; `None` for what carries nothing, as do operands past its end,
  so that a parameter that may hold an active number must have a part. A body that is no tuple is the part of the first
  operand. The cotangent of a sequence operand is a list (never a tuple), its tangent is a list too. A parameter
  `*operands` stands last in the tuple, as one tuple of cotangents, one tuple of tangents. Where the tangent is a tuple
  itself, the body is a tuple of one: `((t, 0.0),)`.
* The body uses its parameters, `np`, `math`, `operator` and the public helpers of `stdiff.runtime`, by name. It is
  linear in `g` (or `t`) without conjugation, and keeps float32: constants are Python floats, new arrays are made from
  the arrays at hand.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from stdiff import runtime
from stdiff.containers import accumulate
from stdiff.errors import NoRuleError, Place
from stdiff.source import find

Form = Literal["elementwise", "linear", "rule", "constant", "refused"]


class BindError(TypeError):
    """A call that an entry does not cover; `option` is the argument that it lacks, as the caller wrote it."""

    def __init__(self, rule: Rule, option: str) -> None:
        super().__init__(f"{rule.name} has no derivative for its argument {option}")
        self.option = option


# --- samples: the inputs from which the tests of an entry are made -----


@dataclass(frozen=True)
class Domain:
    """An open interval from which an operand's values are drawn."""

    low: float
    high: float


REAL = Domain(-2.0, 2.0)
POSITIVE = Domain(0.3, 2.5)
UNIT = Domain(-0.9, 0.9)
ABOVE_ONE = Domain(1.2, 3.0)
ABOVE_MINUS_ONE = Domain(-0.8, 2.0)


@dataclass(frozen=True)
class Random:
    """A float operand: an array of this shape, a Python float where the shape is ()."""

    shape: tuple[int, ...]
    domain: Domain = REAL

    def draw(self, generator: np.random.Generator, dtype: Any = np.float64) -> Any:
        """Values spread over the domain, none near zero or near another, so that no kink or tie is close."""
        low, high = self.domain.low, self.domain.high
        n = math.prod(self.shape)
        steps = generator.permutation(n) + 0.5 + generator.uniform(-0.2, 0.2, n)
        values = low + (high - low) * steps / max(n, 1)
        values = np.where(np.abs(values) < 0.05, values + 0.07, values)
        if not self.shape:
            return float(values[0])
        return values.reshape(self.shape).astype(dtype)


def R(*shape: int, domain: Domain = REAL) -> Random:
    """A random float operand of a sample call: `R(2, 3)` an array, `R()` a Python float."""
    return Random(shape, domain)


@dataclass(frozen=True)
class Sample:
    """The arguments of one call; `Random`s in them (in lists too) are the operands to differentiate by."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def draw(self, dtype: Any = np.float64) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with each `Random` drawn, always the same."""
        generator = np.random.default_rng(7)

        def value(part: Any) -> Any:
            if isinstance(part, Random):
                return part.draw(generator, dtype)
            if isinstance(part, np.ndarray) and part.dtype.kind == "f":
                return part.astype(dtype)
            return type(part)(map(value, part)) if type(part) in (list, tuple) else part

        return tuple(map(value, self.args)), {name: value(part) for name, part in self.kwargs.items()}


def at(*args: Any, **kwargs: Any) -> Sample:
    """A sample call: `at(R(2, 3), axis=1)`."""
    return Sample(args, kwargs)


_SHAPES: dict[int, list[tuple[tuple[int, ...], ...]]] = {
    1: [((2, 3),), ((),)],
    2: [((2, 3), (2, 3)), ((2, 1), (3,)), ((), (3,)), ((2, 2), ()), ((), ())],
    3: [((2, 3), (2, 3), (2, 3)), ((2, 1), (3,), ()), ((), (3,), (2, 1))],
}


def _calls(function: Any, samples: Sequence[Domain | Sample]) -> tuple[Sample, ...]:
    """An elementwise function's sample calls: its domains in several mixtures of shapes, then the calls written out."""
    domains = [part for part in samples if isinstance(part, Domain)]
    written = [part for part in samples if isinstance(part, Sample)]
    if not domains:
        return tuple(written)
    scalars = getattr(function, "__module__", None) == "math"
    shapes = [((),) * len(domains)] if scalars else _SHAPES[len(domains)]
    made = [Sample(tuple(map(Random, mixture, domains)), {}) for mixture in shapes]
    return (*made, *written)


# --- entries ---


@dataclass(frozen=True, eq=False)
class Rule:
    """The derivative of one function, and the facts about it that the analyses read."""

    function: Any  # a callable, or a getset descriptor (np.ndarray.T), which stands for an attribute
    form: Form
    pullback: Any = None  # the formula, a lambda (in an elementwise entry: of the local derivatives)
    pushforward: Any = None  # a lambda, only in the form "rule"
    samples: tuple[Sample, ...] = ()
    view: tuple[str, ...] = ()  # the parameters whose memory the result may share
    writes: tuple[str, ...] = ()  # the parameters that the function writes into ("self" where there is no formula)
    singular: bool = False  # a local derivative may be infinite at a finite value: the product is `runtime.scale`
    reason: str = ""  # refused: why, and what to do instead

    @property
    def name(self) -> str:
        """The function as a person writes it: `np.linalg.inv`, `math.sin`, `np.ndarray.sum`, `abs`."""
        owner = getattr(self.function, "__objclass__", None)
        module = getattr(owner or self.function, "__module__", None) or "numpy"
        short = str(getattr(self.function, "__qualname__", None) or getattr(self.function, "__name__", self.function))
        module = {"_operator": "operator", "builtins": ""}.get(module, module.replace("numpy", "np", 1))
        return f"{module}.{short}" if module else short

    @property
    def attribute(self) -> bool:
        """Whether the entry is for an attribute (`np.ndarray.T`), not for a call."""
        return inspect.isgetsetdescriptor(self.function)

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The function's own parameters, as far as the entry covers them."""
        if self.pullback is None:
            raise TypeError(f"{self.name} carries no derivative")
        own = list(inspect.signature(self.pullback).parameters.values())
        return inspect.Signature(own[1 if self.form == "elementwise" else 2 :])

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of `signature`."""
        return tuple(self.signature.parameters)

    @property
    def star(self) -> str | None:
        """The name of the `*operands` parameter."""
        found = [p.name for p in self.signature.parameters.values() if p.kind is p.VAR_POSITIONAL]
        return found[0] if found else None

    @property
    def defaults(self) -> dict[str, Any]:
        """The values of the parameters that a call may leave out."""
        return {p.name: p.default for p in self.signature.parameters.values() if p.default is not p.empty}

    def call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The function's (or attribute's) value."""
        return self.function.__get__(*args) if self.attribute else self.function(*args, **kwargs)


_ENTRIES: dict[Any, Rule] = {}


def _enter(rule: Rule) -> None:
    if rule.function in _ENTRIES:
        raise ValueError(f"{rule.name} has an entry already")
    _ENTRIES[rule.function] = rule


def elementwise(
    function: Any,
    derivatives: Callable[..., Any],
    *samples: Domain | Sample,
    view: tuple[str, ...] = (),
    singular: bool = False,
) -> None:
    """Enter a function that acts on each element: `lambda y, a, b: (dy/da, dy/db)`.

    The product with the cotangent or tangent, and the broadcasting, are the engine's.
    """
    calls = _calls(function, samples)
    _enter(Rule(function, "elementwise", derivatives, samples=calls, view=view, singular=singular))


def linear(function: Any, adjoint: Callable[..., Any], *samples: Sample, view: tuple[str, ...] = ()) -> None:
    """Enter a function that is linear in its first operand, and constant in the others, by its adjoint.

    Its tangent is the function itself on the tangent of `x`.
    """
    _enter(Rule(function, "linear", adjoint, samples=samples, view=view))


def rule(
    function: Any,
    pullback: Callable[..., Any],
    *samples: Sample,
    pushforward: Callable[..., Any],
    view: tuple[str, ...] = (),
) -> None:
    """Enter any other function.

    `pullback` gives the operands' cotangents from `g`, `pushforward` what each operand's tangent `t` contributes.
    """
    _enter(Rule(function, "rule", pullback, pushforward, samples, view))


def alias(function: Any, existing: Any, *, view: tuple[str, ...] | None = None) -> None:
    """Enter `function` with the entry of `existing` (and another fact about views, where they differ in that)."""
    found = _ENTRIES[existing]
    _enter(dataclasses.replace(found, function=function, view=found.view if view is None else view))


def constant(*functions: Any) -> None:
    """Enter functions whose result carries no derivative, whatever goes in."""
    for function in functions:
        _enter(Rule(function, "constant"))


def refuse(function: Any, reason: str, *, writes: tuple[str, ...] = ()) -> None:
    """Enter a function that is refused on an active argument (on constants it stays): why, what to do instead."""
    _enter(Rule(function, "refused", reason=reason, writes=writes))


def missing(function: Any, count: int = 1, where: Place | None = None) -> NoRuleError:
    """The error for a function without an entry: it shows the entry to write.

    Arguments: `count`, of the call's arguments; `where`, the place of the call.
    """
    owner = getattr(function, "__self__", None)
    ufunc = isinstance(owner, np.ufunc)
    name = Rule(owner if ufunc else function, "refused").name + (f".{function.__name__}" if ufunc else "")
    given = ["x"] if count < 2 else [f"x{k}" for k in range(count)]
    parts = "..." if count < 2 else f"({', '.join(['...'] * count)})"
    entry = f"stdiff.elementwise({name}, lambda y, {', '.join(given)}: {parts})"
    return NoRuleError(
        f"`{name}`",
        "it has no entry in the rule table and no Python source",
        f"enter its derivative, `{entry}` (or `stdiff.rule`), or call a Python function that does the same",
        where,
    )


def lookup(function: Any) -> Rule | None:
    """The entry of a callable, or of the descriptor that stands for an attribute; None where there is none.

    A bound method is looked up as the method of its class, so `rng.normal` finds `np.random.Generator.normal`; NumPy's
    scalars share the entries of arrays.

    >>> lookup(len).form
    'constant'
    """
    try:
        found = _ENTRIES.get(function)
    except TypeError:  # an unhashable callable
        return None
    owner = getattr(function, "__self__", None)
    if found is not None or owner is None or isinstance(owner, type) or inspect.ismodule(owner):
        return found
    kind = np.ndarray if isinstance(owner, np.generic) else type(owner)
    method = inspect.getattr_static(kind, getattr(function, "__name__", ""), None)
    return None if method is None or method is function else _ENTRIES.get(method)


def entries() -> Iterator[Rule]:
    """All entries, in the order in which they were made."""
    return iter(list(_ENTRIES.values()))


# --- use ---


def bind(rule: Rule, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call (values or syntax nodes) by the entry's parameter names.

    `*operands` get a tuple; what the call leaves out is left out.

    Raises BindError for an argument that the entry lacks, TypeError for a call that lacks one.

    >>> import numpy as np
    >>> bind(lookup(np.flip), ["m"], {"axis": 0})
    {'m': 'm', 'axis': 0}
    """
    kinds = {p.name: p.kind for p in rule.signature.parameters.values()}
    for option in kwargs:
        if kinds.get(option) not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
            raise BindError(rule, f"`{option}`")
    places = sum(kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds.values())
    if len(args) > places and rule.star is None:
        raise BindError(rule, f"number {places + 1}")
    return dict(rule.signature.bind(*args, **kwargs).arguments)


def _bound(rule: Rule, args: Sequence[Any], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    """The bound call with its defaults."""
    bind(rule, args, kwargs)
    bound = rule.signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound


@functools.cache
def _contribution(pushforward: Any, k: int) -> Any:
    """The `k`-th part of a pushforward by itself, as the compiler splices it: `t` is of that operand's shape only."""
    node: Any = find(pushforward).node
    parts = dict(enumerate(node.body.elts if isinstance(node.body, ast.Tuple) else [node.body]))
    body = parts.get(k, ast.Constant(None))
    part = ast.fix_missing_locations(ast.Expression(ast.Lambda(node.args, body)))
    return eval(compile(part, "<part of a pushforward>", "eval"), pushforward.__globals__)


def _parts(formula: Any) -> tuple[Any, ...]:
    return formula if isinstance(formula, tuple) else (formula,)


def pull(rule: Rule, g: Any, y: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """The cotangents of a call's operands, in the order of the entry's parameters.

    As many as the entry's formula has; None for an operand that carries nothing.

    >>> import numpy as np
    >>> pull(lookup(np.multiply), 1.0, 6.0, (2.0, 3.0), {})
    (3.0, 2.0)
    """
    bound = _bound(rule, args, kwargs)
    if rule.form != "elementwise":
        return _parts(rule.pullback(g, y, *bound.args, **bound.kwargs))
    product = runtime.scale if rule.singular else operator.mul
    parts = _parts(rule.pullback(y, *bound.args, **bound.kwargs))
    pairs = zip(parts, bound.arguments.values(), strict=False)
    return tuple(None if d is None else runtime.unbroadcast(product(g, d), x) for d, x in pairs)


def push(rule: Rule, tangents: Sequence[Any], y: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The tangent of a call's result from those of its operands, in the order of the entry's parameters (None: zero).

    >>> import numpy as np
    >>> push(lookup(np.multiply), (1.0, None), 6.0, (2.0, 3.0), {})
    3.0
    """
    bound = _bound(rule, args, kwargs)
    if rule.form == "linear":
        first = rule.parameters[0]
        if first in kwargs:
            return rule.call(args, {**kwargs, first: tangents[0]})
        return rule.call((tangents[0], *args[1:]), kwargs)
    given = {k: t for k, t in enumerate(tangents) if t is not None}
    if rule.form == "elementwise":
        parts = dict(enumerate(_parts(rule.pullback(y, *bound.args, **bound.kwargs))))
        terms = [t * parts[k] for k, t in given.items() if parts.get(k) is not None]
        return runtime.broadcast(sum(terms, 0.0), y)
    contributions = [_contribution(rule.pushforward, k)(t, y, *bound.args, **bound.kwargs) for k, t in given.items()]
    found = [part for part in contributions if part is not None]
    return functools.reduce(accumulate, found) if found else 0.0
