# ruff: noqa
# fmt: off
"""Programs whose order of evaluation, scopes, side effects or exceptions a careless rewriting would change.

`PROGRAMS` pairs each with the argument tuples to run it on. `note` prints, so that the order of evaluation can be seen.
"""

from __future__ import annotations

import contextlib
import functools
import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

PROGRAMS = []


def runs(*argument_tuples):
    """Decorator: a program and the arguments to run it on."""

    def register(f):
        PROGRAMS.append((f, argument_tuples))
        return f

    return register


def note(value, text=""):
    print(text, value)
    return value


def call(f, *args):
    return f(*args)


def call_later(f, *args):
    return [f, *args]


def clear(items):
    items.clear()
    return 1.0


@dataclass
class Point:
    x: float
    y: float


# order of evaluation


@runs((1.0, 2.0), (-1.0, 2.0))
def operands_before_a_conditional(x, y):
    return note(x) + (note(y) if x > 0 else note(-y)) * note(3.0)


@runs((1.0,), (0.0,))
def operands_around_and(x):
    return [note(1), note(x) and note(2.0), note(3) or note(4), x]


@runs((2.0,))
def walrus_between_reads(x):
    return x + (x := x * 3.0) + x


@runs((2.0,))
def walrus_twice(x):
    return (y := x) * (y := y + 1.0) * y


@runs((2.0,))
def walrus_in_an_index(x):
    a = [x, x * 2, x * 3]
    a[(i := 1)] = i + (a[i] if i else 0.0)
    return a, i


@runs((2.0,), (5.0,))
def walrus_in_tests(x):
    if (y := note(x * x)) > 10 and (z := note(y + 1)):
        return y + z
    while (y := note(y - 1)) > 0:
        pass
    return y


@runs((1.0,))
def value_before_the_index_of_its_target(x):
    a = [0.0, 0.0, 0.0]
    a[note(1, "index")] = note(x, "value")
    a[note(0, "index") if x else 2] = note(x, "value") if x else 0.0
    return a


@runs((1.0,))
def several_targets(x):
    a = [0.0, 0.0]
    i = a[i] = note(0)
    b = c = note(x)
    (d, e), g = h = (x, 2.0), 3.0
    p, p = q = 5.0, x
    return a, b, c, d, e, g, h, i, p, q


@runs((1.0,))
def target_read_by_a_later_target(x):
    a = [1, 2, 3]
    i, a[i], *rest = 2, x, 4, 5
    j, (k, a[j if x > 0 else 0]) = 0, (1, 7)
    return a, i, rest, j, k


@runs((1.0,))
def swap(x):
    a, b, c = x, 2.0, 3.0
    a, b = b, a
    (a, *b), c = (c, b, a), a
    return a, b, c


@runs((2.0,))
def update_reads_its_target_first(x):
    a = [x, x]
    a[0] += note(a[0]) if x else 1.0
    a[note(1)] *= note(x)
    x += (x := 10.0)
    return a, x


@runs((2.0,))
def update_whose_value_empties_its_target(x):
    a = [x]
    a[0] += clear(a)
    return a


@runs((2.0,))
def keyword_and_starred_arguments_in_order(x):
    items = [1.0, 2.0]
    return dict(a=note(1), **{"b": note(2)}, c=note(3) if x else 4), call(max, *items, *[note(v) for v in (x, 5.0)], note(6.0))


@runs((2.0,))
def starred_before_a_walrus(x):
    items = iter([x, 3.0])
    return [*items, (items := 5.0), items]


@runs((2.0,))
def dict_in_order(x):
    return {note("a"): note(x), note("b"): note(x) if x else 0.0, **{"c": note(3)}, "d": note(4)}


@runs((2.0,))
def method_of_a_changing_object(x):
    out = []
    out.append(out.append(note(x)) or note(2.0))
    return out


@runs((0.5,), (1.5,), (2.5,), (3.5,))
def comparison_stops_early(x):
    return 0 < note(1) < note(x) < note(2.0) < note(3.0) if x < 3 else note(x) == note(x) != note(1)


@runs((0.0,), (1.0,), (2.0,), (None,))
def and_or_not_as_values(x):
    y = x or 7.0
    x = x or y
    z = not x or (x and y > 1 and [y])
    y = y and z
    return x, y, z, not (x and not y)


