def branches(x):
    if x > 1.0:
        y = x * x
    elif x > 0.0:
        y = 2.0 * x
    else:
        y = -x
    return y


ARGUMENTS = (1.2,)
