"""Functions that call functions: arguments of every kind, recursion, closures, lambdas, functions as values."""

import functools
import math
import operator

import numpy as np

from tests.corpus import other_module as mod2
from tests.corpus.case import program
from tests.corpus.other_module import scaled, through
from tests.corpus.prelude import V3, dec, logged


@program(1.5)
def local_lambda(x):
    g = lambda a: a * a
    return g(x)


def times_sine(a, b):
    return a * np.sin(b)


@program(1.5)
def keyword_in_call(x):
    return times_sine(x, b=x) * x


def square_times_sine(a, b):
    return a * np.sin(b) * a


@program(1.5)
def constant_argument(x):
    return square_times_sine(x, 2.0) * x


def g(a):
    return a * a


@program(1.5, expect=8.0)
def same_name_in_two_modules(x):
    return g(x) + mod2.g(x)


def repeated_sine(x, n):
    if n == 0:
        y = x
    else:
        y = repeated_sine(x * np.sin(x), n - 1)
    return y


@program(1.5)
def recursive_helper(x):
    return repeated_sine(x, 3)


def product(a, b):
    return a * b


@program(1.5, expect=3.0)
def star_call(x):
    t = (x, x)
    return product(*t)


@program(1.5)
def local_alias(x):
    s = np.sin
    return s(x)


@program(1.5, expect=7 * math.cos(1.5))
def callee_reads_its_own_global(x):
    return scaled(x)


@program(1.5)
def callee_calls_what_it_is_given(x):
    return through(g, x) * through(lambda a: a + x, x)


@program(1.5, expect=3.0)
def decorated_callee(x):
    return dec(x)


@logged
def wrapped_product(a, b=2.0, *, c=1.0):
    return a * b * c


@program(1.5)
def decorated_with_keywords(x):
    return wrapped_product(x, c=x) + wrapped_product(a=x, b=x)


@program(1.5)
def all_the_same_function_different_active(x):
    return product(x, 2.0) + product(3.0, x) + product(x, x) + product(2.0, 3.0)


def with_default(a, b=2.0):
    return a**b


@program(1.5)
def default_argument(x):
    return with_default(x) + with_default(x, x) + with_default(2.0, b=x)


def with_keyword_only(a, *, scale, shift=1.0):
    return a * scale + shift


@program(1.5)
def keyword_only(x):
    return with_keyword_only(x, scale=x) * with_keyword_only(2.0, shift=x * x, scale=3.0)


def positional_only(a, b, /, c):
    return a * b + c


@program(1.5)
def positional_only_call(x):
    return positional_only(x, 2.0, c=x * x)


def summed(*terms):
    s = 0.0
    for t in terms:
        s = s + t * t
    return s


@program(1.5)
def star_parameter(x):
    return summed() + summed(x) + summed(x, 2.0, np.sin(x))


def weighted(first, *rest, scale=1.0, **others):
    s = first * scale
    for r in rest:
        s = s + r
    for key, value in others.items():
        s = s * value if key == "factor" else s + value
    return s


@program(1.5)
def star_and_keywords(x):
    return weighted(x, x * x, 2.0, scale=x, factor=np.sin(x), offset=x)


@program(1.5)
def star_and_double_star_call(x):
    args = [x, x * x]
    options = {"scale": x, "factor": 0.5}
    return weighted(*args, 3.0, **options)


@program(1.5)
def double_star_of_literal(x):
    return with_keyword_only(**{"a": x, "scale": x * x})


def forward_everything(*args, **kwargs):
    return weighted(*args, **kwargs)


@program(1.5)
def arguments_passed_on(x):
    return forward_everything(x, 2.0, x, scale=x)


@program(1.5, 2.0)
def own_default_left_alone(x, y, z=3.0, *rest, w=0.5):
    return x * y * z * w + len(rest)


@program(1.5, 2.0, 4.0, 5.0)
def own_star_parameter(x, y, *rest):
    s = x * y
    for r in rest:
        s = s * r + x
    return s


def polar(r, t):
    return r * np.cos(t), r * np.sin(t)