@runs((1.0,), (-1.0,))
def conditionals_in_conditionals(x):
    y = (1.0 if x > 0 else 2.0) if (x if x > -5 else 0.0) > 0 else (3.0 if x else 4.0)
    y = y if x > 0 else x
    print(note(1)) if x > 0 else note(2)
    return -y if x > 2 else y


@runs((1.0,), (0.0,), ("a",))
def exceptions_in_the_middle(x):
    y = z = 0.0
    try:
        y = 1.0 / x or 5.0
        z = [note(v) / x for v in (1.0, 2.0)]
    except ZeroDivisionError as error:
        z = str(error)
    except TypeError:
        return note(y), z
    else:
        z = z + [1.0]
    finally:
        note(z, "finally")
    return y, z


@runs((1.0,), (-1.0,))
def asserts_and_raises(x):
    assert math.isfinite(x), note("not reached")
    assert note(x) > 0 or x < -5, [note(v) for v in (x, "message")]
    if x == 2:
        raise ValueError(f"two {x}") from None
    return x


# loops


@runs((3.0,), (-1.0,))
def while_with_calls_and_else(x):
    n = 0
    while note(x) > 0 and n < 5:
        n += 1
        x -= 1.0
        if n == 4:
            break
        if n == 2:
            continue
        note(n)
    else:
        note("else")
        n = -n
    return x, n


@runs((3,), (0,))
def break_in_the_else_of_a_while(x):
    for i in range(3):
        while note(x) > 0:
            x -= 1
        else:
            if i == 1:
                break
            continue
        note("not reached")
    return x, i


@runs((3,), (0,))
def for_else_and_the_variable_after_it(n):
    for i, (a, *b) in enumerate([(k, k, k) for k in range(n)]):
        if a == 5:
            break
    else:
        if n:
            return i, a, b
    return None


@runs(([1.0, 2.0],))
def loop_target_is_a_place(x):
    box = SimpleNamespace(v=0.0)
    for x[0] in (5.0, 6.0):
        pass
    for box.v, x[1] in [(1.0, 2.0)]:
        note(box.v)
    return x, box.v


@runs((3.0,))
def leaving_everywhere(x):
    for i in range(10):
        if i == 1:
            continue
        elif i > 4:
            if x > 2:
                break
            return i
        else:
            x = x + i
        note(i)
    while True:
        x = x - 1
        if x < 0:
            return x
        with contextlib.suppress(ValueError):
            raise ValueError
        try:
            if x > 3:
                continue
            return note(x)
        finally:
            note("finally")


@runs((1.0,))
def no_return(x):
    note(x)


@runs((1.0,), (-1.0,))
def return_in_one_branch(x):
    """The docstring is no statement."""
    if x > 0:
        return x
        note("not reached")


@runs((2,))
def many_guards(x):
    if x == 0: return 0
    if x == 1: return 1
    if x == 2: pass
    else: return -1
    if x != 2: return 3
    elif x > 5: note("no")
    else: return 4


# comprehensions and generators


@runs(([3.0, 1.0, 2.0],))
def comprehensions_have_their_scope(x):
    i, v = 10, 20
    a = [v * i for i, v in enumerate(x) if v > 1 if i < 5]
    b = {v: [v + i for i in range(2)] for v in x}
    c = {v for v in x}
    d = [[i for i in range(i)] + [i] for i in range(3)]
    x = [x for x in x]
    return a, b, c, d, i, v, x


@runs(([3.0, 1.0, 2.0],))
def comprehension_reads_its_target(x):
    y = [1.0]
    y = [v + y[0] for v in x]
    y = [v for v in y for y in (v, 2.0)]
    total = 0.0
    partial = [total := total + v for v in x]
    return y, total, partial


@runs(([3.0, 1.0, 2.0],), ([],))
def consumed_generators(x):
    return (
        sum(v * v for v in x), max((v for v in x), default=0.0), list(v for v in x), tuple(v for v in x), sorted(-v for v in x),
        any(note(v) < 2 for v in x), all(note(v) > 1 for v in x if v), ",".join(str(v) for v in x), dict((v, 1) for v in x),
        any(note(v) > w for v in x for w in x), not all(v >= w for v in x for w in x), [*(v for v in x)], max(*(v for v in (*x, 1, 2))),
    )  # fmt: skip


