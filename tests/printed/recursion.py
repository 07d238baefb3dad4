def recursion(x, n):
    if n == 0:
        return 1.0
    return x * recursion(x, n - 1)


ARGUMENTS = (1.2, 3)
