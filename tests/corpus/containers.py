"""Tuples, lists, dicts, namedtuples and dataclasses: as arguments, as results and on the way."""

import numpy as np

from tests.corpus.case import program
from tests.corpus.prelude import V3, Pair, Point


@program(1.5, expect=4 * 1.5**3)
def nested_unpacking(x):
    (a, b), c = (x, x * x), x
    return a * b * c


@program(1.5)
def returns_tuple(x):
    return x * x, x


@program(1.5, expect=4.0)
def comprehension_of_ints(x):
    y = [i * 2 for i in range(3)]
    return x * y[2]


@program(1.5, expect=3 * 1.5**2)
def list_concatenation(x):
    items = [x] + [x * x]
    return items[0] * items[1]


@program((1.5, 2.0), expect=(2.0, 1.5))
def tuple_argument(p):
    a, b = p
    return a * b


@program(np.array([3.0, 4.0]), expect=[4, 3])
def array_unpacked(x):
    p, q = x
    return p * q


@program(Point(1.5, 2.0), expect=Point(4.0, 2.25))
def namedtuple_argument(p):
    return p.x * p.x * p.y - 2.0 * p.x


@program(Point(1.0, 5.0), expect=Point(2.0, 0.0))
def namedtuple_partly_used(d):
    return d.x * 2


@program(Point(1.5, np.array([1.0, 2.0])))
def namedtuple_unpacked_and_indexed(p):
    a, b = p
    return np.sum(a * b) * p[0]


@program([1.5, 2.0, 3.0])
def list_argument(xs):
    return xs[0] * xs[1] + xs[-1] * len(xs)


@program([np.array([1.0, 2.0]), 0.5])
def list_of_array_and_number(p):
    w, b = p
    return np.sum(w * w) * b


@program({"w": np.array([1.0, 2.0]), "b": 0.5}, np.array([0.3, 0.4]))
def dict_argument(params, x):
    return np.tanh(np.dot(params["w"], x) + params["b"])


@program({"layer": {"w": [1.5, 2.0], "b": (0.5,)}, "rate": 0.1})
def deeply_nested_argument(p):
    layer = p["layer"]
    return (layer["w"][0] * layer["w"][1] + layer["b"][0]) ** 2 * p["rate"]


@program(Pair(1.5, 2.0), expect=Pair(6.0, 2.25))
def dataclass_argument(p):
    return p.first * p.first * p.second


@program(Pair(np.array([1.0, 2.0]), 3.0))
def dataclass_of_array(p):
    return np.sum(p.first**p.second)


@program(Pair(1.5, 2.0))
def dataclass_method_and_property(p):
    return p.product() * p.total


@program([Pair(1.5, 2.0), Pair(0.5, -1.0)])
def list_of_dataclasses(pairs):
    s = 0.0
    for p in pairs:
        s = s + p.first * p.second**2
    return s


@program((Point(1.5, 2.0), {"k": [0.5, 3.0]}))
def mixed_nest(p):
    point, options = p
    return point.x ** options["k"][1] * point.y + options["k"][0]


@program(1.5)
def returns_list(x):
    return [x * x, np.sin(x), 3.0]


@program(1.5)
def returns_dict(x):
    return {"a": x * x, "b": np.array([1.0, 2.0]) * x}


@program(1.5, 2.0)
def returns_namedtuple(x, y):
    return Point(x * y, y)


@program(1.5, 2.0)
def returns_dataclass(x, y):
    return Pair(x * y, y * y)


@program((1.5, 2.0))
def returns_its_argument(p):
    return p


@program(1.5)
def returns_one_value_twice(x):
    y = x * x
    return y, (y, x)


@program(1.5)
def star_unpacking(x):
    first, *middle, last = x, x * x, 2.0, np.sin(x)
    return first * middle[0] + middle[1] * last


@program(V3.copy())
def star_unpacking_of_array(x):
    first, *rest = x
    return first * rest[0] + rest[1]


@program(1.5)
def star_in_a_display(x):
    ys = (x, x * x)
    zs = [*ys, 2.0, *ys]
    return zs[0] * zs[1] * zs[4] + len(zs)


@program(1.5)
def swap(x):
    a, b = x, x * x
    a, b = b, a
    return a / b + b


@program(1.5)
def rotate_three(x):
    a, b, c = x, 2.0, x * x
    for _ in range(2):
        a, b, c = b, c, a
    return a * a + b * c


@program(1.5)
def tuple_slice(x):
    t = (x, x * x, 2.0, x**3)
    a, b = t[1::2]
    return a * b + sum(t[:2])


@program(1.5)
def tuple_concatenation(x):
    t = (x,) + (2.0, x * x)
    return t[0] * t[1] * t[2]


@program(1.5)
def list_times_number(x):
    xs = [x] * 3
    return xs[0] * xs[1] * xs[2]


@program(1.5)
def index_is_computed(x):
    t = [x, x * x, x**3]
    s = 0.0
    for i in range(3):
        s = s + t[(i + 1) % 3] * i
    return s


@program(1.5)
def negative_index(x):
    t = (x, x * x)
    return t[-1] * t[-2]


