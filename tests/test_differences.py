"""The reference of the other tests against derivatives known by hand."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from tests.differences import derivative, gradient, hessian_times, numbers, waves, with_numbers

Point = namedtuple("Point", "x y")


@dataclass
class Box:
    side: float
    label: str


def test_numbers_and_back():
    value = {"a": Point(1.0, [2.0, "text"]), "b": (np.arange(3.0), Box(4.0, "box"))}
    assert numbers(value).tolist() == [1, 2, 0, 1, 2, 4]
    again = with_numbers(value, np.arange(6.0))
    assert again["a"] == Point(0.0, [1.0, "text"])
    assert again["b"][0].tolist() == [2, 3, 4]
    assert again["b"][1] == Box(5.0, "box")


def test_kinds_stay():
    assert with_numbers(np.float32(1), np.array([2.0])).dtype == np.float32
    assert with_numbers(np.zeros(2, np.float32), np.array([1.0, 2.0])).dtype == np.float32
    assert type(with_numbers(3, np.array([2.0]))) is float


def test_first_order():
    def f(p, q):
        return p["a"] ** 3 * np.sin(q)

    args = ({"a": 2.0}, np.array([0.3, 0.4]))
    slope = 12.0 * np.sin(args[1])
    assert np.allclose(derivative(f, args, ({"a": 1.0}, None)), slope, rtol=1e-10)
    assert np.allclose(gradient(f, args, 1, waves(args[1])), 8.0 * np.cos(args[1]) * np.cos([1, 2]), rtol=1e-10)


def test_second_order():
    def f(x):
        return np.exp(x[0]) * x[1] ** 3

    x, v = np.array([0.5, 2.0]), np.array([0.7, -0.2])
    hessian = np.exp(0.5) * np.array([[8.0, 12.0], [12.0, 12.0]])
    assert np.allclose(hessian_times(f, (x,), v, 1.0), hessian @ v, rtol=1e-8)
