def closure(x, rate):
    def grow(amount):
        return amount * rate

    return grow(x) + grow(grow(x))


ARGUMENTS = (1.2, 3.0)
