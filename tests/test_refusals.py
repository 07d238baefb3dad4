# ruff: noqa: E501 -- one case a line
"""What is refused before deriving: each message says what was met, where, why, and what to do instead."""

import linecache
import re

import gast
import numpy as np
import pytest

from stdiff import errors, program
from stdiff.transforms.accept import accept
from stdiff.transforms.anf import anf
from stdiff.transforms.desugar import desugar
from stdiff.transforms.resolve import resolve

# A title, the text of `f`, and two fragments of the message. What the caret marks stands between « and ».
BAD = [
    ("a generator", "def f(x):\n    «yield x»", "`yield`", "return a list"),
    ("a generator that delegates", "def f(x):\n    y = [0]\n    «yield from x»", "`yield from`", "return a list"),
    ("yield in an inner function", "def f(x):\n    def g():\n        return («yield x»)\n    return g", "`yield`", "suspended"),
    ("a coroutine", "def f(x):\n    «async def g():»\n        return await x\n    return g", "`async def`", "plain `def`"),
    ("nonlocal", "def f(x):\n    def g():\n        «nonlocal x»\n        x = 1\n    return g", "`nonlocal`", "return the new value"),
    ("a global that is written", "def f(x):\n    «global G»\n    G = x", "assigning the global `G`", "assign it outside"),
    ("a global that is updated", "def f(x):\n    y = x\n    «global A, G»\n    G += x", "assigning the global `G`", "outlives"),
    ("a global written by an inner function", "def f(x):\n    def g():\n        «global G»\n        G = x\n", "global `G`", "lost"),
    ("a class", "def f(x):\n    «class C:»\n        pass\n    return C", "a class defined inside", "define it outside"),
    ("exec", "def f(x):\n    «exec('x = 1')»\n    return x", "`exec()`", "write the statements out"),
    ("eval", "def f(x):\n    return 1 + «eval('x')»", "`eval()`", "write the expression out"),
    ("locals", "def f(x):\n    return «locals()»['x']", "`locals()`", "put the values in a dict"),
    ("vars", "def f(x):\n    return [y for y in «vars()»]", "`vars()`", "put the values in a dict"),
    ("dir", "def f(x):\n    return «dir()»", "`dir()`", "name the values"),
    ("globals", "def f(x):\n    return «globals()»['G'] * x", "`globals()`", "read the global itself"),
    ("super", "def f(x):\n    return «super()».f(x)", "`super()`", "super(Class, self)"),
    ("super in an inner function", "def f(x):\n    return (lambda y: «super()».f(y))(x)", "`super()` in an inner function", "super(Class, self)"),
    ("a relative import", "def f(x):\n    «from . import g»\n    return g(x)", "a relative import", "top of the file"),
    ("except*", "def f(x):\n    «try:»\n        return x\n    except* ValueError:\n        x = 1", "`except*`", "use `except`"),
    ("a decorator", "def f(x):\n    @«cache»\n    def g(v):\n        return v\n    return g(x)", "a decorator on the inner", "outside"),
    ("a decorator with arguments", "def f(x):\n    @«cache(x)»\n    def g(v):\n        return v", "inner function `g`", "outside"),
    ("a deleted name that is read", "def f(x):\n    y = x\n    «del y»\n    return y", "`del y` before a use", "leave the `del` out"),
    ("a generator that is kept", "def f(x):\n    y = «(v for v in x)»\n    return sum(y)", "a generator expression", "write a list"),
    ("a generator in a loop", "def f(x):\n    for v in «(v for v in x)»:\n        x = v", "a generator expression", "between other"),
    ("a generator for zip", "def f(x):\n    return list(zip(«(v for v in x)», x))", "a generator expression", "write a list"),
    ("a generator for NumPy", "def f(x):\n    return np.array(«(v for v in x)»)", "a generator expression", "write a list"),
    ("a generator for next", "def f(x):\n    return next(«(v for v in x if v)», 0.0)", "a generator expression", "write a list"),
    ("lambdas of a loop", "def f(x):\n    g = []\n    for i in range(3):\n        g.append(«lambda: i»)\n    return g",
     "a `lambda` that is kept while `i`", "`i=i`"),
    ("lambdas of a comprehension", "def f(x):\n    return [«lambda v: v * i» for i in range(3)]", "while `i`", "`i=i`"),
    ("an inner function that is kept", "def f(x):\n    «def g(v):»\n        return x * v\n    x = 2.0\n    return [g, x]",
     "the inner function `g` that is kept while `x`", "looked up when it runs"),
    ("one that reads a later variable", "def f(x):\n    g = «lambda v: y * v»\n    y = 2.0\n    return [g, x]", "while `y`", "`y=y`"),
    ("one function of two that calls itself", "def f(x):\n    if x:\n        «def g(v):»\n            return g(v - 1)\n"
     "    else:\n        g = abs\n    return g(x)", "while `g`", "assign to another name"),
    ("a starred index beside a slice", "def f(x, *i):\n    return x[«1:», *i]", "`Slice` here", "by a statement before"),
    ("a class pattern of unknown attributes", "def f(x):\n    match x:\n        case «x.C(a, b)»:\n            return a",
     "a class pattern with positional parts", "name them"),
    ("a class pattern with too many parts", "def f(x):\n    match x:\n        case «complex(a, b)»:\n            return a",
     "a class pattern with positional parts", "not known when deriving"),
]  # fmt: skip


