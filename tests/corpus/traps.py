"""Programs on which a derivative goes wrong easily: jumps, handled exceptions, names assigned again, classes."""

import collections
import dataclasses
import math

import numpy as np

from tests.corpus.case import program

B3 = np.array([0.3, 0.4, 0.5])
X3 = np.array([0.7, -1.2, 0.4])

JUMP = "how far a body came before its exception has to be known"
CARRIED = "what an exception carries need not be followed"
SWALLOWED = "a jump out of `finally` swallows an exception or another jump"
OWN = "a class with code of its own need not be followed"
SECOND = "the derivative of a backward sweep that takes from lists or adds in place need not be followed"
TEXT = "a number read from text need not be followed"


# A branch that assigns and then raises, in a `try`.


@program(1.2, expect=4.32, may_refuse=JUMP)
def assigned_then_raised(x):
    y = x * x
    try:
        if x > 0:
            y = y * x
            raise ValueError
    except ValueError:
        y = y + 1
    return y


@program(-1.2, expect=-2.4, may_refuse=JUMP)
def assigned_then_raised_not_taken(x):
    y = x * x
    try:
        if x > 0:
            y = y * x
            raise ValueError
    except ValueError:
        y = y + 1
    return y


@program(1.2, expect=4 * 1.2**3 + 1, may_refuse=JUMP)
def two_guards_that_raise(x):
    y = x * x
    try:
        if x > 100:
            raise KeyError
        y = y * x
        if x > 0.1:
            y = y * x
            raise ValueError
        y = y * 7
    except (KeyError, ValueError):
        y = y + x
    return y


@program(1.2, expect=6 * 1.2**2, may_refuse=JUMP)
def loop_that_raises(x):
    y = x
    try:
        for i in range(3):
            y = y * x
            if i == 1:
                raise ValueError
    except ValueError:
        y = y * 2
    return y


@program(1.2, expect=6 * 1.2**2 + 1, may_refuse=JUMP)
def handler_that_raises(x):
    y = x * x
    try:
        y = y * x
        try:
            raise KeyError
        except KeyError:
            y = y * 2
            raise ValueError
    except ValueError:
        y = y + x
    return y


@program(1.2, expect=8 * 1.2**3, may_refuse=JUMP)
def raised_through_a_finally(x):
    y = x * x
    try:
        try:
            y = y * x
            raise ValueError
        finally:
            y = y * 2
    except ValueError:
        y = y * x
    return y


# A `finally` that leaves, and a jump past a `finally` that assigns.


@program(1.2, may_refuse=SWALLOWED)
def finally_that_breaks(x):
    y = x
    for i in range(3):
        try:
            y = y * x
            if i == 1:
                raise ValueError
            y = y * 3
        finally:
            y = y + 1
            if i == 1:
                break
    return y


@program(1.2, expect=4.32, may_refuse=SWALLOWED)
def finally_that_returns(x):
    try:
        return x * x
    finally:
        return x * x * x


@program(1.2, may_refuse=SWALLOWED)
def finally_that_continues(x):
    for i in range(2):
        try:
            x = x * x
        finally:
            continue
    return x


@program(0.7, may_refuse=JUMP)
def break_past_a_finally(x):
    while True:
        try:
            x = x * 2
            if x > 3:
                break
        finally:
            x = x * x
    return x


@program(1.2, may_refuse=JUMP)
def continue_past_a_finally(x):
    for i in range(4):
        try:
            x = x * 1.1
            if i == 1:
                continue
            x = x + 1
        finally:
            x = x * 0.9
    return x


@program(1.3, may_refuse=JUMP)
def return_past_a_finally(x):
    for i in range(4):
        try:
            x = x * 2
            if i == 2:
                return x * x
        finally:
            x = x + 1
    return x


# Values that an exception carries.


@program(1.2, expect=4.8, may_refuse=CARRIED)
def value_in_an_exception(x):
    y = x * x
    try:
        raise ValueError(y)
    except ValueError as e:
        y = e.args[0] * 2
    return y


class Stop(Exception):
    """An exception with a value."""

    def __init__(self, value):
        super().__init__()
        self.value = value


