import numpy as np


def least_squares(w, X, y):
    residual = X @ w - y
    return np.mean(residual**2)


ARGUMENTS = (np.array([0.2, 0.3]), np.array([[1.0, 2.0], [0.5, -1.0], [0.3, 0.1]]), np.array([1.0, -0.4, 0.6]))
