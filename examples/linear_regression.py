"""A straight line through noisy points that scatter about y = 2 x + 3, by gradient descent, and a plot of it.

    python examples/linear_regression.py [plot.png]
"""

import sys

import matplotlib
import numpy as np

import stdiff

matplotlib.use("Agg")
from matplotlib import pyplot as plt


def points(count=100):
    """Points on y = 2 x + 3, moved up and down by noise."""
    random = np.random.default_rng(1000)
    x = 20.0 * random.random(count)
    y = 2.0 * x + 3.0 + 3.0 * random.normal(size=count)
    return x, y


def loss(w, b, x, y):
    """Half the mean squared distance between the line and the points."""
    residual = w * x + b - y
    return 0.5 * np.mean(residual**2)


def fit(x, y, rate=0.01, steps=8000):
    """The slope and intercept that gradient descent arrives at."""
    value_and_slope = stdiff.value_and_grad(loss, argnums=(0, 1))
    w, b = 0.0, 0.0
    for step in range(steps):
        value, (w_bar, b_bar) = value_and_slope(w, b, x, y)
        w = w - rate * w_bar
        b = b - rate * b_bar
        if step % 2000 == 0:
            print(f"step {step:5d}   loss {value:9.4f}   y = {w:.4f} x + {b:.4f}")
    return w, b


def plot(x, y, w, b, path):
    """The points and the line, written to a PNG file."""
    ends = np.array([0.0, 20.0])
    plt.figure()
    plt.scatter(x, y, s=12, label="points")
    plt.plot(ends, w * ends + b, color="C1", label=f"y = {w:.2f} x + {b:.2f}")
    plt.legend()
    plt.savefig(path)
    plt.close()


def main(path="linear_regression.png"):
    x, y = points()
    w, b = fit(x, y)
    print(f"fitted          y = {w:.4f} x + {b:.4f}")
    print("least squares   y = {:.4f} x + {:.4f}".format(*np.polyfit(x, y, 1)))
    plot(x, y, w, b, path)
    print(f"plot            {path}")
    return w, b


if __name__ == "__main__":
    main(*sys.argv[1:])
