# ruff: noqa: B007, B018, F821, F841, PLE0643 -- what programs get wrong is what is tested here
"""The forward sweep does what the function does: the same effects, output and exceptions in the same order."""

import contextlib
import copy
import io
import linecache
import math
import warnings

import numpy as np
import pytest

import stdiff
from stdiff.errors import StdiffError
from tests.differences import numbers, ripples

X3 = np.array([0.7, -1.2, 0.4])

CASES = []


def program(*arguments, may_refuse=""):
    """Decorator: a function that is run with these arguments, as itself and as forward sweeps."""

    def register(f):
        CASES.append(pytest.param(f, arguments, may_refuse, id=f"{f.__name__}-{len(CASES)}"))
        return f

    return register


def behaviour(action, arguments):
    """What an action does with fresh arguments: its value, error, and the output, warnings and arguments after it."""
    output, given = io.StringIO(), copy.deepcopy(arguments)
    value = error = None
    with contextlib.redirect_stdout(output), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            value = action(*given)
        except StdiffError:
            raise
        except Exception as caught:
            error = caught
    # A tangent warns where its value does: each warning counts once.
    return value, error, (output.getvalue(), {str(w.message) for w in warned}, numbers(given).tolist())


def chain(error):
    """The types and texts of an exception and of those that it came of."""
    found = []
    while error is not None:
        found.append((type(error), str(error)))
        error = error.__cause__ or error.__context__
    return found


def note(label, value=None):
    print(label)
    return value


def note_and_raise(label, kind):
    print(label)
    raise kind(label)


# Output and other effects.


@program(1.2)
def prints(x):
    print("a", x)
    y = [print("b"), x * x][1]

    def g(u, v=print("default")):  # noqa: B008
        print("g", u)
        return u * 2

    z = g(y) * g(x)
    print(f"{z:.3f}", end="!")
    return z


@program(1.2)
@program(-1.2)
def prints_in_tests(x):
    y = x if (print("t") or x > 0) else 2 * x
    z = (y and note("and", y * 2)) or note("or", 3 * y)
    return z if 0 < note("middle", y) < z else -z


@program(1.2)
def order_of_evaluation(x):
    a = note("left", x) + note("right", x) * note("last", x)
    b = [note("one", a), note("two", x)]
    c = {note("key", "k"): note("value", b[0])}
    return max(note("first", c["k"]), note("second", b[1])) * pow(note("base", x), note("power", 2))


@program(X3)
def effects_in_loops(x):
    s = 0.0
    for i, v in enumerate(note("iterated", x)):
        if note(f"test {i}", v > 0):
            note(f"positive {i}")
            continue
        s = s + v * note(f"value {i}", 2.0)
    else:  # noqa: PLW0120
        note("else")
    while note("while", s < 1.0):
        s = s + 1.0
    return s


@program(1.5)
def effects_without_a_value(x):
    note("before")
    print("printed", x > 1)
    return x * x


@program(1.5)
def effects_of_try(x):
    try:
        note("body")
        note_and_raise("raised", KeyError)
        note("not reached")
    except (KeyError, ValueError):
        note("handler")
    else:
        note("else")
    finally:
        note("finally")
    return x * x


@program(X3)
def comprehension_with_effects(x):
    return sum([note(i, v) * 2 for i, v in enumerate(x) if note("if", v > 0)])


# Exceptions: statements that raise though nobody reads what they make.


def raising(text):
    """A function of `x` with these statements before `return x * 2`."""
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    source = f"def f(x):\n{lines}    return x * 2\n"
    filename = f"<faithful {abs(hash(source))}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {"np": np, "math": math, "note": note, "note_and_raise": note_and_raise, "Pair": Pair}
    exec(compile(source, filename, "exec"), namespace)
    return namespace["f"]


class Pair:
    """A class without `__add__`."""


EXCEPTIONS = [
    "1 / 0",
    "t = 1 / 0",
    "t = x / 0",
    "undefined_name",
    "t = undefined_name",
    '-"a"',
    't = x < "a"',
    't = x + "a"',
    "[1][4]",
    "t = [1][4]",
    "t = {}[2]",
    "x.foo",
    "t = x.foo",
    "y = x * 2\ny.bar",
    "t = (x,)[1]",
    't = int("a")',
    "t = math.sqrt(-1.0)",
    "t = math.log(x - x)",
    "a, b = x",
    "a, b = (x, x, x)",
    "a, *b = ()",
    "t = [v for v in 3]",
    "for v in 3:\n    pass",
    "t = np.zeros(3) @ np.zeros(4)",
    "t = np.zeros(3) + np.zeros(4)",
    "t = np.zeros(3)[7]",
    "assert x > 100",
    'assert x > 100, "too small"',
    'raise KeyError("hello")',
    "raise ValueError",
    "raise KeyError(1) from ValueError(2)",
    "t = Pair() + x",
    "t = None + x",
    "t = len(3)",
    "t = note()",
    "t = note(1, 2, 3)",
    "t = note(unknown=1)",
    "import no_such_module",
    "from math import no_such_name",
    "t = max([])",
    't = float("abc")',
    "t = x()",
    "with x:\n    pass",
    "try:\n    1 / 0\nfinally:\n    note(1)",
    "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}[3]",
    "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError(1) from e",
    "try:\n    1 / 0\nexcept KeyError:\n    note(1)",
    'note_and_raise("first", KeyError)\nnote_and_raise("second", ValueError)',
    't = note_and_raise("in a call", KeyError) + 1 / 0',
    't = [note(1), note_and_raise("in a list", KeyError), note(2)]',
    'print("printed")\nt = x * 1.5\n[1][4]\nprint("not printed")',
    "if x > 0:\n    t = 1 / 0\n    x = x * 2",
    "for i in range(3):\n    note(i)\n    t = [1.0, 2.0][i]\n    x = x * t",
    "n = 0\nwhile True:\n    n += 1\n    t = 1 / (3 - n)\n    x = x * t",
    "g = lambda u: u / 0\nt = g(x)",
    "def g(u):\n    return u.foo\nx = g(x)",
]


