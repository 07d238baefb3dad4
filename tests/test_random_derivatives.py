"""Random functions: values, output, exceptions and derivatives are right, or the function is refused."""

import collections

import pytest

from tests.random_derivatives import check_seed

PORTION = 25


@pytest.mark.parametrize("first", range(0, 150, PORTION))
def test_random_functions(first):
    outcomes = collections.Counter(check_seed(seed) for seed in range(first, first + PORTION))
    print(f"{outcomes['refused']} of {PORTION} refused")
    assert outcomes["right"] > PORTION / 2
