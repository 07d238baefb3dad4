"""stdiff: derivatives of numeric Python functions, as Python that can be read."""

from stdiff.api import grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from stdiff.checking import check_grads
from stdiff.errors import StdiffError
from stdiff.rules.table import alias, at, constant, elementwise, linear, refuse, rule
from stdiff.structures import stop_gradient

__version__ = "0.1.0"

__all__ = [
    "StdiffError",
    "alias",
    "at",
    "check_grads",
    "constant",
    "elementwise",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linear",
    "refuse",
    "rule",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
