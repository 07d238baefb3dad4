import math


def straight_line(x):
    y = x * x + 3.0 * x
    return math.sin(y) / y


ARGUMENTS = (1.3,)