@program(1.2, expect=4.8, may_refuse=CARRIED)
def value_in_an_attribute_of_an_exception(x):
    try:
        raise Stop(x * x)
    except Stop as stop:
        y = stop.value
    return 2 * y


def raising(y):
    raise Stop(y)


@program(1.2, expect=4.8, may_refuse=CARRIED)
def value_in_an_exception_of_a_callee(x):
    try:
        raising(x * x)
    except Stop as stop:
        x = stop.value
    return 2 * x


# A statement that raises: its tangent must not be there before.


@program(0.7, expect=-6 * 0.7**2)
def name_overwritten_by_what_raises(x):
    y = x * x
    try:
        y = -y
        y = math.log(y)
    except ValueError:
        y = y * 2
    return y * x


@program(0.7, expect=2 * 0.7)
def item_that_is_not_there(x):
    y = x
    try:
        y = y * [1.0, 2.0][5]
    except IndexError:
        y = y * x
    return y


# Statements that raise though nothing reads what they make.


@program(1.2, expect=2.4)
def division_that_raises(x):
    try:
        1 / 0
        z = x * x
    except ZeroDivisionError:
        z = x
    return z * x


@program(0.4, expect=3.0)
def unread_item_that_raises(x):
    try:
        y = 3
        y = [1.0, 2.0][5]
    except IndexError:
        y = 4
        x = x * 3
    return x


@program(0.4, expect=3.0)
def unread_key_that_raises(x):
    try:
        z = {}["k"]
    except KeyError:
        x = x * 3
    return x


@program(0.4, expect=3.0)
def unread_array_item_that_raises(x):
    try:
        z = np.zeros(3)[7]
        w = 1 / 0
    except IndexError:
        return x * 3
    return x


@program(0.4, expect=3.0)
def conversion_that_raises(x):
    try:
        z = int("a")
    except ValueError:
        x = x * 3
    return x


@program(0.4, expect=3.0)
def name_that_is_not_there(x):
    try:
        z = not_defined_anywhere
    except NameError:
        x = x * 3
    return x


@program(0.4, expect=3.0, may_refuse="an attribute that does not exist need not be followed")
def attribute_that_is_not_there(x):
    try:
        z = x.foo
    except AttributeError:
        x = x * 3
    return x


@program(0.4, expect=3.0)
def assertion_that_fails(x):
    try:
        assert x > 100
    except AssertionError:
        x = x * 3
    return x


@program(0.4, expect=3.0)
def import_that_fails(x):
    try:
        import no_such_module  # noqa: F401
    except ImportError:
        x = x * 3
    return x


# Lists and arrays that grow in a `try` whose exception is handled.


@program(0.7, expect=3 * 0.7**2, may_refuse=JUMP)
def append_before_the_exception(x):
    items = []
    try:
        items.append(x * x)
        w = [1.0, 2.0][5]
        w = w * x
    except IndexError:
        pass
    return items[0] * x


@program(B3, expect=2 * B3, may_refuse=JUMP)
def comprehension_before_the_exception(A):
    try:
        x = sum([p * p for p in A])
        w = [1.0, 2.0][5]
        w = w * x
    except IndexError:
        w = 1.0
    return x * w


@program(0.7, may_refuse=JUMP)
def update_before_the_exception(x):
    b = np.ones(3) * x
    try:
        b[0] += x * x
        w = [1.0, 2.0][5]
        w = w * x
    except IndexError:
        w = 1.0
    return b * w


@program(0.7, may_refuse=JUMP)
def pop_before_the_exception(x):
    items = [x * x * x, x]
    try:
        v = items.pop()
        w = [1.0, 2.0][5]
        w = w * x
    except IndexError:
        w = 1.0
    return items[-1] * v * w


@program(1.1, expect=12 * 1.1, may_refuse=SECOND)
def comprehension_in_a_handler(x):
    try:
        x = x * [1.0, 2.0][5]
    except IndexError:
        x = sum([q * x * x for q in [1.0, 2.0, 3.0]])
    return x


# Containers that are merged.


@program(X3, expect=[2.0, 0.0, 2.0], may_refuse="a merge of dicts need not be followed")
def merged_dicts(x):
    d = {"a": x[0], "b": x[1]}
    e = d | {"b": x[2]}
    return sum(k * 2 for k in e.values())


