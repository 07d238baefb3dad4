"""What the parts of `simplify` know of a function: names, effects and the width of what would be printed.

    >>> from stdiff.syntax import expression
    >>> facts = Facts(made=frozenset({"t1"}), pure=lambda f: True)
    >>> facts.summary(expression("a * np.sin(b)")).reads
    ('a', 'np', 'b')

Expressions are never changed in place (a replacement makes a new node), so a summary is made once for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import gast

from stdiff import syntax
from stdiff.syntax import Node

# How far an expression or statement reaches beyond the names that it reads and binds. Two of them may change places
# unless one ACTS and the other does more than hold VALUEs.
VALUE = 0  # names and constants, and tuples of them
READS = 1  # may look into what the names hold: operators, subscripts, calls without side effects
ACTS = 2  # may write or print, may leave the block

ATOM = 15
_UNARY, _POWER = 12, 13
_PRECEDENCE: dict[type, int] = {
    gast.BitOr: 6, gast.BitXor: 7, gast.BitAnd: 8, gast.LShift: 9, gast.RShift: 9, gast.Add: 10, gast.Sub: 10,
    gast.Mult: 11, gast.Div: 11, gast.FloorDiv: 11, gast.Mod: 11, gast.MatMult: 11, gast.Pow: _POWER,
}  # fmt: skip
# Nothing is replaced in these: they bind names of their own, or are printed in their own way.
OPAQUE = (
    gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.NamedExpr, gast.JoinedStr,
    gast.Await, gast.Yield, gast.YieldFrom,
)  # fmt: skip
HEADERS: dict[type, tuple[str, ...]] = {  # the expressions of a statement itself, in the order of evaluation
    gast.Assign: ("value", "targets"), gast.AugAssign: ("target", "value"), gast.Expr: ("value",),
    gast.Return: ("value",), gast.If: ("test",), gast.While: ("test",), gast.For: ("iter", "target"),
    gast.With: ("items",), gast.Raise: ("exc", "cause"), gast.Assert: ("test", "msg"), gast.Delete: ("targets",),
}  # fmt: skip
JUMPS = (gast.Return, gast.Break, gast.Continue, gast.Raise)


class Summary(NamedTuple):
    """Of an expression: names read (once for each time), effect, columns when printed, nested brackets, precedence."""

    reads: tuple[str, ...]
    effect: int
    width: int
    depth: int
    precedence: int = ATOM


@dataclass
class Facts:
    """What the caller says of a function, and the summaries of its expressions.

    `made`: names that the compiler made; `pure`: tells a call without side effects by its function; `derivative`: the
    function is a backward sweep; `shared`: names declared global; `local`: parameters and names that are bound (a free
    name may later become a target of a loop, for what is read off a tape: it means another thing inside the loop and
    behind it); `buffers`: names whose array `accumulate_at` may write into; `storage`: those and the names that may
    share memory with something written into.
    """

    made: frozenset[str]
    pure: Callable[[Node], bool]
    derivative: bool = False
    shared: frozenset[str] = frozenset()
    local: frozenset[str] = frozenset()
    buffers: frozenset[str] = frozenset()
    storage: frozenset[str] = frozenset()
    _summaries: dict[int, tuple[Node, Summary]] = field(default_factory=dict, repr=False)

    def summary(self, node: Node) -> Summary:
        """The summary of an expression, target or list of these; of None, an empty one."""
        if type(node) is list:
            return _joined([self.summary(item) for item in node])
        known = self._summaries.get(id(node))
        if known is None:
            known = self._summaries[id(node)] = node, self._summarise(node)
        return known[1]

    def reads(self, statement: Node) -> tuple[str, ...]:
        """The names that a statement reads, its blocks aside, once for each time."""
        if type(statement) is gast.Assign and type(statement.targets[0]) is gast.Name:
            return self.summary(statement.value).reads
        fields = HEADERS.get(type(statement), ())
        if len(fields) == 1:
            return self.summary(getattr(statement, fields[0])).reads
        reads = tuple(name for field in fields for name in self.summary(getattr(statement, field)).reads)
        return (*binds(statement), *reads) if type(statement) is gast.AugAssign else reads

    def effect(self, statement: Node) -> int:
        """The effect of a statement, its blocks aside."""
        kind = type(statement)
        if kind is gast.Assign:
            effect = self.summary(statement.value).effect
            return effect if type(statement.targets[0]) is gast.Name else max(effect, _target_effect(statement.targets))
        if kind is gast.Expr or kind is gast.If:
            return self.summary(getattr(statement, HEADERS[kind][0])).effect
        return VALUE if kind is gast.Pass else ACTS

    def _summarise(self, node: Node) -> Summary:
        kind = type(node)
        if kind is gast.Name:
            if isinstance(node.ctx, gast.Store):
                return Summary((), VALUE, len(node.id), 0)
            return Summary((node.id,), READS if node.id in self.shared else VALUE, len(node.id), 0)
        if kind is gast.Constant:
            text = repr(node.value)
            return Summary((), VALUE, len(text), 0, _UNARY if text.startswith("-") else ATOM)
        if kind is gast.BinOp:
            own = _PRECEDENCE[type(node.op)]
            left = _bracketed(self.summary(node.left), own + (own == _POWER))
            right = _bracketed(self.summary(node.right), own + (own != _POWER))
            return _operation([left, right], 3, own)
        if kind is gast.UnaryOp:
            own = 4 if isinstance(node.op, gast.Not) else _UNARY
            return _operation([_bracketed(self.summary(node.operand), own)], 4 if own == 4 else 1, own)
        if kind is gast.Call:
            func = self.summary(node.func)
            inside = _joined([self.summary(a) for a in [*node.args, *node.keywords]])
            effect = READS if self.pure(node.func) else ACTS
            return Summary(
                func.reads + inside.reads, max(func.effect, inside.effect, effect), func.width + inside.width + 2,
                max(func.depth, inside.depth + 1),
            )  # fmt: skip
        return self._summarise_other(node)

    def _summarise_other(self, node: Node) -> Summary:
        kind = type(node)
        if isinstance(node, OPAQUE):
            names = syntax.reads(node) | syntax.writes(node)
            width = sum(len(getattr(part, "id", "")) + 3 for part in gast.walk(node))
            return Summary((*names, *names), READS if kind is gast.JoinedStr else ACTS, width, 1, 1)
        children = [self.summary(child) for child in evaluated(node)]
        joined = _joined(children)
        if kind is gast.Tuple or kind is gast.List:
            return joined._replace(width=joined.width + 2, depth=joined.depth + 1)
        if kind is gast.Subscript:
            base, index = children
            return Summary(joined.reads, max(READS, joined.effect), base.width + index.width + 2,
                           max(base.depth, index.depth + 1))  # fmt: skip
        if kind is gast.Attribute:
            return Summary(joined.reads, max(READS, joined.effect), joined.width + len(node.attr) + 1, joined.depth)
        if kind is gast.keyword:
            return joined._replace(width=joined.width + len(node.arg or "*") + 1)
        if kind is gast.Compare or kind is gast.BoolOp:
            own = 5 if kind is gast.Compare else 2
            return _operation([_bracketed(child, own + 1) for child in children], 4, own)
        if node is None or kind in (gast.Slice, gast.Starred, gast.withitem):
            return joined
        return joined._replace(effect=max(READS, joined.effect), depth=joined.depth + 1, precedence=1)


def evaluated(node: Node) -> list[Node]:
    """The parts of an expression in the order of their evaluation."""
    if type(node) is gast.Dict:
        return [part for pair in zip(node.keys, node.values, strict=True) for part in pair if part is not None]
    if node is None:
        return []
    parts: list[Node] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            parts.extend(part for part in value if isinstance(part, gast.AST) and part._fields)
        elif isinstance(value, gast.AST) and value._fields:
            parts.append(value)
    return parts


def _joined(parts: list[Summary]) -> Summary:
    if len(parts) == 1:
        return parts[0]._replace(precedence=ATOM)
    reads: tuple[str, ...] = ()
    effect = depth = 0
    width = 2 * max(0, len(parts) - 1)
    for part in parts:
        reads += part.reads
        effect = max(effect, part.effect)
        width += part.width
        depth = max(depth, part.depth)
    return Summary(reads, effect, width, depth)


def _operation(parts: list[Summary], between: int, precedence: int) -> Summary:
    joined = _joined(parts)
    width = sum(part.width for part in parts) + between * max(1, len(parts) - 1)
    return Summary(joined.reads, max(READS, joined.effect), width, joined.depth, precedence)


def _bracketed(part: Summary, least: int) -> Summary:
    return part if part.precedence >= least else part._replace(width=part.width + 2, depth=part.depth + 1)


def _target_effect(targets: list[Node]) -> int:
    return READS if all(isinstance(part, gast.Name) for t in targets for part in _leaves(t)) else ACTS


def _leaves(target: Node) -> Iterator[Node]:
    if isinstance(target, gast.Tuple | gast.List):
        for part in target.elts:
            yield from _leaves(part)
    elif isinstance(target, gast.Starred):
        yield from _leaves(target.value)
    else:
        yield target


def binds(statement: Node) -> list[str]:
    """The names that a statement binds, its blocks aside."""
    kind = type(statement)
    if kind is gast.Assign:
        if type(statement.targets[0]) is gast.Name and len(statement.targets) == 1:
            return [statement.targets[0].id]
        return [part.id for t in statement.targets for part in _leaves(t) if isinstance(part, gast.Name)]
    if kind is gast.AugAssign:
        return [statement.target.id] if isinstance(statement.target, gast.Name) else []
    if kind is gast.For:
        return [part.id for part in _leaves(statement.target) if isinstance(part, gast.Name)]
    if kind is gast.With:
        return sorted(syntax.writes(gast.With(statement.items, [], None)))
    if kind is gast.Try:
        return [name for handler in statement.handlers if (name := _name(handler.name))]
    if kind in (gast.Delete, gast.Import, gast.ImportFrom):
        return sorted(syntax.writes(statement))
    return []


def _name(bound: Node) -> str | None:
    return getattr(bound, "id", bound)


def blocks(statement: Node) -> list[list[Node]]:
    """The statement lists inside a statement, in the order of the text."""
    kind = type(statement)
    if kind in (gast.If, gast.For, gast.While):
        return [statement.body, statement.orelse]
    if kind is gast.With:
        return [statement.body]
    if kind is gast.Try:
        return [statement.body, *(h.body for h in statement.handlers), statement.orelse, statement.finalbody]
    return []


def statements(body: list[Node]) -> Iterator[Node]:
    """Every statement of a block, those of inner blocks too."""
    waiting = [body]
    while waiting:
        for statement in waiting.pop():
            yield statement
            waiting.extend(block for block in blocks(statement) if block)


def census(body: list[Node], facts: Facts) -> tuple[Counter[str], Counter[str]]:
    """How often each name is read and how often bound in a block."""
    read: Counter[str] = Counter()
    bound: Counter[str] = Counter()
    for statement in statements(body):
        for name in facts.reads(statement):
            read[name] += 1
        for name in binds(statement):
            bound[name] += 1
        if type(statement) is gast.Try:
            read.update(name for h in statement.handlers for name in facts.summary(h.type).reads)
    return read, bound


def assigned(statement: Node) -> str | None:
    """The name in `name = value`, None for any other statement."""
    if type(statement) is gast.Assign and len(statement.targets) == 1 and type(statement.targets[0]) is gast.Name:
        name: str = statement.targets[0].id
        return name
    return None


def replace(node: Node, by: Mapping[str, Node], facts: Facts) -> Node:
    """An expression (or a list of them) with names replaced; what holds none of the names is shared, not copied."""
    if isinstance(node, list):
        new = [replace(item, by, facts) for item in node]
        return new if any(a is not b for a, b in zip(new, node, strict=True)) else node
    if type(node) is gast.Name:
        return by.get(node.id, node) if isinstance(node.ctx, gast.Load) else node
    if not isinstance(node, gast.AST) or not node._fields or isinstance(node, OPAQUE):
        return node
    if by.keys().isdisjoint(facts.summary(node).reads):
        return node
    values = [replace(getattr(node, name, None), by, facts) for name in node._fields]
    if all(new is getattr(node, name, None) for new, name in zip(values, node._fields, strict=True)):
        return node
    return gast.copy_location(type(node)(*values), node)


def touched(names: Iterable[str], among: frozenset[str]) -> bool:
    """Whether any of the names is among the others."""
    return not among.isdisjoint(names)