# Names that are not bound.


@program(0.7)
def unbound_after_a_branch(x):
    if x > 1:
        y = x * x
    return y


@program(0.7)
def unbound_in_a_loop(x):
    s = x
    for i in range(3):
        if s > 100:
            y = x * 2
        s = s * x
        print("y is", y)
        if i == 0:
            continue
        s = s * y
    return s


@program(0.7)
def unbound_and_caught(x):
    s = x
    for i in range(3):
        if i == 1:
            y = s * 2
        try:
            s = s * y
        except UnboundLocalError:
            note("caught")
            s = s * 3
    return s


@program(0.7)
def unbound_in_a_display(x):
    s = x
    for i in range(3):
        if i == 5:
            y = s * 2
        s = s * x
        r = (s, y)
        if s > 100:
            s = s * y
    return s


@program(0.7)
def unbound_loop_variable(x):
    for i in range(0):
        x = x * 2
    return x * i


@program(0.7)
def unbound_after_an_exception(x):
    try:
        y = x * [1.0][3]
    except IndexError:
        note("caught")
    return y * x


@program(0.7, may_refuse="`del` may be refused")
def unbound_after_del(x):
    y = x * x
    del y
    return y


@program(0.7)
def unbound_name_of_an_exception(x):
    try:
        1 / 0
    except ZeroDivisionError as e:
        note(str(e))
    print(e)
    return x


@program(0.7)
def unbound_in_a_callee(x):
    def g(u):
        if u > 1:
            v = u
        return v * u

    return g(x)


# Arguments.


@program(X3, [1.0, 2.0], {"a": 3.0})
def reads_only(x, items, table):
    y = x * items[0]
    z = y + table["a"]
    z = z * 2
    return z.sum() * items[1]


@program(X3)
def makes_arrays_of_its_own(x):
    b = x * 1.0
    b = b * 2
    c = np.zeros(3)
    c[0] += b[1]
    return (b * c).sum()


@program(X3, may_refuse="writing into an argument may be refused")
def writes_into_its_argument(x):
    x[0] += 1.0
    return (x * x).sum()


@program([1.0, 2.0], may_refuse="writing into an argument may be refused")
def appends_to_its_argument(items):
    items.append(3.0)
    return sum(items)


@program(X3)
def returns_its_argument(x):
    return x


# Warnings and the floating point state.


@program(X3)
def warns(x):
    y = np.sqrt(x)
    with np.errstate(invalid="ignore"):
        z = np.sqrt(x)
    return np.where(x > 0, y * z, x).sum()


def modes(f, arguments):
    """The forward sweeps of a function, as functions that return its value."""

    def active(argument):
        return ripples(argument) if numbers(argument).size else None

    yield "vjp", lambda *given: stdiff.vjp(f, *given)[0]
    yield "jvp", lambda *given: stdiff.jvp(f, given, tuple(map(active, arguments)))[0]


def check(f, arguments, may_refuse):
    value, error, effects = behaviour(f, arguments)
    for mode, action in modes(f, arguments):
        refused = contextlib.suppress(StdiffError) if may_refuse else contextlib.nullcontext()
        with refused:
            found, raised, done = behaviour(action, arguments)
            assert chain(raised) == chain(error), mode
            assert done == effects, mode
            assert type(found) is type(value), mode
            np.testing.assert_array_equal(numbers(found), numbers(value))


@pytest.mark.parametrize(("f", "arguments", "may_refuse"), CASES)
def test_a_forward_sweep_does_what_the_function_does(f, arguments, may_refuse):
    check(f, arguments, may_refuse)


@pytest.mark.parametrize("text", EXCEPTIONS)
@pytest.mark.parametrize("x", [0.7, X3], ids=["number", "array"])
def test_exceptions_are_those_of_the_function(text, x):
    f = raising(text)
    check(f, (x,), "a statement that always raises may be refused")


@pytest.mark.parametrize("text", EXCEPTIONS)
def test_exceptions_that_are_handled(text):
    """The same in a `try`: what follows the exception is what the function does."""
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    check(raising(f"try:\n{lines}except Exception as e:\n    note(type(e))\n    x = x * 3"), (0.7,), "may be refused")
