"""Masking: which values flow into a choice among values, so that a part not chosen may have an infinite derivative."""

from __future__ import annotations

from collections.abc import Mapping

import gast
import numpy as np

from stdiff import syntax
from stdiff.analyses import calls
from stdiff.analyses.kinds import Kind
from stdiff.program import Program

_CHOICES = {np.where, np.select, np.choose, np.maximum, np.minimum, np.fmax, np.fmin, np.clip, np.ndarray.clip}


def masking(program: Program, kinds: Mapping[str, Kind]) -> set[str]:
    """The names from which `np.where`, `np.maximum` and the like take their values, directly or through other names.

    >>> from stdiff.program import of
    >>> def f(x):
    ...     y = np.sqrt(x)
    ...     z = np.where(x, y, 0.0)
    ...     return z
    >>> sorted(masking(of(f), {"x": Kind("array"), "y": Kind("array"), "z": Kind("array")}))
    ['x', 'y']
    """
    sources: dict[str, set[str]] = {}
    waiting: list[str] = []
    for node in syntax.walk(program.tree):
        if isinstance(node, gast.Call) and calls.target(node, kinds, program.namespace).function in _CHOICES:
            waiting += syntax.reads(node) - set(program.namespace)
        if isinstance(node, gast.Assign):
            for name in syntax.store_names(node):
                sources.setdefault(name, set()).update(syntax.reads(node.value))
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found and name in kinds:
            found.add(name)
            waiting += sources.get(name, ())
    return found
