"""The rules, spliced: a call of each entry is derived in both modes, and its derivative derived again in both."""

import linecache

import numpy as np
import pytest

import stdiff
from stdiff.rules.linalg import Definite
from stdiff.rules.table import Random
from tests.test_rules import DERIVED, Call, is_many

STEP = 1e-5

# A helper of the determinant's second derivative refuses its own second, which is a third.
FIRST_ORDER_ONLY = ("stdiff.runtime_linalg.singular_cofactor",)
ITERATORS = (zip, enumerate, reversed)


def chosen():
    """An entry of each formula with its first sample, and one more where another sample has keywords."""
    seen = set()
    for entry in DERIVED:
        if entry.pullback in seen or not entry.samples:
            continue
        seen.add(entry.pullback)
        yield entry, entry.samples[0]
        yield from ((entry, sample) for sample in entry.samples[1:] if sample.kwargs)


class Text:
    """The text of a function of a sample call: the call, and a loss of its result."""

    def __init__(self, entry, sample):
        self.operands, self.namespace, self.terms = [], {"np": np, "function": entry.function}, []
        args = [self.write(part) for part in sample.args]
        keywords = [f"{name}={self.write(part)}" for name, part in sample.kwargs.items()]
        if entry.attribute:
            call = f"{args[0]}.{entry.function.__name__}"
        elif getattr(entry.function, "__objclass__", None) is np.ndarray:
            call = f"{args[0]}.{entry.function.__name__}({', '.join([*args[1:], *keywords])})"
        else:
            call = f"function({', '.join([*args, *keywords])})"
        if entry.function in ITERATORS:
            call = f"list({call})"
        self.weigh("y", Call(entry, sample).y)
        names = [f"x{k}" for k in range(len(self.operands))]
        self.lines = [f"def f({', '.join(names)}):\n", f"    y = {call}\n", f"    return {' + '.join(self.terms)}\n"]

    def write(self, part):
        """An argument as source: operands are parameters, what has no literal is a name."""
        if isinstance(part, Random):
            self.operands.append(part)
            return f"x{len(self.operands) - 1}"
        if is_many(part):
            inside = ", ".join(map(self.write, part))
            return f"[{inside}]" if isinstance(part, list) else f"({inside},)" if part else "()"
        if isinstance(part, int | str | None) or (isinstance(part, float) and np.isfinite(part)):
            return repr(part)
        name = f"c{len(self.namespace)}"
        self.namespace[name] = part
        return name

    def weigh(self, path, y):
        """Add to the loss what hangs on a part of the result."""
        if is_many(y):
            for k, part in enumerate(y):
                self.weigh(f"{path}[{k}]", part)
        elif isinstance(y, float):
            self.terms.append(f"{0.5 + 0.1 * len(self.terms):.1f} * np.sin({path})")
        elif isinstance(y, np.ndarray) and y.dtype.kind == "f":
            name = f"w{len(self.terms)}"
            self.namespace[name] = np.cos(np.arange(1.0, y.size + 1)).reshape(y.shape)
            self.terms.append(f"np.sum({name} * np.sin({path}))")

    def function(self, filename):
        """The function, with a source that can be found."""
        linecache.cache[filename] = (1, None, self.lines, filename)
        exec(compile("".join(self.lines), filename, "exec"), self.namespace)
        return self.namespace["f"]


def direction(operand, x, generator):
    along = generator.uniform(0.5, 1.5, np.shape(x))
    if isinstance(operand, Definite):
        return along + np.swapaxes(along, -1, -2)
    return along if np.shape(x) else float(along)


def along(bars, directions):
    return sum(float(np.sum(bar * d)) for bar, d in zip(bars, directions, strict=True))


@pytest.mark.parametrize(
    ("entry", "sample"), [pytest.param(*case, id=f"{case[0].name}-{k}") for k, case in enumerate(chosen())]
)
def test_derivatives_of_a_call_and_of_its_derivative(entry, sample):
    text = Text(entry, sample)
    f = text.function(f"<{entry.name} {id(sample)}>")
    generator = np.random.default_rng(3)
    xs = [operand.draw(generator) for operand in text.operands]
    directions = [direction(operand, x, generator) for operand, x in zip(text.operands, xs, strict=True)]
    argnums = tuple(range(len(xs)))
    gradient = stdiff.grad(f, argnums)

    def moved(step):
        return [x + step * d for x, d in zip(xs, directions, strict=True)]

    def slope(*args):
        return sum([np.sum(bar * d) for bar, d in zip(gradient(*args), directions)])  # noqa: B905  # differentiated

    expected = pytest.approx((f(*moved(STEP)) - f(*moved(-STEP))) / (2 * STEP), rel=1e-6, abs=1e-6)
    assert along(gradient(*xs), directions) == expected
    assert stdiff.jvp(f, tuple(xs), tuple(directions))[1] == expected
    if entry.name.startswith(FIRST_ORDER_ONLY):
        return
    expected = pytest.approx((slope(*moved(STEP)) - slope(*moved(-STEP))) / (2 * STEP), rel=2e-5, abs=2e-5)
    assert along(stdiff.jvp(gradient, tuple(xs), tuple(directions))[1], directions) == expected
    assert along(stdiff.grad(slope, argnums)(*xs), directions) == expected
