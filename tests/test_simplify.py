"""simplify: texts before and after, and random functions that must do the same before and after."""

from __future__ import annotations

import math
import re
import textwrap
import time
from random import Random
from typing import Any

import gast
import numpy as np
import pytest

from stdiff.program import unparse
from stdiff.syntax import dotted, expression, parse, walk_names
from stdiff.transforms.simplify import simplify
from stdiff.transforms.simplifying.folding import fold
from stdiff.transforms.simplifying.records import hoist_records
from tests.random_programs import Writer

MADE = re.compile(r"t\d+(_bar)?|\w+_\d+|item|pair|test|p\d+|sin_x(_bar)?|it")
PURE = {"pure", "zip", "enumerate", "range", "reversed", "len", "power_da", "unbroadcast"}


def pure(func: Any) -> bool:
    path = dotted(func) or ""
    return path.startswith("np.") or path in PURE


def function(text: str) -> Any:
    return parse(textwrap.dedent(text)).body[0]


def simplified(text: str, derivative: bool = False, one_line: bool = False) -> str:
    tree = function(text)
    for node in gast.walk(tree) if one_line else ():
        node.lineno = 1
    made = {name.id for name in walk_names(tree) if MADE.fullmatch(name.id)}
    before = unparse(tree)
    result = simplify(tree, made, pure, derivative)
    assert unparse(tree) == before, "the input was changed"
    again = simplify(result, made, pure, derivative)
    assert unparse(again) == unparse(result), "not a fixed point"
    return unparse(result)


def check(before: str, after: str, derivative: bool = False) -> None:
    assert simplified(before, derivative) == unparse(function(after))


def outcome(text: str) -> tuple[Any, ...]:
    """What a random function returns, logs, records and leaves in its buffer, for a few arguments."""
    logged: list[Any] = []

    buf: list[float] = []

    def log(value: Any) -> Any:
        logged.append(value)
        buf[1] = value
        return value

    def fail(value: float) -> None:
        logged.append("failed" if value > 1 else "passed")
        if value > 1:
            raise ValueError(value)

    def accumulate_at(array: Any, index: int, value: Any) -> Any:
        array[index] += value
        return array

    names = {
        "np": np,
        "accumulate_at": accumulate_at,
        "pure": lambda v: v * 0.5 + 0.25,
        "power_da": lambda a, k: k * a ** (k - 1) if k else 0.0,
        "fail": fail,
    }
    exec(text, names)
    results = []
    for x, y in ((0.5, 2.0), (3.0, -1.0)):
        buf[:] = [0.5, 1.5, -2.0]
        rec: list[Any] = []
        try:
            value = names["f"](x, y, buf, [(1.0, (2.0, 3.0)), (-0.5, (0.75, 1.0))], log, rec)
        except OverflowError:
            return ("overflow",)
        results.append((value, [*buf], rec))
    return results, logged


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float | int) and isinstance(b, float | int):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) or (a != a and b != b)
    return bool(a == b)


