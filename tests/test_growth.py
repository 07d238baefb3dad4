"""Long and deep functions: deriving takes time in proportion to length, meets no limit of Python's, and is right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import stdiff
from benchmarks import shapes
from benchmarks.deriving import function, seconds

LONG = [(shapes.scalars, "reverse"), (shapes.blocks, "reverse"), (shapes.chain, "forward")]
LIMITS = [  # more than Python takes of its own accord: levels of indentation, calls within calls
    (shapes.terms, 1000), (shapes.guards, 120), (shapes.cases, 300), (shapes.ifs, 30), (shapes.ifs, 80),
    (shapes.loops, 6), (shapes.whiles, 6),
]  # fmt: skip


def _named(value: object) -> str:
    return getattr(value, "__name__", str(value))


@pytest.mark.parametrize(("shape", "mode"), LONG, ids=_named)
def test_time_grows_with_the_length(shape: Callable[[int], str], mode: str) -> None:
    """Ten times the statements take at most twice ten times as long: were it quadratic, it would be a hundred times."""
    seconds(shape, 20, mode)
    short = min(seconds(shape, 200, mode) for _ in range(3))
    long = seconds(shape, 2000, mode)
    for _ in range(2):
        if long > 20 * short:
            long = min(long, seconds(shape, 2000, mode))
    assert long <= 20 * short, f"{short:.3f} s for 200, {long:.3f} s for 2,000"


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_time_does_not_multiply_in_nested_loops(mode: str) -> None:
    """Two more loops around take a constant more each, not a factor."""
    seconds(shapes.loops, 2, mode)
    times = {depth: min(seconds(shapes.loops, depth, mode) for _ in range(3)) for depth in (3, 6)}
    assert times[6] <= 5 * times[3], times


@pytest.mark.parametrize(("shape", "size"), LIMITS, ids=_named)
def test_limits_of_python_are_not_met(shape: Callable[[int], str], size: int) -> None:
    f = function(shape(size))
    for x in (0.3, 1.1, 2.7):
        _agree(f, x)


EXITS = """
def f(x):
    y = x
    total = 0.0
    for i in range(4):
{steps}
        total = total + y * {last}
        y = y * 1.1
    return total + y
"""
STEP = """
        v{k} = {before} * x + {k}
        if v{k} > {limit}:
            y = y + 0.5 * v{k}
            if i == {i}:
                {leave}
"""


@pytest.mark.parametrize("leave", ["break", "continue", "return v{k} * y"])
@pytest.mark.parametrize("count", [3, 13])
def test_what_is_left_in_many_places(leave: str, count: int) -> None:
    """Each value is needed only where the iteration comes as far as its statement; elsewhere its adjoint is zero."""
    text = ""
    for k in range(count):
        before = f"v{k - 1}" if k else "y"
        text += STEP.format(k=k, before=before, limit=2.5 * k + 1, i=k % 4, leave=leave.format(k=k))
    f = function(EXITS.format(steps=text, last=f"v{count - 1}"))
    for x in (0.2, 0.7, 0.95, 1.3, 1.7):
        _agree(f, x)


def _agree(f: Callable[[float], float], x: float) -> None:
    """Both modes agree with a central difference; no branch of the programs changes within its step."""
    step = 1e-6 * x
    difference = (f(x + step) - f(x - step)) / (2 * step)
    assert stdiff.grad(f)(x) == pytest.approx(difference, rel=1e-6, abs=1e-9)
    assert stdiff.jvp(f, (x,), (1.0,))[1] == pytest.approx(difference, rel=1e-6, abs=1e-9)
