"""A function object becomes a Program and comes back; trees print as text that means the same."""

from __future__ import annotations

import ast
import builtins
import functools
import glob
import importlib.util
import inspect
import linecache
import math
import os
import subprocess
import sys
import time
import traceback
import types

import gast
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdiff import program
from stdiff.errors import SourceError
from stdiff.program import Origin, Program, compile, execute, lambda_source, of, register, stale, text, unparse

FACTOR = 3.0


def tripled(x, n=2, *rest, scale=FACTOR, **options):
    """Doc."""
    return scale * x**n + sum(rest) + len(options)


def exec_with_source(source, filename, **names):
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(builtins.compile(source, filename, "exec"), names)
    return names


# Finding the source


def test_a_function_of_a_file():
    p = of(tripled)
    assert p.tree.name == "tripled"
    assert p.origin.filename == __file__
    assert p.origin.lines[p.tree.lineno - 1] == "def tripled(x, n=2, *rest, scale=FACTOR, **options):"
    assert p.origin.qualname == "tripled"
    assert compile(p)(2.0, 3, 1.0, scale=1.0, a=0) == tripled(2.0, 3, 1.0, scale=1.0, a=0) == 10.0


def test_two_lambdas_on_one_line_are_told_apart():
    f, g = (lambda x: x + 1), (lambda x: x * 2)
    assert unparse(of(f).tree.body) == "return x + 1"
    assert unparse(of(g).tree.body) == "return x * 2"


def test_equal_lambdas_on_one_line_are_told_apart_by_position():
    f, g = (lambda x: x), (lambda x: x)
    assert of(f).tree.col_offset < of(g).tree.col_offset


def test_a_lambda_in_a_lambda():
    f = lambda x: lambda y: x - y  # noqa: E731
    assert unparse(of(f).tree.body) == "return lambda y: x - y"
    inner = of(f(5.0))
    assert unparse(inner.tree.body) == "return x - y"
    assert inner.namespace == {"x": 5.0}


def test_a_lambda_whose_body_is_a_lambda():
    f = lambda: lambda: 1  # noqa: E731
    assert unparse(of(f).tree.body) == "return lambda: 1"
    assert unparse(of(f()).tree.body) == "return 1"


def test_lambdas_that_return_constants():
    f, g, h = (lambda: 1), (lambda: 1.0), (lambda: 1)
    assert [unparse(of(each).tree.body) for each in (f, g, h)] == ["return 1", "return 1.0", "return 1"]


def test_lambdas_on_one_line_without_column_numbers(tmp_path):
    path = tmp_path / "columns.py"
    path.write_text(
        "k = 1\nf, g = (lambda x: x + k), (lambda x: x - k)\n"
        "p, q = (lambda k: [lambda x: x + k, lambda x: x - k])(2)\n"
    )
    script = (
        "import columns\n"
        "from stdiff.errors import SourceError\n"
        "from stdiff.program import of, unparse\n"
        "print(unparse(of(columns.f).tree.body), unparse(of(columns.g).tree.body))\n"
        "try:\n    of(columns.p)\n"
        "except SourceError as e:\n    print(e)\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-X", "no_debug_ranges", "-c", script],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.stdout.startswith("return x + k return x - k\n")
    assert "put each on a line of its own" in done.stdout


def test_a_lambda_over_several_lines():
    f = functools.partial(
        lambda x, y: (
            x
            + y
        ),
        1.0,
    )  # fmt: skip
    assert unparse(of(f.func).tree.body) == "return x + y"


def shifted(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args) + 1

    return wrapper


@shifted
@shifted
def decorated(x):
    return -x


def test_a_decorated_function_is_not_what_it_wraps():
    outer = of(decorated)
    assert outer.tree.name == "wrapper"
    assert unparse(outer.tree.body) == "return f(*args) + 1"
    assert outer.namespace == {"f": decorated.__wrapped__}
    innermost = of(decorated.__wrapped__.__wrapped__)
    assert (innermost.tree.name, innermost.tree.decorator_list) == ("decorated", [])
    assert compile(outer)(3.0) == decorated(3.0) == -1.0


class Model:
    __weight = 2.0

    def __init__(self, weight):
        self.__weight = weight

    def apply(self, x, __extra=1.0):
        return self.__weight * x + __extra

    @staticmethod
    def double(x):
        return 2 * x


