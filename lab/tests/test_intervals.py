"""Intervals, by hand, against SciPy, and by how often they hold the truth."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import bootstrap as scipy_bootstrap
from sklearn.metrics import roc_auc_score

from contracts.errors import InvalidInput
from golden_lab.intervals import Interval, bootstrap, bootstrap_mean


def test_the_interval_of_a_mean_is_near_that_of_scipy() -> None:
    values = np.random.default_rng(2).exponential(size=80)
    ours = bootstrap_mean(values, seed=1, resamples=4_000)
    theirs = scipy_bootstrap((values,), np.mean, method="percentile", n_resamples=4_000, rng=3).confidence_interval
    assert ours.value == pytest.approx(values.mean())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_whole_groups_are_drawn() -> None:
    # Two groups of equal values: a resample is all of one, all of the other, or half of each.
    values, groups = [1.0] * 50 + [0.0] * 50, ["a"] * 50 + ["b"] * 50
    clustered = bootstrap_mean(values, seed=1, groups=groups)
    assert clustered == Interval(value=0.5, low=0.0, high=1.0)
    alone = bootstrap_mean(values, seed=1)
    assert 0.35 < alone.low < 0.45 < 0.55 < alone.high < 0.65


def test_groups_bring_all_of_their_rows_to_any_statistic() -> None:
    counts: set[int] = set()

    def most(rows: NDArray[np.intp]) -> float:
        counts.add(len(rows))
        assert (1 in rows) == (3 in rows)
        return float(rows.max())

    bootstrap(most, 4, seed=1, groups=["x", "y", "z", "y"])
    assert counts == {3, 4, 5, 6}
    with pytest.raises(InvalidInput, match="60 against 2"):
        bootstrap(lambda rows: 1.0, 60, seed=1, groups=["a", "b"])


def test_resamples_without_one_class_are_left_out() -> None:
    predicted, truth = np.array([0.9, 0.8, 0.3, 0.2]), np.array([1.0, 0.0, 1.0, 0.0])

    def auroc(rows: NDArray[np.intp]) -> float:
        return float(roc_auc_score(truth[rows], predicted[rows])) if len(set(truth[rows])) == 2 else math.nan

    found = bootstrap(auroc, 4, seed=1)
    assert found == Interval(value=0.75, low=0.0, high=1.0)


def test_a_statistic_that_can_hardly_be_told_is_refused() -> None:
    # Both of the first two of four are in 43 % of the resamples: less than half.
    def first_two_only(rows: NDArray[np.intp]) -> float:
        return 1.0 if {0, 1} <= set(rows.tolist()) else math.nan

    with pytest.raises(InvalidInput, match="measure more"):
        bootstrap(first_two_only, 4, seed=1)
    with pytest.raises(InvalidInput, match="nan"):
        bootstrap(lambda rows: math.nan, 4, seed=1)
    with pytest.raises(InvalidInput, match="at least one row"):
        bootstrap(lambda rows: 1.0, 0, seed=1)


def test_what_has_no_interval_is_refused() -> None:
    for values, groups in (([], None), ([math.nan], None), ([1.0], []), ([1.0], ["a", "b"])):
        with pytest.raises(InvalidInput):
            bootstrap_mean(values, seed=1, groups=groups)