@program(1.5, 0.4)
def callee_returns_tuple(r, t):
    x, y = polar(r, t)
    return x * x * y


@program(1.5)
def tuple_result_partly_used(x):
    _, y = polar(x, x * x)
    return y + polar(2.0, x)[0]


def as_dict(a):
    return {"square": a * a, "cube": a**3, "name": "a"}


@program(1.5)
def callee_returns_dict(x):
    d = as_dict(x)
    return d["square"] * d["cube"]


def search(a, limit):
    for i in range(10):
        a = a * 1.4
        if a > limit:
            return a * i
    return a


@program(1.5)
def callee_returns_early(x):
    return search(x, 4.0) * search(x, 1e9)


def identity(a):
    return a


@program(1.5)
def callee_returns_its_argument(x):
    y = identity(x)
    return y * x


@program(V3.copy())
def callee_returns_its_array(x):
    return np.sum(identity(x) * x)


def ignores(a, b):
    return a * 2.0


@program(1.5)
def argument_ignored(x):
    return ignores(x, x * x) + ignores(3.0, x)


def no_arguments():
    return 4.0


@program(1.5)
def callee_without_arguments(x):
    return no_arguments() * x


def factorial_like(x, n):
    return x if n <= 1 else factorial_like(x, n - 1) * (x + n)


@program(1.5)
def recursion_in_a_ternary(x):
    return factorial_like(x, 5)


def fibonacci_like(x, n):
    if n < 2:
        return x * n + 1.0
    return fibonacci_like(x, n - 1) * x + fibonacci_like(x, n - 2)


@program(0.7)
def recursion_with_two_calls(x):
    return fibonacci_like(x, 5)


def even_step(x, n):
    return x if n == 0 else odd_step(x * np.sin(x), n - 1)


def odd_step(x, n):
    return x * x if n == 0 else even_step(x + 1.0, n - 1)


@program(1.5)
def mutual_recursion(x):
    return even_step(x, 5)


def halved_until_small(x):
    if x < 0.5:
        return x * x
    return halved_until_small(x * 0.5) * x


@program(3.0)
def recursion_until_a_value(x):
    return halved_until_small(x)


@program(0.7, 4)
def recursion_of_itself(x, n):
    if n == 0:
        return x
    return np.sin(recursion_of_itself(x, n - 1)) * x


def apply_twice(f, a):
    return f(f(a))


@program(1.5)
def function_as_argument(x):
    return apply_twice(np.sin, x) + apply_twice(g, x)


@program(1.5)
def closure_as_argument(x):
    def scale(a):
        return a * x

    return apply_twice(scale, x + 1.0)


@program(1.5, np.tanh)
def function_given_from_outside(x, f):
    return f(x) * x


def compose(f, h):
    return lambda a: f(h(a))


@program(1.5)
def composed(x):
    return compose(np.sin, g)(x) * compose(g, g)(x)


@program(1.5)
def functions_in_a_list(x):
    fs = [np.sin, g, lambda a: a * x]
    y = x
    for f in fs:
        y = f(y)
    return y


@program(1.5)
def functions_in_a_dict(x):
    table = {"sin": np.sin, "square": g}
    return table["sin"](x) * table["square"](x)


@program(1.5)
def nested_def(x):
    def inner(a):
        return a * a

    return inner(x) * inner(2.0)


@program(1.5)
def nested_def_reads_outer(x):
    y = x * x

    def inner(a):
        return a * y + x

    return inner(x) * inner(2.0)


@program(1.5)
def nested_def_reads_outer_late(x):
    y = x

    def inner(a):
        return a * y

    first = inner(x)
    y = x * x
    return first + inner(x)


@program(1.5)
def nested_def_default_is_active(x):
    def inner(a, b=x * x):
        return a * b

    x = 2.0 * x
    return inner(x)


@program(1.5)
def nested_def_with_loop_and_return(x):
    def inner(a):
        for i in range(10):
            a = a * 1.5
            if a > 5.0:
                return a * x
        return a

    return inner(x) + inner(0.01)


@program(1.5)
def nested_twice(x):
    def outer(a):
        def inner(b):
            return a * b + x

        return inner(a) * inner(x)

    return outer(x * x)


