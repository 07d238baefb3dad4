"""The passes in order, and the cache of derived functions."""

from __future__ import annotations

import gc
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import gast

from stdiff import dynamic, errors, program, syntax
from stdiff.analyses import calls
from stdiff.analyses.flow import flow
from stdiff.analyses.inference import kinds
from stdiff.analyses.kinds import ANY, DICT, Kind, canonical, kind_of, restored
from stdiff.analyses.kinds import join as join_kinds
from stdiff.analyses.memory import memory
from stdiff.derived import Derived, link
from stdiff.program import Program
from stdiff.rules import table
from stdiff.transforms.accept import accept
from stdiff.transforms.anf import anf
from stdiff.transforms.desugar import desugar
from stdiff.transforms.exits import exits
from stdiff.transforms.forward import forward
from stdiff.transforms.iterables import iterables
from stdiff.transforms.properties import properties
from stdiff.transforms.resolve import resolve
from stdiff.transforms.reverse import reverse
from stdiff.transforms.updates import updates
from stdiff.transforms.webs import webs
from stdiff.watch import Watch

PASSES: tuple[Callable[[Program], Program], ...] = (accept, resolve, desugar, anf, exits, iterables, webs)
_LOCK = threading.RLock()
_DEPTH = 20_000  # Python's own recursion limit is too low for the printing of long expressions


@dataclass
class _Prepared:
    """A function after the passes, ready for derivation."""

    original: Program
    program: Program
    made: frozenset[str]
    watch: Watch
    derived: dict[Any, Derived] = field(default_factory=dict)
    results: dict[Any, tuple[Kind | None, Watch]] = field(default_factory=dict)
    checked: dict[Any, Watch] = field(default_factory=dict)


_prepared: WeakKeyDictionary[FunctionType, _Prepared] = WeakKeyDictionary()
_watching: list[Watch] = [Watch()]  # of the derivations in progress, the innermost last
_asking: list[tuple[int, tuple[Kind, ...]]] = []  # whose results' kinds are being found, the innermost last
_building: list[tuple[dict[Any, Derived], Any]] = []  # the cache entries made by the outermost derivation in progress


def prepared(function: FunctionType) -> _Prepared:
    """The function after the passes, made again where a name that it reads has come to mean something else."""
    found = _prepared.get(function)
    if found is None or not found.watch.unchanged():
        with _room():
            after = original = program.of(function)
            for step in PASSES:
                before, after = after, step(after)
        made = _made(original, before, after)
        found = _prepared[function] = _Prepared(original, after, made, Watch())
        found.watch.function(function, original)
    _watching[-1].include(found.watch)
    return found


def _made(original: Program, before: Program, after: Program) -> frozenset[str]:
    """The names that the compiler made. The last pass, `webs`, only splits names: a part of a user's is a user's."""
    users = syntax.reads(original.tree) | syntax.writes(original.tree) | set(syntax.parameters(original.tree))
    old, new = (syntax.reads(p.tree) | syntax.writes(p.tree) - set(p.namespace) for p in (before, after))
    made = old - users - set(before.namespace)
    return frozenset(made | {n for n in new - old - set(after.namespace) if re.sub(r"_\d+$", "", n) in made})


def derive(function: FunctionType, mode: str, active: tuple[bool, ...], given: tuple[Kind, ...]) -> Derived:
    """The derivative of a function, from the cache or made now.

    Arguments: `mode`, "reverse" or "forward"; `active`, for each parameter (in the order of `syntax.parameters`),
    whether to differentiate by it; `given`, the parameters' kinds.
    Raises: StdiffError where the function, or one that it calls, cannot be differentiated.
    """
    with _LOCK:
        ready = prepared(function)
        key = (mode, active, given)
        found = ready.derived.get(key)
        if found is None or not (found.watch.unchanged() or (ready.derived, key) in _building):
            found = ready.derived[key] = Derived()
            _building.append((ready.derived, key))
            _watching.append(found.watch)
            try:
                with _room():
                    _derive(ready, found, mode, active, given)
            except BaseException:
                for entries, entry in _building:  # they may be linked to what was not finished
                    entries.pop(entry, None)
                raise
            finally:
                _watching.pop()
                if len(_watching) == 1:
                    _building.clear()
        _watching[-1].include(found.watch)
        if len(_watching) == 1:
            _watching[0] = Watch()
        return found


