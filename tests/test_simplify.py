"""simplify: texts before and after, and random functions that must do the same before and after."""

from __future__ import annotations

import math
import re
import textwrap
import time
from typing import Any

import gast
import numpy as np
import pytest

from stdiff.program import unparse
from stdiff.syntax import dotted, expression, parse, walk_names
from stdiff.transforms.simplify import simplify
from stdiff.transforms.simplifying.folding import fold
from tests.random_programs import Writer

MADE = re.compile(r"t\d+(_bar)?|\w+_\d+|item|pair|test|p\d+|sin_x(_bar)?|it")
PURE = {"pure", "zip", "enumerate", "range", "reversed", "len", "power_da", "unbroadcast"}


def pure(func: Any) -> bool:
    path = dotted(func) or ""
    return path.startswith("np.") or path in PURE


def function(text: str) -> Any:
    return parse(textwrap.dedent(text)).body[0]


def simplified(text: str, derivative: bool = False, one_line: bool = False) -> str:
    tree = function(text)
    for node in gast.walk(tree) if one_line else ():
        node.lineno = 1
    made = {name.id for name in walk_names(tree) if MADE.fullmatch(name.id)}
    before = unparse(tree)
    result = simplify(tree, made, pure, derivative)
    assert unparse(tree) == before, "the input was changed"
    again = simplify(result, made, pure, derivative)
    assert unparse(again) == unparse(result), "not a fixed point"
    return unparse(result)


def check(before: str, after: str, derivative: bool = False) -> None:
    assert simplified(before, derivative) == unparse(function(after))


def outcome(text: str) -> tuple[Any, ...]:
    """What a random function returns, logs, records and leaves in its buffer, for a few arguments."""
    logged: list[Any] = []

    buf: list[float] = []

    def log(value: Any) -> Any:
        logged.append(value)
        buf[1] = value
        return value

    def fail(value: float) -> None:
        logged.append("failed" if value > 1 else "passed")
        if value > 1:
            raise ValueError(value)

    def accumulate_at(array: Any, index: int, value: Any) -> Any:
        array[index] += value
        return array

    names = {
        "np": np,
        "accumulate_at": accumulate_at,
        "pure": lambda v: v * 0.5 + 0.25,
        "power_da": lambda a, k: k * a ** (k - 1) if k else 0.0,
        "fail": fail,
    }
    exec(text, names)
    results = []
    for x, y in ((0.5, 2.0), (3.0, -1.0)):
        buf[:] = [0.5, 1.5, -2.0]
        rec: list[Any] = []
        try:
            value = names["f"](x, y, buf, [(1.0, (2.0, 3.0)), (-0.5, (0.75, 1.0))], log, rec)
        except OverflowError:
            return ("overflow",)
        results.append((value, [*buf], rec))
    return results, logged


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float | int) and isinstance(b, float | int):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) or (a != a and b != b)
    return bool(a == b)


@pytest.mark.parametrize("derivative", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("block", range(8))
def test_random_functions_do_the_same(block: int, derivative: bool) -> None:
    for seed in range(60 * block, 60 * block + 60):
        text = Writer(seed).text()
        after = simplified(text, derivative, one_line=seed % 2 == 0)
        assert same(outcome(text), outcome(after)), f"seed {seed}\n{text}\n=>\n{after}"