@runs(([3.0, 0.0, 2.0],))
def any_stops_before_the_error(x):
    return any(v == 0 or 1 / v > 2 for v in x) and all(v != 0 and 1 / v for v in x)


@runs((3,))
def comprehension_in_conditions(n):
    if [i for i in range(n) if i > 1] and (last := [i for i in range(n)][-1]):
        return last
    while n < 10 and not any(i > 5 for i in range(n)):
        n += 1
    return n


# functions of functions


@runs(([3.0, -1.0, 2.0],), ([],))
def maps_and_filters(x):
    k = 2.0
    a = sum(map(lambda v: note(v) * k, x)), list(map(max, x, [1.0, 2.0, 3.0, 4.0])), [*filter(None, [0, *x])]
    out = []
    for v in map(note, x):
        out.append(v)
        k += 1
        if v < 0:
            continue
        note(k, "k")
    else:
        note("else")
    for i, v in enumerate(filter(lambda v: note(v) > 0 and k, x), 5):
        if i == 6:
            break
        k = 0.0 if v == 2.0 else k
        out.append((i, v))
    for i, (v, w) in enumerate(zip(x, x[1:])):
        out += [i, v, w]
    return a, out, any(map(lambda v: note(v) < 0, x)), sorted(map(abs, x), key=lambda v: -v), tuple(map(lambda v, w=k: v * w, x))


@runs(([3.0, -4.0, 2.0],), ([1.0],), ([],))
def folds(x):
    print(functools.reduce(lambda a, b: a * b + note(a), x, note(1.0)))
    print(max(x, key=lambda v: note(v) ** 2), min(x, key=abs), max([1.0, *x], key=note))
    return functools.reduce(lambda a, b: a * b + note(a), iter(x))


# inner functions


@runs((2.0,))
def reads_the_variable_when_called(x):
    y = 1.0

    def h(a, b=y, *, c=x):
        return a * x + y + b + c

    first = h(1.0)
    y, x = 5.0, 7.0
    return first, h(1.0), h(1.0, 2.0), h(b=1.0, a=2.0, c=0.0)


@runs((2.0, 5))
def recursion(x, n):
    def power(k):
        return x * power(k - 1) if k else 1.0

    def even(k):
        return k == 0 or odd(k - 1)

    def odd(k):
        return k != 0 and even(k - 1)

    return power(n), even(n), odd(n)


@runs((2.0,))
def shadowing(x):
    def outer(v):
        return v * x

    def middle(x):
        def x_of(outer):
            return outer + x

        return outer(x) + x_of(1.0)

    return middle(3.0), (lambda x, outer=outer: outer(x))(4.0)


@runs((2.0,))
def nested_three_deep(x):
    def a(p):
        def b(q):
            def c(r):
                return p * q * r * x

            return c(q) + c(p)

        return b(x) + b(p)

    return a(x)


@runs((2.0,))
def lambdas_in_loops(x):
    out = []
    for i in range(3):
        out += [call(lambda v: v * i + x, x), sorted([1, -2, 3], key=lambda v: v * i - v), *map(lambda v, i=i: v * i, (1.0, x))]
        out.append(lambda v, i=i: v * i * x)
    return [f if isinstance(f, int | float | list) else f(2.0) for f in out], (lambda: x)(), [(lambda v: v + j)(j) for j in range(2)]


@runs((2.0,), (-2.0,))
def defined_in_branches(x):
    if x > 0:

        def h(v):
            return v * x

    else:
        h = abs
    g = h
    return g(3.0), h(-4.0), call(h, -5.0)


@runs((2.0,), (-2.0,))
def used_before_it_is_defined(x):
    if x < 0:
        h(x)

    def h(v):
        return v

    return h(x)


@runs((2.0,))
def parameters_of_all_kinds(x):
    def h(a, /, b, *rest, c=3.0, **others):
        return a, b, rest, c, others, x

    t, d = (1.0, 2.0, 3.0), {"x": 4.0}
    return h(1.0, 2.0), h(*t, c=1.0), h(*t[:2], **d), h(1.0, b=2.0, a=3.0)


@runs((2.0,))
def defaults_in_order(x):
    f = [note(1.0), lambda v=note(x), *, w=-1.0, g=math.sqrt, k=note(2) if x else 0: (v, w, g(4.0), k), note(3.0)][1]
    x = 5.0
    return f(), f(3.0, k=4)


