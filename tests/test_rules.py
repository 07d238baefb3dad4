"""Every entry of the rule tables, called, against differences; and what the tables promise at special points."""

import ast
import copy
import dataclasses
import linecache
import math
import operator
from collections.abc import Iterator

import numpy as np
import pytest

from stdiff.errors import UnsupportedError
from stdiff.rules.linalg import Definite
from stdiff.rules.table import BindError, R, Random, at, bind, entries, lookup, pull, push
from stdiff.runtime import scale
from stdiff.runtime_numbers import polygamma, power_da, sinc_derivative
from stdiff.source import find

STEP = 1e-5

# What differences cannot test: a type whose rounding drowns them, a helper whose second derivative is refused, and what
# handles containers, which the corpus and the second derivatives of whole functions test.
WITHOUT_SAMPLES = (
    "np.float32",
    "stdiff.runtime_linalg.singular_cofactor_dot",
    "stdiff.containers.",
    "stdiff.structures.",
    "dict.",
    "list.copy",
)

DERIVED = [entry for entry in entries() if entry.form not in ("constant", "refused")]
CALLS = [(entry, sample) for entry in DERIVED for sample in entry.samples]


def name_of(part):
    return part.name if hasattr(part, "name") else " ".join(map(str, part.args))[:40] if hasattr(part, "args") else None


# --- values with structure: numbers, arrays, and lists and tuples of them ---


def is_many(x):
    return isinstance(x, list | tuple)


def listed(y):
    """A result, made a list where it is an iterator."""
    return list(y) if isinstance(y, Iterator) else y


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
    return np.asarray(x + step * direction) if isinstance(x, np.ndarray) else x + step * direction


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
    if isinstance(spec, Definite):
        along = like(x, generator)
        return along + np.swapaxes(along, -1, -2)
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
        self.args, self.kwargs = sample.draw(dtype)
        if isinstance(self.args[0], float) and getattr(entry.function, "__objclass__", None) is np.ndarray:
            self.args = (np.array(self.args[0], dtype), *self.args[1:])
        self.operands = bind(entry, self.args, self.kwargs)
        specs = bind(entry, sample.args, sample.kwargs)
        self.names = [name for name in entry.parameters if holds(specs.get(name))]
        self.y = self.value({}, 0.0)
        generator = np.random.default_rng(11)
        self.g = like(self.y, generator)
        self.directions = {name: direction(specs[name], self.operands[name], generator) for name in self.names}

    def value(self, directions, step):
        """The function at the sample, moved by `step` in the given directions."""
        args, kwargs = list(self.args), dict(self.kwargs)
        for name, along in directions.items():
            value = moved(self.operands[name], step, along)
            place = self.entry.parameters.index(name)
            if name in kwargs:
                kwargs[name] = value
            elif name == self.entry.star:
                args[place:] = value
            else:
                args[place] = value
        return listed(self.entry.call(args, kwargs))

    def pull(self):
        """The cotangent of each operand, by name; 0.0 where the entry says that an operand carries nothing."""
        parts = pull(self.entry, self.g, self.y, self.args, self.kwargs)
        found = dict(zip(self.entry.parameters, parts, strict=False))
        return {name: 0.0 if found.get(name) is None else found[name] for name in self.entry.parameters}

    def push(self, names):
        """The tangent of the result when the operands `names` move."""
        tangents = [self.directions[name] if name in names else None for name in self.entry.parameters]
        return listed(push(self.entry, tangents, self.y, self.args, self.kwargs))

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


def check_form(derivative, x):
    """A cotangent or tangent has the structure, the shapes and the dtypes of its value; a float 0.0 is zero for any."""
    if is_many(x):
        assert is_many(derivative)
        assert len(derivative) == len(x)
        for part, value in zip(derivative, x, strict=True):
            check_form(part, value)
    elif isinstance(derivative, float) and derivative == 0.0:
        return
    elif isinstance(x, np.ndarray | np.generic) and x.dtype.kind == "f":
        assert np.shape(derivative) == np.shape(x)
        assert np.asarray(derivative).dtype == x.dtype or np.ndim(x) == 0
    elif isinstance(x, float):
        assert np.shape(derivative) == ()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("entry", "sample"), CALLS, ids=name_of)