def prepare(source):
    """The function `f` of a text after all passes."""
    filename = f"<refused {abs(hash(source))}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {"np": np}
    exec(compile(source, filename, "exec"), namespace)
    p = program.of(namespace["f"])
    for step in (accept, resolve, desugar, anf):
        p = step(p)
    return p


@pytest.mark.parametrize(("marked", "met", "fragment"), [entry[1:] for entry in BAD], ids=[entry[0] for entry in BAD])
def test_refused(marked, met, fragment):
    source = re.sub("[«»]", "", marked) + "\n"
    number, line = next((k, text) for k, text in enumerate(marked.splitlines(), 1) if "«" in text)
    column, width = line.index("«"), line.index("»") - line.index("«") - 1
    with pytest.raises(errors.UnsupportedError) as caught:
        prepare(source)
    first, where, shown, caret, why, instead = str(caught.value).splitlines()
    assert first.startswith("cannot differentiate: ")
    assert met in first
    assert re.fullmatch(rf"  at <refused \d+>:{number}", where)
    assert shown == "    " + source.splitlines()[number - 1]
    assert caret == " " * (4 + column) + "^" * width
    assert why.startswith("  because ")
    assert instead.startswith("  instead: ")
    assert fragment in why + instead


GOOD = [
    "def f(x):\n    global G\n    return G * x",
    "def f(x, eval=abs):\n    return eval(x)",
    "def f(x):\n    return vars(x), dir(x)",
    "def f(x):\n    y = x\n    del y\n    y = 2.0\n    return y",
    "def f(x):\n    for v in x:\n        y = v\n        del y\n    return x",
    "def f(x):\n    g = [lambda v, i=i: v * i for i in range(3)]\n    return g[0](x)",
    "def f(x):\n    for i in range(3):\n        g = lambda v: v * i\n        x = g(x)\n    return x",
    "def f(x, *i):\n    return x[*i]",
    "def f(x):\n    match x:\n        case int(y) | str(y):\n            return y",
]


@pytest.mark.parametrize("source", GOOD)
def test_what_looks_alike_is_accepted(source):
    prepare(source)


def test_unknown_kinds_of_node_are_refused():
    class Novelty(gast.stmt):
        _fields = ()
        _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    p = program.of(lambda x: x)
    node = gast.copy_location(Novelty(), p.tree.body[0])
    tree = gast.FunctionDef("f", p.tree.args, [*p.tree.body, node], [], None, None, [])
    with pytest.raises(errors.UnsupportedError, match="`Novelty`"):
        accept(program.Program(gast.copy_location(tree, p.tree), p.namespace, p.origin))
