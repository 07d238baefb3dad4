def polynomial(x):
    y = x**3 - 2.0 * x**2 + 5.0
    return y  # noqa: RET504


ARGUMENTS = (1.3,)
