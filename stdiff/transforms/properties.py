"""properties: write the read of a property as the call that it is."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping
from dataclasses import replace

import gast

from stdiff import syntax
from stdiff.analyses.kinds import ANY, Kind
from stdiff.program import Program
from stdiff.syntax import Names


def properties(program: Program, kinds: Mapping[str, Kind]) -> Program:
    """Where an object's class is known, `t = obj.total` of a property becomes `t = total(obj)`.

    >>> from stdiff.program import of, unparse
    >>> class Pair:
    ...     @property
    ...     def total(self): return self.a + self.b
    >>> def f(pair):
    ...     t = pair.total
    ...     return t
    >>> print(unparse(properties(of(f), {"pair": Kind("object", type=Pair)}).tree))
    def f(pair):
        t = total(pair)
        return t
    """
    found = [
        (node, getter)
        for node in syntax.walk(program.tree)
        if isinstance(node, gast.Assign)
        and isinstance(node.value, gast.Attribute)
        and isinstance(node.value.value, gast.Name)
        if (getter := _getter(kinds.get(node.value.value.id, ANY), node.value.attr)) is not None
    ]
    if not found:
        return program
    getters = {id(node): getter for node, getter in found}
    names = Names(syntax.reads(program.tree) | syntax.writes(program.tree) | set(program.namespace))
    namespace = dict(program.namespace)
    tree = syntax.copy(program.tree)
    for old, new in zip(syntax.walk(program.tree), syntax.walk(tree), strict=True):
        getter = getters.get(id(old))
        if getter is not None:
            label = next((k for k, v in namespace.items() if v is getter), None) or names.fresh(new.value.attr)
            namespace[label] = getter
            new.value = gast.copy_location(gast.Call(syntax.name(label), [new.value.value], []), new.value)
    return replace(program, tree=tree, namespace=namespace)


def _getter(kind: Kind, attribute: str) -> types.FunctionType | None:
    """The Python function behind a property of an object's class."""
    if kind.type is None:
        return None
    found = inspect.getattr_static(kind.type, attribute, None)
    getter = found.fget if isinstance(found, property) else None
    return getter if isinstance(getter, types.FunctionType) else None