@contextmanager
def _room() -> Iterator[None]:
    """Deeper recursion, and no search for cyclic garbage: trees make little, and it would go through them all."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, _DEPTH))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()


def _derive(ready: _Prepared, derived: Derived, mode: str, active: tuple[bool, ...], given: tuple[Kind, ...]) -> None:
    parameters = syntax.parameters(ready.program.tree)
    known = kinds(ready.program, dict(zip(parameters, given, strict=True)), _result_kind)
    settled = properties(updates(ready.program, known), known)
    if settled is not ready.program:
        known = kinds(settled, dict(zip(parameters, given, strict=True)), _result_kind)
    name = ready.program.tree.name
    callees = Callees(mode)
    if mode == "reverse":
        sweeps = reverse(settled, active, known, callees, ready.made, (f"{name}_forward", f"{name}_backward"))
        programs, links = {"forward": sweeps.forward, "backward": sweeps.backward}, sweeps.links
    else:
        tangent = forward(settled, active, known, callees, ready.made, f"{name}_tangent")
        programs, links = {"tangent": tangent.program}, tangent.links
    _watch_attributes(settled, known, derived.watch)
    for p in programs.values():
        _locate(p.tree)
    derived.texts = {part: program.text(p) for part, p in programs.items()}
    wanted = [(p.tree.name, p.namespace) for p in programs.values()]
    made = program.execute("\n\n".join(derived.texts.values()), name, wanted)
    for (part, p), fn in zip(programs.items(), made, strict=True):
        derived.parts[part] = fn
        program.register(fn, Program(p.tree, fn.__globals__, p.origin, (), p.free))
        link(fn.__globals__, links, derived)
    for namespace, label, part in derived.waiting:
        namespace[label] = derived.parts[part]


def _watch_attributes(settled: Program, known: Mapping[str, Kind], watch: Watch) -> None:
    """Functions that are found through a module or a class can be replaced there."""
    for node in syntax.walk(settled.tree):
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
            owner = calls.owner(node.func, known, settled.namespace)
            if owner is not None and isinstance(getattr(owner, node.func.attr, None), FunctionType):
                watch.attribute(owner, node.func.attr)


def _locate(tree: Any) -> None:
    """Give every node the nearest known place in the user's file: an error about the derivative points there."""
    stack = [(tree, tree)]
    while stack:
        node, known = stack.pop()
        if "lineno" in node._attributes:
            if getattr(node, "lineno", None) is None:
                gast.copy_location(node, known)
            known = node
        for part in vars(node).values():
            if isinstance(part, gast.AST):
                stack.append((part, known))
            elif type(part) is list:
                stack.extend([(item, known) for item in part if isinstance(item, gast.AST)])


def _result_kind(function: FunctionType, given: list[Kind]) -> Kind | None:
    """The kind of what a user function returns; nothing is known of one that cannot be differentiated."""
    try:
        ready = prepared(function)
    except errors.StdiffError:
        return ANY
    key = canonical(tuple(given))
    if key not in ready.results or not ready.results[key][1].unchanged():
        if len(ready.results) >= 20:
            return ANY
        _watching.append(Watch())
        _asking.append((id(ready), key))
        try:
            _settle(ready, key)
        except BaseException:
            ready.results.pop(key, None)
            raise
        finally:
            _asking.pop()
            _watching.pop()
    kind, watch = ready.results[key]
    _watching[-1].include(watch)
    if (id(ready), key) in _asking[:-1]:
        return ANY  # asked for by way of another function, whose own result must not rest on a guess
    return kind if kind is None else restored(kind, tuple(given))