@program(X3, expect=[2.0, 0.0, 2.0], may_refuse="a merge of dicts need not be followed")
def dict_that_is_merged_into(x):
    d = {"a": x[0], "b": x[1]}
    d |= {"b": x[2]}
    return 2 * d["a"] + 2 * d["b"]


@program(X3, expect=[2.0, 0.0, 2.0])
def dict_display_that_merges(x):
    d = {"a": x[0], "b": x[1]}
    e = {**d, "b": x[2]}
    return 2 * e["a"] + 2 * e["b"]


# Text and back.


@program(1.5, expect=3.0, may_refuse=TEXT)
def float_of_repr(x):
    return float(repr(x)) * x


@program(1.5, expect=3.0, may_refuse=TEXT)
def float_of_an_f_string(x):
    return float(f"{x!r}") * x


@program(1.5, expect=3.0, may_refuse=TEXT)
def float_of_formatted_text(x):
    return float("%r" % x) * x


@program(1.5, expect=3.0, may_refuse=TEXT)
def float_of_text_that_has_a_name(x):
    text = str(x)
    return float(text) * x


# Arrays of objects.


@program(1.5, expect=3 * 1.5**2, may_refuse="arrays of objects need not be followed")
def object_array(x):
    a = np.asarray([x, x * x], dtype=object)
    return a[0] * a[1]


# Functions with any number of arguments.


def weighted(a, *c, d=3.0):
    return a + sum(c) * d


@program(0.7, expect=5.0 + 6 * 0.7)
def callee_with_several_arguments(x):
    return weighted(x, x, x * x) + weighted(x)


@program(0.7, order=2, expect=6.0)
def callee_with_several_arguments_twice(x):
    return weighted(x, x, x * x) + weighted(x)


def everything(a, /, b=2.0, *c, d=3.0, **e):
    return a * b + sum(c) * d * e.get("q", 1.0)


@program(0.7)
def callee_with_arguments_of_every_sort(x):
    return everything(x, x, x, x, d=x, q=x) + everything(x) + everything(x, b=x) + everything(*[x, x], **{"d": x})


# A loop over what is assigned again in its body.


@program(X3)
def loop_over_a_name_assigned_again(x):
    out = x * 1.0
    s = 0.0
    for v in out:
        out = out * v
        s = s + out[0]
    return s


@program(X3)
def enumerate_a_name_assigned_again(x):
    out = x * 1.0
    for i, v in enumerate(out):
        out = out * v
    return out


@program(X3)
def zip_of_a_name_assigned_again(x):
    out = x * 1.0
    for u, v in zip(x, out):
        x = x * v + u
        out = x * out
    return out


@program(X3)
def reversed_of_a_name_assigned_again(x):
    out = x * 1.0
    for v in reversed(out):
        out = out * v
    return out


@program(X3)
def loop_over_a_list_that_is_added_to(x):
    xs = [x[0], x[1]]
    for v in xs:
        xs = xs + [v * v]
    return xs[3] * xs[2]


@program(X3)
def loop_over_a_list_assigned_again(x):
    xs = [x[0], x[1]]
    for v in xs:
        xs = [v * xs[0], xs[1]]
    return xs[0] * xs[1]


@program(X3, expect=[0.0, 0.0, 0.8])
def loop_variable_named_as_what_it_runs_over(x):
    for x in x:
        x = x * x
    return x


@program(X3, may_refuse=SECOND)
def loops_over_names_of_their_own(x):
    for a in x:
        for a in x * a:
            x = x * a
    return x * a


@program(B3, X3, expect=[0.0, 0.0, 0.7])
def item_kept_while_the_array_is_replaced(A, B):
    for e in A:
        y = e
        A = B
    return y * y * B[0]


# The `else` of a loop, which reads what the loop assigned.


@program(0.7, expect=3 * 0.7**2)
def else_of_a_for_that_assigns(x):
    for i in range(2):
        z = x * x
    else:
        w = z * x
    return w


