"""control: the backward statements of a block, its branches and loops in reverse."""

from __future__ import annotations

import gast

from stdiff import containers, runtime, syntax
from stdiff.syntax import Node
from stdiff.transforms.reversing.adding import Contribution, add, zero
from stdiff.transforms.reversing.context import Context, Live, call, read
from stdiff.transforms.reversing.statements import pull


def pull_block(ctx: Context, body: list[Node], live: Live) -> list[Node]:
    """The backward statements of a block; `live` (the adjoints after it) becomes the adjoints before it.

    After a statement that may leave the block, the rest was perhaps not reached: its reverse stands under a recorded
    flag.
    """
    leaving = [k for k, s in enumerate(body[:-1]) if may_leave(s)]
    if not leaving:
        return _pull_straight(ctx, body, live)
    if len(leaving) > _NESTED:
        return _pull_in_parts(ctx, body, leaving, live)
    k = leaving[0]
    before, rest = dict(live), dict(live)
    found = pull_block(ctx, body[k + 1 :], rest)
    found = _branch(ctx, body[k], read(_flag(ctx, body[k])), (found, rest), ([], before), live, left=True)
    return found + _pull_straight(ctx, body[: k + 1], live)


_NESTED = 10  # Python takes 100 levels of indentation in all


def _flag(ctx: Context, statement: Node) -> str:
    """The name that records whether control came past a statement that may leave its block."""
    flag = ctx.flags[id(statement)] = ctx.save("rest_reached", statement)
    return flag


def _pull_in_parts(ctx: Context, body: list[Node], leaving: list[int], live: Live) -> list[Node]:
    """The same with one branch behind the other, not inside it, for a block that may be left in many places.

    `if b: ...` in `if a: ...` stands before it here, as b implies a; what is zero where b is not reached is so only
    where a is.
    """
    early = dict(live)  # the adjoints where the block is left
    flags = [_flag(ctx, body[k]) for k in leaving]
    ends = [*leaving[1:], len(body) - 1]
    found: list[Node] = []
    for number in reversed(range(len(leaving))):
        start, part = leaving[number], dict(live)
        inner = _pull_straight(ctx, body[start + 1 : ends[number] + 1], part)
        where = read(flags[number - 1]) if number else None
        found += _branch(
            ctx, body[start], read(flags[number]), (inner, part), ([], dict(early)), live, left=True, where=where
        )
    return found + _pull_straight(ctx, body[: leaving[0] + 1], live)


def _pull_straight(ctx: Context, body: list[Node], live: Live) -> list[Node]:
    found: list[Node] = []
    for statement in reversed(body):
        found += _pull_statement(ctx, statement, live)
    return found


def _pull_statement(ctx: Context, statement: Node, live: Live) -> list[Node]:
    if isinstance(statement, gast.If):
        return _pull_if(ctx, statement, live)
    if isinstance(statement, gast.For | gast.While):
        return _pull_loop(ctx, statement, live)
    if isinstance(statement, gast.Return):
        return _pull_return(ctx, statement, live)
    if isinstance(statement, gast.With):
        return _pull_with(ctx, statement, live)
    if isinstance(statement, gast.Try):
        return _pull_try(ctx, statement, live)
    return pull(ctx, statement, live)


def _pull_with(ctx: Context, statement: Node, live: Live) -> list[Node]:
    """The body of a `with` in reverse; what the context manager itself does is not differentiated."""
    found = pull_block(ctx, statement.body, live)
    for item in statement.items:
        if item.optional_vars is not None and any(n in live for n in syntax.store_names(item.optional_vars)):
            raise ctx.error(statement, "a context manager that hands out a value which carries a derivative",
                            "what it does to the value is not known", "compute the value before or inside the `with`")
    return found


def _pull_return(ctx: Context, statement: Node, live: Live) -> list[Node]:
    if not ctx.is_active(statement.value):
        return []
    name = statement.value.id
    if ctx.bar(name) == ctx.result_bar and name not in ctx.buffers:
        live[name] = False
        return []
    live.pop(name, None)
    return add(ctx, statement, None, [Contribution(name, read(ctx.result_bar))], live)


