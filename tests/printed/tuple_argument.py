def tuple_argument(point):
    a, b = point
    return a * b + a


ARGUMENTS = ((1.2, 0.4),)
