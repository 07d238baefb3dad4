"""The friction of a pendulum, found from where it is after five seconds: a gradient through an adaptive integrator.

The steps are those of Bogacki and Shampine (1989): third order, with an error estimate of second order. How many there
are, how long they are and which are refused depends on the friction: hence a `while`, a `continue` and a `break`.
"""

import numpy as np
from scipy.integrate import solve_ivp

import stdiff

START = np.array([1.5, 0.0])
DURATION = 5.0
FRICTION = 0.3


def slope(state, friction):
    """The time derivative of angle and speed."""
    angle, speed = state
    return np.array([speed, -np.sin(angle) - friction * speed])


def integrate(state, friction, duration, tolerance=1e-7):
    """The state after `duration`."""
    t, h = 0.0, 0.1
    k1 = slope(state, friction)
    while True:
        h = min(h, duration - t)
        k2 = slope(state + h * k1 / 2.0, friction)
        k3 = slope(state + h * k2 * 3.0 / 4.0, friction)
        new = state + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
        k4 = slope(new, friction)
        error = np.max(np.abs(h * (-5.0 * k1 + 6.0 * k2 + 8.0 * k3 - 9.0 * k4) / 72.0))
        if error > tolerance:
            h = h / 2.0
            continue
        t = t + h
        state, k1 = new, k4
        if t >= duration:
            break
        h = h * min(2.0, 0.9 * (tolerance / (error + 1e-30)) ** (1.0 / 3.0))
    return state


def loss(friction, target):
    """The squared distance between where the pendulum is and where it was seen."""
    return np.sum((integrate(START, friction, DURATION) - target) ** 2)


def observed():
    """Where a pendulum with the true friction is, by SciPy's integrator."""

    def rate(t, state):
        return slope(state, FRICTION)

    return solve_ivp(rate, (0.0, DURATION), START, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]


def main():
    target = observed()
    slope_of_loss = stdiff.grad(loss)
    gradient = slope_of_loss(0.8, target)
    difference = (loss(0.8 + 1e-6, target) - loss(0.8 - 1e-6, target)) / 2e-6
    print(f"gradient at friction 0.8      {gradient:.8f}")
    print(f"by finite differences         {difference:.8f}")

    friction = 0.8
    for _ in range(60):
        friction = friction - 0.2 * slope_of_loss(friction, target)
    print(f"friction found                {friction:.6f}, true {FRICTION}")
    return gradient, difference, friction


if __name__ == "__main__":
    main()
