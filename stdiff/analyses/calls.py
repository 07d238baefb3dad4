"""What a call calls: a function with a rule, a user's function, a class, or something known only at run time."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from stdiff import syntax
from stdiff.functions import call_method
from stdiff.rules import table
from stdiff.syntax import Node

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


@dataclass(frozen=True)
class Target:
    """A call taken apart.

    `form`: rule (`rule` is its entry), function (a Python function: `arguments` has one node for each of its
    parameters, in the order of `syntax.parameters`, a default as a Constant or a Name bound in `bound`), construct (a
    class), closure, captures and transform (which make, take apart and wrap a function that carries values), append (to
    a list), method (`name` of a value whose class is not known), dynamic (`node.func` is a value), unknown (`function`
    has neither a rule nor a source).
    """

    form: str
    function: Any = None
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Node] = field(default_factory=dict)
    rule: table.Rule | None = None
    name: str = ""
    bound: Mapping[str, object] = field(default_factory=dict)


def root(node: Node) -> str | None:
    """The name at the root of a dotted path."""
    while isinstance(node, gast.Attribute):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None


def member(value: object, attribute: str) -> Any:
    """The attribute of a module or a class, found without running anything; MISSING of any other object."""
    if isinstance(value, types.ModuleType):
        return getattr(value, attribute, MISSING)
    if isinstance(value, type):
        found = inspect.getattr_static(value, attribute, MISSING)
        if isinstance(found, staticmethod):
            return found.__func__
        return (
            found
            if isinstance(found, types.FunctionType) or table.lookup(found) is not None
            else getattr(value, attribute, MISSING)
        )
    return MISSING


def known(node: Node, namespace: Mapping[str, object]) -> Any:
    """The object that a dotted path through modules and classes means; MISSING where it is not known before running."""
    if isinstance(node, gast.Name):
        return namespace.get(node.id, MISSING)
    if isinstance(node, gast.Attribute):
        base = known(node.value, namespace)
        return MISSING if base is MISSING else member(base, node.attr)
    return MISSING


def owner(func: Node, kinds: Mapping[str, Any], namespace: Mapping[str, object]) -> Any:
    """The module or class in which the function of a call `path.name(...)` is looked up; None if unknown."""
    base = root(func)
    if base is not None and base not in kinds:
        found = known(func.value, namespace)
        if found is MISSING:
            return None
        return found if isinstance(found, types.ModuleType | type) else type(found)
    kind = kinds.get(base) if isinstance(func.value, gast.Name) and base is not None else None
    return None if kind is None else kind.value if kind.name == "known" else kind.type


def appended(node: Node) -> str | None:
    """The name of the list in a call `name.append(value)`, None for any other call."""
    return _receiver(node, "append", 1)


def popped(node: Node) -> str | None:
    """The name of the list in a call `name.pop()`, None for any other call."""
    return _receiver(node, "pop", 0)


def _receiver(node: Node, method: str, count: int) -> str | None:
    """The name on which a method is called with so many arguments."""
    if not isinstance(node, gast.Call) or len(node.args) != count or node.keywords:
        return None
    func = node.func
    named = isinstance(func, gast.Attribute) and func.attr == method and isinstance(func.value, gast.Name)
    return str(func.value.id) if named else None


def target(call: Node, kinds: Mapping[str, Any], namespace: Mapping[str, object]) -> Target:
    """Take a call apart. `kinds` are those of the local names: a name that is in it is local.

    >>> from stdiff.syntax import expression
    >>> target(expression("np.sin(x)"), {"x": None}, {"np": np}).rule.name
    'np.sin'
    """
    func = call.func
    if isinstance(func, gast.Name):
        kind = kinds.get(func.id)
        value = namespace.get(func.id, MISSING) if func.id not in kinds else getattr(kind, "value", None) or MISSING
        return Target("dynamic") if value is MISSING else _of_object(call, value, ())
    if not isinstance(func, gast.Attribute):
        return Target("dynamic")
    base = root(func)
    if base is not None and base not in kinds:
        value = known(func, namespace)
        if value is not MISSING:
            return _of_object(call, value, ())
        owner = _instance(func.value, namespace)
        if owner is not MISSING:
            return _of_method(call, owner, func.value)
        return Target("method", name=func.attr)
    kind = kinds.get(base) if base is not None else None
    if kind is None or not isinstance(func.value, gast.Name):
        return Target("method", name=func.attr)
    if kind.name == "known":
        value = member(kind.value, func.attr)
        return Target("method", name=func.attr) if value is MISSING else _of_object(call, value, ())
    if kind.name == "super":
        return _of_super(call, kind)
    if kind.name == "list" and appended(call):
        return Target("append", name=func.value.id)
    owner_type = (
        np.ndarray
        if kind.numeric
        else {"list": list, "dict": dict, "tuple": tuple, "text": str}.get(kind.name, kind.type)
    )
    if kind.type is not None:
        owner_type = kind.type
    if owner_type is not None:
        function = inspect.getattr_static(owner_type, func.attr, MISSING)
        if isinstance(function, staticmethod):
            return _of_object(call, function.__func__, ())
        if function is not MISSING and (isinstance(function, types.FunctionType) or table.lookup(function)):
            return _of_object(call, function, (func.value,))
        if owner_type in (list, dict, tuple, str, np.ndarray) and function is not MISSING:
            return Target("unknown", function=function, arguments=(func.value, *call.args))
    return Target("method", name=func.attr)


def _of_super(call: Node, kind: Any) -> Target:
    """A method of the classes behind a class in an object's order of inheritance."""
    order = kind.type.__mro__
    for cls in order[order.index(kind.value) + 1 :] if kind.value in order else ():
        function = cls.__dict__.get(call.func.attr)
        if isinstance(function, types.FunctionType):
            return _of_object(call, function, (syntax.name(kind.shape),))
    return Target("method", name=call.func.attr)


