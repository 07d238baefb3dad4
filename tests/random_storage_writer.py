"""Writes random programs that write in place: the expressions, the names in scope, and the frame of a program.

The kind of a name is a text: "number", the digits of a shape ("4", "33"), "mask 4", "list number", "list 4",
"list list number", "dict 4", "cell" (a dataclass), "box" (an object of another class).
"""

from __future__ import annotations

import collections
import dataclasses
import math
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

Statement = Callable[["Writer"], bool]
"""Writes one statement, or a few that belong together; False where nothing in scope suits it."""

STATEMENTS: dict[str, tuple[float, Statement]] = {}
"""By name, so that each can be switched off; with how often it comes."""

PRELUDE = """
import math
from dataclasses import dataclass
import numpy as np

@dataclass
class Cell:
    s: float
    u: np.ndarray
    items: list

class Box:
    def __init__(self, s, u):
        self.s, self.u, self.items = s, u, [s]

    def step(self, c):
        self.s = self.s * 0.5 + c
        self.u += c * self.s
        self.items.append(c)
        return self.u

"""


def kind(name: str, weight: float = 1.0) -> Callable[[Statement], Statement]:
    """Register a statement."""

    def register(statement: Statement) -> Statement:
        STATEMENTS[name] = weight, statement
        return statement

    return register


def shape(digits: str) -> tuple[int, ...]:
    """The shape that a kind of array spells."""
    return tuple(int(digit) for digit in digits)


def of_array(text: str) -> bool:
    """Whether a kind is that of an array."""
    return text.isdigit()


@dataclasses.dataclass(frozen=True)
class Helper:
    """A function that a program calls: its parameters' kinds, and the kind that it returns, or ""."""

    name: str
    takes: tuple[str, ...]
    gives: str
    recursive: bool


@dataclasses.dataclass(frozen=True)
class Case:
    """A program `f`, the kinds of its parameters and how they lie in memory, and the seed of their values.

    `written` says how often each statement was written.
    """

    text: str
    parameters: tuple[tuple[str, str], ...]
    layout: str
    seed: int
    written: Mapping[str, int] = dataclasses.field(default_factory=dict)


