"""Random functions of numbers and arrays, each written as a person could have."""

from __future__ import annotations

import random

NUMBERS = [
    "x_bar", "tape", "saved", "d", "_", "t1", "z", "w", "x_0", "k", "result_bar", "y_forward", "value",
    "rest_reached",
]
ARRAYS = ["C", "A_bar", "v", "rows", "t2", "tape_0", "A_0", "zeros", "f_backward"]
"""What programs call their variables: among them the names that the compiler likes."""


class Writer:
    """Writes one program: `f(x, y, A, B)` of two numbers and two arrays of three, and two helpers that it calls.

    A name is read only where it is bound, but for what a loop or a branch assigns: that is sometimes read behind it, so
    that some programs raise UnboundLocalError.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.helpers: list[str] = []
        self.numbers: list[str] = []
        self.arrays: list[str] = []
        self.counters: list[str] = []
        self.made = 0
        self.result = "{number}"  # of a helper

    def text(self) -> str:
        for name in ("g", "h")[: self.random.choice([0, 0, 1, 2])]:
            self.helper(name)
            self.helpers.append(name)
        self.numbers, self.arrays = ["x", "y"], ["A", "B"]
        forms = ["{array}", "({number}, {array})", '{{"a": {array}, "n": {number}}}']
        self.result = self.random.choice(["{number}"] * 3 + forms)
        self.put(0, "def f(x, y, A, B):")
        self.block(1, self.random.randint(2, 4), False)
        self.put(1, f"return {self.returned()}")
        return "\n".join(self.lines) + "\n"

    def helper(self, name: str) -> None:
        """A function with a default, more arguments and keywords, that may call itself."""
        self.numbers, self.arrays = ["a", "b"], ["V", "U"]
        self.put(0, f"def {name}(a, b=0.6, *more, depth=1, **options):")
        self.put(1, "V, U = W * a, W")
        self.put(1, "if more:")
        self.put(2, "b = b + more[0] * more[-1]")
        self.put(1, 'a = a * options.get("scale", 1.2)')
        self.block(1, 1, False)
        if self.random.random() < 0.5:
            self.put(1, "if depth > 0:")
            self.put(2, f"b = b + {name}({self.number(1)}, depth=depth - 1)")
        self.put(1, f"return {self.returned()}")

    def put(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def returned(self) -> str:
        return self.result.format(number=f"np.tanh({self.number(1)})", array=self.array(1))

    def fresh(self, stem: str) -> str:
        self.made += 1
        return f"{stem}{self.made}"

    # Expressions: the deeper, the simpler.

    def constant(self) -> str:
        return self.pick("0.5", "1.3", "-0.7", "2", "0.9", "-1", "3.0")

    def index(self) -> str:
        return (
            f"{self.random.choice(self.counters)} % 3"
            if self.counters and self.random.random() < 0.5
            else self.pick("0", "1", "-1")
        )

    def number(self, depth: int = 0) -> str:
        if depth > 1 or self.random.random() < 0.3:
            return self.random.choice(self.numbers) if self.random.random() < 0.8 else self.constant()
        n, a = (lambda: self.number(depth + 1)), (lambda: self.array(depth + 1))
        forms = [
            lambda: f"({n()} {self.pick('+', '-', '*')} {n()})",
            lambda: f"({n()} {self.pick('+', '-', '*')} {n()})",
            lambda: f"({n()} / (1.5 + {n()} ** 2))",
            lambda: f"{self.pick('math.sin', 'math.tanh', 'np.cos', 'np.arctan', 'abs', 'float')}({n()})",
            lambda: f"{self.pick('max', 'min')}({n()}, {n()})",
            lambda: f"{a()}.{self.pick('sum', 'mean', 'max')}()",
            lambda: f"{self.random.choice(self.arrays)}[{self.index()}]",
            lambda: f"({n()} if {self.test()} else {n()})",
            lambda: f"sum([q * {n()} for q in {a()}])",
            lambda: f"sum(p * q for p, q in zip({a()}, {a()}[::-1]) if p > {self.constant()})",
            lambda: f"({a()} @ {a()})",
            lambda: self.call(depth) if self.helpers else n(),
        ]
        return self.random.choice(forms)()

    def call(self, depth: int) -> str:
        a, b, c = (self.number(depth + 1) for _ in range(3))
        forms = [
            f"({a})",
            f"({a}, {b})",
            f"({a}, b={b})",
            f"({a}, {b}, {c}, {b})",
            f"(b={b}, a={a}, scale={c})",
            f"(*[{a}, {b}])",
        ]
        return self.random.choice(self.helpers) + self.random.choice(forms)

    def array(self, depth: int = 0) -> str:
        if depth > 1 or self.random.random() < 0.3:
            return self.random.choice(self.arrays)
        n, a = (lambda: self.number(depth + 1)), (lambda: self.array(depth + 1))
        forms = [
            lambda: f"({a()} {self.pick('+', '-', '*')} {a()})",
            lambda: f"({a()} {self.pick('+', '-', '*')} {n()})",
            lambda: f"np.{self.pick('sin', 'tanh', 'cos', 'arctan', 'cumsum')}({a()})",
            lambda: f"{a()}[{self.pick('::-1', '[0, 2, 0]')}]",
            lambda: f"np.where({a()} > {n()}, {a()}, {n()})",
            lambda: f"np.{self.pick('maximum', 'minimum')}({a()}, {n()})",
            lambda: f"np.array([{n()}, {n()}, {n()}])",
            lambda: f"np.array([q * {n()} for q in {a()}])",
            lambda: f"np.concatenate([{a()}[1:], {a()}[:1]])",
            lambda: f"np.stack([{a()}, {a()}])[{self.pick('0', '-1')}]",
            lambda: f"np.split({a()}, 3)[{self.pick('0', '-1')}] * {a()}",
            lambda: f"({a()}[:, None] * {a()}).mean(axis={self.pick('0', '1')})",
            lambda: f"np.outer({a()}, {a()}).sum(axis={self.pick('0', '-1')})",
        ]
        return self.random.choice(forms)()

    def test(self) -> str:
        n = lambda: self.number(2)  # noqa: E731 -- as in the lists of forms
        forms = [
            f"{n()} > {n()}",
            f"{n()} < {self.constant()} < {n()}",
            f"not {n()} < {n()} and {n()} > -1",
            f"({n()} > 0 or {n()} > 1)",
        ]
        if self.counters:
            forms += [f"{self.random.choice(self.counters)} {self.pick('==', '>')} {self.pick('0', '1', '2')}"] * 2
        return self.random.choice(forms)

    # Statements.

    def block(self, depth: int, length: int, loop: bool) -> None:
        """Statements; what only they assign is mostly not read behind them."""
        before = list(self.numbers), list(self.arrays)
        for _ in range(length):
            self.statement(depth, loop)
        if depth > 1 and self.random.random() < 0.8:
            self.numbers, self.arrays = before

    def statement(self, depth: int, loop: bool) -> None:
        simple = [self.assignment] * 12 + [self.update, self.swap] * 2
        simple += [self.containers, self.function, self.printing, self.listing, self.item]
        compound = [self.branch] * 3 + [self.for_loop] * 4 + [self.while_loop, self.errstate, self.attempt]
        if loop and self.random.random() < 0.15:
            self.jump(depth)
        elif depth > 3 or self.random.random() < 0.2 + 0.2 * depth:
            self.random.choice(simple)(depth)
        else:
            self.random.choice(compound)(depth, loop)

    def assigned(self, kind: str) -> str:
        """A name to assign: one that is bound, or a new one."""
        bound, names = (self.numbers, NUMBERS) if kind == "number" else (self.arrays, ARRAYS)
        name = self.random.choice(bound if self.random.random() < 0.6 else names)
        if name not in bound:
            bound.append(name)
        return name

    def assignment(self, depth: int) -> None:
        if self.random.random() < 0.5:
            value = self.number()
            self.put(depth, f"{self.assigned('number')} = {value}")
        else:
            value = self.array()
            self.put(depth, f"{self.assigned('array')} = {value}")

    def swap(self, depth: int) -> None:
        first, second = self.random.sample(self.numbers, 2)
        self.put(depth, f"{first}, {second} = {self.number(1)}, {first}")

    def update(self, depth: int) -> None:
        self.put(depth, f"{self.random.choice(self.numbers)} {self.pick('+=', '-=', '*=')} {self.number(2)}")

    def containers(self, depth: int) -> None:
        pair, table = self.fresh("pair"), self.fresh("table")
        self.put(depth, f"({pair}, [first, *rest]), last = ({self.number(1)}, {self.array(2)}), {self.number(2)}")
        self.put(depth, f'{table} = {{"a": {pair} * first, "b": [{self.array(2)}, last], "c": (rest[-1],)}}')
        self.put(depth, f'{self.assigned("number")} = {table}["a"] * {table}["b"][1] + {table}.get("c")[0]')
        self.put(depth, f'{self.assigned("array")} = {table}["b"][0]')

    def function(self, depth: int) -> None:
        name = self.fresh("inner")
        if self.random.random() < 0.5:
            self.put(depth, f"{name} = lambda u, m={self.number(2)}: u * m + {self.number(2)}")
        else:
            self.put(depth, f"def {name}(u, *us, m={self.number(2)}):")
            self.put(depth + 1, f"if u > {self.constant()}:")
            self.put(depth + 2, "return u * m + sum(us)")
            self.put(depth + 1, "for r in range(2):")
            self.put(depth + 2, f"u = u * m * 0.5 + {self.random.choice(self.arrays)}[r]")
            self.put(depth + 1, f"return u * {self.number(2)}")
        value = f"{name}({self.number(1)}) * {name}({self.number(2)}, m={self.number(2)})"
        self.put(depth, f"{self.assigned('number')} = {value}")

    def listing(self, depth: int) -> None:
        """A list that grows in a loop."""
        name, item = self.fresh("items"), self.fresh("e")
        self.put(depth, f"{name} = []")
        self.put(depth, f"for {item} in {self.array(2)}:")
        self.put(depth + 1, f"{name}.append({item} * {self.number(2)})")
        self.put(depth, f"{self.assigned('array')} = np.array({name})")

    def item(self, depth: int) -> None:
        """An array that is written into."""
        name = self.fresh("buffer")
        self.put(depth, f"{name} = np.zeros(3)")
        self.put(depth, f"{name}[{self.pick('0', '1:', '-1')}] {self.pick('=', '+=', '+=', '-=')} {self.number(1)}")
        self.put(depth, f"{self.assigned('array')} = {name} * {self.number(2)}")

    def printing(self, depth: int) -> None:
        self.put(depth, f'print("{self.fresh("seen")}", {self.random.choice(self.numbers)} > 0)')

    def branch(self, depth: int, loop: bool) -> None:
        for word in ("if", "elif", "else"):
            if word == "if" or self.random.random() < 0.5:
                self.put(depth, "else:" if word == "else" else f"{word} {self.test()}:")
                self.block(depth + 1, self.random.randint(1, 2), loop)

    def otherwise(self, depth: int, loop: bool) -> None:
        if self.random.random() < 0.25:
            self.put(depth, "else:")
            self.block(depth + 1, self.random.randint(1, 2), loop)

    def for_loop(self, depth: int, loop: bool) -> None:
        counter, e, p = self.fresh("i"), self.fresh("e"), self.fresh("p")
        heads = [
            (f"{counter} in range({self.pick('0', '1', '2', '3')})", []), (f"{counter} in range(2, 0, -1)", []),
            (f"{counter}, {e} in enumerate({self.array(2)})", [e]),
            (f"{e} in {self.pick('', 'reversed')}({self.array(2)})", [e]),
            (f"{counter}, ({e}, {p}) in enumerate(zip({self.array(2)}, {self.random.choice(self.arrays)}))", [e, p]),
        ]  # fmt: skip
        head, items = self.random.choice(heads)
        counted = head.startswith(counter)
        self.put(depth, f"for {head}:")
        self.numbers += items
        self.counters += [counter] * counted
        self.block(depth + 1, self.random.randint(1, 3), True)
        self.counters = self.counters[: len(self.counters) - counted]
        self.numbers = [name for name in self.numbers if name not in items]
        self.otherwise(depth, loop)

    def while_loop(self, depth: int, loop: bool) -> None:
        counter = self.fresh("n")
        self.put(depth, f"{counter} = 0")
        self.put(depth, f"while {counter} < {self.pick('2', '3')} and {self.test()}:")
        self.put(depth + 1, f"{counter} += 1")
        self.counters.append(counter)
        self.block(depth + 1, self.random.randint(1, 3), True)
        self.counters.pop()
        self.otherwise(depth, loop)

    def jump(self, depth: int) -> None:
        self.put(depth, f"if {self.test()}:")
        self.put(depth + 1, self.pick("break", "continue", f"return {self.returned()}"))

    def errstate(self, depth: int, loop: bool) -> None:
        self.put(depth, 'with np.errstate(all="ignore"):')
        self.block(depth + 1, self.random.randint(1, 3), loop)

    def attempt(self, depth: int, loop: bool) -> None:
        """A `try` whose body may raise at a statement in the middle."""
        self.put(depth, "try:")
        self.assignment(depth + 1)
        if self.random.random() < 0.2:
            self.block(depth + 1, 1, loop)
        self.put(
            depth + 1, f"{self.random.choice(self.numbers)} = {self.number(1)} * [1.0, 2.0][{self.pick('0', '5')}]"
        )
        if self.random.random() < 0.5:
            self.assignment(depth + 1)
        self.put(depth, f"except {self.pick('IndexError', '(ValueError, IndexError)')}:")
        self.block(depth + 1, self.random.randint(1, 2), loop)
        self.otherwise(depth, loop)
        if self.random.random() < 0.2:
            self.put(depth, "finally:")
            self.assignment(depth + 1)