@program(1.5)
def dict_display(x):
    d = {"a": x, "b": x * x, 3: 2.0}
    return d["a"] * d["b"] * d[3]


@program(1.5)
def dict_get(x):
    d = {"a": x}
    return d.get("a", 1.0) * d.get("b", x * x) * d.get("c", 2.0)


@program(1.5)
def dict_membership(x):
    d = {"a": x * x}
    y = d["a"] if "a" in d else x
    return y * 3.0 if "b" in d else y


@program(1.5)
def dict_from_keywords(x):
    d = dict(a=x, b=x * x)
    return d["a"] + d["b"]


@program(1.5)
def dict_merge(x):
    base = {"a": x, "b": 2.0}
    d = {**base, "b": x * x}
    return d["a"] * d["b"] + base["b"]


@program(1.5)
def dict_comprehension(x):
    d = {k: x**k for k in range(4)}
    return d[2] + d[3]


@program([1.5, 2.0, -1.0])
def list_comprehension(xs):
    ys = [a * a for a in xs]
    return ys[0] * ys[1] + ys[2]


@program([1.5, 2.0, -1.0])
def conditional_comprehension(xs):
    return sum([a**3 for a in xs if a > 0.0])


@program([1.5, 2.0, -1.0])
def comprehension_with_ternary(xs):
    ys = [a if a > 0.0 else a * a for a in xs]
    return ys[0] * ys[1] * ys[2]


@program([1.5, 2.0, -1.0], [0.5, 3.0])
def comprehension_of_two_loops(xs, ys):
    zs = [a * b for a in xs for b in ys if a * b > 0.0]
    return sum(zs) + zs[0] * len(zs)


@program([1.5, 2.0])
def comprehension_in_comprehension(xs):
    table = [[a**k for k in range(1, 3)] for a in xs]
    return table[0][1] * table[1][0] + table[1][1]


@program(1.5)
def comprehension_variable_stays_inside(x):
    i = x * 2.0
    ys = [i * x for i in range(3)]
    return i * ys[2]


@program([1.5, 2.0], 3.0)
def comprehension_reads_outer(xs, k):
    return np.sum(np.array([k * a + k for a in xs]))


@program([1.5, 2.0, -1.0])
def comprehension_of_pairs(xs):
    return sum(a * i for i, a in enumerate(xs))


@program([(1.5, 2.0), (0.5, -1.0)])
def unzipped(pairs):
    xs, ys = zip(*pairs)
    return xs[0] * ys[1] + xs[1] * ys[0] ** 2


@program([1.5, -2.0, 0.5])
def builtin_sum_max_min_len(xs):
    return sum(xs) * max(xs) + min(xs) ** 2 / len(xs)


@program([1.5, -2.0, 0.5])
def builtin_sum_with_start(xs):
    return sum(xs, xs[0] * 2.0) ** 2


@program([1.5, -2.0, 0.5])
def any_and_all(xs):
    if any(x < 0.0 for x in xs) and not all(x > 1.0 for x in xs):
        return xs[0] * xs[1]
    return xs[2]


@program([1.5, -2.0, 0.5])
def sorted_list(xs):
    ys = sorted(xs)
    return ys[0] * 1.0 + ys[1] * 2.0 + ys[2] ** 2


@program([1.5, -2.0, 0.5])
def sorted_downwards(xs):
    a, b, c = sorted(xs, reverse=True)
    return a * b**2 * c


@program([np.array([1.0, 2.0]), np.array([0.5, -1.0])])
def list_of_arrays_in_a_loop(ws):
    h = np.array([0.3, 0.7])
    for w in ws:
        h = np.tanh(w * h)
    return np.sum(h)


@program([(np.array([[1.0, 2.0], [0.5, 0.3]]), np.array([0.1, 0.2])), (np.array([[0.4, -2.0]]), np.array([0.3]))])
def layers_of_a_network(layers):
    h = np.array([0.3, -0.7])
    for w, b in layers:
        h = np.tanh(w @ h + b)
    return h[0]


@program(1.5)
def tuple_compared(x):
    if (x, 1) < (2.0, 0):
        return x * x
    return x


@program(1.5)
def list_of_lists_literal(x):
    A = np.array([[x, 1.0], [2.0, x * x]])
    return np.sum(A @ A)


@program(1.5)
def set_of_ints(x):
    s = x
    for k in {1, 2, 3}:
        s = s * x
    return s if 2 in {1, 2} else x


@program(1.5)
def container_never_read(x):
    unused = [x, {"a": x * x}]
    return x * x


@program(1.5, expect=0.0)
def container_read_for_its_length(x):
    return 3.0 * len([x, x * x])


@program((1.5, (2.0, [0.5])))
def nested_pattern_of_argument(p):
    a, (b, [c]) = p
    return a * b**2 * c


@program([0.5, 1.5])
def list_converted(xs):
    t = tuple(xs)
    u = list(t)
    return t[0] * u[1] ** 2


@program([1.5, 2.0])
def aliased_list(xs):
    ys = xs
    return ys[0] * xs[0] * xs[1]