class Writer:
    """The names in scope and the lines so far."""

    def __init__(self, seed: int, on: Collection[str] | None = None) -> None:
        self.random = random.Random(seed)
        self.on = set(STATEMENTS) if on is None else set(on)
        self.seed = seed
        self.lines: list[str] = []
        self.done: list[str] = []  # the text of the helpers
        self.helpers: list[Helper] = []
        self.weights: set[str] = set()
        self.names: dict[str, str] = {}
        self.counters: list[str] = []
        self.depth = 1
        self.loops = 0
        self.growing = True  # not in a loop over a list, which must not grow
        self.gives: str | None = None  # what the helper that is being written returns; None in f itself
        self.left = 0
        self.made = 0
        self.written: collections.Counter[str] = collections.Counter()

    # Small words.

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def fresh(self, stem: str) -> str:
        self.made += 1
        return f"{stem}{self.made}"

    def constant(self) -> str:
        return self.pick("0.5", "1.3", "-0.7", "0.9", "-1.1", "2.0", "0.3")

    def operator(self) -> str:
        return self.pick("+", "+", "-", "*")

    # What is in scope.

    def of(self, *kinds: str) -> list[str]:
        return [name for name, found in self.names.items() if found in kinds]

    def atoms(self, wanted: str) -> list[str]:
        """Whatever is of a kind: names, items, attributes."""
        found = self.of(wanted)
        found += [f"{name}[{self.pick('0', '-1')}]" for name in self.of(f"list {wanted}")]
        found += [f"{name}[{self.pick('0', '-1')}][{self.pick('0', '-1')}]" for name in self.of(f"list list {wanted}")]
        found += [f"{name}[{self.pick(*KEYS)}]" for name in self.of(f"dict {wanted}")]
        fields = [field for field in FIELDS if FIELDS[field] == wanted]
        return found + [f"{name}.{field}" for field in fields for name in self.atoms("cell") + self.atoms("box")]

    def arrays(self) -> list[tuple[str, str]]:
        """Every array in scope with its kind."""
        kinds = {*self.names.values(), *FIELDS.values()}
        kinds = {k.removeprefix("list ").removeprefix("list ").removeprefix("dict ") for k in kinds}
        return [(atom, found) for found in sorted(kinds) if of_array(found) for atom in self.atoms(found)]

    def named_arrays(self) -> list[tuple[str, str]]:
        return [(name, found) for name, found in self.names.items() if of_array(found)]

    def bind(self, stem: str, found: str) -> str:
        """A name to assign something of a kind to: a new one, or one that has this kind."""
        old = self.of(found)
        name = self.random.choice(old) if old and self.chance(0.35) else self.fresh(stem)
        self.names[name] = found
        return name

    def index(self, n: int) -> str:
        if self.counters and self.chance(0.5):
            i = self.random.choice(self.counters)
            return self.pick(f"{i} % {n}", f"({i} + 1) % {n}", f"-1 - {i} % {n}")
        return str(self.random.randrange(-n, n))

    # Views.

    def suffixes(self, digits: str) -> list[str]:
        """What makes a view of an array, or in some cases a copy."""
        n, last = shape(digits)[0], shape(digits)[-1]
        if len(digits) == 1:
            found = ["[1:]", "[:-1]", "[::-1]", "[::2]", "[1:-1]", "[-1:0:-1]", "[:]", "[1::2]", ".ravel()", "[None]"]
            return [*found, ".reshape(2, 2)", ".reshape(3, 3)"]
        i, j = self.index(n), self.index(last)
        found = [f"[{i}]", f"[{i}]", f"[:, {j}]", f"[..., {j}]", ".T", ".T", "[::-1]", "[:, ::-1]", "[1:]", "[:2, 1:]"]
        return [*found, "[::2]", ".ravel()", ".reshape(-1)", "[:, ::2]", ".swapaxes(0, 1)", f".T[{j}]", "[...]"]

    def view(self, text: str, digits: str) -> tuple[str, str]:
        """A view of an array and its kind."""
        for _ in range(8):
            suffix = self.random.choice(self.suffixes(digits))
            try:
                result = eval(f"z{suffix}", {"z": np.empty(shape(digits)), **dict.fromkeys(self.counters, 0)})
            except ValueError:
                continue
            if result.size:
                return f"{text}{suffix}", "".join(str(n) for n in result.shape)
        return text, digits

    def target(self, *, views: bool = True, wanted: str = "") -> tuple[str, str] | None:
        """An array to write into, and its kind."""
        found = [pair for pair in self.arrays() if not wanted or pair[1] == wanted]
        if not found:
            return None
        text, digits = self.random.choice(found)
        if views and not wanted and self.chance(0.3):
            text, digits = self.view(text, digits)
        return text, digits

    # Expressions: the deeper, the simpler.

    def number(self, depth: int = 0) -> str:
        atoms = self.atoms("number")
        if depth > 1 or self.chance(0.25):
            return self.random.choice(atoms) if atoms and self.chance(0.85) else self.constant()
        n = lambda: self.number(depth + 1)  # noqa: E731 -- short in the lists of forms
        forms: list[Callable[[], str]] = [
            lambda: f"({n()} {self.operator()} {n()})",
            lambda: f"{self.pick('math.sin', 'np.tanh', 'np.cos', 'math.atan')}({n()})",
            lambda: f"({n()} / (1.5 + {n()} ** 2))",
            lambda: f"({n()} if {self.test()} else {n()})",
        ]
        arrays = self.arrays()
        if arrays:
            forms += [lambda: self.element(*self.random.choice(arrays))] * 4
            forms += [lambda: self.reduced(*self.random.choice(arrays))] * 2
        return self.random.choice(forms)()

    def element(self, text: str, digits: str) -> str:
        indices = [self.index(n) for n in shape(digits)]
        return f"{text}[{']['.join(indices)}]" if self.chance(0.3) else f"{text}[{', '.join(indices)}]"

    def reduced(self, text: str, digits: str) -> str:
        if self.chance(0.4):
            return f"np.tanh(np.sum({text} * {self.weight(digits)}))"
        return self.pick(f"np.sum(np.sin({text}))", f"{text}.mean()", f"np.sum({text} * {text}) / {len(digits) + 4}.0")

    def weight(self, digits: str) -> str:
        """A constant array of a shape."""
        self.weights.add(digits)
        return f"K{digits}"

    def array(self, digits: str, depth: int = 0) -> str:
        atoms = self.atoms(digits)
        if depth > 1 or self.chance(0.25):
            return self.random.choice(atoms) if atoms else f"np.sin({self.number(2)} * {self.weight(digits)})"
        n, a = (lambda: self.number(depth + 1)), (lambda: self.array(digits, depth + 1))
        sizes = shape(digits)
        forms: list[Callable[[], str]] = [
            lambda: f"({a()} {self.operator()} {a()})",
            lambda: f"({a()} {self.operator()} {n()})",
            lambda: f"{self.pick('np.sin', 'np.tanh', 'np.cos')}({a()})",
            lambda: f"({n()} * {self.weight(digits)})",
            lambda: f"np.where({self.mask(digits)}, {a()}, {a()})",
            lambda: f"{a()}.copy()",
            lambda: f"{a()}[::{self.pick('-1', '1')}]",
            lambda: f"({a()} / (1.5 + {a()} ** 2))",
        ]
        if len(sizes) == 1 and sizes[0] < 5:
            forms.append(lambda: f"np.array([{', '.join(self.number(2) for _ in range(sizes[0]))}])")
        if len(sizes) == 2 and sizes[0] == sizes[1]:
            forms += [lambda: f"({a()} @ {a()})", lambda: f"{a()}.T"]
        if digits == "3" and self.atoms("33"):
            forms += [lambda: f"({self.array('33', 2)} @ {a()})", lambda: f"{self.array('33', 2)}.sum(axis=0)"]
        if digits == "33":
            forms.append(lambda: f"np.outer({self.array('3', 2)}, {self.array('3', 2)})")
        return self.random.choice(forms)()

    def mask(self, digits: str) -> str:
        made = self.of(f"mask {digits}")
        if made and self.chance(0.5):
            return self.random.choice(made)
        if self.chance(0.3):
            return f"{self.weight(digits)} > {self.pick('0.0', '-0.3')}"
        return f"{self.array(digits, 2)} > {self.number(2)}"

    def test(self) -> str:
        if self.counters and self.chance(0.4):
            return f"{self.random.choice(self.counters)} {self.pick('==', '>', '<')} {self.pick('0', '1')}"
        return f"{self.number(2)} {self.pick('>', '<')} {self.number(2)}"

    def value(self, digits: str) -> str:
        """What fits an array of a shape: a number, an array of the shape, or one that is broadcast."""
        choice = self.random.random()
        if choice < 0.35:
            return self.number(1)
        if choice < 0.85 or len(digits) == 1:
            return self.array(digits, 1)
        return self.array(digits[-1], 1)

    # Blocks.

    @contextmanager
    def block(self, *, loop: bool = False) -> Iterator[None]:
        """Lines one step deeper; what they bind is not read behind them."""
        names, counters, growing = dict(self.names), list(self.counters), self.growing
        self.depth += 1
        self.loops += loop
        yield
        self.depth -= 1
        self.loops -= loop
        self.names, self.counters, self.growing = names, counters, growing

    def statements(self, count: int) -> None:
        """Some statements of the kinds that are switched on."""
        names = [name for name in STATEMENTS if name in self.on]
        weights = [STATEMENTS[name][0] for name in names]
        done = 0
        for _ in range(4 * count):
            if done < count and self.left > 0:
                self.left -= 1
                name = self.random.choices(names, weights)[0]
                written = STATEMENTS[name][1](self)
                self.written[name] += written
                done += written
        if not done:
            self.put("pass")

    def returned(self) -> str:
        """What the function that is being written may return here."""
        if self.gives is None:
            return self.result(self.random.randint(1, 3))
        if self.gives == "number":
            return self.number(1)
        return self.array(self.gives, 1) if self.gives else ""

    def result(self, limit: int = 99) -> str:
        """A number that depends on what is in scope."""
        parts = [f"math.sin({atom})" for atom in self.of("number")]
        for name, found in self.names.items():
            parts += self.parts(name, found)
        if len(parts) > limit:
            parts = self.random.sample(parts, limit)
        return " + ".join(parts)

    def parts(self, name: str, found: str) -> list[str]:
        """Numbers that tell what a name holds."""
        if of_array(found):
            weight = self.weight(found)
            return [self.pick(f"np.sum({weight} * {name})", f"np.sum({weight} * np.tanh({name}))")]
        if found == "list number":
            return [f"sum({name})", f"{name}[0] * {name}[-1]"]
        if found in ("cell", "box"):
            return [part for field, of in FIELDS.items() for part in self.parts(f"{name}.{field}", of)] + [f"{name}.s"]
        if found.startswith("list "):
            return self.parts(f"{name}[0]", found[5:]) + self.parts(f"{name}[-1]", found[5:])
        if found.startswith("dict "):
            return [f'{name}["a"]', f'{name}["b"]'] if found == "dict number" else self.parts(f'{name}["a"]', found[5:])
        return []


KEYS = ('"a"', '"b"')
"""The keys that every dict has."""

FIELDS = {"s": "number", "u": "4", "items": "list number"}
"""The attributes of a Cell and of a Box."""


def weights_text(kinds: Collection[str]) -> str:
    """The constant arrays that a text reads."""
    lines = []
    for digits in sorted(kinds):
        size = math.prod(shape(digits))
        lines.append(f"K{digits} = np.cos(np.arange(1.0, {size + 1}.0)).reshape({', '.join(digits)})")
        lines.append(f"K{digits}.setflags(write=False)")
    return "\n".join(lines)