@program(1.5)
def nested_recursion(x):
    def power(n):
        return 1.0 if n == 0 else x * power(n - 1)

    return power(3)


@program(1.5)
def closure_returned_and_called(x):
    def maker(k):
        def scale(a):
            return a * k

        return scale

    return maker(x)(2.0) * maker(3.0)(x)


@program(1.5)
def lambda_called_at_once(x):
    return (lambda a, b: a * b)(x, np.sin(x))


@program(1.5)
def lambda_with_default(x):
    f = lambda a, b=x: a * b
    return f(2.0) + f(x)


@program(1.5)
def two_lambdas_on_a_line(x):
    f, h = lambda a: a * x, lambda a: a + x
    return f(h(x))


@program(1.5)
def lambdas_made_in_a_loop(x):
    fs = []
    for i in range(3):
        fs = [*fs, lambda a, i=i: a * x + i]
    return fs[0](1.0) + fs[1](x) * fs[2](2.0)


@program([1.5, -2.0, 0.5])
def lambda_in_map(xs):
    return sum(map(lambda a: a * a * a, xs))


@program([1.5, -2.0, 0.5], [2.0, 3.0, 4.0])
def lambda_in_map_of_two(xs, ys):
    return sum(map(lambda a, b: a * b, xs, ys))


@program([1.5, -2.0, 0.5], may_refuse="`sorted` with a key has no rule yet")
def lambda_as_key(xs):
    ys = sorted(xs, key=lambda a: -abs(a))
    return ys[0] * ys[1] ** 2


@program([1.5, -2.0, 0.5])
def key_of_max(xs):
    return max(xs, key=lambda a: a * a) ** 3


@program([1.5, -2.0, 0.5])
def filtered(xs):
    s = 0.0
    for x in filter(lambda a: a > 0.0, xs):
        s = s + x * x
    return s


@program([1.5, -2.0, 0.5])
def reduced(xs):
    return functools.reduce(lambda a, b: a * b + a, xs)


@program(1.5)
def partial_call(x):
    f = functools.partial(times_sine, x)
    return f(x * x)


sine_of_two = functools.partial(times_sine, b=2.0)


@program(1.5)
def partial_from_outside(x):
    return sine_of_two(x)


@program(1.5)
def operator_module(x):
    return operator.mul(x, operator.add(x, 2.0)) - operator.neg(x)


@program(1.5, expect=2 / 1.5)
def math_functions(x):
    return math.log(x) + math.log(math.sqrt(x) ** 2)


@program(1.5)
def call_in_call_in_call(x):
    return product(times_sine(product(x, x), x), with_default(x, b=product(2.0, x)))


@program(1.5)
def arguments_out_of_order(x):
    return times_sine(b=x * x, a=np.exp(x))


def raises_below(a, limit):
    if a < limit:
        raise ValueError(f"{a} is below {limit}")
    return a * a


@program(1.5)
def callee_may_raise(x):
    return raises_below(x, 1.0)


def counts_down(a):
    while a > 1.0:
        a = a * 0.6
        yield_like = a
    return a * yield_like


@program(3.0)
def callee_with_while(x):
    return counts_down(x) * x


def two_results_by_path(a):
    if a > 1.0:
        return a, 2.0
    return 1.0, a


@program(1.5)
def tuple_active_by_path(x):
    p, q = two_results_by_path(x)
    r, s = two_results_by_path(x * 0.5)
    return p * q * r * s * x


program(1.5, name="calls.a_lambda")(lambda x: x * np.sin(x))
program(1.5, 2.0, name="calls.a_lambda_of_two")(lambda x, y=3.0: x * y**x)


def make_scaler(k):
    def scaler(x):
        return k * x * x

    return scaler


program(1.5, expect=9.0, name="calls.a_closure")(make_scaler(3.0))
program(1.5, expect=12.0, name="calls.another_closure_of_the_same_code")(make_scaler(4.0))
program(V3.copy(), name="calls.a_closure_over_an_array")(make_scaler(np.array([1.0, -2.0, 0.5])))