def test_shape_and_dtype_are_those_of_the_value(entry, sample, dtype):
    call = Call(entry, sample, dtype)
    cotangents = call.pull()
    for name in call.names:
        check_form(cotangents[name], call.operands[name])
    check_form(call.push(call.names), call.y)


# --- the checks notice ---


def larger(x):
    """`x` and a hundredth of it, through lists and tuples."""
    x = listed(x)
    return type(x)(map(larger, x)) if is_many(x) else 1.01 * x


def spoiled(formula, k):
    """The lambda whose `k`-th part is one percent too large, with a source of its own."""
    tree = copy.deepcopy(find(formula).node)
    whole = isinstance(tree.body, ast.Tuple)
    part = ast.Call(ast.Name("larger", ast.Load()), [tree.body.elts[k] if whole else tree.body], [])
    if whole:
        tree.body.elts[k] = part
    else:
        tree.body = part
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    filename = f"<spoiled {formula.__code__.co_filename}:{formula.__code__.co_firstlineno} {k}>"
    linecache.cache[filename] = (len(text), None, [text], filename)
    return eval(compile(text, filename, "eval"), {**formula.__globals__, "larger": larger})


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
        found = {k for k, part in enumerate(call.pull().values()) if not is_many(part) and np.all(part == 0)}
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
    without = [entry.name for entry in DERIVED if not entry.samples and not entry.name.startswith(WITHOUT_SAMPLES)]
    assert without == []


# --- special points ---


def bar(function, *args, g=1.0, **kwargs):
    """The cotangents of the operands."""
    return pull(lookup(function), g, function(*args, **kwargs), args, kwargs)


def dot(function, x, t=1.0):
    """The tangent of a function of one operand."""
    return push(lookup(function), (t,), function(x), (x,), {})


@pytest.mark.parametrize("function", [abs, np.absolute, np.fabs, math.fabs, operator.abs])
def test_abs_at_zero(function):
    assert bar(function, 0.0) == (0.0,)
    assert dot(function, 0.0) == 0.0


@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_ties_of_two_are_shared(function):
    x, y = np.array([1.0, 2.0]), np.array([1.0, 3.0])
    shares = [[0.5, 0.0], [0.5, 1.0]] if function in (np.maximum, np.fmax) else [[0.5, 1.0], [0.5, 0.0]]
    np.testing.assert_array_equal(bar(function, x, y), shares)
    assert push(lookup(function), (1.0, 0.0), 2.0, (2.0, 2.0), {}) == 0.5


def test_fmax_passes_over_nan():
    np.testing.assert_array_equal(bar(np.fmax, np.array([np.nan, 1.0]), np.array([2.0, np.nan])), [[0, 1], [1, 0]])


@pytest.mark.parametrize(("function", "expected"), [(np.max, [0.0, 0.5, 0.5]), (np.min, [1.0, 0.0, 0.0])])
def test_ties_of_many_are_shared(function, expected):
    np.testing.assert_array_equal(bar(function, np.array([1.0, 3.0, 3.0]))[0], expected)


def test_ties_along_an_axis_are_shared():
    x = np.array([[2.0, 2.0, 1.0], [0.0, 1.0, 5.0]])
    np.testing.assert_array_equal(bar(np.max, x, axis=1, g=np.array([4.0, 3.0]))[0], [[2, 2, 0], [0, 0, 3]])


def test_ties_of_the_builtins_are_shared():
    assert bar(max, 3.0, 1.0, 3.0) == ((0.5, 0.0, 0.5),)
    assert bar(min, [3.0, 1.0, 1.0]) == (([0.0, 0.5, 0.5],),)
    assert push(lookup(max), ((2.0, 4.0),), 1.0, (1.0, 1.0), {}) == 3.0


def test_clip_at_its_bounds():
    x = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    np.testing.assert_array_equal(bar(np.clip, x, 0.0, 1.0, g=np.ones(5))[0], [0, 1, 1, 1, 0])
    assert bar(np.clip, np.ones(1), np.ones(1), np.full(1, 2.0), g=np.ones(1))[1] == 0.0


