"""Rules for Python's operators, builtins and the modules math, random, time and logging."""

import logging
import math
import operator
import random
import time

import numpy as np

from stdiff.rules.table import (
    ABOVE_MINUS_ONE,
    ABOVE_ONE,
    POSITIVE,
    REAL,
    UNIT,
    Domain,
    R,
    alias,
    at,
    constant,
    elementwise,
    linear,
    refuse,
    rule,
)
from stdiff.runtime import broadcast, ratio, unbroadcast
from stdiff.runtime_lists import (
    directions,
    dot,
    max_tangent,
    order,
    other_factors,
    pick,
    relist,
    scaled,
    seconds,
    total,
    unmax,
    unpick,
    unsum,
    unzip,
)
from stdiff.runtime_numbers import polygamma, power_da, power_db

OPERATORS = {  # by the name of the syntax node
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "MatMult": operator.matmul,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "BitAnd": operator.and_,
    "UAdd": operator.pos,
    "USub": operator.neg,
    "Invert": operator.invert,
    "Not": operator.not_,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
}

# --- operators ---

elementwise(operator.add, lambda y, a, b: (1.0, 1.0), REAL, REAL)
elementwise(operator.sub, lambda y, a, b: (1.0, -1.0), REAL, REAL)
elementwise(operator.mul, lambda y, a, b: (b, a), REAL, REAL)
elementwise(operator.truediv, lambda y, a, b: (1.0 / b, -y / b), REAL, REAL)
elementwise(operator.mod, lambda y, a, b: (1.0, -(a // b)), REAL, ABOVE_ONE)
elementwise(
    operator.pow,
    lambda y, a, b: (power_da(a, b), power_db(y, a)),
    POSITIVE,
    REAL,
    at(R(3), 2),
    at(R(), 3),
    singular=True,
)
elementwise(operator.neg, lambda y, a: -1.0, REAL)
elementwise(operator.pos, lambda y, a: 1.0, REAL)
elementwise(operator.abs, lambda y, a: np.sign(a), REAL)
constant(
    operator.floordiv,
    operator.lshift,
    operator.rshift,
    operator.or_,
    operator.xor,
    operator.and_,
    operator.invert,
    operator.not_,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.is_,
    operator.is_not,
    operator.contains,
    operator.truth,
)

# --- builtins ---

# `float` of an array of one dimension and one element is an error in NumPy, so that `g` has the operand's shape.
linear(float, lambda g, y, x: unbroadcast(g, x), at(R()))
elementwise(pow, lambda y, base, exp: (power_da(base, exp), power_db(y, base)), POSITIVE, REAL, singular=True)
alias(abs, operator.abs)
rule(
    divmod,
    lambda g, y, a, b: (unbroadcast(g[1], a), unbroadcast(-g[1] * y[0], b)),
    at(R(), R()),
    at(R(2, 1), R(3)),
    pushforward=lambda t, y, a, b: ((0.0, broadcast(t, y[1])), (0.0, -t * y[0])),
)
rule(
    sum,
    lambda g, y, iterable, start=0: (unsum(g, iterable), unbroadcast(g, start)),
    at([R(), R(), R()]),
    at([R(3), R(3)]),
    at([R(), R()], R()),
    at(R(2, 3)),
    at([R(3), R()], start=R()),
    pushforward=lambda t, y, iterable, start=0: (broadcast(total(t), y), broadcast(t, y)),
)
rule(
    max,
    lambda g, y, *args: (unmax(g, y, args),),
    at(R(), R()),
    at(R(), R(), R()),
    at([R(), R(), R()]),
    at(R(3)),
    pushforward=lambda t, y, *args: (max_tangent(t, y, args),),
)
alias(min, max)
rule(
    sorted,
    lambda g, y, iterable, *, reverse=False: unpick(g, iterable, order(iterable, reverse)),
    at([R(), R(), R()]),
    at([R(), R(), R()], reverse=True),
    at(R(3)),
    pushforward=lambda t, y, iterable, *, reverse=False: pick(t, order(iterable, reverse)),
)
linear(list, lambda g, y, iterable=(): relist(g, iterable), at([R(), R()]), at((R(), R())), at(R(3)))
linear(tuple, lambda g, y, iterable=(): relist(g, iterable), at([R(), R()]), at(R(2, 3)))
linear(reversed, lambda g, y, sequence: relist(list(g)[::-1], sequence), at([R(), R()]), at(R(3)))
rule(
    enumerate,
    lambda g, y, iterable, start=0: relist(seconds(g), iterable),
    at([R(), R()]),
    at(R(3), 1),
    pushforward=lambda t, y, iterable, start=0: zip([0.0] * len(t), t, strict=True),
)
rule(
    zip,
    lambda g, y, *iterables, strict=False: (unzip(g, iterables),),
    at([R(), R()], [R(), R()], strict=True),
    at([R(), R(), R()], R(2)),
    pushforward=lambda t, y, *iterables, strict=False: (zip(*t, strict=False),),
)
constant(int, bool, str, bytes, repr, format, ascii, print, type, len, id, hash, round, range, isinstance, issubclass)
constant(callable, hasattr, any, all, ord, chr)
refuse(map, "it calls a function that it does not name; write the comprehension [f(x) for x in xs]")
refuse(filter, "it calls a function that it does not name; write the comprehension [x for x in xs if test(x)]")
refuse(iter, "what an iterator gives depends on what was taken from it before; loop over the container")
refuse(next, "what an iterator gives depends on what was taken from it before; index the container")
refuse(complex, "complex numbers carry no derivative here; keep the real and the imaginary part apart")
refuse(eval, "its code is not known before it runs; write the code out")
refuse(exec, "its code is not known before it runs; write the code out")
refuse(setattr, "it writes into its argument; assign the attribute", writes=("self",))
refuse(getattr, "its attribute is not known before it runs; write the attribute out")

# --- math ---

elementwise(math.sqrt, lambda y, x: 0.5 / y, POSITIVE)
elementwise(math.cbrt, lambda y, x: 1.0 / (3.0 * y * y), POSITIVE)
elementwise(math.exp, lambda y, x: y, REAL)
elementwise(math.exp2, lambda y, x: math.log(2.0) * y, REAL)
elementwise(math.expm1, lambda y, x: y + 1.0, REAL)
elementwise(math.log2, lambda y, x: 1.0 / (math.log(2.0) * x), POSITIVE)
elementwise(math.log10, lambda y, x: 1.0 / (math.log(10.0) * x), POSITIVE)
elementwise(math.log1p, lambda y, x: 1.0 / (1.0 + x), ABOVE_MINUS_ONE)
elementwise(math.sin, lambda y, x: math.cos(x), REAL)
elementwise(math.cos, lambda y, x: -math.sin(x), REAL)
elementwise(math.tan, lambda y, x: 1.0 + y * y, UNIT)
elementwise(math.asin, lambda y, x: 1.0 / math.sqrt(1.0 - x * x), UNIT)
elementwise(math.acos, lambda y, x: -1.0 / math.sqrt(1.0 - x * x), UNIT)
elementwise(math.atan, lambda y, x: 1.0 / (1.0 + x * x), REAL)
elementwise(math.atan2, lambda z, y, x: (x / (x * x + y * y), -y / (x * x + y * y)), REAL, REAL)
elementwise(math.sinh, lambda y, x: math.cosh(x), REAL)
elementwise(math.cosh, lambda y, x: math.sinh(x), REAL)
elementwise(math.tanh, lambda y, x: 1.0 - y * y, REAL)
elementwise(math.asinh, lambda y, x: 1.0 / math.sqrt(x * x + 1.0), REAL)
elementwise(math.acosh, lambda y, x: 1.0 / math.sqrt(x * x - 1.0), ABOVE_ONE)
elementwise(math.atanh, lambda y, x: 1.0 / (1.0 - x * x), UNIT)
elementwise(math.degrees, lambda y, x: 180.0 / math.pi, REAL)
elementwise(math.radians, lambda y, x: math.pi / 180.0, REAL)
elementwise(math.fabs, lambda y, x: np.sign(x), REAL)
elementwise(math.erf, lambda y, x: 2.0 / math.sqrt(math.pi) * math.exp(-x * x), REAL)
elementwise(math.erfc, lambda y, x: -2.0 / math.sqrt(math.pi) * math.exp(-x * x), REAL)
elementwise(math.gamma, lambda y, x: y * polygamma(0, x), POSITIVE, at(R(domain=Domain(-1.9, -1.1))))
elementwise(math.lgamma, lambda y, x: polygamma(0, x), POSITIVE, at(R(domain=Domain(-1.9, -1.1))))
elementwise(math.pow, lambda z, x, y: (power_da(x, y), power_db(z, x)), POSITIVE, REAL, singular=True)
elementwise(math.fmod, lambda z, x, y: (1.0, -math.trunc(x / y)), REAL, ABOVE_ONE)
elementwise(math.remainder, lambda z, x, y: (1.0, (z - x) / y), REAL, ABOVE_ONE)
elementwise(math.copysign, lambda z, x, y: (math.copysign(1.0, x) * math.copysign(1.0, y), None), REAL, REAL)
elementwise(math.ldexp, lambda y, x, i: (2.0**i, None), at(R(), 3))
rule(
    math.log,
    lambda g, y, x, base=math.e: (g / (math.log(base) * x), -g * y / (math.log(base) * base)),
    at(R(domain=POSITIVE)),
    at(R(domain=POSITIVE), R(domain=ABOVE_ONE)),
    pushforward=lambda t, y, x, base=math.e: (t / (math.log(base) * x), -t * y / (math.log(base) * base)),
)
rule(
    math.hypot,
    lambda g, y, *coordinates: (tuple(scaled(g, [ratio(x, y) for x in coordinates])),),
    at(R(), R()),
    at(R(), R(), R()),
    pushforward=lambda t, y, *coordinates: (ratio(dot(t, coordinates), y),),
)
rule(
    math.dist,
    lambda g, y, p, q: (scaled(g, directions(p, q, y)), scaled(-g, directions(p, q, y))),
    at([R(), R()], [R(), R()]),
    pushforward=lambda t, y, p, q: (dot(t, directions(p, q, y)), -dot(t, directions(p, q, y))),
)
rule(
    math.fsum,
    lambda g, y, seq: unsum(g, seq),
    at([R(), R(), R()]),
    pushforward=lambda t, y, seq: total(t),
)
rule(
    math.prod,
    lambda g, y, iterable, *, start=1: (scaled(g * start, other_factors(iterable)), g * math.prod(iterable)),
    at([R(), R(), R()]),
    at([R(), R()], start=R()),
    pushforward=lambda t, y, iterable, *, start=1: (start * dot(t, other_factors(iterable)), t * math.prod(iterable)),
)
rule(
    math.modf,
    lambda g, y, x: g[0],
    at(R()),
    pushforward=lambda t, y, x: ((t, 0.0),),
)
rule(
    math.frexp,
    lambda g, y, x: g[0] * 2.0 ** -y[1],
    at(R()),
    pushforward=lambda t, y, x: ((t * 2.0 ** -y[1], 0.0),),
)
constant(
    math.floor,
    math.ceil,
    math.trunc,
    math.isnan,
    math.isinf,
    math.isfinite,
    math.isclose,
    math.factorial,
    math.comb,
    math.perm,
    math.gcd,
    math.lcm,
    math.isqrt,
)

# --- what only looks on, or draws ---

constant(time.time, time.perf_counter, time.monotonic, time.process_time, time.time_ns, time.perf_counter_ns)
constant(time.sleep)
constant(logging.debug, logging.info, logging.warning, logging.error, logging.critical, logging.exception, logging.log)
constant(
    logging.Logger.debug,
    logging.Logger.info,
    logging.Logger.warning,
    logging.Logger.error,
    logging.Logger.critical,
    logging.Logger.exception,
    logging.Logger.log,
    logging.Logger.isEnabledFor,
)
constant(random.random, random.randint, random.randrange, random.getrandbits, random.seed)
constant(random.Random.random, random.Random.randint, random.Random.randrange, random.Random.seed)
refuse(random.uniform, "the draw moves with its bounds; write a + (b - a) * random.random()")
refuse(random.gauss, "the draw moves with its parameters; write mu + sigma * random.gauss()")
refuse(random.normalvariate, "the draw moves with its parameters; write mu + sigma * random.normalvariate()")
refuse(random.choice, "which element is drawn is not recorded; draw an index with random.randrange")
refuse(random.sample, "which elements are drawn is not recorded; draw indices")
refuse(random.shuffle, "it writes into its argument; draw a permutation of the indices", writes=("x",))
