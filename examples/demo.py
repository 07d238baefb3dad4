"""What stdiff does: a function with a loop and branches, its derivative as code, and a model fitted to data."""

import inspect

import logistic_regression
import numpy as np

import stdiff


def wander(x):
    y = x
    for i in range(20):
        if y > 3.0:
            break
        if i % 2 == 0:
            y = y * x
        else:
            y = y + np.sin(x)
            x = 0.9 * x
    return y * y


def show_derivative(x):
    """The function, the code of its derivative, and a check of the number that this code returns."""
    slope = stdiff.grad(wander)
    gradient = slope(x)
    difference = (wander(x + 1e-6) - wander(x - 1e-6)) / 2e-6
    print("A function:\n")
    print(inspect.getsource(wander))
    print("Its derivative, as stdiff writes it:\n")
    print(slope.backward_source)
    print(f"at x = {x}          {gradient:.9f}")
    print(f"by differences     {difference:.9f}\n")
    return gradient, difference


def fit_data():
    """The same `grad` on a real problem."""
    print("Logistic regression on the breast-cancer data of scikit-learn:\n")
    _, accuracy, difference = logistic_regression.main()
    return accuracy, difference


def main():
    return (*show_derivative(1.2), *fit_data())


if __name__ == "__main__":
    main()
