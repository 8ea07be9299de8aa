"""Scores per class, AUROC, Brier and calibration, by hand and against scikit-learn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, brier_score_loss, precision_recall_fscore_support, roc_auc_score

from golden_lab.metrics.classification import (
    auroc,
    brier,
    classification_scores,
    expected_calibration_error,
    reliability_bins,
)

LABELS = st.sampled_from(["no", "partly", "yes"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=25), st.booleans())
def test_scores_per_class_as_scikit_learn(pairs: list[tuple[str, str]], only_two: bool) -> None:
    truth, predicted = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    labels = ["yes", "no"] if only_two else ["no", "partly", "yes"]
    ours = classification_scores(truth, predicted, labels)
    theirs = precision_recall_fscore_support(truth, predicted, labels=labels, zero_division=0)
    for at, each in enumerate(ours.classes):
        assert (each.precision, each.recall, each.f1, each.support) == pytest.approx([row[at] for row in theirs])
    for average, value in (("macro", ours.macro_f1), ("weighted", ours.weighted_f1)):
        f1 = precision_recall_fscore_support(truth, predicted, labels=labels, average=average, zero_division=0)[2]
        assert value == pytest.approx(f1)
    assert ours.accuracy == pytest.approx(accuracy_score(truth, predicted))


# Steps of 1/16: ties are common, and sums are exact.
CASES = st.lists(st.tuples(st.integers(0, 16).map(lambda step: step / 16), st.booleans()), min_size=2, max_size=40)


def test_bins_and_their_error_by_hand() -> None:
    predicted, truth = [0.0, 0.05, 0.65, 0.7, 1.0], [False, True, True, False, True]
    low, middle, edge, top = reliability_bins(predicted, truth)
    assert (low.low, low.high, low.count, low.observed) == (0, 0.1, 2, 0.5)
    assert low.mean_probability == pytest.approx(0.025)
    assert (middle.low, middle.count, edge.low, edge.count) == (0.6, 1, 0.7, 1)
    assert (top.low, top.high, top.count) == (0.9, 1.0, 1)
    assert expected_calibration_error(predicted, truth) == pytest.approx((2 * 0.475 + 0.35 + 0.7 + 0) / 5)


@settings(max_examples=60, deadline=None)
@given(CASES)
def test_probabilities_as_scikit_learn(cases: list[tuple[float, bool]]) -> None:
    predicted, truth = [case[0] for case in cases], [case[1] for case in cases]
    assert brier(predicted, truth) == pytest.approx(
        brier_score_loss(truth, predicted, pos_label=True, labels=[False, True])
    )
    if len(set(truth)) == 2:
        assert auroc(predicted, truth) == pytest.approx(roc_auc_score(truth, predicted))
