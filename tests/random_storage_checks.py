"""Checks a program that writes in place: values, what is left in its arguments, derivatives in all modes."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import stdiff
from stdiff.errors import StdiffError
from tests.differences import STEP, WIDE_STEP, children, numbers, ripples, with_numbers
from tests.random_storage_writer import Case, of_array, shape

LARGE = 1e3
"""Values beyond it say nothing about a derivative: their differences are rounded too much."""

MODES = ("reverse", "forward", "forward over reverse", "reverse over reverse")


class Unfit(Exception):
    """The program raises, is not smooth, or its values are too large: differences cannot tell the derivative."""


class Wrong(Exception):
    """What stdiff gave is not right. Arguments: the mode, what is wrong, and how."""


counter = itertools.count()


class Program:
    """A case that can be run: its functions in a module of their own, with a source that can be found."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.kinds = [k for _, k in case.parameters]
        name = f"random_storage_{next(counter)}"
        module = types.ModuleType(name)
        module.__file__ = f"<{name}>"
        self.module = module
        sys.modules[name] = module
        rng = np.random.default_rng(case.seed)
        try:
            vars(module)["stdiff"] = stdiff
            self.execute(case.text, f"<{name}>")
            self.first = tuple(self.argument(k, rng) for k in self.kinds)
            directions = ripples(self.first)
            vars(module)["DIRECTIONS"] = directions
            self.execute(self.slope_text(directions), f"<{name} slope>")
        finally:
            del sys.modules[name]
        self.f, self.slope = vars(module)["f"], vars(module)["slope"]
        self.directions = directions
        self.numbers = tuple(range(len(self.kinds)))

    def execute(self, text: str, filename: str) -> None:
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        exec(compile(text, filename, "exec"), vars(self.module))

    def forget(self) -> None:
        for filename in (f"<{self.module.__name__}>", f"<{self.module.__name__} slope>"):
            linecache.cache.pop(filename, None)

    def argument(self, found: str, rng: np.random.Generator) -> Any:
        """A value of a kind."""
        if found == "number":
            return float(rng.normal()) * 0.7
        if of_array(found):
            return rng.normal(size=shape(found)) * 0.8
        if found.startswith("list "):
            return [self.argument(found[5:], rng) for _ in range(3)]
        if found.startswith("dict "):
            return {key: self.argument(found[5:], rng) for key in "ab"}
        cell = vars(self.module)["Cell"]
        return cell(*(self.argument(k, rng) for k in ("number", "4", "list number")))

    def at(self, vector: np.ndarray | None = None) -> tuple[Any, ...]:
        """Fresh arguments with these numbers, each laid out as the case says."""
        args = with_numbers(self.first, numbers(self.first) if vector is None else vector)
        return tuple(laid(arg, layout) for arg, layout in zip(args, self.case.layout, strict=True))

    def slope_text(self, directions: tuple[Any, ...]) -> str:
        """A function of the same arguments: the directional derivative, made of the gradient."""
        names = [name for name, _ in self.case.parameters]
        bars = [f"{name}_slope" for name in names]
        terms = [
            term
            for k, (bar, d) in enumerate(zip(bars, directions, strict=True))
            for term in products(bar, f"DIRECTIONS[{k}]", d)
        ]
        return (
            f"def slope({', '.join(names)}):\n"
            f"    {', '.join(bars)}, = stdiff.grad(f, {tuple(range(len(names)))})({', '.join(names)})\n"
            f"    return {' + '.join(terms)}\n"
        )


def products(bar: str, direction: str, d: Any) -> list[str]:
    """The products of the numbers in `bar` and in `direction`, whose form is that of `d`."""
    if isinstance(d, np.ndarray):
        return [f"np.sum({bar} * {direction})"]
    if isinstance(d, float):
        return [f"{bar} * {direction}"]
    if isinstance(d, dict):
        inner = [(f'["{key}"]', value) for key, value in d.items()]
    elif isinstance(d, list):
        inner = [(f"[{k}]", value) for k, value in enumerate(d)]
    else:
        inner = [(f".{key}", value) for key, value in vars(d).items()]
    return [term for suffix, value in inner for term in products(bar + suffix, direction + suffix, value)]


