"""A derivative is that of what its function means at the call: whatever it reads may have changed since it was derived.

And what a call is given stays as it was: arguments, cotangents, results; in several threads at once.
"""

import linecache
import math
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import stdiff
from tests.differences import derivative, numbers, with_numbers

MODULE = types.ModuleType("module")


def module_product(x):
    return MODULE.f(x) * MODULE.k


def slope(f, x=1.0):
    """The derivative of a function of one number as it is now, by differences."""
    return derivative(f, (x,), (1.0,))[0]


def follows(df, f, change, *changes):
    """Checks that `df` is the derivative of `f`, before the changes, and after each of them a different one."""
    before = slope(f)
    assert df(1.0) == pytest.approx(before, rel=1e-9)
    for make in (change, *changes):
        make()
        after = slope(f)
        assert after != pytest.approx(before)
        assert df(1.0) == pytest.approx(after, rel=1e-9)
        before = after


def family(text):
    """The names that a text defines, which is run as a module of its own."""
    filename = f"<fresh {abs(hash(text))}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"np": np, "math": math}
    exec(compile(text, filename, "exec"), namespace)
    return namespace


CHAIN = (
    "k = 2.0\ndef inner(x):\n    return x * k\n"
    "def middle(x):\n    return inner(x) * x\ndef outer(x):\n    return middle(x) * 1.5\n"
)


@pytest.mark.parametrize("name", ["inner", "middle", "outer"])
def test_a_global_that_changes(name):
    names = family(CHAIN)
    f = names[name]
    follows(stdiff.grad(f), f, lambda: names.update(k=5.0), lambda: names.update(k=-1.0), lambda: names.update(k=5))


@pytest.mark.parametrize("name", ["middle", "outer"])
def test_a_callee_that_is_replaced(name):
    names = family(CHAIN)
    f = names[name]
    follows(
        stdiff.grad(f),
        f,
        lambda: names.update(inner=lambda x: x**4),
        lambda: names.update(inner=math.sin),
        lambda: names.update(inner=family("def inner(x):\n    return x * x * x * x * x\n")["inner"]),
    )


@pytest.mark.parametrize("name", ["middle", "outer"])
def test_a_callee_whose_code_is_replaced(name):
    names = family(CHAIN)
    other = family("def inner(x):\n    return x * x * k\n")["inner"]

    def change():
        names["inner"].__code__ = other.__code__

    follows(stdiff.grad(names[name]), names[name], change)


def test_code_of_the_function_itself():
    names = family(CHAIN)
    f, other = names["inner"], family("def inner(x):\n    return x * x * k\n")["inner"]

    def change():
        f.__code__ = other.__code__

    follows(stdiff.grad(f), f, change)


DEFAULTS = (
    "def inner(x, m=2.0, *, n=3.0):\n    return x * m + x * x * n\n"
    "def outer(x):\n    return inner(x) * x\n"
    "def outermost(x):\n    return outer(x) * 2.0\n"
)


@pytest.mark.parametrize("name", ["inner", "outer", "outermost"])
def test_defaults_that_change(name):
    names = family(DEFAULTS)
    inner, f = names["inner"], names[name]

    def change_default():
        inner.__defaults__ = (5.0,)

    def change_keyword():
        inner.__kwdefaults__ = {"n": 7.0}

    follows(stdiff.grad(f), f, change_default, change_keyword)


def setting():
    """A function that reads a variable of an outer one, and one that sets that variable."""
    c = 2.0

    def f(x):
        return x * x * c

    def change(value):
        nonlocal c
        c = value

    return f, change


def test_a_variable_of_an_outer_function():
    f, change = setting()
    follows(stdiff.grad(f), f, lambda: change(5.0), lambda: change(-2))


def test_a_variable_of_a_callees_outer_function():
    f, change = setting()

    def outer(x):
        return f(x) * x

    def outermost(x):
        return outer(x) + x

    follows(stdiff.grad(outermost), outermost, lambda: change(5.0))


def test_a_variable_that_becomes_an_array_and_a_number_again():
    f, change = setting()
    assert stdiff.vjp(f, 1.0)[1](1.0) == (4.0,)
    change(np.array([1.0, 2.0]))
    assert stdiff.vjp(f, 1.0)[1](np.array([1.0, 1.0])) == (6.0,)
    change(3.0)
    assert stdiff.vjp(f, 1.0)[1](1.0) == (6.0,)


@pytest.mark.parametrize("name", ["direct", "caller"])
def test_a_global_that_becomes_an_array_and_a_number_again(name):
    names = family("w = 2.0\ndef direct(x):\n    return np.sum(x * w)\ndef caller(x):\n    return direct(x) * 2.0\n")
    f = names[name]
    follows(
        stdiff.grad(f),
        f,
        lambda: names.update(w=np.array([1.0, 3.0])),
        lambda: names.update(w=np.ones((2, 3))),
        lambda: names.update(w=3.0),
    )
    names.update(w=np.array([1.0, 3.0]))
    assert stdiff.grad(f)(np.ones(2)).shape == (2,)


def test_attributes_of_a_module():
    def function(f):
        return lambda: setattr(MODULE, "f", f)

    MODULE.f, MODULE.k = lambda x: x * x, 2.0
    follows(
        stdiff.grad(module_product),
        module_product,
        lambda: setattr(MODULE, "k", 3.0),
        function(lambda x: x**3),
        function(math.sin),
    )