@program(0.7, expect=4 * 0.7)
def else_of_a_while_that_assigns(x):
    n = 0
    while n < 2:
        n += 1
        z = x * n
    else:
        w = z * x
    return w


@program(B3)
def else_of_a_for_that_hands_on(A):
    for i in range(2):
        z = A * i
    else:
        B = z
    return B


@program(B3, may_refuse=SECOND)
def else_that_returns_items_of_what_a_loop_assigned(A):
    for i in range(3):
        if A[0] > 5:
            break
        z = A * (i + 1)
    else:
        w = z[0] * A
        return w * z[1]
    return z * z[2]


@program(0.7)
def else_or_break_with_names_of_the_loop(x):
    for i in range(3):
        if x > 0.5 and i == 1:
            break
        z = x * (i + 1)
    else:
        return z * x
    return z * z * z


# A name that is first assigned in a loop, and whose items are read behind it.


@program(B3, may_refuse=SECOND)
def item_of_what_a_loop_assigned(A):
    for i in range(3):
        z = A * A
    for i in range(3):
        if i == 1:
            return z[i]
    return z[0]


@program(B3, may_refuse=SECOND)
def item_of_a_slice_that_a_loop_assigned(A):
    for i in range(3):
        z = A[: i + 1] * 2
        w = z[0]
    return z[1] * w


@program(B3, may_refuse=SECOND)
def items_of_a_list_that_a_loop_made(A):
    for k in range(3):
        items = []
        for v in A[: k + 1]:
            items.append(v * v * k)
    return items[0] * items[2]


# A name that the first iteration does not read, as nothing has assigned it yet.


@program(0.5, B3)
def read_under_a_guard_before_it_is_assigned(a, B):
    s = 0.0
    for i in range(3):
        if i > 0:
            s = s + (z @ B)  # noqa: F821
        z = a * B
    return s


@program(0.5, B3)
def read_in_a_loop_before_it_is_assigned(a, B):
    s = 0.0
    for i in range(3):
        for j in range(2):
            if i > 0:
                s = s + (z @ B)  # noqa: F821
        z = a * B
    return s


@program(0.5, B3)
def read_under_a_guard_that_never_holds(a, B):
    s = 0.0
    for e in B:
        if a > 100:
            s = s + (z @ B)  # noqa: F821
        z = a * B
        s = s + z[0]
    return s


@program(0.5)
def several_names_read_before_they_are_assigned(a):
    s = 1.0
    i = 0
    while i < 3:
        i += 1
        if i > 1:
            if i == 2:
                w = z * 2  # noqa: F821
            s = s + z * w  # noqa: F821
        z = a * s + a
    return s * z


# Slices of what may not depend on the argument: a zero tangent has no items.


@program(0.7, expect=0.0)
def zip_with_a_slice_of_a_constant(a):
    U = np.array([0.3, -0.8, 1.1])
    if a > 100:
        U = U * a
    return sum(p * q for p, q in zip(U, U[::-1]))


@program(0.7, expect=0.0)
def item_of_a_slice_of_a_constant(a):
    U = np.array([0.3, -0.8, 1.1])
    if a > 100:
        U = U * a
    return U[1:][1]


@program(0.7, expect=0.0)
def item_of_a_slice_of_a_constant_list(a):
    U = [0.3, -0.8, 1.1]
    if a > 100:
        U = [a, a, a]
    return U[1:][1] + len(U[1:])


@program(0.7, expect=1.0)
def concatenation_with_a_slice_of_a_constant(a):
    U = np.array([0.3, -0.8, 1.1])
    if a > 100:
        U = U * a
    return np.concatenate([U[:1], np.array([a])]).sum()


# Values that are overwritten in a loop: all but the last have no adjoint.


@program(0.3)
def display_made_again(y):
    for i in range(4):
        t = np.array([y, 1, y])
    return t


@program(B3)
def stack_made_again(y):
    for i in range(2):
        t = np.stack([y, y * 2])
    return t


@program(B3)
def vstack_made_again(y):
    for i in range(2):
        t = np.vstack([y, y]).T
    return t


@program(B3)
def concatenation_made_again(y):
    for i in range(3):
        t = np.concatenate([y[1:], y[:1]]) - y
    return t


