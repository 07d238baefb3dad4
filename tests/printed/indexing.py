import numpy as np


def indexing(x):
    return x[0] * x[1] + x[2] ** 2


ARGUMENTS = (np.array([0.3, 0.7, -1.1]),)
