"""The passes that come before the derivative: what each makes of a text, and that none changes what a program does."""

import contextlib
import copy
import dataclasses
import inspect
import io
import linecache
import math
import os
import re
import sys
import time
from pathlib import Path
from types import FunctionType

import gast
import numpy as np
import pytest

from stdiff import pipeline, program
from stdiff.errors import StdiffError, UnsupportedError
from stdiff.transforms.accept import accept
from stdiff.transforms.anf import anf
from stdiff.transforms.desugar import desugar
from stdiff.transforms.exits import exits
from stdiff.transforms.iterables import iterables
from stdiff.transforms.resolve import resolve
from stdiff.transforms.webs import webs
from tests import language
from tests.corpus import CASES
from tests.transforms import ordered
from tests.transforms.programs import PROGRAMS, note

PASSES = (accept, resolve, desugar, anf)
LATER = (exits, iterables, webs)
TEXTS = Path(__file__).parent / "transforms"


def defined(text, **namespace):
    """The function `f` that a text defines, as if it stood in a file."""
    filename = f"<text {abs(hash(text))}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


def outcome(f, args):
    """What a call returns or raises, what it does to its arguments, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
        try:
            result = f(*args)
        except Exception as error:
            result = type(error), str(error)
    return result, args, printed.getvalue()


def assert_same(found, expected):
    """Two outcomes agree to the last bit."""
    if isinstance(expected, tuple | list):
        assert type(found) is type(expected)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key in expected:
            assert_same(found[key], expected[key])
    elif callable(expected):
        assert callable(found)
    elif dataclasses.is_dataclass(expected):
        assert type(found) is type(expected)
        assert_same(vars(found), vars(expected))
    else:
        assert type(found) is type(expected)
        np.testing.assert_equal(found, expected)


def texts():
    """The cases of the text files: a title, the pass, the text before it and after it."""
    for path in sorted(TEXTS.glob("*.txt")):
        for case in re.split(r"^# ", path.read_text(), flags=re.MULTILINE)[1:]:
            title, _, body = case.partition("\n")
            before, _, after = body.partition("\n---\n")
            yield pytest.param(path.stem, before.strip() + "\n", after.strip() + "\n", id=f"{path.stem}: {title}")


@pytest.mark.parametrize(("name", "before", "after"), [*texts()])
def test_text(name, before, after):
    f = defined(before, np=np)
    p = program.of(f)
    for step in PASSES if name == "anf" else PASSES[:-1]:
        p = step(p)
    parts = [program.text(part, comments=False) for part in (p, *p.lifted)]
    assert "\n".join(parts).strip() + "\n" == after


def own_programs():
    for f, arguments in PROGRAMS:
        for number, args in enumerate(arguments):
            yield pytest.param(f, args, False, id=f"{f.__name__}-{number}")


def corpus():
    for case in CASES:
        if isinstance(case.function, FunctionType):
            yield pytest.param(case.function, case.arguments, bool(case.refused or case.may_refuse), id=case.name)


@pytest.mark.parametrize(("f", "arguments", "may_refuse"), [*own_programs(), *corpus()])
def test_passes_keep_what_a_program_does(f, arguments, may_refuse):
    expected = outcome(f, copy.deepcopy(arguments))
    p = program.of(f)
    for step in PASSES:
        before = gast.dump(p.tree, include_attributes=True)
        try:
            after = step(p)
        except StdiffError:
            assert may_refuse
            return
        assert gast.dump(p.tree, include_attributes=True) == before
        p = after
        assert_same(outcome(program.compile(p), copy.deepcopy(arguments)), expected)
    language.check(p)
    for inner in p.lifted:
        for step in PASSES:
            inner = step(inner)
        language.check(inner)


def test_the_passes_are_those_of_the_pipeline():
    assert (*PASSES, *LATER) == pipeline.PASSES


@pytest.mark.parametrize(("f", "arguments", "may_refuse"), [*own_programs(), *corpus()])
def test_later_passes_keep_what_a_program_does(f, arguments, may_refuse):
    expected = outcome(f, copy.deepcopy(arguments))
    p = program.of(f)
    try:
        for step in PASSES:
            p = step(p)
    except StdiffError:
        assert may_refuse
        return
    for step in LATER:
        before = gast.dump(p.tree, include_attributes=True)
        after = step(p)
        assert gast.dump(p.tree, include_attributes=True) == before
        p = after
        found = outcome(program.compile(p), copy.deepcopy(arguments))
        result = found[0]
        if isinstance(result, tuple) and result and result[0] is UnsupportedError:  # the check that `exits` puts in
            assert "suppress" in inspect.getsource(f)
            return
        assert_same(found, expected)


def test_imports_and_short_names_are_bound_where_they_have_one_meaning():
    f = defined(
        """
