"""The statements of random programs that branch, loop, leave and call, and the program as a whole."""

from __future__ import annotations

from tests import random_storage_arrays, random_storage_containers, random_storage_writes
from tests.random_storage_writer import PRELUDE, Case, Helper, Writer, kind, of_array, weights_text

ROOMS = random_storage_arrays, random_storage_containers, random_storage_writes
"""The other modules that register statements."""


@kind("branch", 1.0)
def branch(w: Writer) -> bool:
    w.put(f"if {w.test()}:")
    with w.block():
        w.statements(w.random.randint(1, 3))
    if w.chance(0.5):
        w.put("else:")
        with w.block():
            w.statements(w.random.randint(1, 2))
    return True


@kind("loop", 1.5)
def loop(w: Writer) -> bool:
    if w.loops > 1:
        return False
    i = w.fresh("i")
    w.put(f"for {i} in {w.pick('range(3)', 'range(2)', 'range(2, 0, -1)', 'range(1, 4)', 'range(0)', 'range(1)')}:")
    with w.block(loop=True):
        w.counters.append(i)
        w.statements(w.random.randint(1, 4))
    return True


@kind("while", 0.6)
def while_loop(w: Writer) -> bool:
    if w.loops > 1:
        return False
    n = w.fresh("n")
    test = f" and {w.test()}" if w.chance(0.5) else ""
    w.put(f"{n} = 0")
    w.put(f"while {n} < {w.pick('2', '3')}{test}:")
    with w.block(loop=True):
        w.put(f"{n} += 1")
        w.counters.append(n)
        w.statements(w.random.randint(1, 3))
    return True


@kind("attempt", 0.3)
def attempt(w: Writer) -> bool:
    """An exception between writes."""
    found = w.target()
    if found is None:
        return False
    w.put("try:")
    with w.block():
        w.put(f"{w.element(*found)} {w.operator()}= {w.number(1)}")
        w.put(f"{found[0]}[{w.pick('7', '7', '0')}] *= {w.number(1)}")
        w.put(f"{w.element(*found)} = {w.number(1)}")
    w.put("except IndexError:")
    with w.block():
        w.statements(1)
    return True


@kind("exit", 0.6)
def leave(w: Writer) -> bool:
    """A way out in the middle."""
    if w.depth < 2 and w.chance(0.7):
        return False
    w.put(f"if {w.test()}:")
    jump = w.pick("break", "continue", "return") if w.loops else "return"
    w.put("    " + (f"return {w.returned()}".rstrip() if jump == "return" else jump))
    return True


# Calls.

PARAMETERS = ["4", "4", "33", "3", "number", "list number", "list 4", "dict 4", "cell"]


@kind("call", 1.5)
def call(w: Writer) -> bool:
    helpers = [h for h in w.helpers if w.growing or not any(k[0] in "lc" for k in h.takes)]
    if not helpers:
        return False
    helper = w.random.choice(helpers)
    args = []
    for k in helper.takes:
        arg = argument(w, k)
        if not arg:
            return False
        args.append(arg)
    text = f"{helper.name}({', '.join(args + [w.pick('1', '2')] * helper.recursive)})"
    if helper.gives and w.chance(0.7):
        text = f"{w.bind('r', helper.gives)} = {text}"
    w.put(text)
    return True


@kind("inner", 0.4)
def inner(w: Writer) -> bool:
    """A nested function that writes into what it captures."""
    found = w.target()
    if found is None:
        return False
    name, c = w.fresh("inner"), w.fresh("c")
    w.put(f"def {name}({c}):")
    with w.block():
        w.names[c] = "number"
        w.put(f"{w.element(*found)} {w.operator()}= {w.number(1)}")
        w.put(w.pick("return {0} * {1}", "return {1}.sum() + {0}", "{1}[...] = {1} * {0}").format(c, found[0]))
    w.put(f"{name}({w.number(1)})")
    if w.chance(0.5):
        w.statements(1)
        w.put(f"{name}({w.number(1)})")
    return True


