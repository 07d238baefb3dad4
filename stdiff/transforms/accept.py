"""The first pass: nothing goes further that the passes below do not handle."""

from __future__ import annotations

import builtins
from collections.abc import Callable

import gast

from stdiff import errors
from stdiff.analyses.calls import known
from stdiff.analyses.scopes import children
from stdiff.program import Origin, Program
from stdiff.syntax import Node, walk_names, writes

_KINDS = """
    FunctionDef Lambda arguments Return Delete Assign AugAssign AnnAssign For While If With withitem Match match_case
    Raise Try ExceptHandler Assert Import ImportFrom alias Global Expr Pass Break Continue
    BoolOp NamedExpr BinOp UnaryOp IfExp Dict Set ListComp SetComp DictComp GeneratorExp comprehension Compare Call
    keyword FormattedValue JoinedStr Constant Attribute Subscript Starred Name List Tuple Slice
    MatchValue MatchSingleton MatchSequence MatchMapping MatchClass MatchStar MatchAs MatchOr
    And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not UAdd USub
    Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
"""
_ACCEPTED: frozenset[type] = frozenset(getattr(gast, kind) for kind in _KINDS.split())
_LOOP = "a coroutine is run by an event loop"
_SUSPENDED = "a generator is suspended and resumed by its caller"
# what was met, why it is refused, what to do instead
_REFUSED: dict[str, tuple[str, str, str]] = {
    "Yield": ("`yield`", _SUSPENDED, "return a list of the values"),
    "YieldFrom": ("`yield from`", _SUSPENDED, "return a list of the values"),
    "AsyncFunctionDef": ("`async def`", _LOOP, "write a plain `def`"),
    "AsyncFor": ("`async for`", _LOOP, "write a plain `for`"),
    "AsyncWith": ("`async with`", _LOOP, "write a plain `with`"),
    "Await": ("`await`", _LOOP, "call a plain function"),
    "Nonlocal": (
        "`nonlocal`",
        "a function that rebinds a variable of another one has a result beside the one that it returns",
        "return the new value and assign it where the function is called",
    ),
    "ClassDef": ("a class defined inside the function", "its methods are not known when deriving", "define it outside"),
    "TryStar": ("`except*`", "it splits exceptions into groups", "use `except`"),
    "TypeAlias": ("a `type` statement inside the function", "it plays no part in the result", "move it out"),
    "TemplateStr": ("a template string", "its parts are evaluated by whoever takes it", "use an f-string"),
    "TypeVar": ("a type parameter", "it plays no part in the result", "leave it out of the inner function"),
    "ParamSpec": ("a type parameter", "it plays no part in the result", "leave it out of the inner function"),
    "TypeVarTuple": ("a type parameter", "it plays no part in the result", "leave it out of the inner function"),
}

_FRAME = "it reads or writes local variables by name while running"
_FORBIDDEN_CALLS: dict[str, tuple[str, str]] = {
    "exec": (_FRAME, "write the statements out"),
    "eval": (_FRAME, "write the expression out"),
    "locals": (_FRAME, "put the values in a dict"),
    "vars": (_FRAME, "put the values in a dict"),
    "dir": (_FRAME, "name the values"),
    "globals": ("it gives access to every global by name", "read the global itself"),
    "super": ("without arguments it needs the cell of the class body", "write `super(Class, self)`"),
}
_ONLY_BARE = {"vars", "dir", "super"}  # with an argument they look at that, not at the running function


def accept(program: Program) -> Program:
    """Refuse every construct that no later pass handles; the program itself is returned as it is.

    Arguments: `program`, as `program.of` gives it.
    Returns: the same program.
    Raises: UnsupportedError at the first node, in the order of the source, that is not in the accepted language. A kind
    of node that is not known here is refused too.

    Before and after:

    >>> from stdiff.program import of, text
    >>> def doubled(x):
    ...     return 2 * x
    >>> print(text(accept(of(doubled)), comments=False), end="")
    def doubled(x):
        return 2 * x
    """
    waiting = [program.tree]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind not in _ACCEPTED:
            raise _refusal(node, program.origin)
        if kind in _CHECKS:
            _CHECKS[kind](node, program)
        waiting.extend(children(node))
    return program


