"""The derivatives of random functions against differences.

`python -m tests.random_derivatives 0 5000` checks the functions of these seeds and prints those whose derivative is not
right.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import io
import linecache
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import stdiff
from stdiff.errors import StdiffError
from tests.differences import STEP, WIDE_STEP, gradient, numbers, ripples, waves, with_numbers
from tests.random_functions import Writer

Function = Callable[..., Any]

LARGE = 1e4
"""Values beyond it say nothing about a derivative: their differences are rounded too much."""


class Rough(Exception):
    """Differences cannot tell the derivative: there is a kink or a jump near, or values are too large."""


class Wrong(Exception):
    """What stdiff gave is not right."""


def function(text: str) -> Function:
    """The function `f` of a text, whose source can be found."""
    filename = f"<random {abs(hash(text))}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict[str, Any] = {"np": np, "math": math, "W": np.array([0.3, -0.8, 1.1])}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


def arguments(seed: int) -> tuple[Any, ...]:
    """Two numbers and two arrays of three."""
    rng = np.random.default_rng(seed)
    x, y = (rng.normal(size=2) * 0.7).tolist()
    return x, y, rng.normal(size=3) * 0.8, rng.normal(size=3) * 0.8


def run(action: Callable[[], Any]) -> tuple[Any, Exception | None, str]:
    """What an action returns, what it raises, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
        try:
            return action(), None, printed.getvalue()
        except StdiffError:
            raise
        except Exception as error:
            return None, error, printed.getvalue()


def slope(f: Callable[[float], np.ndarray], step: float, tolerance: float) -> np.ndarray:
    """The derivative of `f` at 0 from both sides, which have to agree: at a kink they do not, wherever it lies."""
    weights = np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / (12.0 * step)
    right = sum(w * f(k * step) for k, w in enumerate(weights))
    left = -sum(w * f(-k * step) for k, w in enumerate(weights))
    if not (right.shape == left.shape and np.allclose(right, left, rtol=tolerance, atol=tolerance)):
        raise Rough
    return (right + left) / 2.0


