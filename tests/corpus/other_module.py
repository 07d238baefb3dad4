"""Functions whose names and globals are not those of the modules that call them."""

import numpy as np

G = 7.0


def g(a):
    return 5 * a


def scaled(a):
    return G * np.sin(a)


def through(f, a):
    return f(a) * G