@program(B3)
def split_made_again(y):
    for i in range(2):
        a, b, c = np.split(y * y, 3)
    return a * b


@program(B3, may_refuse=SECOND)
def cumsum_made_again(y):
    for i in range(2):
        v = y * 2
        t = np.cumsum(v) * y[0]
        s = np.vstack([t, v])
    return s * t


@program(1.1)
def buffer_made_again(x):
    for i in range(2):
        b = np.zeros(3)
        b[1] += x * x
    return b * x


@program(1.1)
def slice_of_a_buffer_made_again(x):
    for i in range(2):
        b = np.zeros(3)
        b[1:] += x * x
    return b * x


@program(B3)
def split_of_which_parts_are_not_read(y):
    parts = np.split(y * y, 3)
    return parts[0]


@program(np.array([[0.3, 0.4], [0.5, 0.6]]))
def vsplit_of_which_one_part_is_not_read(m):
    a, b = np.vsplit(m * m, 2)
    return b


# A return in what assigns a name that is read behind it.


@program(0.7, expect=18 * 0.7)
def return_in_the_loop_that_assigns(x):
    for v in range(3):
        if x > 5:
            return 0.0
        z = x * (v + 1)
    return z * z


@program(0.7, expect=18 * 0.7)
def return_in_the_while_that_assigns(x):
    n = 0
    while n < 3:
        n += 1
        if x > 5:
            return 0.0
        z = x * n
    return z * z


@program(0.7, expect=3 * 0.7**2)
def return_in_the_with_that_assigns(x):
    with np.errstate():
        if x > 5:
            return 1.0
        z = x * x
    return z * x


@program(0.7, expect=3 * 0.7**2)
def return_in_a_handler_beside_what_assigns(x):
    try:
        z = x * x
    except IndexError:
        return 1.0
    return z * x


@program(0.7, expect=12 * 0.7**3, may_refuse=JUMP)
def return_before_a_finally_that_assigns(x):
    try:
        if x > 5:
            return 1.0
        z = x * x
    finally:
        w = x * 3
    return z * x * w


@program(0.7)
def return_in_loops_that_assign(x):
    z = 1.0
    for v in range(3):
        for w in range(2):
            if x > 5:
                return 0.0
            z = x * (v + 1) * z
            u = z * x
        q = u * z
    return z * z * q


@program(0.7)
def break_and_return_in_the_loop_that_assigns(x):
    for k in range(2):
        for v in range(3):
            if x > 5:
                break
            if x > 6:
                return 3.0
            z = x * (v + 1)
        x = x * z
    return z * z * x


@program(0.7, expect=4 * 0.7**3)
def return_in_a_loop_whose_else_assigns(x):
    for k in range(3):
        if x > 5:
            return 0.0
    else:
        z = x * x
    return z * z


@program(0.3, 0.6)
def return_in_a_loop_whose_else_assigns_a_parameter(x, y):
    for v in range(3):
        if x > y:
            return 0.0
    else:
        y = y * x
    return y


@program(-1.3, 0.6)
def return_in_a_while_whose_else_assigns(x, y):
    while x < 0:
        if x > y:
            return 1.0
        x = x + 1
    else:
        y = y * 2
    return y * x


@program(0.3, 0.6)
def return_in_the_else_of_a_try(x, y):
    try:
        y = y * [1.0, 2.0][5]
    except IndexError:
        x = y * x
    else:
        return 1.0
    return x


@program(0.3, 0.6)
def return_in_the_with_that_assigns_a_parameter(x, y):
    with np.errstate():
        if x > y:
            return 1.0
        x = x * y
    return x


# A jump two deep, and what is assigned behind it.


@program(0.3, 0.6)
def return_two_deep(x, y):
    if x > 0:
        if y > 0:
            if y > 5:
                return y
        z = x * x
        w = z * y
    return w


@program(0.3, 0.6)
def return_in_a_loop_in_a_branch(x, y):
    if x > 5:
        pass
    else:
        for i in range(2):
            if x > 6:
                return x
        x = x * y
    return x


@program(0.3, 0.6, expect=0.6)
def return_in_a_while_in_a_branch(x, y):
    if x > 5:
        z = 3.0
    else:
        while x > 7:
            return y
        z = x * y
    return z


