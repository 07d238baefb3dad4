"""Random programs that write in place, share memory and keep things in containers: are their derivatives right?

`python -m tests.random_storage --programs 2000 --seed 1` checks that many, and prints every wrong one, made as small as
it gets, and why others were refused. `--only item,view` writes these statements only (and assignments), `--without`
all but some; `--kinds` lists them; `--show 17` prints the program of a seed.
"""

from __future__ import annotations

import argparse
import ast
import collections
import sys
import time
from collections.abc import Callable

from stdiff.errors import StdiffError
from tests.random_storage_checks import MODES, Unfit, Wrong, check
from tests.random_storage_flow import written_program
from tests.random_storage_shrink import shrunk
from tests.random_storage_writer import PRELUDE, STATEMENTS, Case


def modes_of(seed: int) -> tuple[str, ...]:
    """Derivatives of derivatives take longer: every fourth program is checked to second order."""
    return MODES if seed % 4 == 0 else MODES[:2]


def reason(error: StdiffError) -> str:
    """What was met and why it is refused, without the place."""
    lines = str(error).splitlines()
    return " / ".join([lines[0], *(line.strip() for line in lines if line.startswith("  because"))])


def is_wrong(modes: tuple[str, ...], like: Wrong) -> Callable[[Case], bool]:
    """Whether a program is wrong in the way in which another one is."""

    def holds(case: Case) -> bool:
        try:
            check(case, modes)
        except Wrong as wrong:
            exception = like.args[1] == "exception"
            return wrong.args[:2] == like.args[:2] and (not exception or alike(wrong.args[2], like.args[2]))
        except Exception:
            return False
        return False

    return holds


def alike(one: str, other: str) -> bool:
    """Whether two exceptions are of one type, and begin in the same way."""
    return one.split()[:3] == other.split()[:3]


def is_refused(mode: str, like: str) -> Callable[[Case], bool]:
    """Whether a program is refused for the reason for which another one is."""

    def holds(case: Case) -> bool:
        try:
            error = check(case, (mode,))[mode]
        except Exception:
            return False
        return error is not None and reason(error) == like

    return holds


def failing(case: Case, wrong: Wrong, modes: tuple[str, ...], seconds: float) -> str:
    """The report of a wrong program, made as small as it gets in some seconds."""
    mode = [mode for mode in modes if wrong.args[0].startswith(mode)] if wrong.args[0] != "grad" else []
    small = shrunk(case, is_wrong(tuple(mode) or modes, wrong), seconds) if seconds else case
    try:
        check(small, tuple(mode) or modes)
    except Wrong as again:
        wrong = again
    return f"seed {case.seed}, {wrong.args[0]}, {wrong.args[1]}: {wrong.args[2]}\n{body(small.text)}"


def body(text: str) -> str:
    """A program without what is the same in all."""
    same = {ast.unparse(node) for node in ast.parse(PRELUDE).body}
    nodes = [ast.unparse(node) for node in ast.parse(text).body]
    return "\n".join(node for node in nodes if node not in same) + "\n"


def check_seed(seed: int) -> str:
    """Checks the random program of a seed.

    Returns: "right", "refused" or "unfit". Raises: Wrong.
    """
    try:
        found = check(written_program(seed), modes_of(seed))
    except Unfit:
        return "unfit"
    return "refused" if any(found.values()) else "right"


class Statistics:
    """How the programs came out."""

    def __init__(self) -> None:
        self.outcomes: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self.refusals: dict[str, list[tuple[Case, str, StdiffError]]] = collections.defaultdict(list)
        self.slowest: list[tuple[float, int]] = []

    def count(self, case: Case, found: dict[str, StdiffError | None]) -> None:
        for mode, error in found.items():
            self.outcomes[mode]["refused" if error else "right"] += 1
            if error:
                self.refusals[reason(error)].append((case, mode, error))

    def show(self, seconds: float) -> None:
        """Prints the refusals by reason, the rarest first, each with an example, and then the counts."""
        for why, found in sorted(self.refusals.items(), key=lambda item: len(item[1])):
            case, mode, error = found[0]
            small = shrunk(case, is_refused(mode, why), seconds) if seconds else case
            counts = collections.Counter(mode for _, mode, _ in found)
            print("--- refused " + ", ".join(f"{count} times {mode}" for mode, count in counts.items()) + f": {why}")
            print(f"{error}\nseed {case.seed}:\n{body(small.text)}", flush=True)
        for mode, outcomes in self.outcomes.items():
            print(f"{mode}: " + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
        print("slowest: " + ", ".join(f"seed {seed} {spent:.1f} s" for spent, seed in sorted(self.slowest)[:-6:-1]))


def search(options: argparse.Namespace) -> int:
    """Checks the programs that the options ask for; how many are wrong."""
    statistics, wrongs = Statistics(), 0
    on = set(options.only.split(",")) | {"assign"} if options.only else set(STATEMENTS)
    on -= set(options.without.split(","))
    for seed in range(options.seed, options.seed + options.programs):
        case, started = written_program(seed, on), time.monotonic()
        modes = modes_of(seed) if not options.modes else MODES if options.modes == "all" else options.modes.split(",")
        wrong = None
        try:
            statistics.count(case, check(case, tuple(modes)))
        except Unfit:
            statistics.outcomes["programs"]["unfit"] += 1
        except Wrong as found:
            wrong = found
        statistics.slowest.append((time.monotonic() - started, seed))
        if wrong:
            wrongs += 1
            statistics.outcomes["programs"]["wrong"] += 1
            print(f"=== wrong: {failing(case, wrong, tuple(modes), options.shrink)}", flush=True)
    statistics.show(options.shrink / 4)
    return wrongs


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.random_storage")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--only", default="", help="the statements to use, with commas")
    parser.add_argument("--without", default="", help="statements not to use")
    parser.add_argument("--modes", default="", help=f'"all", or of these, with commas: {", ".join(MODES)}')
    parser.add_argument("--shrink", type=float, default=40.0, help="seconds to make a program smaller")
    parser.add_argument("--kinds", action="store_true", help="list the statements")
    parser.add_argument("--show", type=int, help="print the program of a seed")
    options = parser.parse_args()
    if options.kinds:
        print(" ".join(STATEMENTS))
    elif options.show is not None:
        print(written_program(options.show).text)
    else:
        sys.exit(bool(search(options)))


if __name__ == "__main__":
    main()
