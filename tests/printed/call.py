def call(x):
    return square(x) + square(2.0 * x)


def square(a):
    return a * a


ARGUMENTS = (1.2,)
