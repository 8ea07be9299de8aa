"""Agreement of two raters and tests of paired differences, by hand and against SciPy."""

import itertools
import math

import numpy as np
import pytest

from contracts.errors import InvalidInput
from golden_lab.statistics import accuracy_within, holm, kendall, paired_bootstrap, pearson, sign_test, spearman


def test_agreement_by_hand() -> None:
    # One neighbouring pair of four is swapped: rho = 1 - 6 * 2 / (4 * 15), tau = (5 - 1) / 6.
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert kendall([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(4 / 6)
    # With one tie on one side: 2 pairs agree, 0 differ, tau-b = 2 / sqrt(3 * 2).
    assert kendall([1, 2, 3], [1, 2, 2]) == pytest.approx(2 / math.sqrt(6))
    judge, people = [5, 4, 1, 3], [5, 3, 3, 3]
    assert (accuracy_within(judge, people), accuracy_within(judge, people, 1)) == (0.5, 0.75)
    assert accuracy_within([0.3], [0.1], 0.2) == 1


def test_what_has_no_correlation_is_refused(subtests: pytest.Subtests) -> None:
    for correlation in [spearman, kendall, pearson]:
        with subtests.test(correlation=correlation):
            for first, second in (([], []), ([1], [1]), ([1, 2], [1]), ([3, 3, 3], [1, 2, 3]), ([1, math.nan], [1, 2])):
                with pytest.raises(InvalidInput):
                    correlation(first, second)  # type: ignore[operator]


def test_a_clear_difference_is_found_with_its_sign() -> None:
    generator = np.random.default_rng(1)
    base = generator.random(200)
    found = paired_bootstrap(base + generator.normal(0.1, 0.2, 200), base, seed=1)
    assert found.low < 0.1 < found.high
    assert (found.low > 0, found.n) == (True, 200)
    assert found.p_value < 0.001
    back = paired_bootstrap([0.0] * 20, [1.0] * 19 + [0.0], seed=1)
    assert (back.difference, back.high < 0) == (pytest.approx(-0.95), True)


def test_the_p_value_of_three_pairs_is_that_of_all_27_resamples() -> None:
    differences = (1.0, 1.0, -1.0)
    drawn = [sum(rows) for rows in itertools.product(differences, repeat=3)]
    exact = 2 * sum(total <= 0 for total in drawn) / len(drawn)
    found = paired_bootstrap([1, 1, 0], [0, 0, 1], seed=3, resamples=20_000)
    assert found.p_value == pytest.approx(exact, abs=0.02)
    assert found.difference == pytest.approx(1 / 3)


def test_equal_systems_do_not_differ() -> None:
    found = paired_bootstrap([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], seed=1)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_the_sign_test_and_holm_by_hand() -> None:
    assert sign_test(5, 1) == pytest.approx(2 * (math.comb(6, 0) + math.comb(6, 1)) / 2**6)
    assert sign_test(1, 5) == sign_test(5, 1)
    assert sign_test(3, 3) == sign_test(0, 0) == 1
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    )


def test_what_cannot_be_compared_is_refused() -> None:
    for first, second in (([], []), ([1.0], [1.0, 2.0]), ([math.nan], [1.0])):
        with pytest.raises(InvalidInput):
            paired_bootstrap(first, second, seed=1)
    with pytest.raises(InvalidInput):
        sign_test(-1, 2)
    for value in (1.5, math.nan):
        with pytest.raises(InvalidInput, match='"a"'):
            holm({"a": value})
