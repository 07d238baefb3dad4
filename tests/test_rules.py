"""The rules, called: every entry on every one of its sample calls, against differences; and what the tables promise at special points."""

import dataclasses
import functools
import math
import operator

import numpy as np
import pytest

from stdiff.rules.table import BindError, R, Random, at, bind, entries, lookup, pull, push

STEP = 1e-5

# Helpers whose derivative is refused on purpose, and a type whose rounding drowns differences: tested by hand.
WITHOUT_SAMPLES = {"stdiff.runtime_linalg.singular_cofactor_dot", "np.float32"}

DERIVED = [entry for entry in entries() if entry.form not in ("constant", "refused")]
CALLS = [(entry, sample) for entry in DERIVED for sample in entry.samples]


def name_of(part):
    return part.name if hasattr(part, "name") else " ".join(map(str, part.args))[:40] if hasattr(part, "args") else None


# --- values with structure: numbers, arrays, and lists and tuples of them ---


def is_many(x):
    return isinstance(x, list | tuple)


def listed(y):
    """A result with what can be gone through only once made a list."""
    return (
        list(y)
        if isinstance(y, zip | enumerate) or type(y).__name__.endswith("reverseiterator") or isinstance(y, reversed)
        else y
    )


def inner(a, b):
    """The sum of the products of two values of one structure; a float 0.0 stands for zeros of any structure."""
    if is_many(a) and is_many(b):
        assert len(a) == len(b)
        return sum(map(inner, a, b))
    if is_many(a) or is_many(b):
        zero = b if is_many(a) else a
        assert isinstance(zero, float)
        assert zero == 0.0
        return 0.0
    return float(np.sum(np.multiply(a, b, dtype=float)))


def flat(x):
    """All numbers of a value in one vector."""
    return (
        np.concatenate([flat(part) for part in x] or [np.zeros(0)])
        if is_many(x)
        else np.ravel(np.asarray(x, dtype=float))
    )


def moved(x, step, direction):
    """`x + step * direction`; a direction of 0.0 leaves it."""
    if is_many(direction):
        return type(x)(moved(part, step, d) for part, d in zip(x, direction, strict=True))
    if isinstance(direction, float) and direction == 0.0:
        return x
    return x + step * direction


def like(x, generator):
    """A random value of the structure, shapes and dtypes of `x`."""
    if is_many(x):
        return [like(part, generator) for part in x]
    values = generator.uniform(0.5, 1.5, np.shape(x)) * generator.choice([-1.0, 1.0], np.shape(x))
    if isinstance(x, np.ndarray | np.generic) and x.dtype.kind == "f":
        return np.asarray(values, x.dtype)[()] if isinstance(x, np.generic) else np.asarray(values, x.dtype)
    return float(values) if np.shape(x) == () else values


def direction(spec, x, generator):
    """A random direction in which to move the drawn operand `x`: 0.0 where the sample has no operand."""
    if isinstance(spec, Random):
        return like(x, generator)
    if is_many(spec):
        return type(spec)(direction(part, value, generator) for part, value in zip(spec, x, strict=True))
    return 0.0


def holds(spec):
    """Whether a part of a sample holds an operand to differentiate by."""
    return isinstance(spec, Random) or (is_many(spec) and any(map(holds, spec)))


# --- one sample call of one entry ---


class Call:
    """A sample call of an entry, drawn: its result, its operands, and its derivative by differences."""

    def __init__(self, entry, sample, dtype=np.float64):
        self.entry = entry
        args, kwargs = sample.draw(dtype)
        if args and isinstance(args[0], float) and getattr(entry.function, "__objclass__", None) is np.ndarray:
            args = (np.array(args[0], dtype), *args[1:])
        self.bound = entry.signature.bind(*args, **kwargs)
        self.specs = bind(entry, sample.args, sample.kwargs)
        self.names = [name for name in entry.parameters if holds(self.specs.get(name))]
        self.y = self.value({}, 0.0)
        self.generator = np.random.default_rng(11)
        self.g = like(self.y, self.generator)
        self.directions = {
            name: direction(self.specs[name], self.bound.arguments[name], self.generator) for name in self.names
        }

    def value(self, directions, step):
        """The function at the sample, moved by `step` in the given directions."""
        arguments = {
            name: moved(x, step, directions[name]) if name in directions else x
            for name, x in self.bound.arguments.items()
        }
        bound = type(self.bound)(self.bound.signature, arguments)
        return listed(self.entry.call(bound.args, bound.kwargs))

    def pull(self):
        """The cotangent of each operand, by name."""
        parts = pull(self.entry, self.g, self.y, self.bound.args, self.bound.kwargs)
        return dict(zip(self.entry.parameters, parts, strict=False))

    def push(self, names):
        """The tangent of the result when the operands `names` move."""
        tangents = [self.directions[name] if name in names else None for name in self.entry.parameters]
        return listed(push(self.entry, tangents, self.y, self.bound.args, self.bound.kwargs))

    def differences(self, name):
        """The derivative of the result along the direction of one operand, as a vector."""
        along = {name: self.directions[name]}
        return (flat(self.value(along, STEP)) - flat(self.value(along, -STEP))) / (2 * STEP)