@pytest.mark.parametrize("derivative", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("block", range(6))
def test_random_functions_do_the_same(block: int, derivative: bool) -> None:
    for seed in range(30 * block, 30 * block + 30):
        text = Writer(seed).text()
        after = simplified(text, derivative, one_line=seed % 2 == 0)
        assert same(outcome(text), outcome(after)), f"seed {seed}\n{text}\n=>\n{after}"


def test_values_go_where_they_are_used() -> None:
    check(
        """
        def f(x):
            t1 = x * x
            sin_x = np.sin(x)
            t2 = t1 + sin_x
            test = t2 > 1
            if test:
                t3 = t2 / 2
                return t3
            y = t2
            return y
        """,
        """
        def f(x):
            t2 = x * x + np.sin(x)
            if t2 > 1:
                return t2 / 2
            y = t2
            return y
        """,
    )


def test_names_of_the_user_stay() -> None:
    check("def f(x):\n  u = x * x\n  v = u\n  return v", "def f(x):\n  u = x * x\n  v = u\n  return v")


def test_a_value_that_the_user_names_takes_that_name() -> None:
    check(
        "def f(x):\n  t1 = x * x\n  y = t1\n  return y, t1 + 1",
        "def f(x):\n  y = x * x\n  return y, y + 1",
    )


def test_calls_keep_their_order() -> None:
    check(
        "def f(x):\n  t1 = g(x)\n  t2 = h(x)\n  return t1 + t2, 1",
        "def f(x):\n  return g(x) + h(x), 1",
    )
    check(
        "def f(x):\n  t1 = g(x)\n  t2 = h(x)\n  y = t2 + t1\n  return y",
        "def f(x):\n  t1 = g(x)\n  y = h(x) + t1\n  return y",
    )


def test_nothing_passes_a_write_to_what_it_reads() -> None:
    for write in (
        "x = 2",
        "x[0] = 2",
        "x += 2",
        "x.sort()",
        "x.a = 2",
        "y[0] = 2",
        "print(x)",
        "assert x > 0",
        "if x > 0:\n    x = 2",
    ):
        text = f"def f(x, y):\n  t1 = x * y\n  {write}\n  z = t1 + 1\n  return z"
        check(text, text)


def test_a_loop_is_not_entered() -> None:
    for loop in ("for i in x:\n    y = y + t1", "while y < t1:\n    y = y + 1"):
        text = f"def f(x, y):\n  t1 = x * y\n  {loop}\n  return y"
        check(text, text)


def test_what_may_not_be_evaluated_is_left_alone() -> None:
    text = "def f(x, y):\n  t1 = g(x)\n  z = y and t1\n  return z"
    check(text, text)


def test_lines_stay_short() -> None:
    long = "a_rather_long_name_for_a_matrix"
    check(
        f"def f({long}):\n  t1 = {long} @ {long}\n  t2 = t1 @ {long}\n  t3 = t2 @ {long}\n  return t3",
        f"def f({long}):\n  t1 = {long} @ {long}\n  return t1 @ {long} @ {long}",
    )


def test_brackets_stay_few() -> None:
    text = "def f(x):\n" + "".join(f"  t{k + 1} = np.cos({f't{k}' if k else 'x'})\n" for k in range(7)) + "  return t7"
    check(text, "def f(x):\n  t4 = np.cos(np.cos(np.cos(np.cos(x))))\n  return np.cos(np.cos(np.cos(t4)))")


def test_loop_headers_take_items_apart() -> None:
    check(
        """
        def f(a, b):
            it = zip(a, b)
            for item in it:
                i, pair = item
                u, v = pair
                p1 = g(u, v)
                a, b = p1
        """,
        """
        def f(a, b):
            for i, (u, v) in zip(a, b):
                a, b = g(u, v)
        """,
    )
    check("def f(a):\n  for item in a:\n    v = item\n    print(v)", "def f(a):\n  for v in a:\n    print(v)")
    text = "def f(a):\n  for item in a:\n    i, v = item\n    print(item)"
    check(text, text)
    text = "def f(a):\n  for item in a:\n    print(1)\n    i, v = item\n    print(item)"
    check(text, text)
    text = "def f(a):\n  for i, i_1 in a:\n    i, j = i_1\n    print(i)"
    check(text, text)


def test_a_list_built_in_a_loop_stays_a_loop() -> None:
    check(
        "def f(x):\n  ys = []\n  for v in x:\n    t1 = v * v\n    ys.append(t1)\n  return ys",
        "def f(x):\n  ys = []\n  for v in x:\n    ys.append(v * v)\n  return ys",
    )


def test_copies_hold_until_either_name_is_bound_again() -> None:
    check(
        "def f(x):\n  x_0 = x\n  y = x_0 * x_0\n  x = x + 1\n  return y, x, x_0",
        "def f(x):\n  x_0 = x\n  y = x * x\n  x = x + 1\n  return y, x, x_0",
    )
    check(
        "def f(x, y):\n  t1 = y\n  if x > 0:\n    t1 = x\n  else:\n    x = t1\n  return t1, x",
        "def f(x, y):\n  t1 = y\n  if x > 0:\n    t1 = x\n  else:\n    x = y\n  return t1, x",
    )
    text = "def f(x):\n  t1 = x\n  for i in range(3):\n    x = x + t1 * t1\n  return x"
    check(text, text)


def test_a_backward_sweep() -> None:
    check(
        """
        def f_backward(saved, y_bar):
            x, w, tape = saved
            t6_bar = y_bar
            t5_bar = t6_bar * 0.5
            w_bar = 0.0
            w_bar = t5_bar * power_da(w, 2)
            q_bar = w_bar * 2
            x_bar = 0.0
            for item in reversed(tape):
                v, i = item
                t1_bar = t5_bar
                v_bar = t1_bar * -np.sin(v)
                x_bar = accumulate_at(x_bar, i, v_bar)
            if w > 0:
                q_bar = t5_bar
            else:
                t4_bar = 1.0 * t5_bar
                w_bar = w_bar + -t4_bar
            return x_bar, w_bar
        """,
        """
        def f_backward(saved, y_bar):
            x, w, tape = saved
            t5_bar = 0.5 * y_bar
            w_bar = 2 * w * t5_bar
            x_bar = 0.0
            for v, i in reversed(tape):
                v_bar = -t5_bar * np.sin(v)
                x_bar = accumulate_at(x_bar, i, v_bar)
            if not w > 0:
                w_bar = w_bar - t5_bar
            return x_bar, w_bar
        """,
        derivative=True,
    )


def test_contributions_are_added_in_one_line() -> None:
    check(
        "def b(saved, y_bar):\n  x, w = saved\n  x_bar = y_bar * w\n  x_bar = x_bar + -y_bar\n  return x_bar",
        "def b(saved, y_bar):\n  x, w = saved\n  x_bar = y_bar * w - y_bar\n  return x_bar",
        derivative=True,
    )
    text = "def b(saved, y_bar):\n  x = saved\n  x_bar = y_bar * x\n  x = h(x_bar)\n  x_bar = x_bar + x\n  return x_bar"
    check(text, text, derivative=True)


def test_contributions_from_one_line_are_added_across_others_that_do_not_read_the_sum() -> None:
    def one_line(text: str) -> str:
        return simplified(text, derivative=True, one_line=True)

    text = "def b(x, w, y_bar):\n  x_bar = y_bar * w\n  {}\n  x_bar = x_bar + y_bar\n  return x_bar, w_bar"
    for between in ("w_bar = y_bar * x", "w_bar = -y_bar"):
        assert "x_bar = y_bar * w + y_bar" in one_line(text.format(between))
    for between in ("w_bar = 2 * x_bar", "w = h(y_bar)", "if x > 0:\n    w_bar = x_bar", "w_bar = h(x_bar)"):
        assert one_line(text.format(between)) == unparse(function(text.format(between)))


def test_a_product_with_one_that_keeps_buffers_apart_stays() -> None:
    text = """
        def b(y_bar, i, g):
            x_bar = 1.0 * y_bar
            x_bar = accumulate_at(x_bar, i, g)
            return x_bar, y_bar
        """
    check(text, text, derivative=True)


def test_loops_and_branches_that_do_nothing_go_from_a_backward_sweep_only() -> None:
    text = (
        "def b(tape, y_bar):\n  for v in tape:\n    v_bar = 2 * y_bar\n  if y_bar > 0:\n    t1 = y_bar\n  return y_bar"
    )
    check(text, "def b(tape, y_bar):\n  return y_bar", derivative=True)
    check(text, text.replace("t1 = y_bar", "pass"))
    text = "def b(tape, y_bar):\n  for v in tape:\n    v_bar = 2 * y_bar\n  return v"
    check(text, "def b(tape, y_bar):\n  for v in tape:\n    pass\n  return v", derivative=True)


@pytest.mark.parametrize("derivative", [False, True], ids=["forward", "backward"])
def test_what_is_read_after_a_jump_is_not_dead(derivative: bool) -> None:
    for text in (
        "def f(x):\n  t1 = 0\n  for i in x:\n    if i > 0:\n      t1 = i + 1\n      break\n    t1 = i * i\n  return t1",
        "def f(x):\n  t1 = 0\n  for i in x:\n    print(t1)\n    if i > 0:\n      t1 = i\n      continue\n    t1 = 2",
        "def f(x):\n  t1 = 0\n  while g(t1):\n    t1 = x + t1",
        "def f(x):\n  t1 = 0\n  for i in x:\n    print(t1)\n    t1 = i * i",
        "def f(x):\n  t1 = 2 * x\n  try:\n    t1 = x\n    g(x)\n    t1 = x * x\n  except ValueError:\n    print(t1)",
        "def f(x):\n  t1 = 2 * x\n  with h(x):\n    t1 = 3 * x\n    g(x)\n    t1 = 4 * x\n  return t1",
    ):
        check(text, text, derivative)


def test_statements_keep_the_line_that_they_are_merged_into() -> None:
    tree = simplify(function("def f(x):\n  t1 = x * x\n  x_0 = x\n  y = t1 + 1\n  return y"), {"t1", "x_0"}, pure)
    assert [statement.lineno for statement in tree.body] == [4, 5]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1.0 * x", "x"), ("x * 1.0", "x"), ("x / 1.0", "x"), ("x ** 1", "x"), ("-1.0 * x", "-x"), ("--x", "x"),
        ("a + -b", "a - b"), ("a - -b", "a + b"), ("0.0 + x", "x"), ("x + 0.0", "x"),
        ("2 * 3.0", "6.0"), ("3 - 1", "2"),
        ("y_bar * -np.sin(x)", "-y_bar * np.sin(x)"), ("a - y_bar * -b", "a + y_bar * b"), ("-(a * b)", "-(a * b)"),
        ("y_bar * 2 * x", "2 * y_bar * x"), ("y_bar * (2 * x)", "2 * x * y_bar"),
        ("y_bar * (a * b)", "y_bar * (a * b)"),
        ("n * y_bar * 2", "n * y_bar * 2"), ("2 * (3.0 * x)", "6.0 * x"), ("0.1 * 3 * x", "0.1 * 3 * x"),
        ("a + (b + c)", "a + (b + c)"), ("1.0 * (x > 0)", "1.0 * (x > 0)"), ("mask * -y_bar", "-(mask * y_bar)"),
        ("y_bar * (1.0 / x)", "y_bar / x"), ("y_bar * (2.0 / x)", "y_bar * (2.0 / x)"),
        ("-(-y_bar * (y / x)) * z", "y_bar * (y / x) * z"), ("-(-mask * x)", "-(-mask * x)"),
        ("-(unbroadcast(y_bar * a, x) / b)", "-unbroadcast(y_bar * a, x) / b"), ("-(g(y_bar) / b)", "-(g(y_bar) / b)"),
        ("y_bar * a + y_bar * a", "2.0 * y_bar * a"), ("x_bar + y_bar * a + y_bar * a", "x_bar + 2.0 * y_bar * a"),
        ("y_bar * a + y_bar * b", "y_bar * a + y_bar * b"), ("a * b + a * b", "a * b + a * b"),
        ("y_bar * g(a) + y_bar * g(a)", "y_bar * g(a) + y_bar * g(a)"),
        ("y_bar * power_da(a, 0)", "0.0 * y_bar"), ("y_bar * power_da(a, 1)", "y_bar"),
        ("y_bar * power_da(a, 2)", "2 * a * y_bar"), ("power_da(a, 5) * y_bar", "5 * a ** 4 * y_bar"),
        ("y_bar * power_da(a, 0.5)", "y_bar * power_da(a, 0.5)"), ("power_da(a, -1)", "power_da(a, -1)"),
        ("-g(x) * z", "-g(x) * z"),
        ("y_bar * power_da(a, k)", "y_bar * power_da(a, k)"), ("f(x * 1.0, k=2 * 3)[0.0 + i]", "f(x, k=6)[i]"),
    ],
)  # fmt: skip
def test_formulas(before: str, after: str) -> None:
    folded = fold(expression(before))
    assert unparse(folded) == after
    assert fold(folded) is folded


