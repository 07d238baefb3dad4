# ruff: noqa: E501 -- one case a line
"""Each error says what was met, where (file, line, the source line and a caret), why, and what to do instead."""

import contextlib
import functools
import linecache
import math
import re
import types

import numpy as np
import pytest

import stdiff
from stdiff import errors

UNSUPPORTED, RULE, ARGUMENT = errors.UnsupportedError, errors.NoRuleError, errors.ArgumentError
SCALAR, SOURCE = errors.NotScalarError, errors.SourceError

SHARED = "earlier reads of it must see what they saw"
NEW = "make a new value"

# A call, the text of a program, the class of the error, and fragments of the message: of what was met, of why it is
# refused and of what to do instead. What the caret marks stands between « and »; without these, the error has no place.
BAD = [
    # Writes into storage
    ("grad(f)(A)", "def f(x):\n    «x[0]» = 1.0\n    return x.sum()", UNSUPPORTED, "an assignment to an item", SHARED, NEW),
    ("grad(f)(A)", "def f(x):\n    y = x[:]\n    «y[1:]» = 0.0\n    return y.sum()", UNSUPPORTED, "an assignment to an item", SHARED, NEW),
    ("grad(f)(A)", "def f(x):\n    y = x[1:]\n    «y[...]» = y * y\n    return x.sum()", UNSUPPORTED, "an assignment to an item", SHARED, NEW),
    ("grad(f)(A)", "def f(x):\n    «x += 1.0»\n    return x.sum()", UNSUPPORTED, "`+=` on an array", "which other names may share", "`x = x + ...`"),
    ("grad(f)(A)", "def f(x):\n    «x **= 2»\n    return x.sum()", UNSUPPORTED, "`**=` on an array", "which other names may share", "`x = x ** ...`"),
    ("grad(f)(A)", "def f(x):\n    «x[1:]» += 1.0\n    return x.sum()", UNSUPPORTED, "did not make", SHARED, NEW),
    ("grad(f)(A)", "def f(x):\n    y = x * 1.0\n    z = y\n    «y[0]» += 1.0\n    return z.sum()", UNSUPPORTED, "another name may hold", SHARED, NEW),
    ("grad(f)(A)", "def f(x):\n    y = np.zeros(3)\n    «np.exp(x, out=y)»\n    return y.sum()", UNSUPPORTED, "`out=`", "writes into an array", "use the value"),
    ("grad(f)(A)", "def f(x):\n    y = np.zeros(3)\n    «np.exp(x, y)»\n    return y.sum()", UNSUPPORTED, "`out=`", "writes into an array", "use the value"),
    ("grad(f)(A)", "def f(x):\n    y = np.zeros(3)\n    «np.cumsum(x, 0, None, y)»\n    return y.sum()", UNSUPPORTED, "`out=`", "writes into an array", "use the value"),
    ("grad(f)(A)", "def f(x):\n    y = np.zeros(3)\n    «x.cumsum(0, None, y)»\n    return y.sum()", UNSUPPORTED, "`out=`", "writes into an array", "use the value"),
    ("grad(f)(A)", "def f(x):\n    «x.sort()»\n    return x[0]", UNSUPPORTED, "`np.ndarray.sort`", "writes into its argument", NEW),
    ("grad(f)(A)", "def f(x):\n    y = x * 1.0\n    «y.fill(2.0)»\n    return y.sum()", UNSUPPORTED, "`np.ndarray.fill`", "writes into its argument", NEW),
    ("grad(f)(2.0)", "def f(x):\n    a = [x, 1.0]\n    «a.sort()»\n    return a[1]", UNSUPPORTED, "`.sort()`", "changes the object", NEW),
    ("grad(f)(2.0)", "def f(x):\n    a = []\n    b = a\n    «a.append(x)»\n    return b[0] * x", UNSUPPORTED, "another name may hold", SHARED, NEW),
    ("grad(f)(2.0, [])", "def f(x, a):\n    «a.append(x)»\n    return a[0] * x", UNSUPPORTED, "did not make", SHARED, NEW),
    ("grad(f)(2.0)", "L = []\n\ndef f(x):\n    «L.append(x)»\n    return L[0] * x", UNSUPPORTED, "did not make", SHARED, NEW),
    ("grad(f)(2.0)", "def f(x):\n    d = {}\n    «d['k']» = x\n    return d['k']", UNSUPPORTED, "an assignment to an item", SHARED, NEW),
    ("grad(f)(2.0)", "def f(x):\n    d = {'a': x, 'b': x}\n    «del d['a']»\n    return d['b']", UNSUPPORTED, "`del` of an item", SHARED, NEW),
    ("grad(f)(2.0)", "def f(x):\n    d = {'a': x}\n    «d.update(b=x)»\n    return d['b']", UNSUPPORTED, "`.update()`", "changes the object", NEW),
    ("grad(f)(2.0)", "def f(x):\n    s = {1.0, x}\n    return «s.pop()»", UNSUPPORTED, "`.pop()`", "changes the object", NEW),
    ("grad(f)(2.0, types.SimpleNamespace())", "def f(x, o):\n    «o.k» = x\n    return o.k", UNSUPPORTED, "an assignment to an attribute", SHARED, NEW),
    ("grad(f)(2.0, types.SimpleNamespace(k=1.0))", "def f(x, o):\n    «o.k» += x\n    return o.k", UNSUPPORTED, "an update of an attribute", SHARED, NEW),
    ("grad(f)(A)", "def put(a, v):\n    «a[0]» = v\n\ndef f(x):\n    put(x, 0.0)\n    return x.sum()", UNSUPPORTED, "an assignment to an item", SHARED, NEW),
    ("grad(f)(A, put)", "def put(a):\n    «a[0]» = 0.0\n\ndef f(x, put):\n    put(x)\n    return x.sum()", UNSUPPORTED, "an assignment to an item", SHARED, NEW),
    ("grad(f)(A)", "def f(x):\n    put = lambda a: «a.fill(0.0)»\n    put(x)\n    return x.sum()", UNSUPPORTED, "`np.ndarray.fill`", "writes into its argument", NEW),
    ("grad(f)(A)", "def f(x):\n    put = lambda a, v: «a.__setitem__(0, v)»\n    put(x, 0.0)\n    return x.sum()", UNSUPPORTED, "`.__setitem__()`", "changes the object", NEW),
    ("grad(f)(A)", "def f(x):\n    y = np.zeros(3)\n    «np.add.at(y, [0, 0], x[:2])»\n    return y.sum()", UNSUPPORTED, "`np.ufunc.at`", "writes into its argument", NEW),
    ("grad(f)(A)", "def f(x):\n    y = np.zeros(3)\n    «np.copyto(y, x)»\n    return y.sum()", UNSUPPORTED, "`np.copyto`", "writes into its argument", NEW),
    ("grad(f)(A)", "def f(x):\n    y = x * 1.0\n    «np.fill_diagonal(y[:, None], 0.0)»\n    return y.sum()", UNSUPPORTED, "`np.fill_diagonal`", "writes into its argument", NEW),
    ("grad(f)({'x': A})", "def f(d):\n    y = d['x']\n    «y += 1.0»\n    return y.sum()", UNSUPPORTED, "an update in place of an array", "which other names may share", "`x = x + ...`"),
    # Functions and options without a rule
    ("grad(f)(2.0)", "def f(x):\n    return 2.0 * «math.nextafter(x, 3.0)»", RULE, "`math.nextafter`", "no entry in the rule table", "`stdiff.elementwise(math.nextafter, lambda y, x0, x1: (..., ...))`"),
    ("grad(f)(A)", "def f(x):\n    return «np.fft.fft(x)»[0].real", RULE, "`np.fft.fft`", "no Python source", "`stdiff.elementwise(np.fft.fft, lambda y, x: ...)`"),
    ("grad(f)(2.0, math.nextafter)", "def f(x, g):\n    return «g(x, 2.0)»", RULE, "`math.nextafter`", "no entry", "stdiff.elementwise(math.nextafter"),
    ("grad(f)(2.0, types.SimpleNamespace(go=math.nextafter))", "def f(x, o):\n    return x * «o.go(x, 2.0)»", RULE, "`math.nextafter`", "no entry", "stdiff.elementwise(math.nextafter"),
    ("grad(f)(A)", "def f(x):\n    return «np.exp(x, casting='no')».sum()", RULE, "`np.exp` with its argument `casting`", "its rule does not cover", "leave the argument out"),
    ("grad(f)(A)", "def f(x):\n    y = 2.0 * «np.pad(x, 1, mode='mean')»\n    return y.sum()", UNSUPPORTED, "np.pad with mode='mean'", "computed from the array", "concatenate it"),
    ("grad(f)(A)", "def f(x):\n    return x[0] * «np.linalg.norm(x, 3)»", UNSUPPORTED, "np.linalg.norm with ord=3", "of the norms of vectors", "write the norm out"),
    ("grad(f)(A)", "def f(x):\n    y = x\n    return «np.einsum(x, [0], y, [0])»", UNSUPPORTED, "its interleaved form", "subscripts in a string", "ij,jk->ik"),
    ("grad(f)(2.0)", "def f(x):\n    return «np.random.normal(x, 1.0)»", RULE, "normal`", "the draw moves with its parameters", "loc + scale"),
    ("grad(f)(2.0)", "def f(x):\n    w, v = «np.linalg.eigh(x * np.eye(2) + 0.0)»\n    return v[0, 0] * w[1]", UNSUPPORTED, "where two values are equal", "are not unique", "use the values alone"),
    # Values that carry no derivative, or that have a meaning of their own
    ("grad(f)(2.0)", "def f(x):\n    return «complex(x, 1.0)».real", RULE, "`complex`", "complex numbers carry no derivative", "the imaginary part apart"),
    ("grad(f)(2.0)", "def f(x):\n    return (x * «1j»).real", UNSUPPORTED, "an operator on a complex number", "carry no derivative", "the imaginary part apart"),
    ("grad(f)(A)", "def f(x):\n    «z = x + np.array([0j])»\n    return abs(z).sum()", UNSUPPORTED, "a complex cotangent", "complex derivatives", "keep to real numbers"),
    ("grad(f)(2.0)", "def f(x):\n    y = np.array([x, None], dtype=object)\n    return «y[0]» * 2.0", UNSUPPORTED, "an array of objects", "are not numbers to NumPy", "an array of floats"),
    ("grad(f)(2.0)", "M = np.ma.array([1.0, 2.0])\n\ndef f(x):\n    return (x * «M»).sum()", UNSUPPORTED, "an operator on a MaskedArray", "a meaning of its own", "plain arrays"),
    ("grad(f)(2.0)", "def f(x):\n    s = str(x)\n    return «float(s)» * 2.0", UNSUPPORTED, "a number read from text", "does not go through text", "keep the number"),
    ("grad(f)(2.0)", "def f(x):\n    return «float(f'{x:.1f}')»", UNSUPPORTED, "a number read from text", "does not go through text", "keep the number"),
    ("grad(f)(2.0)", "class V:\n    def __mul__(self, o):\n        return o * o\n\nK = V()\n\ndef f(x):\n    return «K» * x", UNSUPPORTED, "an operator on a V", "a meaning of its own", "plain arrays"),
    ("jvp(f, (2.0, V()), (1.0, None))", "class V:\n    def __radd__(self, o):\n        return o * o\n\ndef f(x, k):\n    return x + «k»", UNSUPPORTED, "an operator on a V", "a meaning of its own", "plain arrays"),
    ("grad(f)(L([2.0]))", "class L(list):\n    def __getitem__(self, k):\n        return 2 * list.__getitem__(self, k)\n\ndef f(x):\n    return «x[0]» * 2", UNSUPPORTED, "an item of a L", "in a way of its own", "a plain list"),
    ("grad(f)(2.0)", "class P:\n    def __init__(self, v):\n        self.w = v * v\n\ndef f(x):\n    return «P(x)».w", UNSUPPORTED, "making a `P`", "its constructor runs code", "use a dataclass"),
    ("grad(f)(2.0)", "def f(x):\n    d = «{'a': x}» | {'b': x}\n    return d['b']", UNSUPPORTED, "an operator on dicts", "how it combines them", "{**a, **b}"),
    ("grad(f)(2.0)", "def f(x):\n    s = 0.0\n    for v in {x, 2 * x}:\n        s = s + «v * v»\n    return s", UNSUPPORTED, "a loop over a set", "no places", "loop over a list"),
    ("grad(f)(2.0)", "def f(x):\n    s = 0.0\n    for v in «iter([x, x])»:\n        s = s + v\n    return s", RULE, "`iter`", "what was taken from it before", "loop over the container"),
    ("grad(f)(A)", "def f(x):\n    it = [x]\n    return «next(iter(it))».sum()", RULE, "`next`", "what was taken from it before", "index the container"),
    # Exceptions, jumps and context managers
    ("grad(f)(2.0)", "def f(x):\n    try:\n        raise ValueError(x)\n    except ValueError as e:\n        return «e.args»[0] * 2.0", UNSUPPORTED, "taken from the exception `e`", "is not followed", "before raising"),
    ("grad(f)(2.0)", "def f(x):\n    «try:»\n        y = x * x\n    finally:\n        return x", UNSUPPORTED, "a `finally` that leaves", "swallows an exception", "after the `try`"),
    ("grad(f)(2.0)", "def f(x):\n    y = x\n    try:\n        «for i in range(3):»\n            y = y * x\n        y = y * math.log(-x)\n    except ValueError:\n        pass\n    return y", UNSUPPORTED, "a statement in a `try`", "how far it came", "only simple statements"),
    ("grad(f)(2.0)", "def f(x):\n    y = x\n    «with contextlib.suppress(ValueError):»\n        y = y * x\n        y = math.log(-y)\n    return y", UNSUPPORTED, "swallows an exception", "how far its body came", "use `try`"),
    ("grad(f)(2.0)", "def f(x):\n    «with contextlib.nullcontext(x) as y:»\n        return y * y", UNSUPPORTED, "hands out a value", "is not known", "before or inside"),
    # Functions that are not plain functions
    ("grad(f)(2.0)", "def f(x):\n    «yield x»", UNSUPPORTED, "`yield`", "suspended", "return a list"),
    ("grad(f)(2.0)", "def g(x):\n    «yield x»\n\ndef f(x):\n    return sum(g(x))", UNSUPPORTED, "`yield`", "suspended", "return a list"),
    ("grad(f)(2.0)", "«async def f(x):»\n    return x", UNSUPPORTED, "`async def`", "event loop", "a plain `def`"),
    ("grad(f)(2.0)", "def f(x):\n    k = x\n    def g():\n        «nonlocal k»\n        k = k * x\n    g()\n    return k", UNSUPPORTED, "`nonlocal`", "a result beside", "return the new value"),
    ("grad(f)(2.0)", "K = 1.0\n\ndef f(x):\n    «global K»\n    K = x\n    return K", UNSUPPORTED, "the global `K`", "outlives the call", "assign it outside"),
    ("grad(f)(2.0)", "def f(x):\n    k = 1.0\n    g = «lambda v: v * k»\n    k = x\n    return [g][0](x)", UNSUPPORTED, "while `k`", "looked up when it runs", "`k=k`"),
    ("grad(f).source", "def f(x):\n    return [y for y in «vars()»]", UNSUPPORTED, "`vars()`", "local variables by name", "in a dict"),
    # Results that have no gradient
    ("grad(f)(A)", "«def f(x):»\n    return x * x", SCALAR, "the result of `f`", "an array of shape (3,)", "`.sum()`"),
    ("value_and_grad(f)(2.0)", "«def f(x):»\n    return x, x", SCALAR, "the result of `f`", "a tuple", "`vjp` or `jacobian`"),
    ("grad(f)(2.0)", "«def f(x):»\n    y = x * x", SCALAR, "the result of `f`", "a NoneType", "reduce it"),
    ("grad(f)(2.0)", "«def f(x):»\n    return x > 1.0", SCALAR, "the result of `f`", "a bool", "reduce it"),
    ("grad(f)(2.0)", "@functools.wraps(abs)\n«def f(x):»\n    return 'text'", SCALAR, "the result of", "a str", "reduce it"),
    ("hessian(f)(A)", "«def f(x):»\n    return x * x", SCALAR, "the result of `f`", "an array of shape (3,)", "`.sum()`"),
    ("hvp(f, (A,), (A,))", "«def f(x):»\n    return x * x", SCALAR, "the result of `f`", "an array of shape (3,)", "`.sum()`"),
    ("grad(f)(A)", "def g(x):\n    return x * x\n\ndef f(x):\n    return «grad(g)(x)».sum()", SCALAR, "the result of `g`", "an array of shape (3,)", "`.sum()`"),
    ("grad(f, has_aux=True)(2.0)", "«def f(x):»\n    return x * x", SCALAR, "the result of `f` with has_aux=True", "not a pair", "leave has_aux out"),
    ("jacfwd(f)(A)", "«def f(x):»\n    return {'a': x}", ARGUMENT, "the result of `f`", "it is a dict", "an array of floats"),
    ("jacrev(f)(A)", "«def f(x):»\n    return [x, x]", ARGUMENT, "the result of `f`", "it is a list", "an array of floats"),
    # Arguments
    ("grad(f)(np.array([1, 2]))", "«def f(x):»\n    return x.sum()", ARGUMENT, "argument 0 of `f`", "an array of int64", "`.astype(float)`"),
    ("grad(f)(np.array([True]))", "«def f(x):»\n    return x.sum()", ARGUMENT, "argument 0 of `f`", "an array of bool", "`.astype(float)`"),
    ("grad(f, 'y')(1.0, np.array([1j]))", "def g():\n    pass\n\n«def f(x, y):»\n    return x", ARGUMENT, "argument 'y' of `f`", "an array of complex128", "another argument"),
    ("grad(f)(A.astype(object))", "«def f(x):»\n    return x.sum()", ARGUMENT, "argument 0 of `f`", "an array of object", "another argument"),
    ("grad(f)(np.ma.array([1.0]))", "«def f(x):»\n    return x.sum()", ARGUMENT, "argument 0 of `f`", "a MaskedArray", "`np.asarray`"),
    ("grad(f)('a')", "«def f(x):»\n    return 1.0", ARGUMENT, "argument 0 of `f`", "a str", "another argument"),
    ("grad(f)(['a'])", "«def f(x):»\n    return 1.0", ARGUMENT, "argument 0 of `f`", "holds no real number", "another argument"),
    ("grad(f, argnums=2)(1.0, 2.0)", "«def f(x, y):»\n    return x", ARGUMENT, "with argnums=2", "2 positional arguments", "by position"),
    ("grad(f)(x=1.0)", "«def f(x):»\n    return x", ARGUMENT, "with argnums=0", "0 positional arguments", "name it in argnums"),
    ("grad(f, argnums='z')(1.0, 2.0)", "«def f(x, y):»\n    return x", ARGUMENT, "with argnums='z'", "no such parameter", "name one of x, y"),
    ("grad(f, argnums=5).source", "«def f(x, y):»\n    return x", ARGUMENT, "with argnums=5", "no such parameter", "choose among x, y"),
    ("grad(f, argnums=())", "«def f(x, y):»\n    return x", ARGUMENT, "with argnums=()", "does not say by which", "a position, a name"),
    ("grad(f, argnums=1.5)", "«def f(x, y):»\n    return x", ARGUMENT, "with argnums=1.5", "does not say by which", "a position, a name"),
    ("vjp(f, 'a')", "«def f(x):»\n    return 1.0", ARGUMENT, "a call of `f`", "none of its arguments", "a float or an array"),
    ("vjp(f, A)[1](np.ones(2))", "«def f(x):»\n    return x * x", ARGUMENT, "the cotangent of `f`", "(2,), that of the value is (3,)", "the shape of the value"),
    ("vjp(f, 1.0)[1](1.0)", "«def f(x):»\n    return x, x", ARGUMENT, "the cotangent of `f`", "not that of a tuple of 2", "one part for each"),
    ("vjp(f, 1.0)[1](1j)", "«def f(x):»\n    return x * x", ARGUMENT, "the cotangent of `f`", "it is complex", "a real one"),
    ("vjp(f, 1.0)[1]('a')", "«def f(x):»\n    return x * x", ARGUMENT, "the cotangent of `f`", "it is a str", "a number or an array"),
    ("jvp(f, (1.0,), (1.0, 2.0))", "«def f(x):»\n    return x", ARGUMENT, "2 tangents for 1 arguments of `f`", "needs its own", "None for a zero"),
    ("jvp(f, (A,), (np.ones(2),))", "«def f(x):»\n    return x", ARGUMENT, "tangent 0 of `f`", "its shape is (2,)", "the shape of the value"),
    ("jvp(f, 1.0, 1.0)", "«def f(x):»\n    return x", ARGUMENT, "given to the `jvp` of `f`", "a float, not a tuple", "`(x,)`"),
    ("jacobian(f)([1.0])", "«def f(x):»\n    return x[0]", ARGUMENT, "a Jacobian by a list", "not a number or an array", "by an array"),
    ("jacobian(f, argnums=(0, 1))(1.0, 2.0)", "«def f(x, y):»\n    return x", ARGUMENT, "by several arguments", "no common shape", "one argument at a time"),
    # What is no function with a source
    ("grad(f, backend='abacus')", "def f(x):\n    return x", ARGUMENT, "backend='abacus'", "no such backend", 'backend="python"'),
    ("grad(3.0)", "", ARGUMENT, "3.0", "not a function", "give a function"),
    ("grad(C)(1.0)", "class C:\n    pass", SOURCE, "`C`", "it is a class", "makes and uses the object"),
    ("grad(math.nextafter)(1.0, 2.0)", "", RULE, "`math.nextafter`", "no entry in the rule table", "stdiff.elementwise(math.nextafter"),
    ("grad(functools.partial(math.nextafter, 1.0))(2.0)", "", RULE, "`math.nextafter`", "no entry", "stdiff.elementwise(math.nextafter"),
]  # fmt: skip