def check_against_differences(entry, sample, pulling=True, pushing=True):
    call = Call(entry, sample)
    cotangents = call.pull() if pulling else {}
    for name in call.names:
        expected = call.differences(name)
        if pulling:
            assert cotangents.get(name) is not None, f"no cotangent for {name}"
            got = inner(cotangents[name], call.directions[name])
            assert got == pytest.approx(flat(call.g) @ expected, rel=2e-6, abs=2e-7)
        if pushing:
            np.testing.assert_allclose(flat_tangent(call.push([name]), call.y), expected, rtol=2e-6, atol=2e-7)


def flat_tangent(t, y):
    """A tangent as a vector of the length of `y`: a float 0.0 stands for zeros."""
    if is_many(y):
        return np.concatenate([flat_tangent(part, value) for part, value in zip(t, y, strict=True)])
    return np.zeros(np.size(y)) if isinstance(t, float) and t == 0.0 else flat(t)


@pytest.mark.parametrize(("entry", "sample"), CALLS, ids=name_of)
def test_both_modes_agree_with_differences(entry, sample):
    check_against_differences(entry, sample)


@pytest.mark.parametrize(("entry", "sample"), CALLS, ids=name_of)
def test_forward_and_reverse_are_adjoint(entry, sample):
    call = Call(entry, sample)
    cotangents = call.pull()
    forward = flat(call.g) @ flat_tangent(call.push(call.names), call.y)
    reverse = sum(inner(cotangents[name], call.directions[name]) for name in call.names)
    assert forward == pytest.approx(reverse, rel=1e-10, abs=1e-12)


def check_form(derivative, x, where):
    """A cotangent or tangent has the structure, the shapes and the dtypes of its value."""
    if is_many(x):
        assert is_many(derivative), where
        assert len(derivative) == len(x)
        for part, value in zip(derivative, x, strict=True):
            check_form(part, value, where)
    elif (
        isinstance(x, np.ndarray | np.generic) and x.dtype.kind == "f" and not (np.shape(x) == () and derivative == 0.0)
    ):
        assert np.shape(derivative) == np.shape(x), where
        assert np.asarray(derivative).dtype == x.dtype or np.ndim(x) == 0, where
    elif isinstance(x, float):
        assert np.shape(derivative) == (), where


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("entry", "sample"), CALLS, ids=name_of)
def test_shape_and_dtype_are_those_of_the_value(entry, sample, dtype):
    call = Call(entry, sample, dtype)
    cotangents = call.pull()
    for name in call.names:
        check_form(cotangents[name], call.bound.arguments[name], f"cotangent of {name}")
    tangent = call.push(call.names)
    if not isinstance(tangent, float) or tangent != 0.0:
        check_form(tangent, call.y, "tangent")


# --- the checks notice ---


def spoiled(formula, k):
    """A formula whose `k`-th part is one percent too large."""

    def larger(x):
        return type(x)(map(larger, x)) if is_many(x) else 1.01 * x

    @functools.wraps(formula)
    def wrong(*args, **kwargs):
        right = formula(*args, **kwargs)
        if not isinstance(right, tuple):
            return larger(right)
        return tuple(larger(part) if i == k else part for i, part in enumerate(right))

    return wrong


def noticed(entry, pulling, pushing):
    for sample in entry.samples:
        try:
            check_against_differences(entry, sample, pulling, pushing)
        except AssertionError:
            return True
    return False


def zero_parts(entry):
    """The parts of an entry's formula that are zero on purpose, or nothing."""
    always = None
    for sample in entry.samples:
        call = Call(entry, sample)
        found = {
            k
            for k, part in enumerate(call.pull().values())
            if part is None or (not is_many(part) and np.all(part == 0))
        }
        always = found if always is None else always & found
    return always


@pytest.mark.parametrize("entry", [entry for entry in DERIVED if entry.samples], ids=name_of)
def test_an_entry_that_is_slightly_wrong_is_noticed(entry):
    parts = max(len(Call(entry, sample).pull()) for sample in entry.samples)
    for k in sorted(set(range(parts)) - zero_parts(entry)):
        wrong = dataclasses.replace(entry, pullback=spoiled(entry.pullback, k))
        assert noticed(wrong, True, False), f"part {k} of the pullback"
        if entry.form == "rule":
            wrong = dataclasses.replace(entry, pushforward=spoiled(entry.pushforward, k))
            assert noticed(wrong, False, True), f"part {k} of the pushforward"
        elif entry.form == "elementwise":
            assert noticed(wrong, False, True), f"part {k} of the local derivatives"


def test_every_entry_has_samples():
    assert {entry.name for entry in DERIVED if not entry.samples} == WITHOUT_SAMPLES