def test_methods_and_private_names():
    m = Model(4.0)
    p = of(m.apply.__func__)
    assert unparse(p.tree.body) == "return self._Model__weight * x + _Model__extra"
    assert compile(p)(m, 10.0) == m.apply(10.0) == 41.0
    assert compile(of(Model.double))(4.0) == 8.0


def test_a_nested_def():
    def outer(a):
        def inner(b):
            return a * b

        return inner

    p = of(outer(2.0))
    assert (p.tree.name, p.namespace) == ("inner", {"a": 2.0})
    assert compile(p)(5.0) == 10.0


def test_asynchronous_functions_and_generators_are_found():
    async def wait(x):
        return await x

    def count(n):
        yield from range(n)

    assert isinstance(of(wait).tree, gast.AsyncFunctionDef)
    assert list(compile(of(count))(3)) == [0, 1, 2]


def test_a_function_with_assertions_that_pytest_has_rewritten():
    def checked(x):
        assert x > 0, "positive"
        return x / 7

    assert "@pytest_ar" in checked.__code__.co_names
    assert unparse(of(checked).tree.body) == "assert x > 0, 'positive'\nreturn x / 7"


@pytest.mark.parametrize("instead", ["x / 78", "x * 77", "y / 77"])
def test_a_function_with_assertions_whose_text_has_changed(monkeypatch, instead):
    def checked(x):
        assert x > 0, "positive"
        return x / 77

    with open(__file__, encoding="utf-8") as file:
        changed = [line.replace("return x / 77", f"return {instead}") for line in file]
    monkeypatch.setitem(linecache.cache, __file__, (0, None, changed, __file__))
    with pytest.raises(SourceError, match="has changed"):
        of(checked)


def test_execed_code_with_a_linecache_entry():
    f = exec_with_source("def f(x):\n    return x + 1\n", "<cell 1>")["f"]
    assert compile(of(f))(1.0) == 2.0


def test_a_cell_of_a_notebook_whose_statements_are_compiled_one_by_one():
    source, filename = "import math\ndef f(x):\n    return math.sin(x)\n", "<cell 2>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    names: dict[str, object] = {}
    for statement in ast.parse(source).body:
        exec(builtins.compile(ast.Module([statement], []), filename, "exec"), names)
    assert compile(of(names["f"]))(0.5) == math.sin(0.5)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="older prompts keep no source")
def test_the_prompt_keeps_its_source():
    source, filename = "def f(x):\n    return x * 4\n", "<python-input-7>"
    code = builtins.compile(source, filename, "single")
    by_code = hasattr(linecache, "_getlines_from_code")
    linecache._register_code(code if by_code else filename, source, filename if by_code else "<stdin>")
    names: dict[str, object] = {}
    exec(code, names)
    assert unparse(of(names["f"]).tree.body) == "return x * 4"


def test_no_source():
    names: dict[str, object] = {}
    exec("def f(x):\n    return x\n", names)
    with pytest.raises(SourceError, match="there is no source text for it"):
        of(names["f"])


def imported(path, source):
    path.write_text(source)
    os.utime(path, (0, len(source)))  # a time of its own for each version
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_file_that_has_changed_since_it_was_imported(tmp_path):
    path = tmp_path / "changing.py"
    f = imported(path, "def f(x):\n    return x + 1\n").f
    path.write_text("def f(x):\n    return x + 2\n")
    linecache.checkcache()
    with pytest.raises(SourceError, match="has changed since it was imported"):
        of(f)
    path.write_text("def f(x:\n")
    linecache.checkcache()
    with pytest.raises(SourceError, match="has changed since it was imported"):
        of(f)


def test_a_file_that_was_read_before_it_changed_is_still_good(tmp_path):
    path = tmp_path / "read.py"
    module = imported(path, "def f(x):\n    return x + 1\n\ndef g(x):\n    return x - 1\n")
    of(module.f)
    path.write_text("def f(x):\n    return x + 22\n")
    assert unparse(of(module.g).tree.body) == "return x - 1"


def test_a_module_that_was_imported_again_is_read_again(tmp_path):
    path = tmp_path / "again.py"
    of(imported(path, "def f(x):\n    return x + 1\n").f)
    assert unparse(of(imported(path, "def f(x):\n    return x + 333\n").f).tree.body) == "return x + 333"


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        (math.sin, "not written in Python"),
        (Model, "a class"),
        (Model(1.0).apply, "a bound method"),
        (functools.partial(tripled, 1), "not written in Python"),
        (3, "not a function"),
    ],
)
def test_what_is_not_a_python_function(thing, why):
    with pytest.raises(SourceError, match=f"because it is {why}\n  instead: "):
        of(thing)


