def while_break(x):
    y = x
    while True:
        step = (y * y - x) / (2.0 * y)
        y = y - step
        if abs(step) < 1e-12:
            break
    return y


ARGUMENTS = (2.0,)