def test_random_formulas_keep_their_value() -> None:
    random = Random(0)

    def formula(depth: int) -> str:
        if depth == 0 or random.random() < 0.2:
            return random.choice(["x", "y_bar", "z", "1.0", "2", "-1.0", "0.5", "0.0", "3", "-2"])
        left, right = formula(depth - 1), formula(depth - 1)
        forms = [f"({left} {op} {right})" for op in "+-**"]
        forms += [
            f"(-{left})",
            f"({left} / {random.choice(['1.0', '2', '-x', 'z'])})",
            f"power_da({left}, {random.randint(0, 3)})",
        ]
        return random.choice(forms)

    names = {"x": 0.7, "y_bar": -1.3, "z": 2.1, "power_da": lambda a, k: k * a ** (k - 1) if k else 0.0}
    for _ in range(1500):
        text = formula(4)
        tree = expression(text)
        folded = fold(tree)
        assert fold(folded) is folded, text
        after = unparse(folded)
        assert unparse(tree) == unparse(expression(text)), "the input was changed"
        assert math.isclose(eval(text, names), eval(after, names), rel_tol=1e-9, abs_tol=1e-9), f"{text} => {after}"


def test_a_cotangent_of_small_integers_does_not_overflow() -> None:
    names = {"y_bar": np.float32(1.0), "n": np.array([100], np.int8)}
    for text in ("y_bar * n * 2", "n * y_bar * 2", "2 * (n * y_bar)", "y_bar * (n * 2.0)", "2 * (y_bar * n) * 3"):
        assert eval(unparse(fold(expression(text))), names) == eval(text, names)