def load(source, name):
    """The names that a program defines, and the name of its file."""
    filename = f"<program {name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {"A": np.array([1.0, 2.0, 3.0]), "__name__": "program"}
    for module in (contextlib, functools, math, types):
        namespace[module.__name__] = module
    namespace |= {"np": np, **{name: getattr(stdiff, name) for name in stdiff.__all__}}
    exec(compile(source, filename, "exec"), namespace)
    return namespace, filename


@pytest.mark.parametrize(("call", "marked", "kind", "met", "why", "instead"), BAD)
def test_each_error_has_four_parts(call, marked, kind, met, why, instead, request):
    source = re.sub("[«»]", "", marked) + "\n"
    namespace, filename = load(source, abs(hash((call, marked))))
    with pytest.raises(errors.StdiffError) as caught:
        eval(call, namespace)
    assert type(caught.value) is kind
    first, *where, because, rather = str(caught.value).splitlines()
    assert first.startswith("cannot differentiate: ")
    assert met in first
    assert because.startswith("  because ")
    assert why in because
    assert rather.startswith("  instead: ")
    assert instead in rather
    expected = []
    if "«" in marked:
        number, line = next((k, text) for k, text in enumerate(marked.splitlines(), 1) if "«" in text)
        column, width = line.index("«"), line.index("»") - line.index("«") - 1
        expected = [f"  at {filename}:{number}", f"    {source.splitlines()[number - 1]}", " " * (4 + column) + "^" * width]
    assert where == expected