@program(0.3, 0.6)
def continue_two_deep(x, y):
    for i in range(2):
        if x > 5:
            w = 1.0
        else:
            if y > 0:
                if y > 6:
                    continue
            w = x * y
        x = x * w
    return w * x


@program(B3, X3)
def break_in_a_handler_in_a_branch(A, B):
    for e in range(3):
        if e > 3:
            pass
        else:
            try:
                pass
            except ValueError:
                break
            A = B * A
    return A


@program(0.3, 0.6)
def return_in_a_with_in_a_try(x, y):
    try:
        if x > 5:
            return 1.0
        with np.errstate():
            if x > 5:
                return y
            z = x * y
        w = z * x
    finally:
        pass
    return w * z


# Classes with a constructor, operators or items of their own.


class Doubled(collections.namedtuple("Doubled", "a b")):
    """A namedtuple whose constructor does something."""

    def __new__(cls, a):
        return super().__new__(cls, a * 2, a * 3)


@program(1.5, expect=2.0, may_refuse=OWN)
def namedtuple_with_a_constructor(x):
    return Doubled(x).a


@dataclasses.dataclass
class Tripled:
    """A dataclass that changes what it is given."""

    a: float

    def __post_init__(self):
        self.a = self.a * 3


@program(1.5, expect=3.0, may_refuse=OWN)
def dataclass_with_post_init(x):
    return Tripled(x).a


@dataclasses.dataclass(init=False)
class Given:
    """A dataclass with a constructor by hand."""

    a: float

    def __init__(self, v):
        self.a = v * 2


@program(1.5, expect=2.0, may_refuse=OWN)
def dataclass_with_a_constructor(x):
    return Given(x).a


@dataclasses.dataclass
class Setting:
    """A dataclass that changes what is assigned to it."""

    a: float

    def __setattr__(self, name, v):
        object.__setattr__(self, name, v * 2)


@program(1.5, expect=2.0, may_refuse=OWN)
def dataclass_with_setattr(x):
    return Setting(x).a


@dataclasses.dataclass(frozen=True)
class Initial:
    """A dataclass with a field that is not given and a parameter that is no field."""

    a: float
    b: float = dataclasses.field(init=False, default=2.0)
    c: dataclasses.InitVar[float] = 1.0


@program(1.5, expect=6.0, may_refuse=OWN)
def dataclass_with_a_field_that_is_not_given(x):
    o = Initial(x * x, x)
    return o.a * o.b


@dataclasses.dataclass(frozen=True)
class Own:
    """A dataclass that means something else by every operator."""

    a: float

    def __add__(self, other):
        return Own(self.a + 2 * other.a)

    def __mul__(self, k):
        return Own(self.a * k * 3)

    def __getitem__(self, i):
        return self.a * i

    def __iter__(self):
        return iter([self.a, self.a * 2])

    def __float__(self):
        return self.a * 5

    def __abs__(self):
        return self.a * 7

    def __call__(self, x):
        return self.a * x

    def __bool__(self):
        return self.a > 0

    def __enter__(self):
        return self.a * 2

    def __exit__(self, *args):
        return False


@program(1.5, expect=7.0, may_refuse=OWN)
def own_addition(x):
    return (Own(x) + Own(x * x)).a


@program(1.5, expect=9.0, may_refuse=OWN)
def own_product(x):
    return (Own(x) * x).a


@program(1.5, expect=3.0, may_refuse=OWN)
def own_item(x):
    return Own(x)[3]


@program(1.5, expect=6.0, may_refuse=OWN)
def own_unpacking(x):
    a, b = Own(x)
    return a * b


@program(1.5, expect=3.0, may_refuse=OWN)
def own_iteration(x):
    s = 0.0
    for v in Own(x):
        s = s + v
    return s


@program(1.5, expect=3.0, may_refuse=OWN)
def own_iteration_summed(x):
    return sum(v for v in Own(x))


@program(1.5, expect=2.0, may_refuse=OWN)
def own_iteration_starred(x):
    return [*Own(x)][1]


@program(1.5, expect=5.0, may_refuse=OWN)
def own_float(x):
    return float(Own(x))