def argument(w: Writer, found: str) -> str:
    """Something of a kind to give to a helper, if there is."""
    if found == "number":
        return w.number(1)
    choices = list(w.atoms(found))
    if of_array(found):
        seen = [w.view(text, digits) for text, digits in w.arrays()]
        choices += [text for text, digits in seen if digits == found] * 2
        choices += [w.array(found, 1)] * w.chance(0.2)
    return w.random.choice(choices) if choices else ""


def helper(w: Writer) -> None:
    """A function that writes into what it is given, and may return it, or a view of it; or calls itself."""
    within = Writer(w.random.randrange(2**32), w.on)
    within.helpers = w.helpers[:1] if w.chance(0.3) else []
    kinds = [k for k in PARAMETERS if needs(k) <= w.on]
    takes = tuple(w.random.sample(kinds, 2)) + ("number",) * w.chance(0.6)
    within.names = dict(zip("pqs", takes, strict=False))
    within.made, within.left = 20 * (len(w.helpers) + 1), 8
    arrays = [k for k in takes if of_array(k)]
    gives = within.gives = w.pick("", "number", *arrays, *arrays)
    recursive = w.chance(0.3)
    within.counters = ["n"] * recursive
    made = Helper(w.pick("change", "step", "mix") + str(len(w.helpers) + 1), takes, gives, recursive)
    within.put(f"def {made.name}({', '.join([*within.names, *['n'] * recursive])}):")
    within.lines = [within.lines[0].strip()]
    if "number" not in takes:
        within.put(f"t = {within.number(1)}")
        within.names["t"] = "number"
    within.statements(w.random.randint(1, 3))
    if recursive:
        again = f"{made.name}({', '.join(argument(within, k) for k in takes)}, n - 1)"
        within.put("if n > 0:")
        with within.block():
            within.put(f"{within.bind('r', gives)} = {again}" if gives else again)
        within.statements(w.random.randint(1, 2))
    if gives:
        shared = within.atoms(gives) if gives != "number" else []
        within.put(f"return {within.random.choice(shared) if shared else within.returned()}")
    w.helpers.append(made)
    w.weights |= within.weights
    w.written += within.written
    w.done.append("\n".join(within.lines))


def needs(found: str) -> set[str]:
    """The statements without which no program has something of a kind."""
    return {{"l": "new_list", "d": "new_dict", "c": "new_cell"}[found[0]]} if found[0] in "ldc" else set()


def written_program(seed: int, on: set[str] | None = None) -> Case:
    """The random program of a seed."""
    w = Writer(seed, on)
    others = [("items", "list 4"), ("pair", "list number"), ("d", "dict 4"), ("h", "dict number"), ("o", "cell")]
    others = [(name, k) for name, k in others if needs(k) <= w.on]
    names = [("x", "number")] + [("y", "number")] * w.chance(0.6) + [(w.pick("v", "z"), "4")]
    names += [("w", "4")] * w.chance(0.3) + [("A", "33")] * w.chance(0.6) + [("b", "3")] * w.chance(0.2)
    if others and w.chance(0.35):
        names.append(w.random.choice(others))
    w.names = dict(names)
    if "call" in w.on:
        for _ in range(w.random.choice([0, 0, 1, 2])):
            helper(w)
    w.names = dict(names)
    w.left = w.random.choice([5, 8, 8, 12, 12, 18, 25, 40])
    while w.left > 0:
        w.statements(w.left)
    w.put(f"return {w.result()}")
    layout = "".join(w.pick("c", "c", "c", "f") for _ in names)
    body = f"def f({', '.join(name for name, _ in names)}):\n" + "\n".join(w.lines) + "\n"
    parts = [weights_text(w.weights), *w.done, body]
    return Case(PRELUDE.lstrip() + "\n\n".join(part for part in parts if part), tuple(names), layout, seed, w.written)