def may_leave(statement: Node) -> bool:
    """Whether control may leave the block of a statement from within: by a return, or a jump of a loop outside it."""
    if isinstance(statement, gast.Break | gast.Continue | gast.Return):
        return True
    if isinstance(statement, gast.For | gast.While):
        return _returns(statement.body) or any(map(may_leave, statement.orelse))
    if isinstance(statement, gast.If):
        return any(map(may_leave, statement.body)) or any(map(may_leave, statement.orelse))
    if isinstance(statement, gast.With):
        return any(map(may_leave, statement.body))
    if isinstance(statement, gast.Try):
        handlers = [s for h in statement.handlers for s in h.body]
        return any(map(may_leave, statement.body + handlers + statement.orelse + statement.finalbody))
    return False


def _returns(body: list[Node]) -> bool:
    return any(isinstance(part, gast.Return) for statement in body for part in syntax.walk(statement))


def always_raises(body: list[Node]) -> bool:
    """Whether a block ends in an exception on every path, so that the backward sweep never comes through it."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, gast.If):
        return always_raises(last.body) and always_raises(last.orelse)
    return isinstance(last, gast.Raise) and not any(map(may_leave, body))


def _pull_if(ctx: Context, statement: Node, live: Live) -> list[Node]:
    if always_raises(statement.body):
        return pull_block(ctx, statement.orelse, live)
    if always_raises(statement.orelse):
        return pull_block(ctx, statement.body, live)
    body, orelse = dict(live), dict(live)
    left = pull_block(ctx, statement.body, body), body
    right = pull_block(ctx, statement.orelse, orelse), orelse
    if not left[0] and not right[0] and body.keys() == orelse.keys():
        live.clear()
        live.update(body)
        return []
    return _branch(ctx, statement, _test(ctx, statement), left, right, live)


def _test(ctx: Context, statement: Node) -> Node:
    """The test of an `if` in the backward sweep: asked again where that is cheap and gives the same, else recorded."""
    test = statement.test
    spot = ctx.spot(statement)
    names = [n.id for n in syntax.walk_names(test)]
    if _cheap(ctx, test) and not any(ctx.flow.overwritten(n, spot, spot.position) for n in names if n in ctx.kinds):
        return syntax.copy(test)
    label = ctx.tests[id(statement)] = ctx.save("test", statement)
    return read(label)


def _cheap(ctx: Context, test: Node) -> bool:
    if isinstance(test, gast.Name):
        return True
    if isinstance(test, gast.UnaryOp):
        return _cheap(ctx, test.operand)
    if isinstance(test, gast.Compare):
        atoms = [test.left, *test.comparators]
        return all(
            isinstance(a, gast.Constant) or (isinstance(a, gast.Name) and ctx.kind(a).name == "number") for a in atoms
        )
    return False


def _branch(
    ctx: Context,
    statement: Node,
    test: Node,
    body: tuple[list[Node], Live],
    orelse: tuple[list[Node], Live],
    live: Live,
    left: bool = False,
    where: Node = None,
) -> list[Node]:
    """`if test: body, else: orelse`, each side with a zero for the adjoints that only the other side has.

    `left` says that the other side is for control that left the block: what it finds is what the scope ended with. It
    then stands under the condition `where`, if there is one.
    """
    spot = ctx.spot(statement)
    names = [n for n in (body[1] | orelse[1]) if left or ctx.may_hold(n, spot) or n in live]
    sides, zeroed = [], set()
    for found, mine in (body, orelse):
        missing = [n for n in names if n not in mine]
        ended = left and mine is orelse[1]
        begun = ctx.after if left else ctx.before
        unbound = [] if left else [n for n in missing if n not in ctx.updated and not ctx.bound(n, spot)]
        zeros = [zero(ctx, n, n if ended else begun(n, statement)) for n in missing if n not in unbound]
        zeros += [syntax.assign(ctx.bar(n), syntax.constant(0.0)) for n in unbound]
        sides.append(found + [gast.copy_location(node, statement) for node in zeros])
        zeroed |= {n for n in missing if n in unbound or not ctx.overwritten_buffer(n)}
    merged = {n: n in zeroed or body[1].get(n, False) or orelse[1].get(n, False) for n in names}
    live.clear()
    live.update(merged)
    if sides[1] and where is not None:
        sides[1] = [gast.copy_location(gast.If(where, sides[1], []), statement)]
    if not sides[0] and not sides[1]:
        return []
    node = gast.If(test, sides[0], sides[1]) if sides[0] else gast.If(_negated(test), sides[1], [])
    return [gast.copy_location(node, statement)]


def _negated(test: Node) -> Node:
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    return gast.UnaryOp(gast.Not(), test)


def _pull_loop(ctx: Context, statement: Node, live: Live) -> list[Node]:
    found: list[Node] = []
    if statement.orelse:
        found = _pull_loop_else(ctx, statement, live)
    spot = ctx.spot(statement)
    around: Live = dict(live)
    while True:  # the adjoints that one iteration hands to the one before it: a fixed point
        ends = dict(around)
        body = pull_block(ctx, statement.body, ends)
        body += _pull_item(ctx, statement, ends)
        more = {n: not _is_made(ctx, n) for n in ends if n not in around and _carried(ctx, n, statement)}
        # What ends in an iteration is zero before it
        changed = {n for n in around if ends.get(n, True) and not around[n]}
        if not more and not changed:
            break
        around |= more | dict.fromkeys(changed, True)
    ended = [n for n in around if n not in ends]
    body = _started(ctx, ended, statement) + body
    body += [gast.copy_location(syntax.assign(ctx.bar(n), syntax.constant(0.0)), statement) for n in ended]
    if not body:
        return found
    start = [n for n in around if n not in live]
    found += [gast.copy_location(zero(ctx, n, ctx.after(n, statement)), statement) for n in start]
    tape = ctx.save("tape", statement)
    ctx.tapes[tape] = statement
    node = gast.For(syntax.store("_"), read(tape), body, [], None)
    gast.copy_location(node, statement)
    live.clear()
    zeroed = {n for n in start if not _is_made(ctx, n)}.union(ended)
    live.update({n: zero or n in zeroed for n, zero in around.items() if ctx.may_hold(n, spot)})
    return [*found, node]


def _is_made(ctx: Context, name: str) -> bool:
    """Whether the zero of a name's adjoint is an array that is then added into."""
    return name in ctx.buffers and ctx.overwritten_buffer(name)


