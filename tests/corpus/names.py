"""Names that look as if the compiler had made them, or that hide something."""

import numpy as np

from tests.corpus.case import program
from tests.corpus.prelude import V3

np_sin = np.sin
tape = 2.0
x_bar = 3.0


@program(1.5, expect=3.0)
def named_d(d):
    return d * d


@program(1.5)
def named_as_adjoints(x):
    x_bar = x * x
    y_bar = np.sin(x_bar)
    x_bar_bar = y_bar * x
    return x_bar * y_bar * x_bar_bar


@program(1.5, 2.0)
def parameters_named_as_adjoints(x_bar, x):
    return x_bar * x * x_bar


@program(1.5)
def globals_named_as_adjoints(x):
    return x * x_bar * tape + x_bar


@program(1.5)
def named_as_temporaries(x):
    t1 = x * x
    t2 = np.sin(t1) * t1
    t = t1 + t2
    return t * t1 * t2


@program(1.5)
def named_as_results(x):
    sin_x = 2.0
    exp_x = np.exp(x)
    return np.sin(x) * sin_x * exp_x + np.exp(x)


@program(1.5)
def named_tape(x):
    tape = x
    tapes = []
    saved = x * x
    for i in range(3):
        tape = tape * saved + len(tapes)
    return tape


@program(1.5)
def named_underscore(x):
    _ = x * x
    for __ in range(2):
        _ = _ * x
    return _


@program(1.5)
def named_as_versions(x):
    x_0 = x * 2.0
    x_1 = x_0 * x
    x = x_1 * x_0
    x = x * x_0
    return x * x_1


@program(1.5)
def named_as_tangents(x):
    x_dot = x * x
    dx = np.sin(x_dot)
    d_x = dx * x
    return x_dot * dx * d_x


@program(1.5)
def named_as_branch_flags(x):
    if_1 = x > 1.0
    cond = 2.0
    branch = x
    if if_1:
        branch = branch * x * cond
    return branch


@program(1.5)
def named_as_helpers(x):
    forward = x
    backward = x * x
    unbroadcast = forward * backward
    zeros_like = unbroadcast + 1.0
    grad = zeros_like * x
    return grad * forward


@program(1.5)
def named_as_builtins(x):
    sum = x * x
    len = sum * x
    list = len + sum
    reversed = list * 2.0
    zip = reversed + x
    for range in (1.0, 2.0):
        zip = zip * range
    return zip


@program(1.5)
def builtin_shadowed_by_parameter_of_callee(x):
    return shadowing(x, max=x * x)


def shadowing(abs, max):
    return abs * max


@program(1.5)
def module_shadowed(x):
    np_before = np.sin(x)
    math = x * x
    return np_before * math


@program(1.5)
def parameter_named_np(np):
    return np * np


@program(1.5, V3.copy())
def unicode_names(θ, λ):
    Δ = θ * θ
    return np.sum(Δ * λ) * θ


@program(1.5)
def dunder_names(x):
    __x = x * x
    __y__ = __x * x
    return __y__ + __x


@program(1.5)
def long_name(x):
    a_name_that_is_far_too_long_for_any_line_of_a_program_but_is_used_all_the_same = x * x
    return a_name_that_is_far_too_long_for_any_line_of_a_program_but_is_used_all_the_same * x


@program(1.5)
def same_name_as_the_function(x):
    same_name_as_the_function = x * x
    return same_name_as_the_function * x


@program(1.5)
def callee_has_the_caller_s_names(x):
    t1 = x * x
    y = inner_names(t1, x)
    return y * t1


def inner_names(x, t1):
    y = x * t1
    x = y * t1
    return x


@program(1.5)
def soft_keywords(x):
    match = x * x
    case = match * x
    type = case + match
    return type * x


@program(1.5)
def argument_reused_many_times(x):
    x = x * x
    x = x + x
    x = np.sin(x) * x
    x = x - 2.0 * x
    return x


@program(1.5, expect=6.0)
def same_name_on_both_sides(x):
    x = x * x
    x = x + x
    return x


@program(1.5)
def chained_assignment(x):
    a = b = x * x
    a = a * x
    return a * b


@program(1.5)
def name_deleted(x):
    y = x * x
    z = y * x
    del y
    return z