def along(f: Function, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> Callable[[float], np.ndarray]:
    """The numbers of `f` on the line through `args`."""

    def at(t: float) -> np.ndarray:
        moved = (with_numbers(a, numbers(a) + t * numbers(d)) for a, d in zip(args, tangents, strict=True))
        value, error, _ = run(lambda: f(*moved))
        if error is not None or not np.all(np.abs(numbers(value)) < LARGE):
            raise Rough
        return numbers(value)

    return at


def jacobian(f: Function, args: tuple[Any, ...]) -> np.ndarray:
    """The derivatives of all numbers of `f(*args)`, one row for each number of the arguments."""
    rows = []
    for index, arg in enumerate(args):
        for unit in np.eye(numbers(arg).size):
            tangents = tuple(with_numbers(a, unit if k == index else 0.0 * numbers(a)) for k, a in enumerate(args))
            rows.append(slope(along(f, args, tangents), STEP, 1e-6))
    return np.array(rows)


def flat(values: tuple[Any, ...]) -> np.ndarray:
    """The numbers of several values."""
    return np.concatenate([numbers(value) for value in values])


def expect(what: str, actual: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Raises `Wrong` where two vectors differ, relative to the largest entry."""
    scale = max(1.0, np.max(np.abs(expected), initial=0.0))
    if actual.shape != expected.shape or not np.allclose(actual, expected, rtol=0, atol=tolerance * scale):
        raise Wrong(f"{what}: {actual} instead of {expected}")


def same_error(one: Exception | None, other: Exception | None) -> bool:
    """Whether two errors are the same; that of a variable without a value may name the variable that goes with it."""
    if isinstance(one, NameError) and isinstance(other, NameError):
        return True
    return (type(one), str(one)) == (type(other), str(other))


def check(f: Function, args: tuple[Any, ...], second: bool) -> str:
    """Checks value, output, exceptions, both modes, and on demand second order.

    Returns: "right", "refused", "raised" (f raises, and its derivatives the same), or "rough".
    Raises: Wrong.
    """
    value, error, printed = run(lambda: f(*copy.deepcopy(args)))
    if error is None and not np.all(np.abs(numbers(value)) < LARGE):
        return "rough"
    try:
        given, tangents = copy.deepcopy(args), ripples(args)
        reverse = run(lambda: stdiff.vjp(f, *given))
        forward = run(lambda: stdiff.jvp(f, copy.deepcopy(args), tangents))
        for mode, (_, raised, output) in (("vjp", reverse), ("jvp", forward)):
            if not same_error(raised, error):
                raise Wrong(f"{mode} raises {raised!r} instead of {error!r}") from raised
            if output != printed:
                raise Wrong(f"{mode} prints {output!r} instead of {printed!r}")
        if error is not None:
            return "raised"
        check_first(f, args, given, value, reverse[0], forward[0])
        if second and isinstance(value, float):
            check_second(f, args, tangents)
    except StdiffError:
        return "refused"
    except Rough:
        return "rough"
    return "right"


def check_first(
    f: Function, args: tuple[Any, ...], given: tuple[Any, ...], value: Any, reverse: Any, forward: Any
) -> None:
    """Checks what `vjp` and `jvp` gave; `given` is what `vjp` was called with, and must be as it was."""
    result, pullback = reverse
    cotangent = waves(value)
    found, error, printed = run(lambda: (flat(pullback(cotangent)), flat(pullback(cotangent))))
    if error is not None or printed:
        raise Wrong(f"the pullback raises {error!r}, prints {printed!r}") from error
    rows = jacobian(f, args)
    expect("vjp", found[0], rows @ numbers(cotangent), 1e-6)
    expect("vjp, called again", found[1], found[0], 0.0)
    expect("jvp", numbers(forward[1]), numbers(ripples(args)) @ rows, 1e-6)
    for what, now, then in (
        ("value of vjp", result, value),
        ("value of jvp", forward[0], value),
        ("arguments", given, args),
    ):
        expect(what, numbers(now), numbers(then), 0.0)
    expect("cotangent", numbers(cotangent), numbers(waves(value)), 0.0)


def check_second(f: Function, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> None:
    """Checks the product of the Hessian with `tangents`, forward and reverse over reverse."""

    def slopes(*moved: Any) -> np.ndarray:
        return np.concatenate([gradient(f, moved, k, 1.0, WIDE_STEP) for k in range(len(moved))])

    def product(*moved: Any) -> float:
        x_bar, y_bar, A_bar, B_bar = stdiff.grad(f, (0, 1, 2, 3))(*moved)
        dx, dy, dA, dB = tangents
        return x_bar * dx + y_bar * dy + np.sum(A_bar * dA) + np.sum(B_bar * dB)

    products = {
        "hvp": lambda: stdiff.hvp(f, copy.deepcopy(args), tangents),
        "grad of grad": lambda: stdiff.grad(product, (0, 1, 2, 3))(*copy.deepcopy(args)),
    }
    expected = slope(along(slopes, args, tangents), WIDE_STEP, 1e-4)
    for what, action in products.items():
        found, error, _ = run(action)
        if error is not None:
            raise Wrong(f"{what} raises {error!r}") from error
        expect(what, flat(found), expected, 1e-4)


def check_seed(seed: int) -> str:
    """Checks the random function of a seed, of every fifth one the second order too.

    Returns: as `check`. Raises: AssertionError with the text of the function.
    """
    text = Writer(seed).text()
    try:
        return check(function(text), arguments(seed), seed % 5 == 0)
    except Wrong as wrong:
        raise AssertionError(f"seed {seed}: {wrong}\n{text}") from wrong


def main(first: int, last: int) -> None:
    """Checks the functions of the seeds from `first` to `last`, prints the wrong ones and how many came out how."""
    outcomes: collections.Counter[str] = collections.Counter()
    for seed in range(first, last):
        try:
            outcomes[check_seed(seed)] += 1
        except AssertionError as error:
            outcomes["wrong"] += 1
            print(error, flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
