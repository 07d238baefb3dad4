"""naming: the last word on the names that only the record needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from stdiff import syntax
from stdiff.syntax import Names, Node


def rename(tree: Node, renamed: Mapping[str, str]) -> None:
    """Call what was recorded without a copy by its own name, in place, where the sweep has no other use for that."""
    names = syntax.walk_names(tree)
    taken = {n.id for n in names}
    for label, name in renamed.items():
        if name not in taken:
            taken.add(name)
            _replace(names, {label: name})


def number(forward: Node, backward: Node, tapes: Collection[str], others: Collection[str]) -> None:
    """Number the tapes in the order of the forward sweep, in place: `tape`, `tape_1`. `others` are names in use."""
    names = [n for tree in (forward, backward) for n in syntax.walk_names(tree)]
    free = Names({n.id for n in names}.union(others).difference(tapes))
    used = [n for s in syntax.statements(forward.body) for n in syntax.store_names(s) if n in tapes]
    _replace(names, {label: free.fresh("tape") for label in dict.fromkeys(used)})


def _replace(names: list[Node], renamed: Mapping[str, str]) -> None:
    for node, label in [(n, renamed[n.id]) for n in names if n.id in renamed]:
        node.id = label
