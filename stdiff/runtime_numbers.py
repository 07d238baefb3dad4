"""Local derivatives that need care at a point: powers, quotients, sinc, the choices of maximum and clip."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def power_da(a: Any, b: Any, n: int = 1) -> Any:
    """The `n`-th derivative of `a ** b` in `a`: `b * a ** (b - 1)`, `b * (b - 1) * a ** (b - 2)` ...

    It is 0 where the factor before the power is, and infinite, not an error, at `a = 0` under a negative power.
    Where `b` is a literal, a printed derivative may as well say `2.0 * a` or `3.0 * a ** 2`.

    >>> power_da(0.0, 2), power_da(0.0, 0), power_da(3.0, 2), power_da(0.0, 2, 2), power_da(0.0, 2, 3)
    (0.0, 0.0, 6.0, 2.0, 0.0)
    """
    factor = math.prod((b - k for k in range(1, n)), start=b)
    if _plain(a) and _plain(b):
        if factor == 0:
            return 0.0
        return factor * (a ** (b - n) if a or b >= n else math.inf)
    with np.errstate(divide="ignore"):
        lower = np.where(factor == 0, 0.0, b - n) if isinstance(b, np.ndarray) else (b - n if factor else 0)
        return factor * np.power(a, lower, dtype=np.result_type(a, b, 0.0))


def power_dadb(a: Any, b: Any, n: int = 1) -> Any:
    """The derivative of `power_da(a, b, n)` in `b`.

    >>> float(power_dadb(1.0, 3.0))
    1.0
    """
    factor, slope = 1.0, 0.0
    for k in range(n):
        slope = slope * (b - k) + factor
        factor = factor * (b - k)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.power(a, b - 1.0 * n)
        return slope * y + factor * power_db(y, a)


def power_db(y: Any, a: Any) -> Any:
    """The derivative of `y = a ** b` in `b`: `y * log(a)`, and 0 where `a` is 0.

    >>> power_db(0.0, 0.0), power_db(4.0, 2.0) == 4.0 * math.log(2.0)
    (0.0, True)
    """
    if _plain(a):
        return y * (math.log(a) if a > 0 else 0.0 if a == 0 else math.nan)
    with np.errstate(invalid="ignore"):
        return np.where(a == 0, 0.0 * y, y * np.log(np.where(a == 0, a + 1, a)))[()]


def _plain(x: Any) -> bool:
    """Whether `x` is a number of Python's own."""
    return isinstance(x, int | float) and not isinstance(x, np.generic)


def sinc_derivative(x: Any, n: int = 1) -> Any:
    """The `n`-th derivative of `np.sinc`.

    Near 0 its power series; elsewhere `x s_n = pi ** (n - 1) sin(pi x + n pi / 2) - n s_(n - 1)`, which is
    `x sinc(x) = sin(pi x) / pi` derived `n` times.

    >>> float(sinc_derivative(0.0)), round(float(sinc_derivative(1.0)), 15)
    (0.0, -1.0)
    """
    near = np.abs(x) < 0.5
    small, large = np.where(near, x, 0), np.where(near, 1, x)
    series = 0.0 * small
    for k in range((n + 1) // 2, (n + 1) // 2 + 14):
        weight = (-1.0) ** k * math.pi ** (2 * k) / (2 * k + 1) / math.factorial(2 * k - n)
        series = series + weight * small ** (2 * k - n)
    far = np.sinc(large)
    for k in range(1, n + 1):
        far = (math.pi ** (k - 1) * np.sin(math.pi * large + k * (math.pi / 2)) - k * far) / large
    return np.where(near, series, far)[()]


def polygamma(n: int, x: float) -> float:
    """The `n`-th derivative of the digamma function at a Python float.

    By its recurrence up to where the asymptotic series converges (DLMF 5.15.5, 5.15.8; 5.5.2 and 5.11.2 for n = 0).

    >>> round(polygamma(0, 1.0), 12), round(polygamma(1, 1.0) - math.pi**2 / 6, 12)
    (-0.577215664902, 0.0)
    """
    sign = -1.0 if n % 2 else 1.0
    total = 0.0
    while x < 15.0 + n:
        total -= sign * math.factorial(n) / x ** (n + 1)
        x += 1.0
    if n == 0:
        series = math.log(x) - 0.5 / x
    else:
        series = -sign * (math.factorial(n - 1) / x**n + math.factorial(n) / (2 * x ** (n + 1)))
    for k, bernoulli in enumerate((1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6), start=1):
        series -= sign * bernoulli * math.factorial(2 * k + n - 1) / math.factorial(2 * k) / x ** (2 * k + n)
    return total + series


def as_numbers(chosen: Any, like: Any) -> Any:
    """A mask, or shares, as numbers of the precision of `like`; a Python float where both are plain."""
    if isinstance(chosen, bool | float):
        return float(chosen)
    return chosen.astype(precision(like))


def precision(x: Any) -> Any:
    """The floating dtype in which to differentiate by `x`: its own, double for integers, numbers and lists."""
    return np.result_type(getattr(x, "dtype", float), 0.0)


def share(y: Any, a: Any, b: Any) -> Any:
    """What `a` has in `y`, the larger (or the smaller) of `a` and `b`: 1, 0, or 1/2 where they are equal.

    >>> share(3.0, 3.0, 2.0), share(3.0, 3.0, 3.0)
    (1.0, 0.5)
    """
    return as_numbers(y == a, y) / (1.0 + as_numbers((y == a) & (y == b), y))


def inside(a: Any, low: Any, high: Any) -> Any:
    """1 where `np.clip(a, low, high)` is `a` (at the bounds too), else 0."""
    chosen = True if low is None else a >= low
    return as_numbers(chosen if high is None else chosen & (a <= high), a)


def below(a: Any, low: Any, high: Any) -> Any:
    """1 where `np.clip(a, low, high)` is `low`, else 0."""
    if low is None:
        return 0.0
    return as_numbers((a < low) if high is None else (a < low) & (low <= high), a)


def above(a: Any, low: Any, high: Any) -> Any:
    """1 where `np.clip(a, low, high)` is `high`, else 0."""
    if high is None:
        return 0.0
    return as_numbers((a > high) if low is None else (a > high) | (low > high), a)
