"""for and while, with break, continue, return and else, over everything that can be iterated."""

import numpy as np

from tests.corpus.case import program
from tests.corpus.prelude import M3, V3, V


@program(1.5)
def for_range(x):
    for i in range(4):
        x = x * np.sin(x)
    return x


@program(1.5)
def while_with_and(x):
    n = 0
    while x < 100.0 and n < 3:
        x = x * x
        n = n + 1
    return x


def slope_of_break_mid_body(x):
    """The derivative of the program below, by the product rule in every trip: it is too wild for differences."""
    y, slope = x, 1.0
    for _ in range(10):
        y, slope = y * x, slope * x + y
        if y > 5.0:
            break
        y, slope = y * np.sin(y), slope * (np.sin(y) + y * np.cos(y))
    return slope


@program(1.5, expect=slope_of_break_mid_body(1.5), smooth=False)
def break_mid_body(x):
    y = x
    for i in range(10):
        y = y * x
        if y > 5.0:
            break
        y = y * np.sin(y)
    return y


@program(1.5)
def break_mid_body_in_few_trips(x):
    y = x
    for i in range(5):
        y = y * x
        if y > 5.0:
            break
        y = y * np.sinh(0.5 * y)
    return y


@program(1.5, expect=16 * 1.5**7)
def for_else(x):
    for i in range(3):
        x = x * x
    else:
        x = x * 2.0
    return x


@program(np.array([1.0, 2.0, 3.0]), expect=[2.0, 4.0, 6.0])
def over_array(x):
    s = 0.0
    for v in x:
        s = s + v * v
    return s


@program(1.5, expect=9.0)
def over_list_literal(x):
    s = 0.0
    for c in [1.0, 2.0]:
        s = s + c * x * x
    return s


@program(1.5, expect=3 * 1.5**2)
def modulo_of_index(x):
    s = x
    for i in range(4):
        if i % 2 == 0:
            s = s * x
    return s


@program(1.5)
def range_with_start_and_step(x):
    s = 0.0
    for i in range(1, 8, 3):
        s = s + x**i
    return s


@program(1.5)
def range_downwards(x):
    s = 1.0
    for i in range(5, 0, -2):
        s = s * x + i
    return s


@program(np.array([2.0, -1.0, 0.5, 3.0]), 1.5)
def horner(coefficients, x):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


@program(1.5)
def nested_loops(x):
    s = x
    for i in range(3):
        for j in range(2):
            s = s * np.sin(x + i * j)
        s = s + x
    return s


