"""Programs as people write them: plain functions, each with arguments and, where it is known by hand, its derivative.

`CASES` is the list of all of them; `case.program` says what a case is made of.
"""

from tests.corpus import (
    branches,
    broadcasting,
    calls,
    containers,
    indexing,
    loops,
    names,
    numerics,
    numpy_calls,
    objects,
    statements,
    storage,
    traps,
)
from tests.corpus.case import CASES, Case

__all__ = [
    "CASES",
    "Case",
    "branches",
    "broadcasting",
    "calls",
    "containers",
    "indexing",
    "loops",
    "names",
    "numerics",
    "numpy_calls",
    "objects",
    "statements",
    "storage",
    "traps",
]
