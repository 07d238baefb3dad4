"""Random expressions of everything that has an order of evaluation; each part says when it is evaluated."""

from __future__ import annotations

import random

NAMESPACE = {"pair": lambda *values, **named: [*values, *named.values()]}


def program(seed: int) -> str:
    """The text of a function `f(x, y)` that calls `n`, which prints what it returns, in nested expressions."""
    choice = random.Random(seed)
    lines = [f"    {target} = {expression(choice, 4)}" for target in ("x", "z", "y", "x = z", "z, *y", "a[n(0)], z")]
    head = "def f(x, y):\n    z = 3.0\n    a = [1.0, 2.0]\n"
    lines[4] = f"    z, *y = {choice.choice(['pair(z, y)', '[*pair(x, z), y]'])}"
    lines[5] = f"    a[{expression(choice, 1)} and 0 or 1], z = {expression(choice, 2)}, {expression(choice, 2)}"
    return head + "\n".join(lines) + "\n    return x, y, z, a\n"


def expression(choice: random.Random, depth: int, walrus: bool = True) -> str:
    """One expression, nested at most `depth` deep; a walrus may not stand in what a comprehension goes through."""
    if depth == 0:
        return choice.choice(["x", "y", "z", "n(x)", "n(y)", "1.0", "n(2.0)", *["(z := n(4.0))", "(x := y)"] * walrus])

    def part(walrus: bool = walrus) -> str:
        return expression(choice, choice.randint(0, depth - 1), walrus)

    def simple() -> str:
        return expression(choice, 0, False)

    forms = [
        lambda: f"[{part()}, {part()}]",
        lambda: f"({part()} == {part()})",
        lambda: f"({part()} if {part()} else {part()})",
        lambda: f"({part()} and {part()})",
        lambda: f"({part()} or {part()} or {part()})",
        lambda: f"(not {part()})",
        lambda: f"({part()} == {part()} != {part()})",
        lambda: f"n({part()})",
        lambda: f"pair({part()}, *pair({part()}), k={part()}, **{{'j': {part()}}})",
        lambda: f"[{part()}, {part()}, {part()}][{choice.choice(['0', '1', 'n(2)'])}]",
        lambda: "{" + f"str({part()}): {part()}, 'b': {part()}" + "}",
        lambda: f"[n((i, {part()})) for i in pair({part(False)}, 2) if {part()}]",
        lambda: f"any(n({part()}) == i for i in pair(1.0, {part(False)}))",
        lambda: f"(lambda v, w={part()}: [v, w, x])({part()})",
        lambda: f"(f'{{{simple()}}} {{{simple()}!r}}' + str({part()}))",
        lambda: f"pair({part()}, {part()}).count({part()})",
        lambda: f"(lambda: {part()})()",
        lambda: f"[*pair({part()}), {part()}]",
    ]
    return choice.choice(forms)()