# What names mean


def test_the_namespace_has_the_free_names_and_no_others():
    def f(x):
        from os import sep as s  # noqa: F401

        def inner(a):
            return a + FACTOR + x

        return [len(i) for i in range(3)], inner, (lambda math: math), undefined_anywhere  # noqa: F821

    p = of(f)
    assert p.namespace == {"len": len, "range": range, "FACTOR": 3.0}
    assert p.free == ("FACTOR", "len", "range", "undefined_anywhere")


def test_closures_come_before_globals_and_empty_cells_are_left_out():
    def f(x):
        return FACTOR * later  # noqa: F821

    assert "later" not in of(f).namespace

    def make():
        FACTOR = 7.0

        def g(x):
            return FACTOR * x

        def h(x):
            return unset * x

        if FACTOR < 0:
            unset = 1.0
        return g, h

    g, h = make()
    assert of(g).namespace == {"FACTOR": 7.0}
    assert of(h).namespace == {}


def test_nonlocal_and_global_declarations():
    def outer():
        count = 1.0

        def f(x):
            nonlocal count
            global FACTOR  # noqa: PLW0602
            count += x
            return FACTOR * count

        return f

    assert of(outer()).namespace == {"count": 1.0, "FACTOR": 3.0}


def test_builtins_that_are_hidden():
    f = exec_with_source("def f(x):\n    return abs(x)\n", "<hidden>", abs=math.sqrt)["f"]
    assert of(f).namespace == {"abs": math.sqrt}


def test_defaults_are_those_of_the_function_object():
    shared = [1.0]

    def f(x, a=shared, b=-2, *, c, d=shared):
        return a, b, c, d

    p = of(f)
    assert p.tree.args.kw_defaults[0] is None
    a, b, c, d = compile(p)(0.0, c=5)
    assert (a is shared, b, c, d is shared) == (True, -2, 5, True)
    f.__defaults__ = (8,)
    assert compile(of(f))(0.0, 1, c=5)[:2] == (1, 8)


def test_a_default_does_not_take_a_name_that_is_used():
    marker = object()

    def f(a=marker):
        a_default = 1
        return a, a_default

    assert compile(of(f))() == (marker, 1)


def test_recursion_reaches_the_function_that_the_name_means():
    names = exec_with_source("def f(n):\n    return 1 if n == 0 else n * f(n - 1)\n", "<recursive>")
    again = compile(of(names["f"]))
    assert again(5) == 120
    assert again.__globals__["f"] is names["f"]


def test_stale():
    names = exec_with_source("def f(x):\n    return g(x) + k\n", "<stale>", k=1.0)
    f = names["f"]
    p = of(f)
    assert not stale(p, f)
    f.__globals__["g"] = abs  # was not there
    assert stale(p, f)
    p = of(f)
    assert not stale(p, f)
    f.__globals__["k"] = 2.0
    assert stale(p, f)


def test_stale_sees_cells():
    def make():
        k = [1.0]

        def f(x):
            return k[0] * x

        def rebind():
            nonlocal k
            k = [1.0]

        return f, rebind

    f, rebind = make()
    p = of(f)
    assert not stale(p, f)
    rebind()
    assert stale(p, f)


def test_a_registered_program_comes_first():
    def f(x):
        return x

    p = Program(gast.parse("def f(x):\n    return 2 * x").body[0], {}, Origin("made up", (), "f"))
    register(f, p)
    assert of(f) is p


def test_lambda_source():
    node, names = lambda_source(lambda y, x: math.cos(x) * y)
    assert unparse(node) == "lambda y, x: math.cos(x) * y"
    assert names is globals()
    k = 2.0
    node, names = lambda_source(lambda x: k * x)
    assert (names["k"], names["math"]) == (2.0, math)
    assert lambda_source(tripled) is None


# Printing


MODULES = [
    "abc", "argparse", "ast", "base64", "bisect", "calendar", "cmd", "codecs", "colorsys", "configparser", "contextlib",
    "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum", "filecmp", "fractions", "functools",
    "gettext", "graphlib", "gzip", "heapq", "inspect", "ipaddress", "locale", "mailbox", "numbers", "operator",
    "pathlib", "pickle", "pprint", "queue", "random", "re", "selectors", "shlex", "shutil", "socket", "statistics",
    "string", "tarfile", "textwrap", "tokenize", "traceback", "types", "typing", "uuid", "warnings", "zipfile"
]  # fmt: skip


