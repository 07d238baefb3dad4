"""The shape of the package: imports point downward, files and functions stay short."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "stdiff"

LAYERS = [
    # From the top down. A module belongs to the longest of these names that it is, lies in, or extends after an "_".
    ["stdiff"],
    ["stdiff.api", "stdiff.autograd", "stdiff.checking"],
    ["stdiff.transformed", "stdiff.nested"],
    ["stdiff.calling"],
    ["stdiff.pipeline", "stdiff.derived", "stdiff.exporting"],
    ["stdiff.transforms"],
    ["stdiff.analyses"],
    ["stdiff.rules"],
    [
        "stdiff.program",
        "stdiff.syntax",
        "stdiff.source",
        "stdiff.printing",
        "stdiff.rules.table",
        "stdiff.watch",
        "stdiff.dynamic",
        "stdiff.locating",
    ],
    ["stdiff.errors", "stdiff.runtime", "stdiff.containers", "stdiff.functions", "stdiff.structures"],
]
HEIGHT = {name: len(LAYERS) - i for i, names in enumerate(LAYERS) for name in names}

THIRD_PARTY = {
    # Who may import what the package depends on, or may do without.
    "gast": {
        "stdiff.program",
        "stdiff.syntax",
        "stdiff.source",
        "stdiff.printing",
        "stdiff.analyses",
        "stdiff.transforms",
        "stdiff.pipeline",
        "stdiff.locating",
    },
    "astor": {"stdiff.printing"},
    "scipy": {"stdiff.rules"},
    "numba": set(),
    "cupy": set(),
}

LONGEST_FILE = 420
LONGEST_FUNCTION = 70


def module_name(path):
    """The dotted name of a file of the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def owner(module, names):
    """The longest of the dotted names that a module belongs to, None if there is none."""
    found = [name for name in names if module == name or module.startswith((name + ".", name + "_"))]
    return max(found, key=len, default=None)


def imported(tree):
    """Every module that a tree imports, at any depth, and the line; `from a import b` is a.b where that is a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: an import relative to the package"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield (full if full in FILES else node.module), node.lineno


def height(module):
    """How high a module stands. "stdiff" itself stands for the package's `__init__` only."""
    name = owner(module, HEIGHT)
    assert name != "stdiff" or module == "stdiff", f"{module} is in no layer of tests/test_layers.py"
    return HEIGHT[name]


@pytest.mark.parametrize("module", FILES)
def test_imports_point_downward(module):
    tree = ast.parse(FILES[module].read_text())
    upward = [
        f"{FILES[module]}:{line} imports {target}"
        for target, line in imported(tree)
        if target.split(".")[0] == "stdiff" and height(target) > height(module)
    ]
    assert not upward


@pytest.mark.parametrize("module", FILES)
def test_third_party_imports_have_their_place(module):
    tree = ast.parse(FILES[module].read_text())
    misplaced = [
        f"{FILES[module]}:{line} imports {target}"
        for target, line in imported(tree)
        if target.split(".")[0] in THIRD_PARTY and owner(module, THIRD_PARTY[target.split(".")[0]]) is None
    ]
    assert not misplaced


def test_no_import_cycles():
    graph = {
        module: {target for target, _ in imported(ast.parse(path.read_text())) if target in FILES and target != module}
        for module, path in FILES.items()
    }
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("module", FILES)
def test_files_and_functions_are_short(module):
    text = FILES[module].read_text()
    assert text.count("\n") <= LONGEST_FILE
    long = [
        f"{FILES[module]}:{node.lineno} {node.name} has {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert not long


def test_imports_are_found_at_any_depth():
    tree = ast.parse("import numpy\ndef f():\n    from stdiff.rules import table\n    import stdiff.errors as e\n")
    assert list(imported(tree)) == [("numpy", 1), ("stdiff.rules.table", 3), ("stdiff.errors", 4)]


def test_heights():
    order = ["stdiff.errors", "stdiff.rules.table", "stdiff.rules.numpy", "stdiff.pipeline", "stdiff.api", "stdiff"]
    assert sorted(order, key=height) == order
    assert len({height(module) for module in order}) == len(order)
    assert height("stdiff.transforms.reverse") == height("stdiff.transforms.reversing.control")
    with pytest.raises(AssertionError):
        height("stdiff.nowhere")