def _instance(node: Node, namespace: Mapping[str, object]) -> Any:
    """The object of the namespace that a path `OBJ` or `module.OBJ` names."""
    return known(node, namespace)


def _of_method(call: Node, owner: object, path: Node) -> Target:
    """A method of an object that the namespace binds: its class's function, the object first."""
    function = inspect.getattr_static(type(owner), call.func.attr, MISSING)
    if isinstance(function, staticmethod):
        return _of_object(call, function.__func__, ())
    if isinstance(function, types.FunctionType):
        return _of_object(call, function, (path,))
    if isinstance(owner, np.ndarray | np.generic | list | dict | str | tuple) or table.lookup(function) is not None:
        return _of_object(call, function, (path,))
    bound = getattr(owner, call.func.attr, MISSING) if isinstance(function, types.MethodDescriptorType) else MISSING
    if bound is not MISSING:
        rule = table.lookup(bound)
        return Target("rule" if rule else "unknown", function=bound, arguments=tuple(call.args), rule=rule)
    return Target("method", name=call.func.attr)


def _of_object(call: Node, value: Any, first: tuple[Node, ...]) -> Target:
    """A call of a known object; `first` are arguments before those written."""
    arguments = (*first, *call.args)
    keywords = {k.arg: k.value for k in call.keywords}
    starred = None in keywords or any(isinstance(a, gast.Starred) for a in call.args)
    special = getattr(value, "__stdiff_form__", None) if isinstance(value, types.FunctionType) else None
    if special == "dynamic":
        return Target("dynamic", function=value)
    if special is not None:
        return Target(special, function=value, arguments=arguments, keywords=keywords)
    rule = table.lookup(value)
    if rule is not None:
        return Target("rule", function=value, arguments=arguments, keywords=keywords, rule=rule)
    if isinstance(value, types.FunctionType):
        if starred:
            return Target("dynamic", function=value)
        return _bind(value, arguments, keywords)
    if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
        return Target("dynamic", function=value)
    if value is functools.partial and arguments and not keywords:
        return Target("closure", function=value, arguments=arguments)
    if isinstance(value, type):
        return Target("construct", function=value, arguments=arguments, keywords=keywords)
    if call_method(value) is not None or isinstance(value, functools.partial):
        return Target("dynamic", function=value)
    return Target("unknown", function=value, arguments=arguments, keywords=keywords)


def _bind(function: types.FunctionType, arguments: tuple[Node, ...], keywords: Mapping[str, Node]) -> Target:
    """One node for each parameter of a Python function; a call that does not fit is left to fail as Python would."""
    signature = inspect.signature(function, follow_wrapped=False)
    try:
        found = signature.bind(*arguments, **keywords).arguments
    except TypeError:
        return Target("dynamic", function=function)
    nodes: list[Node] = []
    bound: dict[str, object] = {}
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            nodes.append(gast.Tuple(list(found.get(parameter.name, ())), gast.Load()))
        elif parameter.kind is parameter.VAR_KEYWORD:
            extra = found.get(parameter.name, {})
            nodes.append(gast.Dict([syntax.constant(k) for k in extra], list(extra.values())))
        elif parameter.name in found:
            nodes.append(found[parameter.name])
        elif isinstance(parameter.default, int | float | str | bytes | None):
            nodes.append(syntax.constant(parameter.default))
        else:
            label = f"{function.__name__}_{parameter.name}".strip("<>").replace("<lambda>", "lambda")
            bound[label] = parameter.default
            nodes.append(syntax.name(label))
    return Target("function", function=function, arguments=tuple(nodes), bound=bound)


def fields(cls: type) -> tuple[str, ...] | None:
    """The fields of a class whose constructor only stores its arguments (namedtuples, plain dataclasses), else None."""
    names = getattr(cls, "_fields", None)
    if names is not None and issubclass(cls, tuple):
        return tuple(names) if _generated(cls.__new__) and cls.__init__ is object.__init__ else None
    if dataclasses.is_dataclass(cls) and not hasattr(cls, "__post_init__") and cls.__new__ is object.__new__:
        plain = _generated(cls.__init__) and (cls.__setattr__ is object.__setattr__ or _generated(cls.__setattr__))
        if plain and all(f.init for f in dataclasses.fields(cls)):
            return tuple(f.name for f in dataclasses.fields(cls))
    return None


def _generated(function: Any) -> bool:
    return getattr(getattr(function, "__code__", None), "co_filename", "") == "<string>"
