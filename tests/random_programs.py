"""Random small functions in the language after `anf`, with visible side effects, for tests of passes that rewrite."""

from __future__ import annotations

import random


class Writer:
    """Writes the text of one function `f(x, y, buf, xs, log, rec)`.

    `log(v)` is a call that writes into `buf` and returns its argument, `pure(v)` one without side effects, `rec` a list
    that is appended to. `buf` is a list that is written into and read; `xs` is iterated over; `z_bar`, `w_bar` and
    `u_1` are arrays of three that `accumulate_at` adds to in place. Names `t1`, `t2` ... and `u_1` are meant to be the
    compiler's; `a`, `b`, `c` the user's. A name is read only where it is surely bound.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.temporaries = 0
        self.counters = 0

    def text(self) -> str:
        self.lines = ["def f(x, y, buf, xs, log, rec):"]
        self.put(1, "z_bar = np.zeros(3)")
        self.put(1, "w_bar = np.ones(3)")
        self.put(1, "u_1 = w_bar")
        bound = {"x", "y"}
        self.block(bound, 1, self.random.randint(6, 16), False)
        names = sorted(bound)
        self.put(1, f"return ({', '.join(self.random.sample(names, min(4, len(names))))}, [*z_bar], [*w_bar], [*u_1])")
        return "\n".join(self.lines)

    def put(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def atom(self, bound: set[str]) -> str:
        if self.random.random() < 0.15:
            return self.random.choice(["0.0", "1.0", "2", "-1.0", "3"])
        made = sorted(name for name in bound if name.startswith("t"))
        if made and self.random.random() < 0.6:
            return self.random.choice(made[-3:])
        return self.random.choice(sorted(bound))

    def target(self) -> str:
        choice = self.random.random()
        if choice < 0.55:
            self.temporaries += 1
            return f"t{self.temporaries}"
        if choice < 0.65 and self.temporaries:
            return f"t{self.random.randint(1, self.temporaries)}"
        return self.random.choice(["a", "b", "c", "x", "x_bar"])

    def value(self, bound: set[str]) -> str:
        p, q = self.atom(bound), self.atom(bound)
        forms = [
            f"{p} + {q}", f"{p} - {q}", f"{p} * {q}", f"-{p.lstrip('-')}", p, p,
            f"log({p})", f"pure({p})", f"pure({p})", f"buf[{self.index()}]",
            f"{self.random.choice(['z_bar', 'w_bar', 'u_1'])}[{self.index()}]",
            f"power_da({p}, {self.random.randint(0, 3)})", f"{p} / 1.0", f"{p} ** 1",
        ]  # fmt: skip
        return self.random.choice(forms)

    def index(self) -> int:
        return self.random.randint(0, 2)

    def block(self, bound: set[str], depth: int, length: int, loop: bool) -> None:
        for _ in range(length):
            self.statement(bound, depth, loop)

    def statement(self, bound: set[str], depth: int, loop: bool) -> None:
        choice = self.random.random()
        if choice < 0.58 or depth > 3:
            name, value = self.target(), self.value(bound)
            self.put(depth, f"{name} = {value}")
            bound.add(name)
        elif choice < 0.72:
            self.write(bound, depth)
        elif choice < 0.75:
            self.unpacking(bound, depth)
        elif choice < 0.78:
            self.contributions(bound, depth)
        elif choice < 0.80:
            self.several(bound, depth)
        elif choice < 0.88:
            self.branch(bound, depth, loop)
        elif choice < 0.96:
            self.loop(bound, depth)
        elif loop:
            self.put(depth, f"if {self.atom(bound)} > 1:")
            self.put(depth + 1, self.random.choice(["break", "continue", f"return {self.atom(bound)}"]))
        else:
            self.attempt(bound, depth)

    def write(self, bound: set[str], depth: int) -> None:
        p = self.atom(bound)
        arrays = ["z_bar", "w_bar", "u_1"]
        if self.random.random() < 0.5:
            one, other = self.random.choice(arrays), self.random.choice(arrays)
            forms = [
                f"{one} = {other}", f"{one} = 1.0 * {other}", f"{one} = 0.0 + {other}", f"{one} = {one} + {other}",
                f"{one} = accumulate_at({one}, {self.index()}, {p})",
                f"{one} = accumulate_at({one}, {self.index()}, {p})",
            ]  # fmt: skip
            self.put(depth, self.random.choice(forms))
            return
        forms = [f"buf[{self.index()}] = {p}", f"log({p})", f"rec.append(({p}, {self.atom(bound)}))"]
        names = sorted(name for name in bound if name in "abcx")
        forms.append(f"{self.random.choice(names)} += {p}")
        self.put(depth, self.random.choice(forms))

    def unpacking(self, bound: set[str], depth: int) -> None:
        self.temporaries += 1
        self.put(depth, f"t{self.temporaries} = ({self.atom(bound)}, {self.atom(bound)})")
        first, second = self.random.sample(["a", "b", "c"], 2)
        self.put(depth, f"{first}, {second} = t{self.temporaries}")
        bound |= {first, second}

    def contributions(self, bound: set[str], depth: int) -> None:
        self.put(depth, f"x_bar = {self.value(bound)}")
        bound.add("x_bar")
        if self.random.random() < 0.5:
            self.put(
                depth,
                self.random.choice(["a = x_bar", "a = log(1.5)", "a = buf[1]", "if y > 0: a = x_bar", "a = x_bar * 2"]),
            )
        self.put(depth, f"x_bar = x_bar + {self.atom(bound)}")

    def several(self, bound: set[str], depth: int) -> None:
        """Values with and without effects that are used in one statement, in some order."""
        calls = [
            f"log({self.atom(bound)})",
            f"buf[{self.index()}]",
            f"log({self.atom(bound)})",
            f"pure({self.atom(bound)})",
        ]
        names = []
        for call in self.random.sample(calls, 3):
            self.temporaries += 1
            names.append(f"t{self.temporaries}")
            self.put(depth, f"{names[-1]} = {call}")
        first, second, third = self.random.sample(names, 3)
        self.temporaries += 1
        self.put(depth, f"t{self.temporaries} = {first} * {second}")
        self.put(depth, f"a = t{self.temporaries} - {third}")
        bound |= {"a", *names}

    def branch(self, bound: set[str], depth: int, loop: bool) -> None:
        test = f"{self.atom(bound)} > {self.atom(bound)}"
        if self.random.random() < 0.5:
            self.temporaries += 1
            self.put(depth, f"t{self.temporaries} = {test}")
            test = f"t{self.temporaries}"
        one, other = set(bound), set(bound)
        self.put(depth, f"if {test}:")
        self.block(one, depth + 1, self.random.randint(1, 4), loop)
        if self.random.random() < 0.6:
            self.put(depth, "else:")
            self.block(other, depth + 1, self.random.randint(1, 4), loop)
        bound |= one & other

    def loop(self, bound: set[str], depth: int) -> None:
        inner = set(bound)
        if self.random.random() < 0.35:
            self.counters += 1
            n = f"n{self.counters}"
            self.put(depth, f"{n} = 0")
            self.put(depth, f"while {n} < 2:")
            self.put(depth + 1, f"{n} = {n} + 1")
        else:
            self.temporaries += 2
            item, pair = f"t{self.temporaries - 1}", f"t{self.temporaries}"
            self.put(depth, f"for {item} in xs:")
            if self.random.random() < 0.7:
                self.put(depth + 1, f"a, {pair} = {item}")
                self.put(depth + 1, f"b, c = {pair}")
                inner |= {"a", "b", "c"}
        self.block(inner, depth + 1, self.random.randint(1, 5), True)

    def attempt(self, bound: set[str], depth: int) -> None:
        self.put(depth, "try:")
        self.block(set(bound), depth + 1, 2, False)
        self.put(depth + 1, f"fail({self.atom(bound)})")
        self.put(depth, "except ValueError:")
        self.block(set(bound), depth + 1, 2, False)
