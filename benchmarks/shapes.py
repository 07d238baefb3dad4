"""Functions of any length or depth, in the shapes that long functions have: each gives a text that defines `f(x)`."""

from __future__ import annotations

from collections.abc import Iterable


def _function(statements: Iterable[str], result: str = "y") -> str:
    lines = [line for statement in statements for line in statement.split("\n")]
    return "\n".join(["def f(x):", *(f"    {line}" for line in [*lines, f"return {result}"])]) + "\n"


def _nested(headers: Iterable[str], before: str, after: str = "") -> str:
    """Each header inside the one before it, `before` above the inner block and `after` below it."""
    above: list[str] = []
    below: list[str] = []
    for depth, header in enumerate(headers):
        indent = "    " * depth
        above += [f"{indent}{header}", f"{indent}    {before}"]
        below += [f"{indent}    {after}"] if after else []
    return _function(["y = x", *above, *reversed(below)])


def _steps(n: int, steps: tuple[str, ...]) -> Iterable[str]:
    return (f"a{k + 1} = {steps[k % len(steps)].format(old=f'a{k}' if k else 'x')}" for k in range(n))


def scalars(n: int) -> str:
    """`n` statements of arithmetic on numbers, one after another."""
    steps = "{old} * x + 0.5", "math.sin({old}) * x", "{old} / (1.0 + x * x)", "{old} - 0.25 * x"
    return _function(_steps(n, steps), f"a{n}")


def arrays(n: int) -> str:
    """`n` statements of NumPy on a vector, one after another."""
    steps = "np.sin({old}) + x", "{old} * np.exp(-{old})", "{old} - {old}.mean()", "{old}[::-1] * 0.5"
    return _function(_steps(n, steps), f"np.sum(a{n})")


def chain(n: int) -> str:
    """One name that is assigned again and again."""
    return _function(("x = x * math.sin(x)" for _ in range(n)), "x")


def blocks(n: int) -> str:
    """Loops with a branch inside, one after another, six statements each."""
    loop = "for i in range(3):\n    y = y * 0.9 + x"
    branch = "    if y > {}.0:\n        y = math.sin(y)\n    else:\n        y = y * x"
    return _function(["y = x", *(f"{loop}\n{branch.format(k)}" for k in range(n // 6))])


def terms(n: int) -> str:
    """One sum of `n` terms."""
    return _function([f"y = {' + '.join(f'x * {k}.5' for k in range(n))}"])


def guards(n: int) -> str:
    """`n` early returns, one after another."""
    return _function(["y = x", *(f"if y > {k + 9}.0:\n    return y * {k}.0\ny = y * x" for k in range(n))])


def cases(n: int) -> str:
    """One `if` with `n` branches."""
    branches = (f"{'el' * (k > 0)}if x > {n - k}.0:\n    y = x * {k}.0" for k in range(n))
    return _function(["y = x", *branches])


def calls(n: int) -> str:
    """`n` calls of one small function."""
    return "def g(a, b):\n    return a * b + 1.0\n\n" + _function(["y = x", *("y = g(y, x)" for _ in range(n))])


def ifs(depth: int) -> str:
    """Branches inside branches."""
    return _nested((f"if y > -{k}.0:" for k in range(depth)), "y = y * x", "y = y + x")


def loops(depth: int) -> str:
    """Loops inside loops, where what one loop hands on is only seen in the next."""
    return _nested((f"for i{k} in range(2):" for k in range(depth)), "z = math.sin(y)", "y = y * z")


def whiles(depth: int) -> str:
    """Loops inside loops, each of which may be left early."""
    headers = (f"while y < {k + 1}.0:" for k in range(depth))
    return _nested(headers, "y = y + math.exp(x)", "if y > 9.0: break")
