"""Random programs that write in place: values, what is left in the arguments, and derivatives are right, or refused."""

import collections

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from tests.random_storage import check_seed, failing, modes_of
from tests.random_storage_checks import Program, Unfit, Wrong, check, differences, outcome
from tests.random_storage_flow import written_program
from tests.random_storage_shrink import shrunk
from tests.random_storage_writer import STATEMENTS, Case

PORTIONS, PORTION = 8, 40

REFUSED = 1.0
"""The fraction of the programs that may be refused."""


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_random_programs_in_place(portion):
    outcomes, wrongs = collections.Counter(), {}

    @seed(portion)
    @settings(max_examples=PORTION, deadline=None, database=None, phases=[Phase.generate])
    @given(st.integers(0, 2**40))
    def check_one(number):
        try:
            outcomes[check_seed(number)] += 1
        except Wrong as wrong:
            wrongs[number] = wrong

    check_one()
    print(dict(outcomes))
    for number, wrong in wrongs.items():
        pytest.fail(f"{len(wrongs)} wrong, {failing(written_program(number), wrong, modes_of(number), 20.0)}")
    assert outcomes["unfit"] <= 0.2 * PORTION
    assert outcomes["refused"] <= REFUSED * PORTION


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_statement_is_written_in_programs_that_run_and_are_smooth(name):
    needed = ("list", "dict", "attribute", "method")
    containers = {"new_list", "new_dict", "new_cell", "new_box"} if name.startswith(needed) else set()
    with_it, without_it, fit = 0, 0, 0
    for number in range(20):
        case = written_program(number, {"assign", name, *containers})
        with_it += case.written[name]
        without_it += sum(case.written[other] for other in STATEMENTS if other not in {"assign", name, *containers})
        try:
            program = Program(case)
            fit += differences(program, outcome(program)[0]).size > 0
        except Unfit:
            pass
    assert with_it >= 20
    assert without_it == 0
    assert fit >= 15


WRONG = "def f(x, v):\n    y = x * 2.0\n    v[0] = stdiff.stop_gradient(x)\n    return y * v[0] + v[1]\n"
PARAMETERS = (("x", "number"), ("v", "4"))


def test_a_wrong_derivative_is_found():
    for mode in ("reverse", "forward"):
        with pytest.raises(Wrong, match=mode):
            check(Case(WRONG.replace("v[0] =", "w =").replace("v[0]", "w"), PARAMETERS, "cc", 1), (mode,))


@pytest.mark.parametrize("value", ["abs(x - X)", "x if x > X else 2.0 * x", "1.0 if x > X + 1e-4 else 0.0"])
def test_a_program_that_is_not_smooth_is_not_judged(value):
    x = Program(Case(WRONG, PARAMETERS, "cc", 1)).first[0]
    with pytest.raises(Unfit):
        check(Case(f"X = {x!r}\ndef f(x, v):\n    return {value}\n", PARAMETERS, "cc", 1))


def test_programs_are_made_smaller():
    case = Case(WRONG, PARAMETERS, "cc", 1)
    small = shrunk(case, lambda tried: "v[0]" in tried.text and "return" in tried.text)
    assert small.text == "def f(x, v):\n    return v[0]\n"
