"""The source of a derivative is a module of its own: saved, imported and run it gives the same numbers."""

import importlib.util

import numpy as np
import pytest

import stdiff
from tests.corpus import other_module

SCALE = 3.0
MATRIX = np.array([[2.0, 1.0], [0.5, 3.0]])
POINT = np.array([0.3, 0.7])


def sum(x):  # a name that means something else to other functions
    return x * x * SCALE


def square(x):
    return x * x


def straight(x):
    return np.exp(np.sin(x)) * SCALE


def arrays(x):
    return np.mean((MATRIX @ x) ** 2)


def of_two_kinds(x):
    """`square` is derived for a number and for an array: two functions of one name."""
    return np.sum(square(x)) * square(x[0])


def shadowed(x):
    return sum(x[0]) + np.linalg.norm(x)


def of_another_module(x):
    return other_module.g(x) + sum(x)


def loop(x):
    total = 0.0
    for i in range(3):
        for v in [x, x * i]:
            total = total + square(v)
    return total


def load(text, path):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = [
    (straight, 0.4), (arrays, POINT), (of_two_kinds, POINT), (shadowed, POINT), (of_another_module, 0.4), (loop, 0.4),
]  # fmt: skip


@pytest.mark.parametrize(("function", "x"), CASES)
def test_a_saved_source_gives_the_same(function, x, tmp_path):
    slope = stdiff.grad(function)
    expected = slope(x)
    module = load(slope.source, tmp_path / "saved.py")
    value, saved = getattr(module, f"{function.__name__}_forward")(x)
    assert value == function(x)
    np.testing.assert_array_equal(getattr(module, f"{function.__name__}_backward")(saved, 1.0), expected)


def test_two_functions_of_one_name_have_two_names():
    slope = stdiff.grad(of_two_kinds)
    slope(POINT)
    assert slope.source.count("def square_forward(") == slope.source.count("def square_forward_1(") == 1
    assert slope.source.count("def square_backward(") == slope.source.count("def square_backward_1(") == 1


def test_imports_stand_at_the_head():
    slope = stdiff.grad(arrays)
    slope(POINT)
    lines = slope.source.split("\n")
    end = lines.index("")
    assert "import numpy as np" in lines[:end]
    assert "from tests.test_exporting import MATRIX" in lines[:end]
    assert all(line.startswith(("import ", "from ")) for line in lines[:end])
    assert "import" not in slope.forward_source + slope.backward_source


def test_what_cannot_be_imported_is_named(tmp_path):
    program = "import numpy as np\nTABLE = np.ones(3)\nRATE = 2.0\n\ndef f(x):\n    return np.sum(TABLE * x) * RATE\n"
    path = tmp_path / "lost.py"
    path.write_text(program)
    namespace = {"__name__": "__main__"}
    exec(compile(program, path, "exec"), namespace)
    slope = stdiff.grad(namespace["f"])
    slope(2.0)
    assert "# `TABLE` must be a ndarray, which cannot be imported: bind it here.\n" in slope.source
    assert "\nRATE = 2.0\n" in slope.source


def test_a_function_that_needs_nothing_has_no_head():
    slope = stdiff.grad(square)
    slope(1.0)
    assert slope.source.startswith("# test_exporting.py:")