def test_clip_with_crossed_bounds_is_the_upper_one():
    assert [float(part) for part in bar(np.clip, 0.5, 2.0, 1.0)] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("x", "expected"),
    [([0.0, 2.0, 3.0], [6, 0, 0]), ([0.0, 0.0, 3.0], [0, 0, 0]), ([2.0, 3.0, 0.0], [0, 0, 6])],
)
def test_prod_with_zeros(x, expected):
    np.testing.assert_array_equal(bar(np.prod, np.array(x))[0], expected)
    assert bar(math.prod, x)[0] == expected
    assert dot(np.prod, np.array(x), np.array([1.0, 10.0, 100.0])) == np.dot(expected, [1, 10, 100])


def test_cumprod_with_zeros():
    # y = (a, ab, abc), so that a' = g0 + b g1 + bc g2, b' = a g1 + ac g2, c' = ab g2
    g = np.array([1.0, 10.0, 100.0])
    for a, b, c in [(0.0, 2.0, 3.0), (2.0, 0.0, 3.0), (0.0, 0.0, 3.0), (2.0, 3.0, 0.0)]:
        expected = [1 + 10 * b + 100 * b * c, 10 * a + 100 * a * c, 100 * a * b]
        np.testing.assert_array_equal(bar(np.cumprod, np.array([a, b, c]), g=g)[0], expected)
        tangent = dot(np.cumprod, np.array([a, b, c]), np.ones(3))
        np.testing.assert_array_equal(tangent, [1.0, a + b, b * c + a * c + a * b])


def test_sinc_at_and_near_zero():
    assert bar(np.sinc, 0.0) == (0.0,)
    assert float(pull(lookup(sinc_derivative), 1.0, 0.0, (0.0,), {})[0]) == pytest.approx(-(math.pi**2) / 3, rel=1e-14)
    x = np.array([1e-9, 1e-4, 0.3, 0.4999, 0.5001])
    exact = (np.cos(np.pi * x) - np.sinc(x)) / x
    np.testing.assert_allclose(bar(np.sinc, x, g=np.ones(5))[0][2:], exact[2:], rtol=1e-13)
    np.testing.assert_allclose(bar(np.sinc, x, g=np.ones(5))[0][:2], -(np.pi**2) / 3 * x[:2], rtol=1e-7)


@pytest.mark.parametrize("function", [operator.pow, pow, np.power, np.float_power, math.pow])
def test_powers_at_zero(function):
    assert [float(bar(function, 0.0, n)[0]) for n in (0.0, 1.0, 2.0, 3.0)] == [0.0, 1.0, 0.0, 0.0]
    assert float(bar(function, 0.0, 2.0)[1]) == 0.0
    assert float(bar(function, 0.0, 0.5)[0]) == math.inf
    assert float(bar(function, 0.0, 0.5, g=0.0)[0]) == 0.0