def laid(arg: Any, layout: str) -> Any:
    """A copy in another layout: a matrix by columns, a vector with gaps."""
    if layout == "c" or not isinstance(arg, np.ndarray):
        return arg
    if arg.ndim == 2:
        return np.asfortranarray(arg)
    wide = np.zeros(2 * arg.size)
    wide[::2] = arg
    return wide[::2]


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stops what takes longer: a shrunk program may run for ever."""

    def stop(*_: Any) -> None:
        raise Unfit("it takes too long")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def pattern(args: Any) -> list[int]:
    """Which of the parts of the arguments are the same object."""
    parts: list[Any] = []

    def walk(value: Any) -> None:
        parts.append(value)
        for child in children(value) or []:
            walk(child)

    walk(args)
    ids = [id(part) if children(part) is not None or isinstance(part, np.ndarray) else 0 for part in parts]
    return [ids.index(found) for found in ids]


def outcome(program: Program) -> tuple[float, tuple[Any, ...]]:
    """What the program itself returns each time, and its arguments as it leaves them."""
    once, again = run(program), run(program)
    if not np.array_equal(numbers(once), numbers(again)):
        raise Unfit("it depends on more than its arguments")
    return once


def run(program: Program) -> tuple[float, tuple[Any, ...]]:
    """The value of a program, and its arguments as it leaves them."""
    args = program.at()
    with limited(1.0):
        try:
            value = program.f(*args)
        except Unfit:
            raise
        except Exception as error:
            raise Unfit(f"it raises {error!r}") from error
    if not isinstance(value, float):
        raise Unfit("its value is not a number")
    if not all(np.all(np.abs(numbers(v)) < LARGE) for v in (value, args)):
        raise Unfit("its values are large")
    return value, args


def central(at: Callable[[float], np.ndarray], middle: np.ndarray | None, step: float, tolerance: float) -> np.ndarray:
    """The derivative of `at` at 0 by central differences; those of two steps, and of both sides, have to agree."""
    far_left, left, right, far_right = (at(k * step) for k in (-2, -1, 1, 2))
    near, far = (right - left) / (2.0 * step), (far_right - far_left) / (4.0 * step)
    sides = [near]
    if middle is not None:
        sides += [(4.0 * right - 3.0 * middle - far_right), -(4.0 * left - 3.0 * middle - far_left)]
        sides[1:] = [side / (2.0 * step) for side in sides[1:]]
    for side in (far, *sides[1:]):
        if not np.allclose(side, near, rtol=tolerance, atol=tolerance):
            raise Unfit("it is not smooth")
    return np.asarray((4.0 * near - far) / 3.0)


def differences(program: Program, value: float) -> np.ndarray:
    """The gradient of a program by differences."""
    point = numbers(program.first)

    def along(unit: np.ndarray) -> Callable[[float], np.ndarray]:
        return lambda t: np.array(program.f(*program.at(point + t * unit)))

    return np.array([central(along(unit), np.array(value), STEP, 1e-5) for unit in np.eye(point.size)])


def expect(mode: str, what: str, actual: Any, expected: np.ndarray, tolerance: float) -> None:
    """Raises `Wrong` where two vectors differ, relative to the largest entry."""
    found = numbers(actual)
    scale = max(1.0, np.max(np.abs(expected), initial=0.0))
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=0, atol=tolerance * scale):
        raise Wrong(mode, what, f"{actual} instead of {expected}")


def same(mode: str, value: Any, args: Any, expected: tuple[Any, Any]) -> None:
    """Raises `Wrong` where the value or what is left in the arguments is not that of the program itself."""
    if value is not None:
        expect(mode, "value", value, numbers(expected[0]), 0.0)
    expect(mode, "arguments", args, numbers(expected[1]), 0.0)
    if pattern(args) != pattern(expected[1]):
        raise Wrong(mode, "sharing", "the arguments share their parts in another way")


def reverse(program: Program, expected: tuple[Any, Any], slopes: np.ndarray) -> None:
    args = program.at()
    value, pullback = stdiff.vjp(program.f, *args)
    same("reverse", value, args, expected)
    bars = pullback(1.0)
    expect("reverse", "gradient", bars, slopes, 1e-6)
    expect("reverse", "gradient of a second call", pullback(1.0), numbers(bars), 0.0)
    expect("reverse", "gradient of another cotangent", pullback(-2.0), -2.0 * slopes, 1e-6)
    same("reverse, called back", None, args, expected)
    args = program.at()
    expect("reverse", "grad", stdiff.grad(program.f, program.numbers)(*args), slopes, 1e-6)
    same("grad", None, args, expected)


def forward(program: Program, expected: tuple[Any, Any], slopes: np.ndarray) -> None:
    args = program.at()
    value, tangent = stdiff.jvp(program.f, args, with_numbers(program.directions, numbers(program.directions)))
    same("forward", value, args, expected)
    expect("forward", "tangent", tangent, np.atleast_1d(slopes @ numbers(program.directions)), 1e-6)


def second(program: Program, mode: str, expected: tuple[Any, Any]) -> None:
    """One of the two ways to the Hessian times a direction, against differences of the gradient."""
    args = program.at()
    if mode == MODES[2]:
        found = stdiff.hvp(program.f, args, program.directions)
    else:
        found = stdiff.grad(program.slope, program.numbers)(*args)
    same(mode, None, args, expected)
    gradient = stdiff.grad(program.f, program.numbers)
    point, direction = numbers(program.first), numbers(program.directions)

    def along(t: float) -> np.ndarray:
        return numbers(gradient(*program.at(point + t * direction)))

    expect(mode, "second derivative", found, central(along, None, WIDE_STEP, 1e-3), 1e-4)


def check(case: Case, modes: tuple[str, ...] = MODES) -> dict[str, StdiffError | None]:
    """Checks a program in each mode: with which error it is refused, or None where it is right.

    Raises: Unfit, Wrong.
    """
    program = Program(case)
    found: dict[str, StdiffError | None] = {}
    try:
        with np.errstate(all="ignore"):
            expected = outcome(program)
            slopes = differences(program, expected[0])
            for mode in modes:
                found[mode] = attempt(program, mode, expected, slopes)
    finally:
        program.forget()
    return found


def attempt(program: Program, mode: str, expected: tuple[Any, Any], slopes: np.ndarray) -> StdiffError | None:
    """The error with which a program is refused in a mode, or None where it is right."""
    try:
        if mode == "reverse":
            reverse(program, expected, slopes)
        elif mode == "forward":
            forward(program, expected, slopes)
        else:
            second(program, mode, expected)
    except StdiffError as error:
        return error
    except (Unfit, Wrong):
        raise
    except Exception as error:
        raise Wrong(mode, "exception", f"{type(error).__name__}: {error}") from error
    return None


