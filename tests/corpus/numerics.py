"""Small numerical programs of the kind that people bring: integrators, filters, networks, statistics."""

import math

import numpy as np

from tests.corpus.case import program
from tests.corpus.prelude import V3, M, S, V


@program(np.array([1.0, 0.0]), 1.5)
def runge_kutta(state, omega):
    def slope(s):
        return np.array([s[1], -omega * s[0]])

    h = 0.1
    for _ in range(5):
        k1 = slope(state)
        k2 = slope(state + 0.5 * h * k1)
        k3 = slope(state + 0.5 * h * k2)
        k4 = slope(state + h * k3)
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(state**2)


@program(0.8)
def adaptive_steps(rate):
    t, y, h = 0.0, 1.0, 0.3
    steps = 0
    while t < 1.0:
        if t + h > 1.0:
            h = 1.0 - t
        coarse = y - h * rate * y
        half = y - 0.5 * h * rate * y
        fine = half - 0.5 * h * rate * half
        steps += 1
        if steps > 200:
            break
        if abs(fine - coarse) > 0.005:
            h = 0.5 * h
            continue
        t = t + h
        y = fine
        h = 1.3 * h
    return y


@program(2.0)
def newton_with_break(a):
    x = a
    for k in range(50):
        step = (x**3 - a) / (3.0 * x * x)
        x = x - step
        if abs(step) < 1e-13:
            break
    return x


@program(1.5)
def bisection_free_secant(a):
    p, q = a, a + 1.0
    for _ in range(4):
        fp = p * p - a
        fq = q * q - a
        p, q = q, q - fq * (q - p) / (fq - fp)
    return q


@program(np.array([0.1, 0.4, -0.2, 0.3]), np.array([0.5, -0.3, 0.8]))
def simple_recurrent_network(weights, inputs):
    w, u, b, v = weights
    h = 0.0
    loss = 0.0
    for x in inputs:
        h = np.tanh(w * h + u * x + b)
        loss = loss + (v * h - x) ** 2
    return loss / len(inputs)


@program(np.array([0.2, -0.4, 0.3]), M.copy())
def logistic_loss(w, X):
    z = X @ w
    y = np.array([1.0, 0.0])
    return np.mean(np.logaddexp(0.0, z) - y * z) + 0.05 * np.dot(w, w)


@program({"w1": M.copy(), "b1": np.zeros(2), "w2": np.array([0.5, -0.2])}, V3.copy())
def two_layer_network(p, x):
    h = np.tanh(p["w1"] @ x + p["b1"])
    return (p["w2"] @ h - 0.3) ** 2


@program(np.array([0.5, 1.2]), V.copy())
def gaussian_log_likelihood(theta, data):
    mu, sigma = theta
    n = data.shape[0]
    return -n * math.log(sigma) - np.sum((data - mu) ** 2) / (2.0 * sigma**2)


@program(V.copy(), 0.7)
def kalman_filter(observations, noise):
    mean, variance, loss = 0.0, 1.0, 0.0
    for z in observations:
        variance = variance + 0.1
        gain = variance / (variance + noise)
        residual = z - mean
        loss = loss + residual**2 / (variance + noise)
        mean = mean + gain * residual
        variance = (1.0 - gain) * variance
    return loss


@program(V.copy())
def softmax_cross_entropy(logits):
    p = np.exp(logits - np.max(logits))
    p = p / np.sum(p)
    return -np.log(p[2])


@program(S.copy(), np.array([1.0, 2.0]))
def conjugate_gradient(A, b):
    x = np.zeros(2)
    r = b - A @ x
    p = r
    for _ in range(2):
        Ap = A @ p
        alpha = (r @ r) / (p @ Ap)
        x = x + alpha * p
        new = r - alpha * Ap
        p = new + (new @ new) / (r @ r) * p
        r = new
        if r @ r < 1e-20:
            break
    return x @ x


@program(np.array([0.3, 0.9, 1.7, 2.2]))
def trapezoid_by_hand(x):
    y = np.sin(x) * x
    total = 0.0
    for i in range(1, len(x)):
        total += 0.5 * (x[i] - x[i - 1]) * (y[i] + y[i - 1])
    return total


@program(np.array([[0.0, 0.0], [1.0, 0.2], [0.3, 1.1]]))
def pairwise_energy(points):
    energy = 0.0
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            d = points[i] - points[j]
            r = np.sqrt(np.sum(d * d))
            energy = energy + 1.0 / r + 0.1 * r
    return energy


@program(0.9)
def mandelbrot_like(c):
    z = 0.0
    n = 0
    while z < 4.0:
        z = z * z + c
        n += 1
        if n >= 4:
            break
    return z + n


@program(np.array([0.2, 0.5, 0.3]))
def polynomial_and_its_roots(c):
    disc = c[1] ** 2 + 4.0 * c[0] * c[2]
    if disc < 0.0:
        return 0.0 * c[0]
    root = np.sqrt(disc)
    return (-c[1] + root) / (2.0 * c[0]) * (-c[1] - root)


@program(0.3)
def black_scholes(volatility):
    spot, strike, rate, time = 100.0, 105.0, 0.02, 1.5
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / (volatility * math.sqrt(time))
    d2 = d1 - volatility * math.sqrt(time)

    def cdf(z):
        return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))

    return spot * cdf(d1) - strike * math.exp(-rate * time) * cdf(d2)


@program(np.array([1.0, 2.0, 0.5]))
def gradient_descent_unrolled(x):
    for _ in range(4):
        slope = 2.0 * x + np.cos(x)
        x = x - 0.1 * slope
    return np.sum(x * x)


@program(np.array([0.4, 0.1]), V3.copy())
def stack_of_closures(theta, x):
    layers = [lambda h, k=k: np.tanh(theta[k] * h + k) for k in range(2)]
    for layer in layers:
        x = layer(x)
    return np.sum(x)


@program(1.5)
def continued_fraction(x):
    y = x
    for k in range(6, 0, -1):
        y = k + x / y
    return y


@program(3.0)
def series_until_small(x):
    total, term, k = 0.0, 1.0, 0
    while abs(term) > 1e-14:
        total = total + term
        k += 1
        term = term * x / k
    return total


@program(np.array([1.0, 2.0, 3.0]), np.array([0.3, -0.2]))
def moving_average_residuals(x, theta):
    e = [0.0, 0.0]
    for t in range(len(x)):
        e = [*e, x[t] - theta[0] * e[-1] - theta[1] * e[-2]]
    return sum(v * v for v in e)


@program(V.copy())
def viterbi_like(scores):
    a, b = scores[0], scores[1]
    for i in range(1, 3):
        a, b = max(a + 0.1, b - 0.2) + scores[2 * i], max(a - 0.3, b + 0.4) + scores[2 * i + 1]
    return max(a, b)
