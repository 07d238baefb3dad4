import numpy as np


def nested_loops(A, x):
    total = 0.0
    for i in range(A.shape[0]):
        row = 0.0
        for j in range(A.shape[1]):
            row = row + A[i, j] * x[j]
        total = total + row * row
    return total


ARGUMENTS = (np.array([[1.0, 2.0], [0.5, -1.0]]), np.array([0.3, 0.7]))