def test_methods_and_attributes_of_a_class():
    class Model:
        k = 2.0

        def scaled(self, x):
            return x * self.k

        @staticmethod
        def squared(x):
            return x * x

        @classmethod
        def weighted(cls, x):
            return x * cls.k

    model = Model()

    def f(x):
        return model.scaled(x) * Model.k + model.squared(x) + Model.squared(x) * model.weighted(x)

    follows(
        stdiff.grad(f),
        f,
        lambda: setattr(Model, "k", 3.0),
        lambda: setattr(Model, "scaled", lambda self, x: x * x * self.k),
        lambda: setattr(Model, "squared", staticmethod(lambda x: x * 5.0)),
        lambda: setattr(Model, "weighted", classmethod(lambda cls, x: x * x * cls.k)),
        lambda: setattr(model, "k", 7.0),
    )


def test_functions_in_a_list_and_in_a_dict():
    choices, table = [lambda v: v * v], {"f": math.sin}

    def f(x):
        return choices[0](x) * table["f"](x)

    follows(
        stdiff.grad(f),
        f,
        lambda: choices.__setitem__(0, lambda v: v**3),
        lambda: table.update(f=lambda v: v * 2.0),
    )


def test_derivatives_within_and_of_derivatives():
    names = family("k = 2.0\ndef f(x):\n    return x * x * x * k\n")
    f = names["f"]
    first = stdiff.grad(f)

    def uses(x):
        return first(x) * x

    second, used = stdiff.grad(first), stdiff.grad(uses)
    assert (second(1.0), used(1.0)) == (12.0, 18.0)
    names["k"] = 3.0
    assert (second(1.0), used(1.0)) == (18.0, 27.0)


def test_a_pullback_keeps_to_the_call_that_made_it():
    names = family(CHAIN)
    _, pullback = stdiff.vjp(names["outer"], 1.0)
    names.update(k=100.0, inner=math.cos)
    assert pullback(1.0) == (6.0,)


# What is given stays as it was.


def layered(x, table, pair):
    y = np.tanh(x @ table["w"]) * pair[0]
    parts = []
    for row in y:
        parts.append(row * row.sum())  # noqa: PERF401 -- a list that grows is what is meant
    return {"all": np.stack(parts), "first": (y[0], pair[1] * x)}


def arguments():
    rng = np.random.default_rng(0)
    return rng.normal(size=(3, 2)), {"w": rng.normal(size=(2, 2))}, (rng.normal(size=2), 1.5)


def cotangent_for(value, seed):
    return with_numbers(value, np.random.default_rng(seed).normal(size=numbers(value).size))


def test_arguments_cotangents_and_results_stay_as_they_were():
    args = arguments()
    value, pullback = stdiff.vjp(layered, *args)
    kept = numbers(value)
    one, other = (cotangent_for(value, k) for k in (1, 2))
    first = pullback(one)
    second = pullback(other)
    again = pullback(one)
    np.testing.assert_array_equal(numbers(again), numbers(first))
    assert not np.allclose(numbers(first), numbers(second))
    np.testing.assert_array_equal(numbers(args), numbers(arguments()))
    np.testing.assert_array_equal(numbers(one), numbers(cotangent_for(value, 1)))
    np.testing.assert_array_equal(numbers(value), kept)


def test_results_of_a_pullback_are_the_callers_to_change():
    x, y = np.ones(3), np.full(3, 2.0)
    for f in (lambda x, y: x + y, lambda x, y: x * y, lambda x, y: (x, y), lambda x, y: np.stack([x, y])):
        value, pullback = stdiff.vjp(f, x, y)
        cotangent = cotangent_for(value, 3)
        expected = [part.copy() for part in pullback(cotangent)]
        for part in pullback(cotangent):
            part *= 100.0
        for part, known in zip(pullback(cotangent), expected, strict=True):
            np.testing.assert_array_equal(part, known)
        np.testing.assert_array_equal(x, np.ones(3))
        np.testing.assert_array_equal(y, np.full(3, 2.0))


# Threads.

POWERS = "".join(
    f"def helper{n}(x):\n    return x ** {n + 2}\ndef power{n}(x):\n    s = 0.0\n    for i in range(3):\n"
    f"        s = s + helper{n}(x) * i\n    return s\n"
    for n in range(8)
)


def test_threads_that_derive_and_run_different_functions():
    names = family(POWERS)

    def work(n):
        return [stdiff.grad(names[f"power{n}"])(1.5) for _ in range(5)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(8)))
    for n, values in enumerate(found):
        np.testing.assert_allclose(values, [3.0 * (n + 2) * 1.5 ** (n + 1)] * 5, rtol=1e-12)


def test_threads_that_derive_and_run_the_same_function():
    names = family(POWERS)
    df = stdiff.grad(names["power3"])

    def work(x):
        return df(x), stdiff.jvp(names["power3"], (x,), (1.0,))[1], stdiff.grad(df)(x)

    points = np.linspace(0.5, 1.5, 64).tolist()
    with ThreadPoolExecutor(8) as pool:
        found = np.array(list(pool.map(work, points)))
    x = np.array(points)
    np.testing.assert_allclose(found.T, [15 * x**4, 15 * x**4, 60 * x**3], rtol=1e-12)


def test_threads_that_share_a_pullback():
    args = arguments()
    value, pullback = stdiff.vjp(layered, *args)
    cotangents = [cotangent_for(value, k) for k in range(8)]
    expected = [numbers(pullback(c)) for c in cotangents]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: numbers(pullback(cotangents[k % 8])), range(64)))
    for k, result in enumerate(found):
        np.testing.assert_array_equal(result, expected[k % 8])
