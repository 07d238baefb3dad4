"""try, with, assert, raise, print, f-strings, imports, annotations: what stands around the numbers."""

import contextlib
import io
import logging
import math
import warnings

import numpy as np

from tests.corpus.case import program
from tests.corpus.prelude import V3, G

log = logging.getLogger(__name__)


@program(np.array([1.0, 2.0, 3.0]), expect=np.array([2.0, 4.0, 6.0]) / 3)
def shape_read(x):
    n = x.shape[0]
    s = np.sum(x * x) / n
    return s


@program(1.5, expect=3.0)
def f_string(x):
    s = f"{x}"
    return x * x


@program(1.5, expect=3.0)
def prints(x):
    print("hello")
    return x * x


@program(1.5, expect=3.0)
def annotated(x):
    y: float = x * x
    return y


@program(1.5, expect=2.0)
def global_read(x):
    return x * G


@program(1.5, expect=3.0)
def try_finally(x):
    try:
        y = x * x
    finally:
        z = 1.0
    return y


@program(1.5, expect=3.0)
def imports(x):

    return x * x


@program(1.0, expect=math.e)
def dunder_import(x):
    return __import__("math").exp(x)


@program(1.5)
def imports_and_uses(x):
    import math as m
    from math import cos, sin as sine

    return m.exp(x) * cos(x) + sine(x)


@program(1.5)
def try_except_not_raised(x):
    try:
        y = x * x
        z = math.log(y)
    except ValueError:
        z = 0.0
    return y * z


@program(1.5)
def try_except_raised(x):
    y = x * x
    try:
        y = y * x
        z = math.log(-y)
        y = y * 100.0
    except ValueError:
        z = y * y
    return y * z


@program(1.5)
def try_except_else_finally(x):
    y = x
    try:
        y = y * x
    except ValueError as error:
        y = 0.0
    else:
        y = y * np.sin(x)
    finally:
        y = y * 2.0
    return y * x


@program({"a": 1.5})
def except_key_error(d):
    try:
        y = d["b"]
    except KeyError:
        y = d["a"] * d["a"]
    return y * 2.0


@program(1.5, may_refuse="what an exception carries is not followed")
def except_of_several(x):
    total = 0.0
    for k in (0, 1, 2):
        try:
            if k == 1:
                raise KeyError(k)
            total = total + x / k
        except (ZeroDivisionError, KeyError) as error:
            total = total + x * x * (len(error.args) + k)
    return total


@program(1.5)
def return_in_try(x):
    try:
        return x * x
    finally:
        x = 5.0


@program(1.5)
def return_in_except(x):
    try:
        y = math.sqrt(-x)
    except ValueError:
        return x**3
    return y


@program(1.5, may_refuse="a jump past a `finally` that changes values is not followed")
def break_in_try_in_loop(x):
    y = x
    for i in range(5):
        try:
            y = y * x
            if y > 4.0:
                break
            y = y + 0.5
        finally:
            y = y * 1.1
    return y


@program(1.5, may_refuse="how far a nested `try` came is not recorded")
def nested_try(x):
    try:
        try:
            y = x * x
            raise RuntimeError("inner")
        except KeyError:
            y = 0.0
    except RuntimeError:
        y = y * x
    return y


def checked(a):
    if a > 2.0:
        raise ValueError("too large")
    return a * a


@program(1.5)
def exception_from_a_callee(x):
    try:
        y = checked(x) + checked(x * x)
    except ValueError:
        y = checked(x) * 3.0
    return y


@program(1.5)
def with_statement(x):
    with np.errstate(divide="ignore"):
        y = x * x
        z = np.log(y)
    return y * z


@program(1.5)
def return_inside_with(x):
    with contextlib.nullcontext():
        if x > 1.0:
            return x * x
        y = x
    return y


@program(1.5)
def with_as(x):
    with contextlib.nullcontext(2.0) as k:
        y = x**k
    return y * k


@program(1.5)
def with_two_items(x):
    with contextlib.nullcontext(2.0) as k, contextlib.nullcontext():
        for i in range(3):
            x = x * k - 0.5
            if x > 4.0:
                break
    return x * x


@program(1.5)
def return_from_loops_and_with(x):
    y = x
    for i in range(3):
        with contextlib.nullcontext(i) as k:
            for j in range(3):
                y = y * 1.2 + k
                if y > 4.0:
                    return y * x
    return y


@program(1.5, may_refuse="a swallowed exception is not followed")
def with_suppress(x):
    y = x * x
    with contextlib.suppress(ZeroDivisionError):
        y = y * x
        y = y / 0
    return y * y