def test_a_function_without_source():
    namespace = {}
    exec("def f(x):\n    return x", namespace)
    with pytest.raises(errors.SourceError) as caught:
        stdiff.grad(namespace["f"])(1.0)
    assert str(caught.value).splitlines() == [
        "cannot differentiate: `f`",
        "  at <string>:1",
        "  because there is no source text for it: it was made by exec or eval, or typed at a prompt that keeps no source",
        "  instead: write it in a file, a notebook or at Python 3.13's prompt; put the text of exec'd code into linecache",
    ]


CHAINS = [
    # Known when deriving, and known when running
    ("grad(f)(A)", "def put(a):\n    a[0] = 1.0\n    return a.sum()\n\ndef g(x):\n    return «put(x)» * 2.0\n\ndef f(x):\n    return «g(x)»"),
    ("grad(f)(A, put)", "def put(a):\n    a[0] = 1.0\n    return a.sum()\n\ndef g(x, put):\n    return «put(x)» * 2.0\n\ndef f(x, put):\n    return «g(x, put)»"),
    # Raised in a sweep
    ("grad(f)(A)", "def g(x):\n    return np.linalg.norm(x, 3)\n\ndef f(x):\n    return x[0] * «g(x)»"),
    ("jvp(f, (A,), (A,))", "def g(x):\n    return np.linalg.norm(x, 3)\n\ndef f(x):\n    return x[0] * «g(x)»"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "marked"), CHAINS)
def test_the_calls_that_led_to_it_are_in_its_notes(call, marked):
    namespace, filename = load(re.sub("[«»]", "", marked) + "\n", abs(hash((call, marked))))
    with pytest.raises(errors.StdiffError) as caught:
        eval(call, namespace)
    expected = [
        f"  in the call at {filename}:{number}\n    {re.sub('[«»]', '', line)}\n"
        + " " * (4 + line.index("«"))
        + "^" * (line.index("»") - line.index("«") - 1)
        for number, line in enumerate(marked.splitlines(), 1)
        if "«" in line
    ]
    assert caught.value.__notes__ == expected


def test_an_error_keeps_its_parts():
    with pytest.raises(errors.StdiffError) as caught:
        stdiff.grad(lambda x: x[0].sum())(np.ones(2, int))
    assert (caught.value.met, caught.value.instead) == ("argument 0 of `<lambda>`", "convert it with `.astype(float)`")
    assert caught.value.where.filename == __file__
