"""The passes that come before the derivative: what each makes of a text, and that none changes what a program does."""

import contextlib
import copy
import dataclasses
import io
import linecache
import re
import time
from pathlib import Path
from types import FunctionType, SimpleNamespace

import gast
import numpy as np
import pytest

from stdiff import program
from stdiff.errors import StdiffError
from stdiff.transforms.accept import accept
from stdiff.transforms.anf import anf
from stdiff.transforms.desugar import desugar
from stdiff.transforms.resolve import resolve
from tests import language
from tests.corpus import CASES
from tests.transforms.programs import PROGRAMS

PASSES = (accept, resolve, desugar, anf)
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
    stop = {"closures": desugar, "matching": desugar}.get(name) or globals()[name]
    p = program.of(f)
    for step in PASSES[: PASSES.index(stop) + 1]:
        p = step(p)
    parts = [program.text(part, comments=False) for part in (p, *p.lifted)]
    assert "\n".join(parts).strip() + "\n" == after


def own_programs():
    for f, arguments in PROGRAMS:
        for number, args in enumerate(arguments):
            yield pytest.param(f, args, id=f"{f.__name__}-{number}")


def corpus():
    for case in CASES:
        if isinstance(case.function, FunctionType):
            yield pytest.param(case.function, case.arguments, id=case.name)


@pytest.mark.parametrize(("f", "arguments"), [*own_programs(), *corpus()])
def test_passes_keep_what_a_program_does(f, arguments):


    expected = outcome(f, copy.deepcopy(arguments))
    p = program.of(f)
    for step in PASSES:
        before = gast.dump(p.tree, include_attributes=True)
        try:
            after = step(p)
        except StdiffError:
            assert f not in {g for g, _ in PROGRAMS}
            return
        assert gast.dump(p.tree, include_attributes=True) == before
        p = after
        assert_same(outcome(program.compile(p), copy.deepcopy(arguments)), expected)
    language.check(p)
    for inner in p.lifted:
        for step in PASSES:
            inner = step(inner)
        language.check(inner)