@program(V3.copy())
def triangular_loops(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s = s + x[i] * x[j] ** 2
    return s


@program(1.5)
def triple_nest_with_state(x):
    a = x
    b = 1.0
    for i in range(2):
        for j in range(3):
            for k in range(j):
                a = a * 0.9 + b * x
            b = b + np.tanh(a)
    return a * b


@program(1.5)
def zero_trip_for(x):
    y = x * x
    for i in range(0):
        y = y * y * i
    return y * x


@program(1.5)
def zero_trip_while(x):
    y = x * x
    while y < 0.0:
        y = y * x
    return y * x


@program(1.5, 0)
def zero_trip_by_argument(x, n):
    y = x
    for i in range(n):
        y = y * x
    else:
        y = y * 3.0
    return y


@program(1.5)
def zero_trip_inner_sometimes(x):
    s = x
    for i in range(3):
        for j in range(i):
            t = s * x
            s = t + j
    return s


@program(1.5)
def loop_variable_afterwards(x):
    s = 0.0
    for i in range(4):
        s = s + x * i
    return s * i


@program(V3.copy())
def active_loop_variable_afterwards(x):
    s = 0.0
    for v in x:
        s = s + v * v
    return s * v


@program(V3.copy())
def loop_variable_changed_in_body(x):
    s = 0.0
    for v in x:
        v = v * v
        v = np.sin(v)
        s = s + v * v
    return s + v


@program(1.5)
def loop_variable_shadows_argument(x):
    s = x * x
    for x in [2.0, x]:
        s = s * x
    return s * x


@program(1.5)
def index_changed_in_body(x):
    s = 1.0
    for i in range(4):
        i = i + 1
        s = s * x + i * x
    return s


@program(1.5)
def continue_in_for(x):
    s = 0.0
    for i in range(6):
        if i % 3 == 1:
            continue
        s = s + x**i
        if i == 4:
            continue
        s = s * x
    return s


@program(1.5)
def continue_in_while(x):
    n = 0
    y = x
    while n < 6:
        n = n + 1
        if n % 2:
            continue
        y = y * np.sin(x * n)
    return y


@program(1.5)
def continue_by_value(x):
    s = 0.0
    for i in range(6):
        t = np.sin(x * i)
        if t < 0.0:
            s = s + 0.1 * t
            continue
        s = s + t * x
    return s


@program(1.5)
def break_of_inner_loop(x):
    s = 0.0
    for i in range(3):
        y = x
        for j in range(5):
            y = y * x
            if y > 4.0 + i:
                break
        s = s + y
    return s


@program(1.5)
def break_of_both_by_flag(x):
    done = False
    y = x
    for i in range(4):
        for j in range(4):
            y = y * 1.3 + x * 0.1
            if y > 6.0:
                done = True
                break
        if done:
            break
        y = y - 0.2
    return y * x


@program(1.5)
def break_first_statement(x):
    y = x
    for i in range(5):
        if i == 3:
            break
        y = y * x
    return y


@program(1.5)
def break_in_first_trip(x):
    y = x
    while True:
        y = y * x
        break
    return y


@program(1.5)
def break_and_continue(x):
    y = 1.0
    for i in range(20):
        if i % 2 == 0:
            continue
        y = y * x
        if y > 3.0:
            y = y * y
            break
        y = y + x
    return y


@program(1.5)
def for_else_with_break(x):
    y = x
    for i in range(10):
        y = y * x
        if y > 3.0:
            break
    else:
        y = y * 100.0
    return y


@program(1.5)
def for_else_no_break(x):
    y = x
    for i in range(3):
        y = y * x
        if y > 300.0:
            break
    else:
        y = y * np.sin(x)
    return y


@program(1.5)
def while_else(x):
    n = 0
    y = x
    while n < 3:
        y = y * x
        n += 1
    else:
        y = y + x * x
    return y


@program(1.5)
def while_else_with_break(x):
    y = x
    while y < 100.0:
        y = y * x
        if y > 8.0:
            break
    else:
        y = y * 5.0
    return y


@program(1.5)
def return_in_nested_loops(x):
    y = x
    for i in range(4):
        y = y + np.sin(x) * i
        for j in range(4):
            y = y * 1.2
            if y > 4.0:
                return y * x
        y = y + x
    return y


@program(0.1)
def return_in_nested_loops_not_taken(x):
    y = x
    for i in range(3):
        for j in range(2):
            y = y * 1.1 + x
            if y > 400.0:
                return y * x
    return y * y


@program(1.5)
def return_from_while_true(x):
    y = x
    n = 0
    while True:
        y = y * np.cosh(x * 0.3)
        n = n + 1
        if n >= 4:
            return y * n
        y = y + 0.1 * x


@program(1.5)
def return_in_loop_else(x):
    y = x
    for i in range(3):
        y = y * x
    else:
        return y * y
    return 0.0


@program(1.5)
def return_inside_inner_else(x):
    y = x
    for i in range(3):
        for j in range(2):
            y = y * x
            if y > 1e3:
                break
        else:
            if i == 1:
                return y * 2.0
    return y


@program(M3.copy())
def over_rows(A):
    s = 0.0
    for row in A:
        s = s + np.sum(row) * row[0]
    return s


@program(M3.copy())
def over_rows_and_elements(A):
    s = 1.0
    for row in A:
        for a in row:
            s = s * 0.5 + a * a
    return s


@program(1.5)
def over_list_of_active(x):
    s = 1.0
    for y in [x, x * x, 3.0, np.sin(x)]:
        s = s * y
    return s


@program(1.5)
def over_tuple_of_tuples(x):
    s = 0.0
    for a, b in ((x, 1.0), (2.0, x), (x, x)):
        s = s + a * b
    return s


@program(1.5)
def nested_target(x):
    s = 0.0
    for i, (a, b) in enumerate([(x, 2.0), (x * x, x)]):
        s = s + a * b * (i + 1)
    return s


@program(1.5)
def starred_target(x):
    s = 0.0
    for a, *rest in [(x, 2.0, x), (x * x, x)]:
        s = s + a * rest[0] * len(rest)
    return s


@program({"a": 1.5, "b": 2.0})
def over_dict_keys(d):
    s = 1.0
    for key in d:
        s = s * d[key] + d[key]
    return s


@program({"a": 1.5, "b": 2.0})
def over_dict_items(d):
    s = 1.0
    for key, value in d.items():
        if key == "b":
            value = value * value
        s = s * value
    return s


@program({"a": 1.5, "b": 2.0})
def over_dict_values(d):
    s = 0.0
    for value in d.values():
        s = s + np.sin(value)
    return s


@program(V3.copy())
def enumerated(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + i * v * v
    return s


@program(V3.copy())
def enumerated_from_one(x):
    s = 0.0
    for i, v in enumerate(x, start=1):
        s = s + v**i
    return s


@program(V3.copy(), np.array([0.5, -1.0, 2.0]))
def zipped(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s + a * b * b
    return s


@program(V3.copy(), np.array([0.5, -1.0]))
def zipped_unequal(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s = s + a * b + i * a
    return s


@program(V3.copy())
def zipped_with_itself(x):
    s = 0.0
    for a, b in zip(x[:-1], x[1:]):
        s = s + (a - b) ** 2 * a
    return s


@program([0.5, 1.5, 2.5])
def reversed_list(xs):
    y = 1.0
    for x in reversed(xs):
        y = y * x + x
    return y


@program(1.5)
def reversed_range(x):
    y = x
    for i in reversed(range(4)):
        y = y * x + i
    return y


@program(1.5)
def over_string(x):
    y = 1.0
    for letter in "abba":
        y = y * x if letter == "a" else y + x
    return y


@program(1.5)
def over_functions(x):
    y = x
    for f in (np.sin, np.exp, np.tanh):
        y = f(y) * x
    return y


@program(1.5)
def fibonacci_swap(x):
    a, b = x, 1.0
    for _ in range(6):
        a, b = b, a * 0.5 + b * x
    return a


@program(1.5)
def carried_three(x):
    a, b, c = x, 1.0, 0.0
    for i in range(5):
        t = a
        a = b * x
        b = c + t
        c = t * 0.5
    return a + b * c


@program(2.0)
def newton_square_root(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return y


@program(3.7)
def data_dependent_trips(x):
    n = 0.0
    while x > 1.0:
        if x > 2.0:
            x = x * 0.5
        else:
            x = x - 0.4
        n = n + x
    return n * x


@program(0.3)
def logistic_map(x):
    for _ in range(5):
        x = 3.2 * x * (1.0 - x)
    return x


@program(1.5)
def nested_while(x):
    n = 0
    y = x
    while n < 3:
        m = 0
        while m < n:
            y = y * np.sin(x) + m
            m = m + 1
        n = n + 1
        y = y + x
    return y


@program(1.5)
def while_in_for_with_break(x):
    s = 0.0
    for i in range(4):
        y = x
        while y < 50.0:
            y = y * x + i
            if i == 2:
                break
        s = s + y * 0.01
    return s


@program(1.5)
def while_test_is_a_call(x):
    y = x
    while np.exp(y) < 60.0:
        y = y * 1.3
    return y * x


@program(1.5)
def while_on_active_or(x):
    n = 0
    y = x
    while y < 3.0 or n < 5:
        y = y * 1.1
        n += 1
    return y


@program(1.5)
def same_loop_name_twice(x):
    y = x
    for i in range(2):
        y = y * x
    for i in range(3):
        y = y + i * x
    return y * i


@program(1.5)
def same_name_inner_and_outer(x):
    y = 0.0
    for i in range(3):
        for i in range(2):
            y = y + x * i
        y = y * x + i
    return y


@program(1.5)
def set_in_first_trip_only(x):
    y = 0.0
    for i in range(4):
        if i == 0:
            start = x * x
        y = y + start * i
    return y


@program(1.5)
def previous_value(x):
    previous = None
    total = 0.0
    for i in range(4):
        current = np.sin(x * i)
        if previous is not None:
            total = total + (current - previous) ** 2
        previous = current
    return total


@program(1.5)
def set_in_loop_read_after(x):
    for i in range(3):
        y = x**i
        z = y * x
    return y * z


@program(1.5)
def overwritten_in_every_trip(x):
    y = x
    for i in range(3):
        y = x * i
    return y


@program(1.5)
def loop_in_branch_in_loop(x):
    y = x
    for i in range(4):
        if i % 2:
            for j in range(i):
                y = y * np.cos(x * j)
        else:
            y = y + x
    return y


@program(np.array([1.0, 0.3]), np.array([[2.0, 0.5], [0.5, 1.0]]))
def power_iteration(v, A):
    for _ in range(5):
        v = A @ v
        v = v / np.sqrt(np.sum(v * v))
    return v @ A @ v


@program(1.5)
def product_overflowing_into_break(x):
    y = 1.0
    k = 0
    while True:
        k += 1
        if k > 100:
            break
        y *= x
        if y > 20.0:
            break
    return y / k


@program(1.5)
def augmented_number(x):
    s = 0.0
    for i in range(4):
        s += x**i
        s *= x
        s -= i
        s /= 1.1
    return s


@program(1.5)
def sum_of_generator(x):
    return sum(x**i for i in range(4))


@program(V3.copy())
def sum_of_generator_over_array(x):
    return sum(v * w for v in x for w in x if v > w)


@program(V3.copy())
def over_map(x):
    s = 0.0
    for y in map(lambda v: v * v, x):
        s = s * 0.5 + y
    return s


@program([1.5, 2.5, 0.5])
def over_sorted(xs):
    s = 0.0
    for i, x in enumerate(sorted(xs)):
        s = s + x * i
    return s


@program(V.copy())
def running_maximum(x):
    best = x[0]
    total = 0.0
    for v in x[1:]:
        if v > best:
            best = v
        total = total + best * best
    return total


@program(1.5)
def loop_over_a_slice_of_a_list(x):
    ys = [x, x * x, x**3, 2.0]
    s = 0.0
    for y in ys[1:3]:
        s = s + y
    return s * ys[-1]


@program(np.array([0.4, 0.9]))
def over_two_dimensional_comprehension(x):
    rows = [[a * b for a in x] for b in x]
    s = 0.0
    for row in rows:
        for r in row:
            s = s + r
    return s
