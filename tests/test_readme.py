"""The README's programs, and those of the pages, run and print what it says that they print."""

import contextlib
import doctest
import io
import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()
BLOCKS = re.findall(r"^```(python|python printed)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_blocks_are_found():
    assert [kind for kind, _ in BLOCKS] == ["python", "python printed"] * (len(BLOCKS) // 2)
    assert len(BLOCKS) >= 4
    assert README.count("```") == 2 * len(BLOCKS)


def run(program, path, namespace):
    """What a program prints, run from a file so that its source can be found."""
    path.write_text(program)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, path, "exec"), namespace)
    return printed.getvalue()


def test_programs_print_what_is_shown(tmp_path):
    namespace = {"__name__": "readme"}
    for i in range(0, len(BLOCKS), 2):
        (_, program), (_, shown) = BLOCKS[i : i + 2]
        folder = tmp_path / str(i)
        folder.mkdir()
        assert run(program, folder / "readme.py", namespace).rstrip() == shown.rstrip()


def test_the_gradient_shown_is_right():
    """At x = 1.5, rate = 2 `settle` doubles three times, then adds x * x up to 100: x rate**3 + n x**2."""
    x, rate = 1.5, 2.0
    n = 0
    while x * rate**3 + n * x * x < 100.0:
        n += 1
    by_hand = (rate**3 + 2 * n * x, 3 * x * rate**2)
    assert f"{by_hand}\n" in [text for _, text in BLOCKS]


def test_the_examples_of_the_page_on_limits():
    done = doctest.testfile("../docs/limits.md")
    assert done.attempted > 10
    assert done.failed == 0


@pytest.mark.parametrize("path", re.findall(r"`(docs/\S+|examples/|\S+\.py)`", README))
def test_files_that_are_named_exist(path):
    root = Path(__file__).parent.parent
    assert (root / path).exists() or (root / "examples" / path).exists()