def _started(ctx: Context, ended: list[str], loop: Node) -> list[Node]:
    """Adjoints that may come as 0.0 from the iteration after, made what this iteration can add into or take from."""
    found = []
    for name in ended:
        made = _is_made(ctx, name) or name in ctx.updated
        helper = containers.as_list if name in ctx.built else runtime.filled if made else None
        if helper is not None:
            value = call(ctx.inject(helper.__name__, helper), ctx.bar(name), name)
            found.append(gast.copy_location(syntax.assign(ctx.bar(name), value), loop))
    return found


def _carried(ctx: Context, name: str, loop: Node) -> bool:
    """Whether a name's value at the start of an iteration may come from before the loop or an earlier iteration."""
    first = ctx.spot(loop.body[0])
    return ctx.may_hold(name, first)


def _pull_loop_else(ctx: Context, statement: Node, live: Live) -> list[Node]:
    """The `else` of a loop runs unless the loop was left by a jump: whether it ran is recorded."""
    before, after = dict(live), dict(live)
    found = pull_block(ctx, statement.orelse, after), after
    label = ctx.tests[id(statement)] = ctx.save("completed", statement)
    return _branch(ctx, statement, read(label), found, ([], before), live, left=True)


def _pull_item(ctx: Context, statement: Node, live: Live) -> list[Node]:
    """The adjoint of a loop's target goes to the item of what is looped over that this iteration met."""
    if not isinstance(statement, gast.For) or not isinstance(statement.target, gast.Name):
        return []
    label = statement.target.id
    if label not in live:
        return []
    if not ctx.active.get(label):
        live.pop(label)
        return []
    counter = ctx.temporary("k", statement)
    contributions = _items(ctx, statement.iter, read(ctx.bar(label)), read(counter), statement)
    if contributions:
        ctx.counters[id(statement)] = counter  # a number, whatever it indexes
    return add(ctx, statement.body[0], label, contributions, live)


