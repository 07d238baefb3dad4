"""Tests and the values that come of them: if, elif, ternary, and/or/not, comparison, walrus, match."""

import numpy as np

from tests.corpus.case import program
from tests.corpus.prelude import V3, Pair, Point, V


@program(1.5, expect=3.0)
def early_return(x):
    if x > 0.0:
        return x * x
    return -x


@program(-1.5, expect=-1.0)
def early_return_not_taken(x):
    if x > 0.0:
        return x * x
    return -x


@program(1.5, expect=3.0)
def pass_in_branch(x):
    if x > 10.0:
        pass
    else:
        x = x * x
    return x


@program(1.5, expect=3.0)
def chained_comparison(x):
    if 0.0 < x < 2.0:
        x = x * x
    return x


@program(2.5, expect=1.0)
def chained_comparison_false(x):
    if 0.0 < x < 2.0:
        x = x * x
    return x


@program(1.5)
def chained_comparison_of_calls(x):
    if 0.0 < np.sin(x) < np.exp(x) <= 10.0 != x:
        return np.sin(x) * x
    return x


@program(1.5, expect=3.0)
def or_as_value(x):
    y = x or 1.0
    return y * y


@program(1.5)
def and_as_value(x):
    y = x and x * np.sin(x)
    return y * y


@program(1.5)
def and_or_nested(x):
    y = (x > 2.0 and x) or (x > 1.0 and x * x) or 3.0
    return y * x


@program(1.5)
def not_as_value(x):
    flag = not x > 2.0
    return x * x if flag else x


@program(1.5)
def not_times_number(x):
    return x * x * (not x > 2.0) + (x > 1.0) * x


@program(1.5, expect=4 * 1.5**3)
def in_operator(x):
    for i in range(3):
        if i in [0, 2]:
            x = x * x
    return x


@program(1.5)
def not_in_operator(x):
    for i in range(4):
        if i not in (0, 3):
            x = x * np.sin(x)
    return x


@program(1.5, expect=3.0)
def raise_in_branch(x):
    if x < 0.0:
        raise ValueError("neg")
    return x * x


@program(np.array([1.0, 2.0]), expect=[1.0, 1.0])
def isinstance_ndarray(y):
    return np.sum(y) if isinstance(y, np.ndarray) else 0.0 * np.sum(y)


@program(1.5)
def isinstance_number(y):
    if isinstance(y, np.ndarray):
        return np.sum(y)
    return y**3


@program(1.5)
def elif_ladder(x):
    if x < 0.0:
        y = x
    elif x < 1.0:
        y = x * x
    elif x < 2.0:
        y = x**3
    else:
        y = x**4
    return y * x


@program(3.0)
def elif_ladder_last(x):
    if x < 0.0:
        y = x
    elif x < 1.0:
        y = x * x
    elif x < 2.0:
        y = x**3
    else:
        y = x**4
    return y * x


@program(1.5)
def nested_if(x):
    if x > 0.0:
        if x > 1.0:
            y = np.exp(x)
            if x > 2.0:
                y = y * x
        else:
            y = x
        y = y * y
    else:
        y = 0.0
    return y + x


@program(1.5)
def bound_in_one_branch(x):
    if x > 1.0:
        extra = x * x
    y = np.sin(x)
    if x > 1.0:
        y = y * extra
    return y


@program(0.5)
def unbound_in_the_path_taken(x):
    if x > 1.0:
        extra = x * x
    y = np.sin(x)
    if x > 1.0:
        y = y * extra
    return y


@program(1.5)
def redefined_in_one_branch(x):
    y = x * x
    if y > 2.0:
        y = np.sin(y) * x
    return y * x


@program(1.5)
def active_in_one_branch(x):
    if x < 1.0:
        y = 2.0
    else:
        y = x * x
    return y * 3.0


@program(0.5, expect=0.0)
def constant_in_the_path_taken(x):
    if x < 1.0:
        y = 2.0
    else:
        y = x * x
    return y * 3.0


@program(1.5)
def ternary(x):
    return np.sin(x) if x > 1.0 else np.cos(x)


@program(1.5)
def ternary_nest(x):
    return x if x < 0.0 else x * x if x < 1.0 else x**3 if x < 2.0 else x**4


@program(1.5)
def ternary_in_arguments(x):
    return np.maximum(x * x if x > 1.0 else x, x if x > 5.0 else x * 0.3) * (2.0 if x > 0 else x)


