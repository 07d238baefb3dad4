"""`match` as `if`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import gast

from stdiff import syntax
from stdiff.analyses import scopes
from stdiff.analyses.calls import known
from stdiff.syntax import Node
from stdiff.transforms.context import Context, Statements
from stdiff.transforms.nodes import assigned, at, constant, everywhere_at, named, negated, stored

# The classes of which `case C(p)` matches `p` with the object itself.
_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)

Captures = list[
    tuple[str, str]
]  # a name of the pattern, and the variable whose value it gets if the whole pattern matches


def matching(node: Node, context: Context) -> Statements:
    """The statements that do what a `match` does, with what other sugar its parts have.

    The names of a pattern are bound when all of it matches, before its guard, as Python does.

    Raises: UnsupportedError at a class pattern with positional parts whose attributes are not known.

    >>> from stdiff.program import of, text
    >>> from stdiff.transforms.desugar import desugar
    >>> def f(x):
    ...     match x:
    ...         case 0 | 1:
    ...             return 1.0
    ...         case {"r": r}:
    ...             return r
    >>> print(text(desugar(of(f)), comments=False), end="")
    def f(x):
        if x == 0 or x == 1:
            return 1.0
        else:
            matched = False
            if isinstance(x, Mapping) and 'r' in x:
                t1 = x['r']
                r = t1
                matched = True
            if matched:
                return r
            else:
                return None
    """
    names = {name for case in node.cases for part in gast.walk(case) for name in scopes.bound_as_text(part)}
    names |= {name for case in node.cases if case.guard for name in syntax.writes(case.guard)}
    first: Statements = []
    if isinstance(node.subject, gast.Name) and node.subject.id not in names:
        subject = node.subject.id
    else:
        subject = context.names.fresh("subject")
        first = [assigned(subject, node.subject, node.subject)]
    out = first
    block = out
    for case in node.cases:
        block += _case(case, subject, context)
        if not _may_fail(case):
            break
        block = block[-1].orelse
    return out


def _may_fail(case: Node) -> bool:
    """Whether what `_case` gives ends in an `if` that is not taken where the case does not match."""
    pattern = case.pattern
    return case.guard is not None or not (isinstance(pattern, gast.MatchAs) and pattern.pattern is None)


def _case(case: Node, subject: str, context: Context) -> Statements:
    """One case: at last an `if` with its body, or the body alone where it matches always."""
    pattern, guard = case.pattern, case.guard
    if isinstance(pattern, gast.MatchAs) and pattern.pattern is None:
        bound = [assigned(pattern.name, named(subject, pattern), pattern)] if pattern.name else []
        return [*bound, *(case.body if guard is None else [_if(guard, case.body, [], pattern)])]
    test = _test(pattern, subject)
    if test is not None:
        test = test if guard is None else at(gast.BoolOp(gast.And(), [test, guard]), pattern)
        return [_if(test, case.body, [], pattern)]
    matched = context.names.fresh("matched")
    captures: Captures = []

    def whole() -> Statements:
        bound = [assigned(name, named(variable, pattern), pattern) for name, variable in captures]
        return [*bound, assigned(matched, guard or constant(True, pattern), guard or pattern)]

    return [
        assigned(matched, constant(False, pattern), pattern),
        *_check(pattern, subject, captures, whole, context),
        _if(named(matched, pattern), case.body, [], pattern),
    ]


def _test(pattern: Node, subject: str) -> Node | None:
    """The pattern as one expression; None where it has parts to look at or names to bind."""
    if isinstance(pattern, gast.MatchValue):
        return at(gast.Compare(named(subject, pattern), [gast.Eq()], [pattern.value]), pattern)
    if isinstance(pattern, gast.MatchSingleton):
        return at(gast.Compare(named(subject, pattern), [gast.Is()], [constant(pattern.value, pattern)]), pattern)
    if isinstance(pattern, gast.MatchOr):
        tests = [_test(alternative, subject) for alternative in pattern.patterns]
        if None not in tests:
            return at(gast.BoolOp(gast.Or(), tests), pattern)
    return None


def _check(
    pattern: Node, subject: str, captures: Captures, then: Callable[[], Statements], context: Context
) -> Statements:
    """The statements that do what `then` gives, once, where the variable `subject` matches, and add to the captures."""
    test = _test(pattern, subject)
    if test is not None:
        return [_if(test, then(), [], pattern)]
    return _CHECKS[type(pattern)](pattern, subject, captures, then, context)


def _as(
    pattern: Node, subject: str, captures: Captures, then: Callable[[], Statements], context: Context
) -> Statements:
    if pattern.name is not None:
        captures.append((pattern.name, subject))
    return then() if pattern.pattern is None else _check(pattern.pattern, subject, captures, then, context)


def _or(
    pattern: Node, subject: str, captures: Captures, then: Callable[[], Statements], context: Context
) -> Statements:
    """The alternatives bind the same names, through the same variables."""
    found = context.names.fresh("found")
    variables: dict[str, str] = {}
    out: Statements = [assigned(found, constant(False, pattern), pattern)]
    for number, alternative in enumerate(pattern.patterns):
        own: Captures = []

        def whole(own: Captures = own) -> Statements:
            for name, _ in own:
                variables.setdefault(name, context.names.temporary())
            bound = [assigned(variables[name], named(variable, pattern), pattern) for name, variable in own]
            return [*bound, assigned(found, constant(True, pattern), pattern)]

        tried = _check(alternative, subject, own, whole, context)
        out += [_if(negated(named(found, pattern)), tried, [], pattern)] if number else tried
    captures += variables.items()
    return [*out, _if(named(found, pattern), then(), [], pattern)]


def _sequence(
    pattern: Node, subject: str, captures: Captures, then: Callable[[], Statements], context: Context
) -> Statements:
    starred = [isinstance(part, gast.MatchStar) for part in pattern.patterns]
    count = constant(len(starred) - sum(starred), pattern)
    length = _call(context.bind("len", len), [named(subject, pattern)], pattern)
    texts = [named(context.bind(kind.__name__, kind), pattern) for kind in (str, bytes, bytearray)]
    tests = [
        _isinstance(subject, named(context.bind("Sequence", Sequence), pattern), pattern, context),
        negated(_isinstance(subject, at(gast.Tuple(texts, gast.Load()), pattern), pattern, context)),
        at(gast.Compare(length, [gast.GtE() if any(starred) else gast.Eq()], [count]), pattern),
    ]
    parts = [(part, context.names.temporary()) for part in pattern.patterns]
    block: Statements = []
    if not all(_is_wildcard(part) for part, _ in parts):
        targets = [stored(variable, part) for part, variable in parts]
        targets = [
            at(gast.Starred(t, gast.Store()), t) if star else t for t, star in zip(targets, starred, strict=True)
        ]
        unpacked = at(gast.Tuple(targets, gast.Store()), pattern)
        block.append(at(gast.Assign([unpacked], named(subject, pattern), None), pattern))
    block += _parts(parts, captures, then, context)
    return [_if(at(gast.BoolOp(gast.And(), tests), pattern), block, [], pattern)]


def _star(
    pattern: Node, subject: str, captures: Captures, then: Callable[[], Statements], context: Context
) -> Statements:
    if pattern.name is not None:
        captures.append((pattern.name, subject))
    return then()


def _mapping(
    pattern: Node, subject: str, captures: Captures, then: Callable[[], Statements], context: Context
) -> Statements:
    tests = [_isinstance(subject, named(context.bind("Mapping", Mapping), pattern), pattern, context)]
    tests += [at(gast.Compare(key, [gast.In()], [named(subject, key)]), key) for key in pattern.keys]
    parts = [(part, context.names.temporary()) for part in pattern.patterns]
    block: Statements = []
    for key, (_, variable) in zip(pattern.keys, parts, strict=True):
        block.append(assigned(variable, at(gast.Subscript(named(subject, key), key, gast.Load()), key), key))
    if pattern.rest is not None:
        others = context.names.temporary()
        keys = at(gast.Tuple(pattern.keys, gast.Load()), pattern)
        text = "{key: value for key, value in subject.items() if key not in keys}"
        block.append(
            assigned(
                others,
                syntax.substitute(everywhere_at(syntax.expression(text), pattern), {"subject": subject, "keys": keys}),
                pattern,
            )
        )
        captures.append((pattern.rest, others))
    block += _parts(parts, captures, then, context)
    test = at(gast.BoolOp(gast.And(), tests), pattern) if len(tests) > 1 else tests[0]
    return [_if(test, block, [], pattern)]


def _class(
    pattern: Node, subject: str, captures: Captures, then: Callable[[], Statements], context: Context
) -> Statements:
    test = _isinstance(subject, pattern.cls, pattern, context)
    positional, attributes = pattern.patterns, list(pattern.kwd_attrs)
    if positional:
        cls = known(pattern.cls, context.namespace)
        if cls in _WHOLE and len(positional) == 1 and not attributes:
            return [_if(test, _check(positional[0], subject, captures, then, context), [], pattern)]
        attributes = [*_positional(pattern, cls, context), *attributes]
    parts = [(part, context.names.temporary()) for part in (*positional, *pattern.kwd_patterns)]
    tests, block = [test], []
    for attribute, (part, variable) in zip(attributes, parts, strict=True):
        has = context.bind("hasattr", hasattr)
        tests.append(_call(has, [named(subject, part), constant(attribute, part)], part))
        block.append(assigned(variable, at(gast.Attribute(named(subject, part), attribute, gast.Load()), part), part))
    block += _parts(parts, captures, then, context)
    return [_if(at(gast.BoolOp(gast.And(), tests), pattern) if attributes else test, block, [], pattern)]


def _positional(pattern: Node, cls: object, context: Context) -> list[str]:
    """The attributes that the positional parts of a class pattern stand for."""
    names = getattr(cls, "__match_args__", ()) if isinstance(cls, type) else ()
    if len(names) < len(pattern.patterns):
        why = "which attributes they stand for is not known when deriving"
        raise context.refuse(pattern, "a class pattern with positional parts", why, "name them: `C(attribute=part)`")
    return list(names[: len(pattern.patterns)])


def _parts(
    parts: list[tuple[Node, str]], captures: Captures, then: Callable[[], Statements], context: Context
) -> Statements:
    """Checks one part after the other."""
    if not parts:
        return then()
    (part, variable), *others = parts
    return _check(part, variable, captures, lambda: _parts(others, captures, then, context), context)


_CHECKS: dict[type, Callable[..., Statements]] = {
    gast.MatchAs: _as,
    gast.MatchOr: _or,
    gast.MatchSequence: _sequence,
    gast.MatchStar: _star,
    gast.MatchMapping: _mapping,
    gast.MatchClass: _class,
}


def _is_wildcard(pattern: Node) -> bool:
    return (
        isinstance(pattern, gast.MatchAs | gast.MatchStar)
        and pattern.name is None
        and getattr(pattern, "pattern", None) is None
    )


# Nodes


def _call(function: str, arguments: Statements, like: Node) -> Node:
    return at(gast.Call(named(function, like), arguments, []), like)


def _isinstance(subject: str, cls: Node, like: Node, context: Context) -> Node:
    return _call(context.bind("isinstance", isinstance), [named(subject, like), cls], like)


def _if(test: Node, body: Statements, orelse: Statements, like: Node) -> Node:
    return at(gast.If(test, body, orelse), like)
