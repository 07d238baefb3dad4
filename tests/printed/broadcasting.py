import numpy as np


def broadcasting(x, b):
    y = np.tanh(x * b + 1.0)
    return np.sum(y * y)


ARGUMENTS = (np.array([[0.3], [-0.4]]), np.array([0.5, 1.0, -0.7]))
