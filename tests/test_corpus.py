"""Every program of the corpus: value, both modes and second order.

The references are differences of the program itself, and derivatives known by hand.
"""

import contextlib
import io

import numpy as np
import pytest

import stdiff
from stdiff.errors import StdiffError
from tests.corpus import CASES
from tests.differences import (
    children,
    derivative,
    gradient,
    hessian_times,
    is_number,
    numbers,
    ripples,
    waves,
    with_numbers,
)

RELATIVE = 1e-6
RELATIVE_FLOAT32 = 2e-4
"""Of results that a program computes in single precision: the differences are taken in double precision."""

SMOOTH = [case for case in CASES if case.smooth and not case.refused]
DIFFERENTIABLE = [case for case in CASES if not case.refused]


def quiet(f, *args):
    """What a program returns, without what it prints."""
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        return f(*args)


def with_floats(case):
    """The arguments as a derivative takes them: an int that is differentiated is a float."""
    first, *rest = case.args()
    return with_numbers(first, numbers(first)), *rest


def refusal_allowed(case):
    """In its body an error of stdiff passes where the case may be refused; every other error fails the test."""
    return contextlib.suppress(StdiffError) if case.may_refuse else contextlib.nullcontext()


def assert_close(case, actual, expected):
    """Two vectors agree, relative to the largest entry."""
    single = any(getattr(arg, "dtype", None) == np.float32 for arg in case.arguments)
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    assert actual.shape == expected.shape
    tolerance = (RELATIVE_FLOAT32 if single else RELATIVE) * max(1.0, np.max(np.abs(expected), initial=0.0))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def assert_same_kind(found, value):
    """A derivative has the structure, types, shapes and dtypes of what it belongs to."""
    parts = children(value)
    if parts is not None:
        assert type(found) is type(value)
        if isinstance(value, dict):
            assert list(found) == list(value)
        for d, v in zip(children(found), parts, strict=True):
            assert_same_kind(d, v)
    elif isinstance(value, np.ndarray | np.generic) and value.dtype.kind == "f":
        assert isinstance(found, type(value))
        assert (found.shape, found.dtype) == (value.shape, value.dtype)
    elif is_number(value):
        assert type(found) is float


def assert_same_value(actual, expected):
    """Two results are the same to the last bit, and of the same kind."""
    parts = children(expected)
    assert type(actual) is type(expected)
    if parts is not None:
        for a, e in zip(children(actual), parts, strict=True):
            assert_same_value(a, e)
    else:
        np.testing.assert_array_equal(actual, expected)


def cotangent_for(value):
    """One for a number, cos(1), cos(2) ... for anything else."""
    return 1.0 if children(value) is None and np.ndim(value) == 0 else waves(value)


def scalar_program(case):
    """The program, or for an array the sum of it weighted by its cotangent, and that cotangent; skips containers."""
    value = quiet(case.function, *case.args())
    if children(value) is not None:
        pytest.skip("the result is a container")
    f, weights = case.function, cotangent_for(value)
    if np.ndim(value) == 0:
        return f, weights

    def weighted(*args):
        return np.sum(f(*args) * weights)

    return weighted, weights


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_value(case):
    expected = quiet(case.function, *with_floats(case))
    with refusal_allowed(case):
        value, _ = quiet(stdiff.vjp, case.function, *case.args())
        assert_same_value(value, expected)


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_vjp(case):
    cotangent = waves(quiet(case.function, *case.args()))
    with refusal_allowed(case):
        _, pullback = quiet(stdiff.vjp, case.function, *case.args())
        result = quiet(pullback, cotangent)
        again = quiet(pullback, cotangent)
        assert len(result) == len(case.arguments)
        for index in case.active:
            assert_same_kind(result[index], case.arguments[index])
            expected = quiet(gradient, case.function, case.args(), index, cotangent)
            assert_close(case, numbers(result[index]), expected)
            np.testing.assert_array_equal(numbers(again[index]), numbers(result[index]))


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_grad(case):
    f, cotangent = scalar_program(case)
    with refusal_allowed(case):
        result = quiet(stdiff.grad(f), *case.args())
        assert_same_kind(result, case.arguments[0])
        assert_close(case, numbers(result), quiet(gradient, case.function, case.args(), 0, cotangent))


@pytest.mark.parametrize("case", [case for case in DIFFERENTIABLE if case.expect is not None], ids=str)
def test_expected(case):
    with refusal_allowed(case):
        if case.order == 1:
            value, pullback = quiet(stdiff.vjp, case.function, *case.args())
            result = quiet(pullback, cotangent_for(value))[0]
        else:
            nested = case.function
            for _ in range(case.order):
                nested = stdiff.grad(nested)
            result = quiet(nested, *case.args())
        np.testing.assert_allclose(numbers(result), list(flat(case.expect)), rtol=1e-9, atol=1e-12)


def flat(expected):
    """The numbers of an expected derivative, which may be written with ints, lists and containers."""
    parts = children(expected)
    if parts is None:
        yield from np.ravel(expected)
    else:
        for part in parts:
            yield from flat(part)


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_jvp(case):
    value = quiet(case.function, *with_floats(case))
    tangents = tuple(ripples(arg) if i in case.active else None for i, arg in enumerate(case.arguments))
    with refusal_allowed(case):
        primal, tangent = quiet(stdiff.jvp, case.function, case.args(), tangents)
        assert_same_value(primal, value)
        assert_close(case, numbers(tangent), quiet(derivative, case.function, case.args(), tangents))


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_forward_over_reverse(case):
    f, cotangent = scalar_program(case)
    args = case.args()
    direction = ripples(args[0])
    with refusal_allowed(case):
        tangents = (direction, *[None] * (len(args) - 1))
        _, result = quiet(stdiff.jvp, stdiff.grad(f), args, tangents)
        assert_close(case, numbers(result), quiet(hessian_times, case.function, case.args(), direction, cotangent))


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_reverse_over_reverse(case):
    f, cotangent = scalar_program(case)
    if children(case.arguments[0]) is not None:
        pytest.skip("the argument is a container")
    args = case.args()
    direction = ripples(args[0])
    slope = stdiff.grad(f)

    def along(*moved):
        return np.sum(slope(*moved) * direction)

    with refusal_allowed(case):
        result = quiet(stdiff.grad(along), *args)
        assert_close(case, numbers(result), quiet(hessian_times, case.function, case.args(), direction, cotangent))


@pytest.mark.parametrize("case", [case for case in CASES if case.refused], ids=str)
def test_refused(case):
    with pytest.raises(StdiffError):
        stdiff.grad(case.function)(*case.args())
