"""`match` as `if` (refused so far)."""

from __future__ import annotations

from stdiff.syntax import Node
from stdiff.transforms.context import Context, Statements


def matching(node: Node, context: Context) -> Statements:
    """The statements that do what a `match` does."""
    raise context.refuse(node, "`match`", "it is not handled yet", "write it with `if`")