@program(1.5, expect=7.0, may_refuse=OWN)
def own_abs(x):
    return abs(Own(x))


@program(1.5, expect=3.0, may_refuse=OWN)
def own_call(x):
    return Own(x)(x)


@program(1.5, expect=3.0, may_refuse=OWN)
def own_truth(x):
    return x * x if Own(x) else x


@program(1.5, expect=6.0, may_refuse=OWN)
def own_context(x):
    with Own(x) as y:
        return y * x


class Fives(list):
    """A list whose items are not what is in it."""

    def __getitem__(self, i):
        return 5.0 * list.__getitem__(self, i)


class FivesTuple(tuple):
    """A tuple whose items are not what is in it."""

    def __getitem__(self, i):
        return 5.0 * tuple.__getitem__(self, i)


class FivesDict(dict):
    """A dict whose items are not what is in it."""

    def __getitem__(self, key):
        return 5.0 * dict.__getitem__(self, key)


class Three(np.ndarray):
    """An array whose sum is not that of its elements."""

    def sum(self, *args, **kwargs):
        return 3.0


@program(Fives([0.7, 0.8]), refused=True)
def list_with_items_of_its_own(x):
    return x[0] * 2


@program(FivesTuple((0.7, 0.8)), refused=True)
def tuple_with_items_of_its_own(x):
    return x[0] * 2


@program(FivesDict(a=0.7), refused=True)
def dict_with_items_of_its_own(x):
    return x["a"] * 2


@program(X3.view(Three), refused=True)
def array_with_a_sum_of_its_own(x):
    return x.sum() * x[0]


@program(np.matrix([[0.3, 0.4], [0.5, 0.6]]), refused=True)
def matrix(x):
    return np.sum(x * x)


@program(np.ma.array([0.3, 0.4, 0.5], mask=[0, 1, 0]), refused=True)
def masked_array(x):
    return x.sum() * 1.0


@program(X3, may_refuse=OWN)
def view_of_a_class_of_its_own(x):
    return x.view(Three).sum() * x[0]


class Rated:
    """A class with methods of every sort."""

    k = 2.0

    def __init__(self, a):
        self.a = a

    @classmethod
    def by_class(cls, x):
        return x * x * cls.k

    @staticmethod
    def alone(x):
        return x * x * 3


RATED = Rated(1.5)


@program(0.3, expect=1.2)
def class_method_of_an_instance(x):
    return RATED.by_class(x)


@program(0.3, expect=1.2)
def class_method_of_a_class(x):
    return Rated.by_class(x)


@program(0.3, expect=1.8)
def static_method_of_an_instance(x):
    return RATED.alone(x)


# Arrays that a function is given to write into.


@program(X3, expect=2 * np.cos([1.0, 2.0, 3.0]), may_refuse="writing into an array need not be followed")
def ufunc_that_writes_by_position(x):
    y = np.zeros(3)
    np.add(x, x, y)
    return y


@program(X3, may_refuse="writing into an array need not be followed")
def ufunc_of_one_that_writes_by_position(x):
    y = np.zeros(3)
    np.exp(x, y)
    return y * x


@program(X3, may_refuse="writing into an array need not be followed")
def assigned_ufunc_that_writes_by_position(x):
    y = np.zeros(3)
    z = np.add(x, x, y)
    return y * z


@program(X3, may_refuse="writing into an array need not be followed")
def clip_that_writes_by_position(x):
    y = x * 1
    np.clip(x, 0, 1, y)
    return y * x


@program(X3, may_refuse="writing into an array need not be followed")
def sum_that_writes_by_position(x):
    y = np.zeros(())
    np.sum(x, None, None, y)
    return y * x


@program(X3, may_refuse="writing into an array need not be followed")
def method_that_writes_by_position(x):
    y = np.zeros(3)
    x.cumsum(0, None, y)
    return y * x


@program(X3, may_refuse="writing into an array need not be followed")
def product_that_writes_by_position(x):
    y = np.zeros(3)
    np.dot(np.eye(3), x, y)
    return y * x


# Iterators: what they give depends on what was taken before.


