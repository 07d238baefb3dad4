def list_comprehension(x, weights):
    return sum([w * x**2 for w in weights])


ARGUMENTS = (1.2, [3.0, 2.0])
