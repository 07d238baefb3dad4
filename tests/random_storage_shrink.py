"""Makes a random program smaller while something stays true of it."""

from __future__ import annotations

import ast
import copy
import dataclasses
import time
from collections.abc import Callable, Iterator

from tests.random_storage_writer import Case

Edit = Callable[[list[ast.AST]], None]
"""A change of a tree, which is given as the list of its nodes."""


def shrunk(case: Case, holds: Callable[[Case], bool], seconds: float = 60.0) -> Case:
    """The smallest program that was found in this time for which `holds` is true, as it is for `case`."""
    until = time.monotonic() + seconds
    tree, smaller = ast.parse(case.text), True
    while smaller:
        smaller = False
        position = 0
        while time.monotonic() < until:
            edits = list(changes(list(ast.walk(tree))))
            if position >= len(edits):
                break
            tried = copy.deepcopy(tree)
            edits[position](list(ast.walk(tried)))
            candidate = dataclasses.replace(case, text=ast.unparse(ast.fix_missing_locations(tried)) + "\n")
            if holds(candidate):
                tree, case, smaller = tried, candidate, True
            else:
                position += 1
    return case


def changes(nodes: list[ast.AST]) -> Iterator[Edit]:
    """The ways to make a tree smaller: first statements are taken out, then expressions made simpler."""
    for place, node in enumerate(nodes):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and not isinstance(node, ast.ClassDef):
                # The first statement of a `while` counts its iterations
                for k in range(isinstance(node, ast.While) and field == "body", len(block)):
                    if not isinstance(block[k], ast.Pass):
                        yield without(place, field, k)
                    if isinstance(block[k], ast.If | ast.For | ast.While):
                        yield unwrapped(place, field, k)
    for place, node in enumerate(nodes):
        for field, value in ast.iter_fields(node):
            for k, part in enumerate(value if isinstance(value, list) else [value]):
                for smaller in range(len(parts(part))):
                    yield replaced(place, field, k if isinstance(value, list) else None, smaller)


def without(place: int, field: str, k: int) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        block = getattr(nodes[place], field)
        del block[k]
        if not block and field == "body" and not isinstance(nodes[place], ast.Module):
            block.append(ast.Pass())

    return edit


def unwrapped(place: int, field: str, k: int) -> Edit:
    """The body of a branch or a loop in its place."""

    def edit(nodes: list[ast.AST]) -> None:
        block = getattr(nodes[place], field)
        block[k : k + 1] = block[k].body

    return edit


def replaced(place: int, field: str, k: int | None, smaller: int) -> Edit:
    """A part of an expression in its place."""

    def edit(nodes: list[ast.AST]) -> None:
        value = getattr(nodes[place], field)
        if k is None:
            setattr(nodes[place], field, parts(value)[smaller])
        else:
            value[k] = parts(value[k])[smaller]

    return edit


def parts(node: object) -> list[ast.expr]:
    """Expressions that may stand for a larger one."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Call):
        method = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*(part for part in method if not isinstance(part, ast.Name)), *node.args[:1]]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript | ast.Attribute | ast.Call):
        return [node.value]
    return []
