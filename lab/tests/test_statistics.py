"""Agreement of two raters, by hand and against SciPy."""

import math

import pytest
from scipy import stats

from contracts.errors import InvalidInput
from golden_lab.statistics import accuracy_within, kendall, pearson, spearman


def test_correlations_by_hand() -> None:
    # One neighbouring pair of four is swapped: rho = 1 - 6 * 2 / (4 * 15), tau = (5 - 1) / 6.
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert kendall([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(4 / 6)
    # With one tie on one side: 2 pairs agree, 0 differ, tau-b = 2 / sqrt(3 * 2).
    assert kendall([1, 2, 3], [1, 2, 2]) == pytest.approx(2 / math.sqrt(6))


def test_pearson_knows_distances_where_ranks_do_not() -> None:
    assert pearson([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert pearson([1, 2, 10], [1, 2, 3]) == pytest.approx(stats.pearsonr([1, 2, 10], [1, 2, 3]).statistic)
    assert spearman([1, 2, 10], [1, 2, 3]) == pytest.approx(1)


def test_agreement_within_a_point() -> None:
    judge, people = [5, 4, 1, 3], [5, 3, 3, 3]
    assert (accuracy_within(judge, people), accuracy_within(judge, people, 1)) == (0.5, 0.75)
    assert accuracy_within([0.3], [0.1], 0.2) == 1


@pytest.mark.parametrize("correlation", [spearman, kendall, pearson])
def test_what_has_no_correlation_is_refused(correlation: object) -> None:
    for first, second in (([], []), ([1], [1]), ([1, 2], [1]), ([3, 3, 3], [1, 2, 3]), ([1, math.nan], [1, 2])):
        with pytest.raises(InvalidInput):
            correlation(first, second)  # type: ignore[operator]


def test_agreement_of_nothing_is_refused() -> None:
    for first, second, tolerance in (([], [], 0), ([1], [1, 2], 0), ([1], [1], -1), ([1], [1], math.nan)):
        with pytest.raises(InvalidInput):
            accuracy_within(first, second, tolerance)