@runs((2.0,))
def functions_in_containers(x):
    table = {"a": lambda v: v + x, "b": math.sqrt}
    return {k: f(4.0) for k, f in table.items()}, functools.reduce(lambda a, b: a * x + b, [1.0, 2.0, 3.0])


@runs((2.0,))
def made_by_a_function(x):
    def make(n):
        return lambda v: v * n * x

    double, triple = make(2), make(3)
    return double(triple(x)), call_later(triple)[0](1.0)


# match


@runs(*[(v,) for v in (0, 1, True, "a", b"a", None, 2.5, [], [1], (1, 2), [2, 1], [1, 2, 3], range(3), "ab")],
      *[(v,) for v in ({"k": 1}, {"k": 2, "j": 3}, {}, Point(0, 1), Point(1, 2), Point(3, "s"), ((1, 2), 3), 7, 99, np.zeros(2))])  # fmt: skip
def match_all_patterns(x):
    match note(x):
        case 0 | False:
            r = "zero"
        case "a" | None:
            r = "a or None"
        case [] | [_]:
            r = "short"
        case [a, b] if note(a) < b:
            r = ("rising", a, b)
        case [a, *rest] if rest:
            r = ("list", a, rest)
        case {"k": 1}:
            r = "k is 1"
        case {"k": k, **others}:
            r = (k, others)
        case {}:
            r = "mapping"
        case Point(0, y=y) | Point(y, y=2):
            r = ("point", y)
        case Point(x=px, y=str(s)):
            r = (px, s)
        case (float(v) as w) | (int(v) as w) if v < 90:
            r = ("number", v)
        case x if isinstance(x, bytes):
            r = x
        case _:
            return "other"
    return r


@runs((3, 1), (3, 2), (1, 1))
def match_binds_before_the_guard(x, y):
    match x, y:
        case (x, 1) if note(x) > 2:
            return x
        case (y, x) if note(False):
            return y
    return x, y


@runs((3,))
def match_in_a_loop(n):
    out = []
    for i in range(n):
        match i:
            case 0:
                continue
            case k if k > 1:
                break
        out.append(i)
    return out


# the rest


@runs((2.0,))
def imports_inside(x):
    import math as m
    import os.path
    from math import cos
    from os import path as p

    s = m.sin
    return s(x) + cos(x), os.path.sep, p.sep


@runs(([1.0, 2.0, 3.0, 4.0],))
def deletes_and_slices(x):
    y = list(x)
    z = 1
    del y[z:][0], (y[0]), z
    y[1 + 0 :] = [9.0]
    return y, x[-1], x[: 1 + 1], x[::-1]


@runs((np.arange(12.0).reshape(3, 4),))
def indices(x):
    i = (0, 1)
    return x[np.newaxis, ..., 1:][0][*i], x[[0, 2]][-1, -(1 + 1)], x[i], x.T.shape[0 + 1]


@runs((2.0,))
def strings_stay(x):
    w = 8
    print(f"{x!r:>{w}} {note(x):.{1 + 1}f} {'y' if x else 'n'}", end=f"{w}\n")
    return f"{x + 1:{w}.3f}" "!"


@runs((2.0,))
def contexts(x):
    with contextlib.nullcontext((x, 3.0)) as (a, b), contextlib.nullcontext(note(a)) as c, contextlib.suppress(ValueError):
        int("no number")
        c = None
    return a, b, c


@runs((2.0,))
def annotations(x: float) -> float:
    y: float = x * x
    z: undefined  # noqa: F821
    y: int
    return y


@runs((2.0,))
def expressions_as_statements(x):
    x
    x * note(2)
    [note(x)][0]
    ...
    x.missing


@runs((2.0,))
def unary_and_constants(x):
    return -1, +x, ~3, -x, --x, -2.5j, -True, not x, x**-1


@runs((2.0,))
def names_that_look_made(x):
    t1, sin_x, subject, matched, item, closure = x, 1.0, 2.0, 3.0, 4.0, 5.0
    for item, t2 in [(x, t1)]:
        t3 = np.sin(x) + np.sin(t1 + 1) * item
    return t1, t2, t3, sin_x, subject, matched, closure, [t1 for t1 in (1, 2)], (lambda t4: t4 + t1)(x)


@runs((2.0,))
def deleted_name_in_a_loop(x):
    for i in range(2):
        y = x * i
        del y
    return x
