"""unpack: take an item apart in the header of its loop.

for item in items:
    i, v = item            ->     for i, v in items:
    s = s + i * v                     s = s + i * v
"""

from __future__ import annotations

import gast

from stdiff.syntax import Node
from stdiff.transforms.simplifying.facts import Facts, assigned, binds, census, statements


def unpack(tree: Node, facts: Facts) -> bool:
    """Puts the pattern of an unpacking in the place of the made name that it unpacks, in the target of a loop.

    The unpacking must be the next thing that happens, and the only one that reads the name. `for t in xs: v = t`
    becomes `for v in xs:` too.

    Arguments: `tree`, a function, changed in place. Returns: whether anything was rewritten.

    >>> from stdiff.program import unparse
    >>> from stdiff.syntax import parse
    >>> text = "def f(a):\\n  for t in enumerate(a):\\n    i, u = t\\n    b, c = u\\n    print(i, b, c)"
    >>> tree = parse(text).body[0]
    >>> unpack(tree, Facts(frozenset({"t", "u"}), pure=lambda f: False))
    True
    >>> print(unparse(tree))
    def f(a):
        for i, (b, c) in enumerate(a):
            print(i, b, c)
    """
    loops = [statement for statement in statements(tree.body) if isinstance(statement, gast.For)]
    if not any(facts.made.intersection(binds(loop)) for loop in loops):
        return False
    reads, bound = census(tree.body, facts)
    changed = False
    for loop in loops:
        while loop.body:
            name = _unpacked(loop.body[0])
            names = binds(loop)
            if name not in facts.made or name not in names or reads[name] != 1 or bound[name] != 1:
                break
            pattern = loop.body[0].targets[0]
            after = [*names, *binds(loop.body[0])]
            if len(set(after)) < len(after):
                break
            first = loop.body.pop(0)
            loop.target = _with_pattern(loop.target, name, pattern)
            if not loop.body:
                loop.body.append(gast.copy_location(gast.Pass(), first))
            changed = True
    return changed


def _unpacked(statement: Node) -> str | None:
    """The name that a statement takes apart (or gives to another), without doing anything else."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1 or type(statement.value) is not gast.Name:
        return None
    if assigned(statement) is None and not isinstance(statement.targets[0], gast.Tuple):
        return None
    name: str = statement.value.id
    return name


def _with_pattern(target: Node, name: str, pattern: Node) -> Node:
    if isinstance(target, gast.Name):
        return pattern if target.id == name else target
    if isinstance(target, gast.Tuple | gast.List):
        parts = [_with_pattern(part, name, pattern) for part in target.elts]
        return gast.copy_location(type(target)(parts, target.ctx), target)
    return target