def _refusal(node: Node, origin: Origin) -> errors.StdiffError:
    kind = type(node).__name__
    unknown = (f"`{kind}`", "it is not in the language that is differentiated", "write it another way")
    return errors.at(node, origin, *_REFUSED.get(kind, unknown))


def _check_function(node: Node, program: Program) -> None:
    if node is program.tree:
        return
    _check_super(node, program)
    if node.decorator_list:
        raise errors.at(
            node.decorator_list[0],
            program.origin,
            f"a decorator on the inner function `{node.name}`",
            "what it makes of the function is known only when running",
            "define the decorated function outside",
        )
    if getattr(node, "type_params", None):
        raise _refusal(node.type_params[0], program.origin)


def _check_super(node: Node, program: Program) -> None:
    """What `super()` means in an inner function depends on that function's first parameter."""
    for part in gast.walk(node):
        if (
            isinstance(part, gast.Call)
            and isinstance(part.func, gast.Name)
            and part.func.id == "super"
            and not part.args
        ):
            why = "it looks for the object in that function's own parameters"
            raise errors.at(part, program.origin, "`super()` in an inner function", why, "write `super(Class, self)`")


def _check_call(node: Node, program: Program) -> None:
    func = node.func
    if not isinstance(func, gast.Name) or func.id not in _FORBIDDEN_CALLS:
        return
    if known(func, program.namespace) is not getattr(builtins, func.id) or (func.id in _ONLY_BARE and node.args):
        return
    if func.id == "super" and "__class__" in program.namespace:
        return
    why, instead = _FORBIDDEN_CALLS[func.id]
    raise errors.at(node, program.origin, f"`{func.id}()`", why, instead)


def _check_comprehension(node: Node, program: Program) -> None:
    if node.is_async:
        raise errors.at(node.target, program.origin, "an asynchronous comprehension", _LOOP, "write a plain `for`")


def _check_import(node: Node, program: Program) -> None:
    if node.level:
        why = "the package that it starts from is not known in generated code"
        instead = "import at the top of the file"
        raise errors.at(node, program.origin, "a relative import inside the function", why, instead)
    if any(alias.name == "*" for alias in node.names):
        why = "the names that it binds are not known when deriving"
        raise errors.at(node, program.origin, "`import *`", why, "import the names that are used")


def _check_global(node: Node, program: Program) -> None:
    for name in node.names:
        if name in writes(program.tree):
            why = "the new value outlives the call, and a derivative through it would be lost"
            instead = "return the new value and assign it outside"
            raise errors.at(node, program.origin, f"assigning the global `{name}`", why, instead)


def _check_delete(node: Node, program: Program) -> None:
    """A deleted name is kept in generated code: then nothing may find out."""
    for target in node.targets:
        if not isinstance(target, gast.Name):
            continue
        uses = [name for name in walk_names(program.tree) if name.id == target.id and name is not target]
        after = [name for name in uses if _position(name) > _position(target)]
        if after and isinstance(min(after, key=_position).ctx, gast.Load):
            why = "it is an error there, or another variable"
            raise errors.at(
                node, program.origin, f"`del {target.id}` before a use of `{target.id}`", why, "leave the `del` out"
            )


def _position(node: Node) -> tuple[int, int]:
    return node.lineno, node.col_offset


_CHECKS: dict[type, Callable[[Node, Program], None]] = {
    gast.FunctionDef: _check_function,
    gast.Lambda: _check_super,
    gast.Call: _check_call,
    gast.comprehension: _check_comprehension,
    gast.ImportFrom: _check_import,
    gast.Global: _check_global,
    gast.Delete: _check_delete,
}
