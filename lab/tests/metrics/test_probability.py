"""AUROC, Brier and calibration, by hand and against scikit-learn."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, roc_auc_score

from contracts.errors import InvalidInput
from golden_lab.metrics.classification import auroc, brier, expected_calibration_error, reliability_bins

# Steps of 1/16: ties are common, and sums are exact.
CASES = st.lists(st.tuples(st.integers(0, 16).map(lambda step: step / 16), st.booleans()), min_size=2, max_size=40)


def test_bins_and_their_error_by_hand() -> None:
    said, truth = [0.0, 0.05, 0.65, 0.7, 1.0], [False, True, True, False, True]
    low, middle, edge, top = reliability_bins(said, truth)
    assert (low.low, low.high, low.count, low.observed) == (0, 0.1, 2, 0.5)
    assert low.mean_probability == pytest.approx(0.025)
    assert (middle.low, middle.count, edge.low, edge.count) == (0.6, 1, 0.7, 1)
    assert (top.low, top.high, top.count) == (0.9, 1.0, 1)
    assert expected_calibration_error(said, truth) == pytest.approx((2 * 0.475 + 0.35 + 0.7 + 0) / 5)


@settings(max_examples=60, deadline=None)
@given(CASES)
def test_as_scikit_learn(cases: list[tuple[float, bool]]) -> None:
    said, truth = [case[0] for case in cases], [case[1] for case in cases]
    assert brier(said, truth) == pytest.approx(brier_score_loss(truth, said, pos_label=True, labels=[False, True]))
    if len(set(truth)) == 2:
        assert auroc(said, truth) == pytest.approx(roc_auc_score(truth, said))


@pytest.mark.parametrize(
    ("said", "truth"), [([], []), ([0.5], []), ([math.nan], [True]), ([1.5], [True]), ([0.5], [0.5]), ([[0.5]], [True])]
)
def test_what_is_no_probability_is_refused(said: list[float], truth: list[bool]) -> None:
    for metric in (brier, expected_calibration_error):
        with pytest.raises(InvalidInput):
            metric(said, truth)


def test_auroc_needs_both_classes() -> None:
    with pytest.raises(InvalidInput, match="2 true, 0 false"):
        auroc([0.1, 0.2], [True, True])