@program(1.5)
def with_redirect(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print(x)
        y = x * x
    return y


@program(1.5, may_refuse="what a context manager does to a value is not known")
def with_active_context(x):
    with contextlib.nullcontext(x * x) as y:
        z = y * x
    return z


@program(1.5)
def with_warnings_caught(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.exp(x)
    return y


@program(1.5)
def asserts(x):
    assert x > 0.0, f"{x} is not positive"
    assert x
    return x**3


@program(1.5)
def asserts_with_call(x):
    assert np.isfinite(np.sin(x)) and 0 < x < 10
    return np.sin(x)


@program(1.5)
def docstring_and_ellipsis(x):
    """The square of x."""
    ...
    return x * x


@program(1.5)
def f_string_as_key(x):
    d = {f"w{i}": x**i for i in range(3)}
    return d["w1"] * d[f"w{2}"]


@program(1.5)
def f_string_with_format(x):
    name = f"{x:.3f}|{x!r:>10}|{x * x = }|{'nested ' + f'{x}'}"
    return x * len(name[:4])


@program(1.5)
def string_operations(x):
    kind = "-".join(["sin", "e"]).split("-")[0]
    label = "%s %d" % (kind, 3)
    return np.sin(x) if kind == "sin" and label.endswith("3") else x


@program(1.5)
def prints_and_logs_values(x):
    y = x * x
    print("y =", y, f"{y:.2f}", sep=" ")
    log.debug("y is %s", y)
    return y * x


@program(1.5)
def annotated_signature(x: float, n: "int" = 3) -> float:
    y: float
    y = x**n
    z: list[float] = [y, x]
    return z[0] * z[1]


@program(1.5)
def expression_statement(x):
    np.sin(x)
    x * x
    len([x])
    return x**3


@program(1.5)
def semicolons(x):
    y = x * x; z = y * x
    if z > 1.0: z = z * y
    return z


@program(1.5)
def nothing_returned_by_callee(x):
    report(x)
    return x * x


def report(value):
    text = str(value)
    if not text:
        print(text)


@program(1.5)
def long_expression(x):
    return (
        x * x
        + np.sin(x) * np.cos(x)  # a comment inside
        - (x + 1.0) / (x * x + 2.0)
        + max(x, 1.0) * min(x, 2.0)
    )


@program(1.5, expect=3.0)
def maximum_builtin(x):
    return max(x, 1.0) * x


@program(1.5)
def builtins_of_numbers(x):
    return abs(-x) * pow(x, 3) + float(x) * round(2.4) + divmod(x, 1.0)[1] + int(2.7) * x


@program(V3.copy())
def deleted_and_bound_again(x):
    y = x * x
    del y
    y = np.sum(x)
    return y * y


@program(3.0, expect=1.0)
def floor_division(x):
    return x // 2.0 + x


@program(3.25)
def remainder(x):
    return x % 2.0 * x + (-x) % 2.0


@program(1.5, expect=3 * 1.5**2)
def power_of_int_constant(x):
    return x**3


@program(1.5)
def all_operators(x):
    return -(+x) + x - x * x / (x**2 + 1.0) + x // 1.0 + x % 0.4 + abs(x)


@program(1.5)
def integers_on_the_side(x):
    k = 7
    k = (k << 2 | 3) & 0x1F ^ 2
    k = ~k + k // 2
    return x * k + x ** (k % 3)


@program(1.5, may_refuse="complex numbers are not differentiated yet")
def complex_on_the_way(x):
    z = np.exp(1j * x) * (1.0 + 2.0j)
    return np.real(z) + np.imag(z) * x


@program(1.0, expect=-math.sin(1.0), may_refuse="complex numbers are not differentiated yet")
def real_of_complex_exponential(x):
    return np.real(np.exp(1j * x))


@program(1.5, may_refuse="a global name is bound")
def global_statement_of_a_constant(x):
    global COUNTER
    COUNTER = 3
    return x * x


@program(1.5, may_refuse="a name of an enclosing function is bound")
def nonlocal_statement(x):
    total = 0.0

    def add(a):
        nonlocal total
        total = total + a

    add(x)
    add(x * x)
    return total


@program(1.5, may_refuse="a generator is not differentiated")
def generator_function(x):
    def powers():
        for k in range(3):
            yield x**k

    return sum(powers())


@program(1.5, may_refuse="exec is opaque")
def executes_text(x):
    scope = {"x": x}
    exec("y = x * x", scope)
    return scope["y"]


@program(1.5, may_refuse="locals are opaque")
def reads_locals(x):
    y = x * x
    return locals()["y"]
