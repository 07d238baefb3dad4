def early_return(x, factors):
    y = x
    for factor in factors:
        y = y * factor
        if y > 10.0:
            return y * y
    return y


ARGUMENTS = (1.2, [3.0, 4.0, 5.0])
