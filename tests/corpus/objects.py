"""Attributes that are read, methods that are called, classes of every kind."""

import math
from dataclasses import dataclass, field

import numpy as np

from tests.corpus import other_module
from tests.corpus.case import program
from tests.corpus.prelude import G2, OBJ, SPACE, V3, G, Pair, Point, W


@program(1.5, expect=2.0)
def attribute(x):
    return x * OBJ.k


@program(1.5, expect=6.0)
def method_of_a_global(x):
    return OBJ.meth(x)


class Square:
    """A class whose bound method is differentiated."""

    k = 2.0

    def m(self, x):
        return x * x * self.k


program(1.5, expect=6.0, name="objects.bound_method")(Square().m)


class Model:
    """A model in the usual style: parameters in attributes, a method that calls another."""

    def __init__(self, rate, weights):
        self.rate = rate
        self.weights = weights
        self.history = (0.5, 2.0)

    @property
    def twice(self):
        return 2.0 * self.rate

    @staticmethod
    def squash(a):
        return np.tanh(a)

    @classmethod
    def scale(cls, a):
        return a * cls.factor()

    @classmethod
    def factor(cls):
        return 3.0

    def linear(self, x):
        return np.dot(self.weights, x) * self.rate

    def __call__(self, x):
        return self.squash(self.linear(x)) * self.twice + self.history[1]

    def loss(self, x, y=1.0):
        for _ in range(2):
            x = x * self.rate
        return (self(x) - y) ** 2


class Deeper(Model):
    """A subclass that calls its parent's method."""

    def linear(self, x):
        return super().linear(x) * 2.0

    @classmethod
    def factor(cls):
        return 5.0


MODEL = Model(0.7, np.array([0.5, -1.0, 0.3]))
DEEPER = Deeper(0.7, np.array([0.5, -1.0, 0.3]))

program(V3.copy(), name="objects.loss_method")(MODEL.loss)
program(V3.copy(), name="objects.inherited_method")(DEEPER.loss)
program(V3.copy(), name="objects.callable_object")(MODEL)
program(1.5, expect=15.0 / 3, name="objects.class_method")(DEEPER.scale)
program(1.5, name="objects.static_method")(Model.squash)


@program(V3.copy())
def object_called(x):
    return MODEL(x) * DEEPER(x * 0.1)


@program(V3.copy())
def method_taken_from_the_object(x):
    f = MODEL.linear
    return f(x) * f(x + 1.0)


@program(1.5)
def property_and_class_method(x):
    return x * MODEL.twice + Deeper.scale(x) * Model.squash(x)


@program(V3.copy(), MODEL)
def object_as_argument(x, model):
    return model(x) * model.history[0]


@program(V3.copy())
def namespace_attribute(x):
    return SPACE.rate * np.sum(SPACE.weights * x * x)


@program(1.5, expect=2.0 * 7.0 + 1.0)
def globals_of_three_modules(x):
    return x * G * other_module.G + x * G2


@program(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
def global_array(x):
    return np.sum(W * x * x)


@program(1.5)
def object_made_inside(x):
    p = Pair(x, x * x)
    return p.product() + p.total * p.first


@program(1.5, may_refuse="`_replace` runs code of the library")
def namedtuple_made_inside(x):
    p = Point(x=x, y=2.0)
    q = p._replace(y=x * x)
    return p.x * q.y + q[0] * p.y


@program(1.5)
def namedtuples_in_a_loop(x):
    state = Point(x, 0.0)
    for i in range(3):
        state = Point(state.x * 0.9, state.y + state.x * state.x)
    return state.y * state.x


@dataclass(frozen=True)
class Layer:
    """A frozen dataclass with a default and a method that makes another."""

    weight: float
    bias: float = 0.1
    name: str = field(default="layer")

    def after(self, other):
        return Layer(self.weight * other.weight, self.weight * other.bias + self.bias)

    def __call__(self, x):
        return self.weight * x + self.bias


@program(Layer(1.5, 0.5), 2.0)
def frozen_dataclass(layer, x):
    return layer(x) ** 2


@program(1.5)
def dataclasses_composed(x):
    layer = Layer(x).after(Layer(2.0, x))
    return layer(x) * layer.bias


class Vector:
    """Operators of a user's class."""

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)

    def __mul__(self, k):
        return Vector(self.a * k, self.b * k)

    def norm2(self):
        return self.a * self.a + self.b * self.b


@program(1.5, may_refuse="operators of a class that is not a number")
def operators_of_a_class(x):
    v = Vector(x, 2.0) + Vector(1.0, x) * x
    return v.norm2()


@program(1.5, may_refuse="a class made inside the function")
def class_made_inside(x):
    class Holder:
        value = 2.0

    return x * x * Holder.value


@program(1.5)
def getattr_builtin(x):
    return x * getattr(OBJ, "k") * getattr(OBJ, "missing", 3.0)


@program(1.5)
def hasattr_and_callable(x):
    if hasattr(OBJ, "k") and callable(OBJ.meth):
        return x**3
    return x


@program(1.5, may_refuse="conjugate() has no rule yet")
def attributes_of_numbers(x):
    return x * x.real + x.conjugate() * 2.0


@program(V3.copy())
def attributes_of_arrays(x):
    return np.sum(x) / x.size * x.ndim + x.shape[0] * x.T[0] + len(x.shape)


@program(V3.copy())
def methods_of_arrays(x):
    return x.sum() * x.mean() + x.dot(x) + (x * x).reshape(3, 1).max() + x.copy().prod()


@program(np.array([3.0]), expect=1.0, name="objects.item_method")
def item_method(x):
    return x.item()


@program(1.5)
def constants_of_modules(x):
    return x * math.pi + np.e * x * x + (x if math.inf > np.inf - 1 else 0.0)


@program(V3.copy())
def dtype_and_kind_tests(x):
    if x.dtype == np.float64 and x.dtype.kind == "f" and not np.isscalar(x):
        return np.sum(x * x)
    return np.sum(x)
