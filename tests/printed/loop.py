import math


def loop(x, n):
    for _ in range(n):
        x = x * math.sin(x)
    return x


ARGUMENTS = (1.2, 3)
