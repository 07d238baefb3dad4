"""Each example runs, and what it returns agrees with something that stdiff has no part in."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stdiff
from tests.differences import derivative, gradient, numbers, ripples

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def example(monkeypatch, request):
    """The module of the example that the test is named after."""
    monkeypatch.syspath_prepend(EXAMPLES)
    return __import__(request.node.name.removeprefix("test_"))


def test_every_example_has_a_test():
    assert {f"test_{path.stem}" for path in EXAMPLES.glob("*.py")} <= set(globals())


def test_examples_are_short():
    for path in EXAMPLES.glob("*.py"):
        assert path.read_text().count("\n") < 100, path


def test_demo(example, capsys):
    slope, difference, accuracy, distance = example.main()
    assert slope == pytest.approx(difference, rel=1e-8)
    assert accuracy > 0.98
    assert distance < 1e-4
    printed = capsys.readouterr().out
    assert "def wander(x):" in printed
    assert "def wander_backward(" in printed
    assert f"{slope:.9f}" in printed
    assert printed.count("\n") < 100


def test_demo_is_a_command():
    done = subprocess.run([sys.executable, EXAMPLES / "demo.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "by differences" in done.stdout


def test_inspect_backward(example, capsys):
    value, slope, by_hand = example.main()
    points = np.array([0.0, 1.0, 3.0, 3.5])
    assert value == pytest.approx(1.0 + 1 / 3 + 1 / 2 + 1 / 3.5 + 1 / 2.5 + 1 / 0.5)
    np.testing.assert_allclose(slope, gradient(example.energy, (points,), 0, 1.0), rtol=1e-9)
    np.testing.assert_array_equal(by_hand, slope)
    assert "def energy_forward(points):" in capsys.readouterr().out


def test_linear_regression(example, tmp_path):
    path = tmp_path / "plot.png"
    slope, intercept = example.main(path)
    np.testing.assert_allclose([slope, intercept], np.polyfit(*example.points(), 1), rtol=1e-5)
    assert slope == pytest.approx(2.0, abs=0.1)
    assert intercept == pytest.approx(3.0, abs=1.0)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_logistic_regression(example):
    theta, accuracy, distance = example.main()
    X, y = example.data()
    np.testing.assert_allclose(theta, example.reference(X, y), atol=1e-4)
    np.testing.assert_allclose(gradient(example.loss, (theta, X, y), 0, 1.0), np.zeros(31), atol=1e-3)
    assert distance < 1e-4
    assert accuracy > 0.98


def test_rnn(example):
    loss, spelled = example.main()
    assert spelled == example.TEXT
    assert loss < 0.05

    codes = [example.ALPHABET.index(letter) for letter in example.TEXT[:8]]
    p = example.parameters()
    direction = ripples(p)
    slope = numbers(stdiff.grad(example.loss)(p, codes)) @ numbers(direction)
    np.testing.assert_allclose(slope, derivative(example.loss, (p, codes), (direction, None)), rtol=1e-8)


def test_ode(example):
    slope, difference, friction = example.main()
    assert slope == pytest.approx(difference, rel=1e-6)
    assert friction == pytest.approx(example.FRICTION, abs=1e-5)
    end = example.integrate(example.START, example.FRICTION, example.DURATION)
    np.testing.assert_allclose(end, example.observed(), rtol=1e-5)
