"""The rule table (`table`) and its entries: importing any part of the package makes all of them."""

from stdiff.rules import builtin_containers, linalg, numpy, own, own_containers, own_linalg, products, python, shaping  # noqa: F401