def _settle(ready: _Prepared, key: tuple[Kind, ...]) -> None:
    """Find the kind of a result; a function that calls itself is first taken to return nothing yet, until that fits."""
    found: Kind | None = None
    for _ in range(4):
        ready.results[key] = found, _watching[-1]
        before, found = found, _returned(ready.program, key)
        if found == before:
            return
    ready.results[key] = ANY, _watching[-1]


def _returned(function: Program, given: tuple[Kind, ...]) -> Kind | None:
    """What covers the kinds of a function's return values."""
    parameters = syntax.parameters(function.tree)
    if len(parameters) != len(given):
        return None
    known = kinds(function, dict(zip(parameters, given, strict=True)), _result_kind)
    found: Kind | None = None
    local = syntax.writes(function.tree)
    for node in syntax.walk(function.tree):
        if isinstance(node, gast.Return):
            value = node.value
            if isinstance(value, gast.Name) and value.id not in known and value.id in local:
                continue  # what a call that is not settled gives
            returned = known.get(value.id, ANY) if isinstance(value, gast.Name) else kind_of(value.value)
            found = join_kinds(found, returned)
    return found


class Callees:
    """How a pass has other functions derived."""

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def sweeps(self, function: FunctionType, active: tuple[bool, ...], given: tuple[Kind, ...]) -> Derived:
        """The derivative of a function that is known now; one for all kinds, if it comes with ever new ones."""
        given = canonical(given)
        ready = prepared(function)
        if (self.mode, active, given) not in ready.derived and len(ready.derived) >= 8:
            given = tuple(ANY for _ in given)
        return derive(function, self.mode, active, given)

    def check(self, function: FunctionType, given: list[Kind]) -> None:
        """Refuse a user function that, called with these kinds, writes (or calls one that writes) into what it got."""
        with _LOCK:
            self._check(function, given)

    def _check(self, function: FunctionType, given: list[Kind]) -> None:
        ready = prepared(function)
        parameters = syntax.parameters(ready.program.tree)
        key = canonical(tuple(given))
        if len(parameters) != len(key) or len(ready.checked) >= 8:
            key = (ANY,) * len(parameters)
        if key not in ready.checked or not ready.checked[key].unchanged():
            ready.checked[key] = Watch()
            _watching.append(ready.checked[key])
            try:
                known = kinds(ready.program, dict(zip(parameters, key, strict=True)), _result_kind)
                memory(ready.program, known, flow(ready.program.tree), self.check)
            except BaseException:
                ready.checked.pop(key, None)
                raise
            finally:
                _watching.pop()
        _watching[-1].include(ready.checked[key])

    @property
    def at_run_time(self) -> Callable[..., Any]:
        """What derives a function that is known only when running."""
        return sweeps if self.mode == "reverse" else tangent

    @property
    def guard(self) -> Callable[..., None]:
        """What checks such a function where it is called without being differentiated."""
        return check_call


def sweeps(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The forward and the backward sweep of `function(*args, **kwargs)`, as a function of all three."""
    parts = _derive_call(function, args, kwargs, "reverse").parts
    return parts["forward"], parts["backward"]


def tangent(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
    """The tangent of `function(*args, **kwargs)`, as a function of all three and of their tangents."""
    return _derive_call(function, args, kwargs, "forward").parts["tangent"]


def check_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a call, not itself differentiated, of a function that writes into what is not its own."""
    given = (kind_of(function), kind_of(tuple(args), "args"), DICT)
    Callees("reverse").check(dynamic.adapter(function, args, kwargs), list(given))


# Which function is derived carries no derivative; what the function carries is handed over beside it.
table.constant(sweeps, tangent, check_call)


def _derive_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], mode: str) -> Derived:
    given = canonical((kind_of(function), kind_of(tuple(args), "args"), DICT))
    return derive(dynamic.adapter(function, args, kwargs), mode, (True, True, True), given)
