"""Which tumours are benign: logistic regression on the breast-cancer data that scikit-learn ships.

The loss is written down, its gradient is stdiff's, the minimum is found by SciPy, and the result is scikit-learn's.
"""

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

import stdiff


def data():
    """The measurements, each with mean 0 and standard deviation 1, and the labels."""
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y.astype(float)


def loss(theta, X, y):
    """The negative log-likelihood, and a penalty on the weights but not on the intercept."""
    weights = theta[:-1]
    intercept = theta[-1]
    score = X @ weights + intercept
    return np.sum(np.logaddexp(0.0, score) - y * score) + 0.5 * np.dot(weights, weights)


def fit(X, y):
    """The weights, and the intercept last."""
    start = np.zeros(X.shape[1] + 1)
    precise = {"ftol": 1e-15, "gtol": 1e-8}
    return minimize(stdiff.value_and_grad(loss), start, args=(X, y), jac=True, method="L-BFGS-B", options=precise).x


def reference(X, y):
    """The same, fitted by scikit-learn."""
    model = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(X, y)
    return np.append(model.coef_[0], model.intercept_)


def main():
    X, y = data()
    theta = fit(X, y)
    accuracy = np.mean((X @ theta[:-1] + theta[-1] > 0.0) == (y == 1.0))
    difference = np.max(np.abs(theta - reference(X, y)))
    print(f"{len(y)} tumours, {X.shape[1]} measurements")
    print(f"classified correctly            {100 * accuracy:.1f} %")
    print(f"largest difference to scikit-learn's weights   {difference:.1e}")
    return theta, accuracy, difference


if __name__ == "__main__":
    main()
