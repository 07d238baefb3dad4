"""What is inferred of the result of every function that has a rule holds for what the function returns."""

import linecache
from collections.abc import Iterator

import numpy as np
import pytest

from stdiff import pipeline
from stdiff.analyses.inference import kinds
from stdiff.analyses.kinds import ANY, ARRAY, NUMBER, NUMERIC, TEXT, Kind, kind_of
from stdiff.rules.table import entries

SCALARS = bool | int | float | complex | np.generic
CALLS = [(entry, k) for entry in entries() if entry.form != "refused" for k in range(len(entry.samples))]


def holds(kind, value, shapes):
    """Whether a value is of a kind; `shapes` has the shape that each token stands for."""
    if kind.name == "any":
        return True
    if kind.name in ("number", "array", "numeric"):
        classes = {"number": SCALARS, "array": np.ndarray, "numeric": SCALARS | np.ndarray}[kind.name]
        rank = kind.rank is None or np.ndim(value) == kind.rank
        return isinstance(value, classes) and rank and np.shape(value) == shapes.get(kind.shape, np.shape(value))
    if kind.name == "tuple":
        items = kind.items is None or len(kind.items) == len(value)
        typed = isinstance(value, tuple) and (kind.type is None or type(value) is kind.type)
        return typed and items and all(holds(k, v, shapes) for k, v in zip(kind.items or (), value, strict=False))
    if kind.name == "list":
        return isinstance(value, list) and all(holds(k, v, shapes) for k in kind.items or () for v in value)
    return isinstance(value, {"text": str, "dict": dict, "none": type(None)}.get(kind.name, kind.type))


def call(entry, args, kwargs):
    """A function that calls the entry's, with the values of the keywords as constants."""
    names = [f"x{k}" for k in range(len(args))]
    written = ", ".join([*names, *(f"{key}={key}_" for key in kwargs)])
    given = f"x0.{entry.name.rsplit('.', 1)[-1]}" if entry.attribute else f"function({written})"
    text = f"def f({', '.join(names)}):\n    y = {given}\n    return y\n"
    filename = f"<kinds {entry.name} {id(args)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"function": entry.function, **{f"{key}_": value for key, value in kwargs.items()}}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize(("entry", "k"), [pytest.param(*case, id=f"{case[0].name}-{case[1]}") for case in CALLS])
def test_the_kind_of_a_result_holds(entry, k):
    args, kwargs = entry.samples[k].draw()
    if entry.name.startswith("np.ndarray."):
        args = (np.asarray(args[0]), *args[1:])
    f = call(entry, args, kwargs)
    tokens = [object() for _ in args]
    given = {f"x{i}": kind_of(value, token) for i, (value, token) in enumerate(zip(args, tokens, strict=True))}
    found = kinds(pipeline.prepared(f).program, given, lambda function, given: ANY)
    shapes = {token: value.shape for token, value in zip(tokens, args, strict=True) if isinstance(value, np.ndarray)}
    value = f(*args)
    value = list(value) if isinstance(value, Iterator) else value
    assert holds(found["y"], value, shapes), (found["y"], type(value))


def test_what_holds():
    token = object()
    assert holds(Kind("array", rank=1, shape=token), np.ones(2), {token: (2,)})
    assert holds(Kind("list", items=(NUMBER,)), [1.0, np.float32(2)], {})
    assert holds(Kind("tuple", items=(TEXT, NUMERIC)), ("a", np.ones(2)), {})
    wrong = [
        (Kind("array", rank=1, shape=token), np.ones(3)),
        (Kind("array", rank=2), np.ones(3)),
        (ARRAY, 1.0),
        (NUMBER, np.ones(2)),
        (NUMERIC, [1.0]),
        (Kind("list"), (1.0,)),
        (Kind("list", items=(TEXT,)), [1.0]),
        (Kind("tuple", items=(NUMBER,)), (1.0, 2.0)),
        (Kind("tuple", type=tuple), [1.0]),
    ]
    assert not any(holds(kind, value, {token: (2,)}) for kind, value in wrong)