def random_loop(random: Random) -> str:
    """A loop that copies names, assigns them and records them at its end."""
    lines = []
    copied = random.sample(["x", "y", "z"], random.randint(1, 2))
    for _ in range(random.randint(3, 8)):
        target = random.choice(["x", "y", "z", "t", "u"])
        source = random.choice(["x", "y", "z", *(f"{name}_0" for name in copied)])
        guard = random.choice(["", "", "", "if i > 0: ", "if y > 9: break; ", f"log({source}); "])
        lines.append(f"        {guard}{target} = {source} * 1.25 + 1")
    for name in copied:
        lines.insert(random.randint(0, 1), f"        {name}_0 = {name}")
    recorded = [*(f"{name}_0" for name in copied), *random.sample(["t", "u", "x", "y"], random.randint(0, 2))]
    lines.append(f"        tape.append(({', '.join(recorded)},))")
    lines.extend(["        x = x + 1"] * random.randint(0, 1))
    head = ["def f(x, y, z, t, u, log):", "    tape = []", "    for i in range(3):"]
    return "\n".join([*head, *lines, "    return x, y, z, t, u, tape"])


def test_hoisting_records_keeps_what_is_recorded() -> None:
    random = Random(1)
    hoisted = 0
    for _ in range(400):
        text = random_loop(random)
        tree, renamed = hoist_records(function(text), frozenset({"x_0", "y_0", "z_0", "tape"}))
        after = unparse(tree)
        hoisted += bool(renamed)
        assert all(old not in after and new in "xyz" for old, new in renamed.items())
        results = []
        for source in (text, after):
            names: dict[str, Any] = {}
            logged: list[float] = []
            exec(source, names)
            try:
                results.append((names["f"](1.0, 2.0, 3.0, 4.0, 5.0, logged.append), logged))
            except UnboundLocalError:
                results.append(("unbound", []))
        assert results[0] == results[1], f"{text}\n=>\n{after}"
    assert hoisted > 40


def test_time_is_linear() -> None:
    def seconds(length: int) -> float:
        lines = [f"  t{k} = x * {k}.5\n  s{k} = np.sin(t{k})\n  x = s{k} + y\n" for k in range(length // 3)]
        tree = function("def f(x, y):\n" + "".join(lines) + "  return x")
        made = {f"{stem}{k}" for stem in "ts" for k in range(length)}
        start = time.process_time()
        simplify(tree, made, pure)
        return time.process_time() - start

    seconds(300)
    assert seconds(8000) < 8 * max(seconds(2000), seconds(2000))
