import numpy as np


def horner(coefficients, x):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


ARGUMENTS = (np.array([1.0, -2.0, 3.0]), 0.7)
