"""How long deriving takes, by the length of the function and by pass: `python -m benchmarks.deriving`."""

from __future__ import annotations

import linecache
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from benchmarks import shapes
from stdiff import pipeline, program
from stdiff.analyses.kinds import NUMBER, Kind
from stdiff.transforms import reverse

SIZES: dict[Callable[[int], str], tuple[int, ...]] = {
    shapes.scalars: (30, 200, 2000),
    shapes.arrays: (30, 200, 2000),
    shapes.chain: (30, 200, 2000),
    shapes.blocks: (30, 200, 2000),
    shapes.calls: (30, 200, 2000),
    shapes.terms: (100, 1000),
    shapes.guards: (40, 400),
    shapes.cases: (30, 300),
    shapes.ifs: (10, 20, 30),
    shapes.loops: (2, 4, 6),
    shapes.whiles: (2, 4, 6),
}
_STEPS: tuple[tuple[Any, str], ...] = (  # what is timed: where it is looked up, and its name there
    (program, "of"), (pipeline, "kinds"), (pipeline, "updates"), (pipeline, "flow"),
    (reverse, "flow"), (reverse, "memory"), (reverse, "activity"), (reverse, "pull_block"), (reverse, "simplify"),
    (reverse, "recording"), (reverse, "assemble"), (pipeline, "forward"), (program, "text"), (program, "execute"),
)  # fmt: skip


def function(text: str) -> FunctionType:
    """The function `f` that a text defines, with the text on file."""
    filename = f"<benchmark {abs(hash(text))}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict[str, Any] = {"math": math, "np": np}
    exec(compile(text, filename, "exec"), namespace)
    made: FunctionType = namespace["f"]
    return made


def seconds(shape: Callable[[int], str], n: int, mode: str) -> float:
    """The processor time in which a function of a shape is derived, nothing of it known before."""
    fn = function(shape(n))
    kind = Kind("array", rank=1) if shape is shapes.arrays else NUMBER
    start = time.process_time()
    pipeline.derive(fn, mode, (True,), (kind,))
    return time.process_time() - start


@contextmanager
def by_pass() -> Iterator[dict[str, float]]:
    """The seconds that each pass takes while the context lasts; a pass inside a pass counts twice."""
    spent: dict[str, float] = {}

    def timed(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            try:
                return step(*args, **kwargs)
            finally:
                spent[name] = spent.get(name, 0.0) + time.process_time() - start

        return run

    passes, before = pipeline.PASSES, [getattr(where, name) for where, name in _STEPS]
    pipeline.PASSES = tuple(timed(step.__name__, step) for step in passes)
    for (where, name), step in zip(_STEPS, before, strict=True):
        setattr(where, name, timed(name, step))
    try:
        yield spent
    finally:
        pipeline.PASSES = passes
        for (where, name), step in zip(_STEPS, before, strict=True):
            setattr(where, name, step)


def main() -> None:
    seconds(shapes.scalars, 10, "reverse"), seconds(shapes.arrays, 10, "reverse")  # reads the rules' formulas
    print(f"{'shape':10}{'size':>6}{'reverse':>12}{'per unit':>12}{'forward':>12}{'per unit':>12}")
    for shape, sizes in SIZES.items():
        for n in sizes:
            both = [min(seconds(shape, n, mode) for _ in range(3)) for mode in ("reverse", "forward")]
            print(f"{shape.__name__:10}{n:6}" + "".join(f"{t:10.3f} s{t / n * 1e3:9.2f} ms" for t in both))
    for mode in ("reverse", "forward"):
        with by_pass() as spent:
            whole = seconds(shapes.scalars, 200, mode)
        print(f"\n200 scalar statements, {mode}: {whole * 1e3:.0f} ms")
        for name, t in sorted(spent.items(), key=lambda item: -item[1]):
            print(f"  {name:12}{t * 1e3:8.1f} ms")


if __name__ == "__main__":
    main()