def _items(ctx: Context, iterated: Node, bar: Node, counter: Node, statement: Node) -> list[Contribution]:
    if isinstance(iterated, gast.Name):
        if not ctx.is_active(iterated):
            return []
        if ctx.kind(iterated).name == "dict":
            raise ctx.error(
                statement,
                "a loop over a dict that carries derivatives",
                "its keys carry none",
                "loop over its `items()` or `values()`",
            )
        if ctx.kind(iterated).name in ("any", "object"):
            counter = call(ctx.inject("item_at", containers.item_at), ctx.before(iterated.id, statement), counter)
        return [Contribution(iterated.id, bar, index=counter, zero=True)]
    if not isinstance(iterated, gast.Call):
        return []
    part = ctx.inject("part", containers.part)
    callee = ctx.program.namespace.get(getattr(iterated.func, "id", ""))
    if callee is enumerate:
        return _items(ctx, iterated.args[0], call(part, bar, syntax.constant(1)), counter, statement)
    if callee is reversed:
        backwards = gast.BinOp(syntax.constant(-1), gast.Sub(), counter)
        return _items(ctx, iterated.args[0], bar, backwards, statement)
    if callee is zip:
        found: list[Contribution] = []
        for k, argument in enumerate(iterated.args):
            found += _items(
                ctx, argument, call(part, syntax.copy(bar), syntax.constant(k)), syntax.copy(counter), statement
            )
        return found
    return []


def _pull_try(ctx: Context, statement: Node, live: Live) -> list[Node]:
    """`try`: recorded are the handler that ran (0 for none) and how many statements of the body were completed."""
    if any(map(may_leave, statement.finalbody)):
        raise ctx.error(
            statement,
            "a `finally` that leaves by `return`, `break` or `continue`",
            "it swallows an exception or another jump",
            "leave after the `try`",
        )
    found = pull_block(ctx, statement.finalbody, live)
    inside = [*statement.body, *statement.orelse, *(s for h in statement.handlers for s in h.body)]
    if found and any(map(may_leave, inside)):
        raise ctx.error(statement, "a jump out of a `try` whose `finally` changes a value that carries a derivative",
                        "what is recorded at the jump would miss it", "leave after the `try`")
    handlers = [h for h in statement.handlers if not always_raises(h.body)]
    if not handlers:
        return found + pull_block(ctx, statement.body + statement.orelse, live)
    label = ctx.tests[id(statement)] = ctx.save("handler", statement)
    whole = dict(live)
    sides: tuple[list[Node], Live] = pull_block(ctx, statement.body + statement.orelse, whole), whole
    for handler in handlers:
        caught = dict(live)
        reversed_handler = pull_block(ctx, handler.body, caught)
        reversed_handler += _pull_partial(ctx, statement, caught)
        test = gast.Compare(read(label), [gast.Eq()], [syntax.constant(statement.handlers.index(handler) + 1)])
        merged: Live = dict(live)
        sides = _branch(ctx, statement, test, (reversed_handler, caught), sides, merged), merged
    live.clear()
    live.update(sides[1])
    return found + sides[0]


def _pull_partial(ctx: Context, statement: Node, live: Live) -> list[Node]:
    """The completed statements of a `try` body whose exception was handled, in reverse."""
    found: list[Node] = []
    body = _in_sequence(statement.body)
    for k in reversed(range(len(body))):
        inner = body[k]
        half_done = _changed([inner])
        if (
            isinstance(inner, gast.If)
            and inner is body[k]
            and k < len(body) - 1
            and inner.orelse
            and inner.orelse[0] is body[k + 1]
        ):
            # The guard alone
            half_done = {n for s in inner.body for n in syntax.writes(s) | set(syntax.store_names(s))}
        if not half_done & live.keys():
            continue
        if not isinstance(inner, gast.Assign | gast.AugAssign | gast.Expr):
            raise ctx.error(
                inner,
                "a statement in a `try` whose exception is handled",
                "it assigns what is used after the exception, and how far it came is not recorded",
                "keep in the `try` only simple statements, or the one that may raise",
            )
        if k == len(body) - 1:
            continue  # had it been completed, there would have been no exception
        done = ctx.save("done", statement)
        ctx.steps.update({id(s): (done, number + 1) for number, s in enumerate(body[:-1])})
        after, before = dict(live), dict(live)
        reached = gast.Compare(read(done), [gast.Gt()], [syntax.constant(k)])
        side = pull(ctx, inner, after), after
        found += _branch(ctx, inner, reached, side, ([], before), live)
    return found


def _changed(body: list[Node]) -> set[str]:
    """The names that statements bind or change in place, nested ones too."""
    found = {n for s in body for n in syntax.writes(s)}
    return found | {n for s in syntax.statements(body) for n in syntax.store_names(s)}


def _in_sequence(body: list[Node]) -> list[Node]:
    """The statements that run one after another: what follows a guard that raises stands in its `else`."""
    if body and isinstance(body[-1], gast.If) and always_raises(body[-1].body):
        return [*body, *_in_sequence(body[-1].orelse)]
    return list(body)