def test_powers_at_zero_in_an_array():
    x, n = np.zeros(4), np.array([0.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(bar(np.power, x, n, g=np.ones(4)), [[0, 1, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(bar(np.power, np.array([0.0, -2.0]), 3, g=np.ones(2))[0], [0, 12])


@pytest.mark.parametrize("x", [0.0, np.zeros(2), np.float64(0.0)])
def test_every_order_of_a_square_at_zero(x):
    for order, expected in [(1, 0.0), (2, 2.0), (3, 0.0), (4, 0.0)]:
        np.testing.assert_array_equal(power_da(x, 2, order), expected + 0 * x)
        if order < 4:
            value = power_da(x, 2, order)
            following = power_da(x, 2, order + 1)
            np.testing.assert_array_equal(pull(lookup(power_da), 1.0, value, (x, 2, order), {})[0], following)


@pytest.mark.parametrize("function", [np.std, np.ndarray.std])
def test_std_of_equal_values(function):
    np.testing.assert_array_equal(bar(function, np.full(3, 2.0))[0], np.zeros(3))
    assert dot(function, np.full(3, 2.0), np.array([1.0, 2.0, 4.0])) == 0.0


@pytest.mark.parametrize("function", [np.hypot, math.hypot])
def test_hypot_at_zero(function):
    (cotangents,) = bar(function, 0.0, 0.0) if function is math.hypot else (bar(function, 0.0, 0.0),)
    assert [float(part) for part in cotangents] == [0.0, 0.0]


def test_a_reduction_of_a_list():
    np.testing.assert_array_equal(bar(np.sum, [2.0, 3.0])[0], [1, 1])
    np.testing.assert_array_equal(bar(np.max, [2.0, 3.0])[0], [0, 1])
    np.testing.assert_array_equal(bar(np.mean, [[2, 3], [4, 5]])[0], np.full((2, 2), 0.25))


def test_where_gives_exactly_nothing_to_the_branch_not_chosen():
    _, x, y = bar(np.where, np.array([True, False]), np.ones(2), np.ones(2), g=np.array([np.inf, np.nan]))
    np.testing.assert_array_equal(x, [np.inf, 0.0])
    np.testing.assert_array_equal(y, [0.0, np.nan])


def test_scale_keeps_a_zero_and_else_multiplies():
    np.testing.assert_array_equal(scale(np.array([0.0, 2.0]), np.array([np.nan, 3.0])), [0, 6])
    assert scale(0.0, math.inf) == 0.0
    assert math.isnan(scale(2.0, math.nan))


def test_float32_of_a_double_rounds_in_both_directions():
    x = np.array([1.0, 2.0])
    assert bar(np.float32, x, g=np.ones(2, np.float32))[0].dtype == np.float64
    assert dot(np.float32, x, np.ones(2)).dtype == np.float32
    assert bar(np.ndarray.astype, x, int, g=np.ones(2))[0] == 0.0


def test_digamma_by_its_known_values():
    # DLMF 5.4.12, 5.4.13; 5.15.2, 5.15.3 for the derivative
    euler = 0.57721566490153286
    assert bar(math.lgamma, 1.0)[0] == pytest.approx(-euler, rel=1e-14)
    assert bar(math.lgamma, 0.5)[0] == pytest.approx(-euler - 2 * math.log(2), rel=1e-14)
    assert polygamma(1, 0.5) == pytest.approx(math.pi**2 / 2, rel=1e-14)


# --- calls ---


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "option"),
    [
        (np.sin, ["x"], {"out": "y"}, "`out`"),
        (np.add, ["x", "y"], {"where": "m"}, "`where`"),
        (np.sum, ["x"], {"out": "y"}, "`out`"),
        (np.max, ["x"], {"initial": "y"}, "`initial`"),
        (np.reshape, ["x", "s"], {"order": "F"}, "`order`"),
        (np.clip, ["x", "a", "b", "y"], {}, "number 4"),
        (max, ["x", "y"], {"key": "f"}, "`key`"),
        (pow, ["x", "y", "m"], {}, "number 3"),
    ],
)
def test_an_option_without_a_derivative_is_named(function, args, kwargs, option):
    with pytest.raises(BindError, match="has no derivative for its argument") as error:
        bind(lookup(function), args, kwargs)
    assert error.value.option == option


def test_methods_and_scalars_share_the_entries_of_arrays():
    assert lookup(np.ones(2).sum) is lookup(np.ndarray.sum)
    assert lookup(np.float64(2.0).sum) is lookup(np.ndarray.sum)
    assert lookup(np.random.default_rng(0).random).form == "constant"
    assert lookup(np.random.randn).form == "constant"
    assert lookup(np.ndarray.T).attribute


def test_what_has_no_entry():
    class Unhashable:
        __hash__ = None

        def __call__(self, x):
            return x

    assert lookup(Unhashable()) is None
    assert lookup(lambda x: x) is None


@pytest.mark.parametrize("name", ["sort", "fill", "put", "resize", "partition"])
def test_what_writes_is_refused(name):
    entry = lookup(getattr(np.ndarray, name))
    assert entry.form == "refused"
    assert entry.writes


def test_a_pad_that_computes_its_border_is_refused():
    with pytest.raises(UnsupportedError, match="mode='mean'"):
        bar(np.pad, np.ones(3), 1, mode="mean", g=np.ones(5))


def test_names_are_as_people_write_them():
    names = [lookup(f).name for f in (np.sin, np.linalg.inv, np.ndarray.sum, operator.add, math.sin, abs)]
    assert names == ["np.sin", "np.linalg.inv", "np.ndarray.sum", "operator.add", "math.sin", "abs"]


def test_samples_of_one_call_differ_and_repeat():
    sample = at(R(2, 3), [R(2, 3)])
    (a, (b,)), _ = sample.draw()
    assert np.min(np.abs(a - b)) > 0
    np.testing.assert_array_equal(sample.draw()[0][0], a)
    assert len(np.unique(a)) == 6