def f(x):
    import os.path
    import numpy.linalg as la
    from math import cos, sin as s
    import no_such_module
    norm = la.norm
    if x:
        t = cos
    else:
        t = s
    (lambda cos: cos(1.0))(t)
    y = x
    return norm(x)
"""
    )
    found = resolve(program.of(f)).namespace
    assert found == {"os": os, "la": np.linalg, "s": math.sin, "norm": np.linalg.norm}


class Base:
    def f(self, x):
        return x + 1.0


class Derived(Base):
    def f(self, x):
        return super().f(x) * 2.0


def test_super_means_what_it_means_in_the_class():
    p = program.of(Derived.f)
    for step in PASSES:
        p = step(p)
    assert program.compile(p)(Derived(), 2.0) == 6.0


def after_all(text, **namespace):
    """The function that a text defines, and the same after all passes."""
    f = defined(text, **namespace)
    p = program.of(f)
    for step in PASSES:
        p = step(p)
    return f, program.compile(p)


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions_are_evaluated_in_order(seed):
    text = ordered.program(seed)
    f, g = after_all(text, n=note, **ordered.NAMESPACE)
    for args in ((1.0, -1.0), (0.0, 2.0), (-2.0, 0.0)):
        assert_same(outcome(g, args), outcome(f, args))


# Size


def straight(length):
    lines = [f"    y = np.sin(y) * x + {k}.0" for k in range(length)]
    return "def f(x):\n    y = x\n" + "\n".join(lines) + "\n    return y\n"


LARGE = {
    "statements": straight(2000),
    "sum": "def f(x):\n    return " + " + ".join(["x"] * 1000),
    "calls": "def f(x):\n    return " + "abs(" * 150 + "x" + ")" * 150,
    "brackets": "def f(x):\n    return " + "(" * 90 + "x" + " + x) * 0.5" * 90,
    "and": "def f(x):\n    y = " + " and ".join(f"x + {k}" for k in range(500)) + "\n    return y",
    "guards": "def f(x):\n" + "".join(f"    if x == {k}: return x * {k}\n" for k in range(400)) + "    return x",
    "elif": "def f(x):\n    if x < 0: y = 0\n"
    + "".join(f"    elif x < {k}: y = x + {k}\n" for k in range(200))
    + "    return y",
    "comprehensions": "def f(x):\n" + "    x = sum(x * v for v in range(2))\n" * 200 + "    return x",
    "lambdas": "def f(x):\n"
    + "".join(f"    h{k} = lambda v: v + x\n    x = h{k}(1)\n" for k in range(100))
    + "    return x",
}


@pytest.fixture
def room():
    """Reading and printing deep trees is not the matter here."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("kind", LARGE)
def test_large_programs(kind, room):
    f, g = after_all(LARGE[kind], np=np)
    assert g(3.0) == f(3.0)


def test_passes_need_no_deep_recursion_limit():
    tree = defined(LARGE["sum"])
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    p = program.of(tree)
    sys.setrecursionlimit(limit)
    for step in PASSES:
        p = step(p)
    assert sys.getrecursionlimit() == limit
    assert program.compile(p)(1.0) == 1000.0


def test_time_grows_with_length():
    def seconds(length):
        p = program.of(defined(straight(length), np=np))
        start = time.process_time()
        for step in PASSES:
            p = step(p)
        return time.process_time() - start

    short = min(seconds(500) for _ in range(3))
    assert min(seconds(2000) for _ in range(3)) < 12 * short  # four times as long: sixteen times would be quadratic
