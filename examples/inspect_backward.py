"""The derivative is a program: print it, save it, import it, and call its two halves by hand."""

import importlib.util
import tempfile
from pathlib import Path

import numpy as np

import stdiff


def energy(points):
    """The energy of charges on a line that repel each other."""
    total = 0.0
    for i in range(len(points)):
        for j in range(i):
            total = total + 1.0 / np.abs(points[i] - points[j])
    return total


def load(path):
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    points = np.array([0.0, 1.0, 3.0, 3.5])
    slope = stdiff.grad(energy)
    gradient = slope(points)

    print("The forward sweep computes the energy and records what the backward sweep will need:\n")
    print(slope.forward_source)
    print("The backward sweep reads that record from its end:\n")
    print(slope.backward_source)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "energy_derivative.py"
        path.write_text(slope.source)
        saved_module = load(path)
        value, saved = saved_module.energy_forward(points)
        by_hand = saved_module.energy_backward(saved, 1.0)

    print("energy                  ", value)
    print("gradient by stdiff.grad ", gradient)
    print("by the saved module     ", by_hand)
    return value, gradient, by_hand


if __name__ == "__main__":
    main()
