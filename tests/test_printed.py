"""What a derivative looks like: each function of tests/printed beside its generated code, letter for letter.

`name.py` defines `name` and its ARGUMENTS; `name.txt` is the source of its gradient. `name_tangent.txt` is that of the
tangent of the function in `name.py`.
"""

import importlib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import stdiff
from tests.differences import gradient, numbers

FOLDER = Path(__file__).parent / "printed"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def transformed(name):
    """The function, its derivative by the first argument, and the arguments."""
    stem = name.removesuffix("_tangent")
    module = importlib.import_module(f"tests.printed.{stem}")
    function = getattr(module, stem)
    transform = stdiff.jacfwd if name.endswith("_tangent") else stdiff.grad
    return function, transform(function), module.ARGUMENTS


def test_every_function_is_shown():
    functions = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert functions == {name for name in NAMES if not name.endswith("_tangent")}
    assert len(NAMES) >= 14


@pytest.mark.parametrize("name", NAMES)
def test_it_looks_as_shown(name):
    _, derivative, arguments = transformed(name)
    derivative(*arguments)
    assert derivative.source == (FOLDER / f"{name}.txt").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_is_right(name):
    function, derivative, arguments = transformed(name)
    expected = numbers(gradient(function, arguments, 0, 1.0))
    np.testing.assert_allclose(numbers(derivative(*arguments)), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_short_and_no_comment_comes_twice(name):
    lines = (FOLDER / f"{name}.txt").read_text().split("\n")
    assert max(map(len, lines)) <= 100
    comments = [line.partition("# ")[2] for line in lines]
    assert not [a for a, b in pairwise(comments) if a and a == b]
