"""purity: which calls have no effect but their value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stdiff.analyses import calls
from stdiff.rules import table
from stdiff.syntax import Node

_EFFECTS = {print, input, next, setattr, delattr}
_MODULES = {
    "builtins", "math", "operator", "_operator", "numpy", "stdiff.containers", "stdiff.functions", "stdiff.runtime",
}


def purity(namespace: Mapping[str, object]) -> Callable[[Node], bool]:
    """A test of a call's function: has calling it no effect but its value, and does it read nothing that can change?

    >>> from stdiff.syntax import expression
    >>> pure = purity({"len": len, "print": print})
    >>> pure(expression("len")), pure(expression("print")), pure(expression("g"))
    (True, False, False)
    """

    def pure(func: Node) -> bool:
        value = calls.known(func, namespace)
        if value is calls.MISSING:
            return False
        rule = table.lookup(value)
        if rule is None or rule.form == "refused" or rule.writes:
            return False
        module = str(getattr(value, "__module__", "") or "")
        return (value not in _EFFECTS and rule.form != "constant") or _calm(value, module)

    return pure


def _calm(value: object, module: str) -> bool:
    """Among the constant functions, those that only look: not random draws, clocks, files and logs."""
    return value not in _EFFECTS and module in _MODULES
