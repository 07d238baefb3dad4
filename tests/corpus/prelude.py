"""Names that the programs of the corpus use."""

import functools
import types
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

G = 2.0
G2 = 1.0
IDX = np.array([0, 0, 2])
IDX2 = np.array([0, 2])
V = np.array([0.7, 1.9, -0.4, 2.3, 1.1, 0.2])
M = V.reshape(2, 3)
S = np.array([[2.0, 0.3], [0.3, 1.0]])
POS = abs(V) + 0.3
W = np.array([0.3, -1.2, 0.7, 0.9, -0.5, 1.4])
V3 = np.array([1.0, 2.0, 3.0])
M3 = np.arange(9.0).reshape(3, 3) / 5.0 + 0.3


class Scale:
    """An object with an attribute and a method."""

    k = 2.0

    def meth(self, a):
        return a * a * self.k


OBJ = Scale()
SPACE = types.SimpleNamespace(rate=0.5, weights=np.array([0.5, -1.0, 2.0]))


def logged(f):
    """A decorator that hides the function that it wraps."""

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)

    return wrapper


@logged
def dec(a):
    return a * a


Point = namedtuple("Point", "x y")


@dataclass
class Pair:
    """A dataclass of two numbers or arrays."""

    first: float
    second: float

    def product(self):
        return self.first * self.second

    @property
    def total(self):
        return self.first + self.second