def comparable(tree):
    """Everything but what has no meaning: the prefix of u'' strings, and type comments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(tree)


@pytest.mark.parametrize("name", MODULES)
def test_the_standard_library_prints_as_text_that_parses_to_the_same_tree(name):
    root = os.path.dirname(os.__file__)
    for path in [f"{root}/{name}.py", *glob.glob(f"{root}/{name}/__init__.py")]:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                tree = ast.parse(file.read())
            for statement in tree.body:
                (again,) = ast.parse(unparse(gast.ast_to_gast(statement))).body
                assert comparable(again) == comparable(statement)


@pytest.mark.parametrize(
    "line",
    [
        "x = a * (b + c) ** -d",
        "x = (-a) ** 2 - -b",
        "x = -a ** 2",
        "x[i, :, ::2, ...] = y[1:n + 1]",
        "x[i,] = y[()]",
        "a, *b = c, (d, e)",
        "for i, (j, k) in zip(a, b):\n    pass",
        "x = lambda a, /, b, *c, d=1, **e: (a, b)",
        "x = (y := f(a)) + 1",
        "x = a if b else (c if d else e)",
        "x = (a if b else c) if d else e",
        "x = not (a and (b or c)) in d",
        "x = f(*a, k=1, **b)(c)[d].e",
        "x = (1).real + 1.0.imag + 2j",
        "x = f'{a!r:>{n}} {{}} {b[\"k\"]}'",
        "x = '''one\n\\ttwo' three\"'''",
        "with f(a) as b, c:\n    pass",
        "x = {**a, 'b': {1, 2}, **c}",
        "x = [i for j in k if j for i in j if i < j < 3]",
        "x = f(i for i in j)",
        "def f(a, b: int=1, *, c) -> int:\n    return a @ b",
        "match a:\n    case [1, b, *c] if b > 0:\n        x = 1\n    case {'k': (1 | 2)}:\n        pass",
        "try:\n    pass\nexcept* ValueError as e:\n    raise f(a) from e",
        "x = yield (a, b)",
        "x: list[int] = a, b",
        "assert a, (b, c)",
        "x = a < (b < c)",
        "x = (a for a in b), [*c, *d]",
    ],
)
def test_statements_print_as_text_that_parses_to_the_same_tree(line):
    assert ast.dump(ast.parse(unparse(gast.parse(line).body))) == ast.dump(ast.parse(line))


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("x=((a)*(b))+(c[(i,j)])", "x = a * b + c[i, j]"),
        ("for i in (a + b): pass", "for i in a + b:\n    pass"),
        ("with (f(a) + b): pass", "with f(a) + b:\n    pass"),
        ("return (a, b)", "return a, b"),
        ("x[(-1)] = (-2)", "x[-1] = -2"),
        ("raise (a + b)", "raise a + b"),
        ("def f() -> (a): pass", "def f() -> a:\n    pass"),
        ("x = 'tab\\t'", "x = 'tab\\t'"),
    ],
)
def test_no_needless_parentheses(written, printed):
    assert unparse(gast.parse(written).body) == printed


def power(value):
    return gast.BinOp(gast.Constant(value, None), gast.Pow(), gast.Constant(2, None))


@given(st.integers() | st.floats() | st.complex_numbers())
def test_numbers_are_faithful(value):
    for number in (value, -value):
        assert repr(eval(unparse(gast.Constant(number, None)))) == repr(number)
        part = gast.Attribute(gast.Constant(number, None), "real", gast.Load())
        assert repr(eval(unparse(part))) == repr(number.real)


def test_negative_constants_bind_like_a_negation():
    assert unparse(power(-3.0)) == "(-3.0) ** 2"
    assert unparse(gast.BinOp(gast.Constant(1, None), gast.Sub(), gast.Constant(-1, None))) == "1 - -1"
    assert unparse(power(3.0)) == "3.0 ** 2"
    assert unparse(power(-2j)) == "(-2j) ** 2"


@given(st.text())
def test_strings_are_faithful(value):
    assert eval(unparse(gast.Constant(value, None))) == value
    docstring = gast.Expr(gast.Constant(value, None))
    assert ast.literal_eval(unparse([docstring])) == value


def test_long_lines_are_wrapped():
    call = "f(" + ", ".join(f"argument_{i}" for i in range(40)) + ")"
    printed = unparse(gast.parse(f"while True:\n    y = {call}").body)
    assert max(map(len, printed.split("\n"))) <= 100
    assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(f"while True:\n    y = {call}"))


def test_a_long_function_prints_in_time():
    source = "def f(x):\n" + "".join(f"    y{i} = x * {i} + g(x, y{i}) / h\n" for i in range(2000)) + "    return y1\n"
    f = exec_with_source(source, "<long>")["f"]
    p = of(f)
    start = time.process_time()
    assert text(p).count("\n") == 2003
    assert time.process_time() - start < 0.5


def test_comments_show_the_source_line():
    source = "def f(x):\n    y = x * (\n        x + 1)  # remark\n    return  y\n"
    p = of(exec_with_source(source, "dir/area.py")["f"])
    first, _ = p.tree.body
    extra = gast.copy_location(gast.parse("t1 = x + 1").body[0], first)
    p.tree.body.insert(0, extra)
    p.tree.body[1].value.right = gast.parse("t1").body[0].value
    assert text(p) == (
        "# area.py:1  def f(x):\n"
        "def f(x):\n"
        "    # y = x * ( x + 1)\n"
        "    t1 = x + 1\n"
        "    y = x * t1\n"
        "    return y\n"
    )
    assert text(p, comments=False) == "def f(x):\n    t1 = x + 1\n    y = x * t1\n    return y\n"


def test_a_comment_ends_a_single_line_that_differs():
    p = of(exec_with_source("def f(x):\n    y = x\n    return (y)\n", "one.py")["f"])
    p.tree.body[0].value = gast.parse("x_bar").body[0].value
    assert text(p).split("\n")[2:4] == ["    y = x_bar  # y = x", "    return y  # return (y)"]


def test_importing_the_printer_warns_of_nothing_and_needs_none_of_the_deprecated_nodes():
    script = (
        "import ast, warnings\n"
        "names = ('Num', 'Str', 'Bytes', 'NameConstant', 'Ellipsis')\n"
        "with warnings.catch_warnings():\n"
        "    warnings.simplefilter('ignore')\n"
        "    [(getattr(ast, n), vars(ast).pop(n, None)) for n in names if n in dir(ast)]\n"
        "ast.__dict__.pop('__getattr__', None)\n"
        "import gast\n"
        "from stdiff.printing import unparse\n"
        "print(unparse(gast.parse('x = f\"{a:.2f}b\" + \\'c\\' + 1j + b\"d\" + g(None, ...)').body))\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "x = f'{a:.2f}b' + 'c' + 1j + b'd' + g(None, ...)\n"
    assert done.stderr == ""


# Compiling


def test_the_compiled_function_can_be_read_and_traced():
    fn = compile(of(tripled))
    assert inspect.getsource(fn).startswith("def tripled(x, n=2, *rest, scale=3.0, **options):\n")
    linecache.checkcache()
    with pytest.raises(TypeError) as caught:
        fn("text")
    assert "return scale * x ** n + sum(rest) + len(options)" in "".join(traceback.format_exception(caught.value))


def test_the_file_name_is_stable_and_says_what_it_is():
    first, second = compile(of(tripled)), compile(of(tripled))
    assert first.__code__.co_filename == second.__code__.co_filename
    assert first.__code__.co_filename.startswith("<stdiff tripled ")


def test_two_functions_in_one_file_keep_their_own_namespaces():
    def one(x):
        return x + k

    def two(x):
        return x * k

    k = 0.0
    p, q = of(one), of(two)
    p = Program(p.tree, {"k": 1.0}, p.origin)
    q = Program(q.tree, {"k": 5.0, "one": "user's"}, q.origin)
    wanted = [(part.tree.name, part.namespace) for part in (p, q)]
    first, second = execute("\n\n".join(map(text, (p, q))), "pair", wanted)
    assert (first(2.0), second(2.0)) == (3.0, 10.0)
    assert first.__code__.co_filename == second.__code__.co_filename
    assert inspect.getsource(second) == "def two(x):\n    return x * k\n"
    assert second.__globals__["one"] == "user's"
    assert "two" not in first.__globals__


def test_a_compiled_function_can_be_read_back():
    again = of(compile(of(tripled)))
    assert unparse(again.tree) == unparse(of(tripled).tree)
    assert isinstance(compile(again), types.FunctionType)
    assert program.of(compile(again)).free == of(tripled).free