@program(1.5)
def ternary_in_the_test(x):
    if (x if x > 1.0 else -x) > 1.2:
        return x * x
    return x


@program(1.5)
def ternary_guards_a_bad_call(x):
    return np.log(-x) if x < 0.0 else np.log(x)


@program(1.5)
def walrus_in_test(x):
    if (y := x * x) > 2.0:
        return y * x
    return y


@program(1.5)
def walrus_in_expression(x):
    return (y := np.sin(x)) * y + (z := y * x) * z


@program(1.5)
def walrus_in_while(x):
    total = 0.0
    while (x := x * 0.7) > 0.2:
        total = total + x * x
    return total


@program(1.5)
def walrus_in_short_circuit(x):
    y = x
    if x > 1.0 and (y := x * x) > 1.0:
        return y * x
    return y


@program([0.5, 1.5, -2.0])
def walrus_in_comprehension(xs):
    return sum(y * y for x in xs if (y := x * 3.0) > 0.0)


@program(1.5, "square")
def match_value(x, kind):
    match kind:
        case "sine":
            return np.sin(x)
        case "square" | "power":
            return x * x
        case _:
            return x


@program((1.5, 2.0, -1.0))
def match_sequence(p):
    match p:
        case (x, y):
            return x * y
        case (x, *rest):
            return x * rest[0] + rest[1] * x
    return 0.0


@program(1.5, {"kind": "power", "exponent": 2.5})
def match_mapping(x, spec):
    match spec:
        case {"kind": "power", "exponent": e}:
            return x**e
        case {"kind": "exp"}:
            return np.exp(x)
        case _:
            return x


@program(1.5)
def match_capture_and_guard(x):
    match x * x:
        case y if y > 10.0:
            return y
        case y if y > 2.0:
            return y * np.sin(x)
        case _:
            return x


@program(Point(1.5, 2.0))
def match_class(p):
    match p:
        case Point(x=0.0, y=y):
            return y
        case Point(x=x, y=y):
            return x * y * y


@program(Pair(1.5, 2.0))
def match_dataclass_positional(p):
    match p:
        case Pair(a, b) if a > b:
            return a
        case Pair(a, b):
            return a * b * b


@program(1.5, 3)
def match_nested(x, n):
    match (x, n):
        case (_, 0):
            return x
        case (a, 1 | 2 | 3 as k):
            return a**k
    return 2.0 * x


@program(1.5)
def deep_early_returns(x):
    if x > 0.0:
        if x > 1.0:
            if x > 2.0:
                return x
            y = x * x
            if y > 2.0:
                return y * x
            return y
        return -x
    return x**4


@program(1.5)
def return_in_both_branches(x):
    y = x * x
    if y > 1.0:
        y = y * x
        return y
    else:
        y = np.sin(y)
        return y


@program(1.5)
def code_after_return(x):
    return x * x
    x = 5.0
    return x


@program(1.5)
def assignment_to_both_from_one(x):
    if x > 1.0:
        a, b = x, x * x
    else:
        a, b = 1.0, x
    return a * b


@program(1.5)
def swapped_in_branch(x):
    a = x
    b = x * x
    if a < b:
        a, b = b, a
    return a * a - b


@program(1.5)
def function_chosen_by_test(x):
    op = np.sin if x > 1.0 else np.cos
    return op(x) * x


@program(1.5, None)
def default_of_none(x, scale):
    if scale is None:
        scale = x * 2.0
    return x * scale


@program(V3.copy())
def test_on_any_and_all(x):
    if np.any(x > 2.5) and np.all(x > 0.0):
        return np.sum(x * x)
    return np.sum(x)


@program(V.copy())
def test_on_an_element(x):
    total = 0.0
    for v in x:
        if v > 0.5:
            total = total + v**3
        elif v > 0.0:
            total = total - v
    return total


@program(1.5)
def test_reads_what_the_branch_writes(x):
    if x > 1.0:
        x = x * 0.5
    if x > 1.0:
        x = x * x
    return x * np.exp(x)


@program(2.0)
def comparison_as_number(x):
    steps = (x > 1.0) + (x > 1.5) + (x > 3.0)
    return x**steps


@program(1.5, 2)
def branch_on_integer(x, n):
    if n % 2 == 0 and n != 0:
        return x**n
    return -x


@program(1.5)
def empty_path_to_the_end(x):
    y = x
    if x > 1.0:
        y = y * x
        if x > 1.2:
            y = y * x
    elif x > 0.5:
        y = y + x
    return y