@program(X3, may_refuse="an iterator that is kept need not be followed")
def next_of_an_iterator(x):
    it = iter(x)
    s = next(it)
    for v in it:
        s = s * v
    return s


@program(X3, may_refuse="an iterator that is kept need not be followed")
def iterator_used_twice(x):
    z = zip(x, x * 2)
    a = list(z)
    b = list(z)
    return a[0][1] * x + len(b)


@program(X3, may_refuse="an iterator that is kept need not be followed")
def iterator_left_and_taken_up(x):
    e = enumerate(x)
    s = 0.0
    for i, v in e:
        s = s + v
        if i == 0:
            break
    for i, v in e:
        s = s * v
    return s


@program(X3, may_refuse="an iterator that is kept need not be followed")
def map_left_and_taken_up(x):
    m = map(lambda v: v * v, x)
    s = 0.0
    for v in m:
        s = s + v
        break
    for v in m:
        s = s * v
    return s


# Backward sweeps that are derived again: what they add into in place is not what was recorded.


@program(B3, expect=[2.0, 0.0, 1.0])
def part_of_a_list_of_parts(A):
    A = [A[[0, 2, 0]], np.arctan(A)][0]
    return sum([q for q in A])


@program(B3)
def quotient_and_items(A):
    B = A / (1.0 + A * A)
    return A[[0, 2, 0]].sum() * B[1] + A[0] * A[1] * B[0]


@program(B3)
def items_after_a_product_with_itself(A):
    y = np.exp(A)
    return (y * y / A).sum() * A[0] * A[[1, 1]].sum() + y[2] * A[1]


# A jump out of a `try` body: its `else` does not run.


@program(0.7, expect=2 * 0.7, may_refuse=JUMP)
def break_in_a_try_with_an_else(x):
    for p in range(3):
        try:
            if p == 1:
                break
        except ValueError:
            pass
        else:
            x = x * x
    return x


@program(0.7, expect=4 * 0.7**3, may_refuse=JUMP)
def continue_in_a_try_with_an_else(x):
    for p in range(3):
        try:
            if p == 1:
                continue
        except ValueError:
            pass
        else:
            x = x * x
    return x


@program(0.7, expect=6 * 0.7**5, may_refuse=JUMP)
def return_in_a_try_with_an_else(x):
    for p in range(3):
        try:
            if p == 1:
                return x * x * x
        except ValueError:
            pass
        else:
            x = x * x
    return x


@program(0.7, expect=1.0)
def break_at_once_in_a_try_with_an_else(x):
    for p in range(3):
        try:
            break
        except ValueError:
            pass
        else:
            x = weighted(x, x)
    return x


@program(-0.7, expect=3 * 0.7**2, may_refuse=JUMP)
def return_not_taken_in_a_try_with_an_else(x):
    try:
        if x > 0:
            return x * x
    except ValueError:
        pass
    else:
        x = weighted(x * x * x)
    return x


@program(0.7, B3, may_refuse=JUMP)
def break_of_a_while_in_a_try_with_an_else(x, A):
    n = 0
    while True:
        n += 1
        try:
            if n == 3:
                break
        except ValueError:
            pass
        else:
            for v in A:
                x = x * v + x
        x = x * x
    return x


# Numbers that happen to be ints: the sum of nothing is.


@program(1.5, expect=1.0)
def array_of_sums_of_nothing(x):
    z = sum([p * x for p in [0.1, 0.2] if p > 3.0])
    B = np.array([z, z, z])
    return B.sum() + x


@program(1.5, expect=2.0, may_refuse="writing into the derivative of an array of ints may be refused")
def slice_of_an_array_of_sums_of_nothing(x):
    z = sum([p * x for p in [0.1, 0.2] if p > 3.0])
    B = np.array([z, z, z])[:1]
    return np.concatenate([B, np.ones(2) * x]).sum()


@program(1.5, may_refuse="writing into the derivative of an array of ints may be refused")
def stack_of_sums_of_nothing(x):
    z = sum([p * x for p in [0.1, 0.2] if p > 3.0])
    B = np.stack([z, z, z])[:1]
    return np.concatenate([B, np.ones(2) * x]).sum() + np.array([1, 2, z]).sum()
