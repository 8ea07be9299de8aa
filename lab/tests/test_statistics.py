"""Scores, intervals, agreement and differences: by hand, against SciPy, and by how often they contain the truth."""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import bootstrap as scipy_bootstrap
from sklearn.metrics import roc_auc_score

from contracts.errors import InvalidInput
from golden_lab.benchmarks.scores import class_scores, constant_scores, system_scores
from golden_lab.intervals import Interval, bootstrap, bootstrap_mean
from golden_lab.results import Outcome, Score
from golden_lab.scores import mean_score, rate_score
from golden_lab.statistics import accuracy_within, holm, kendall, paired_bootstrap, pearson, sign_test, spearman
from lab.tests.benchmarks.annotated_sets import judged


def test_a_mean_with_its_bootstrap_interval_and_a_share_with_wilson_s() -> None:
    score = mean_score("nDCG@5", [0.0, 0.5, 1.0, 0.5], seed=7, system="hybrid", subset="cloud")
    assert (score.metric, score.value, score.n) == ("nDCG@5", 0.5, 4)
    assert (score.system, score.subset, score.higher_is_better) == ("hybrid", "cloud", True)
    assert 0 <= score.low < 0.5 < score.high <= 1
    assert score == mean_score("nDCG@5", [0.0, 0.5, 1.0, 0.5], seed=7, system="hybrid", subset="cloud")

    # Five of five: the lower bound is 5 / (5 + 1.96^2), by Wilson's formula for a share of 1.
    assert rate_score("accuracy", [True] * 5, subset="hard") == Score(
        metric="accuracy", value=1.0, low=pytest.approx(5 / (5 + 1.959964**2), abs=1e-6), high=1.0, n=5, subset="hard"
    )


def test_interval_of_a_mean_is_close_to_scipys() -> None:
    values = np.random.default_rng(2).exponential(size=80)
    ours = bootstrap_mean(values, seed=1, resamples=4_000)
    theirs = scipy_bootstrap((values,), np.mean, method="percentile", n_resamples=4_000, rng=3).confidence_interval
    assert ours.value == pytest.approx(values.mean())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_bootstrap_draws_whole_groups() -> None:
    # With two groups of equal values, a resample contains only one of them, only the other, or both equally.
    values, groups = [1.0] * 50 + [0.0] * 50, ["a"] * 50 + ["b"] * 50
    clustered = bootstrap_mean(values, seed=1, groups=groups)
    assert clustered == Interval(value=0.5, low=0.0, high=1.0)
    alone = bootstrap_mean(values, seed=1)
    assert 0.35 < alone.low < 0.45 < 0.55 < alone.high < 0.65
    # A group contributes all of its rows to a statistic.
    counts: set[int] = set()

    def most(rows: NDArray[np.intp]) -> float:
        counts.add(len(rows))
        assert (1 in rows) == (3 in rows)
        return float(rows.max())

    bootstrap(most, 4, seed=1, groups=["x", "y", "z", "y"])
    assert counts == {3, 4, 5, 6}
    with pytest.raises(InvalidInput, match="60 and 2 values"):
        bootstrap(lambda rows: 1.0, 60, seed=1, groups=["a", "b"])


def test_resamples_without_one_class_are_left_out() -> None:
    predicted, truth = np.array([0.9, 0.8, 0.3, 0.2]), np.array([1.0, 0.0, 1.0, 0.0])

    def auroc(rows: NDArray[np.intp]) -> float:
        return float(roc_auc_score(truth[rows], predicted[rows])) if len(set(truth[rows])) == 2 else math.nan

    found = bootstrap(auroc, 4, seed=1)
    assert found == Interval(value=0.75, low=0.0, high=1.0)


def test_statistic_without_an_interval_is_refused() -> None:
    # Only 43% of the resamples contain both of the first two of four rows: less than half.
    def first_two_only(rows: NDArray[np.intp]) -> float:
        return 1.0 if {0, 1} <= set(rows.tolist()) else math.nan

    with pytest.raises(InvalidInput, match="measure more"):
        bootstrap(first_two_only, 4, seed=1)
    with pytest.raises(InvalidInput, match="nan"):
        bootstrap(lambda rows: math.nan, 4, seed=1)
    with pytest.raises(InvalidInput, match="at least one row"):
        bootstrap(lambda rows: 1.0, 0, seed=1)
    for values, groups in (([], None), ([math.nan], None), ([1.0], []), ([1.0], ["a", "b"])):
        with pytest.raises(InvalidInput):
            bootstrap_mean(values, seed=1, groups=groups)
    with pytest.raises(InvalidInput):
        rate_score("m", [])


def test_agreement_matches_values_computed_by_hand() -> None:
    # With one tie on one side: 2 pairs agree, 0 differ, tau-b = 2 / sqrt(3 * 2).
    assert kendall([1, 2, 3], [1, 2, 2]) == pytest.approx(2 / math.sqrt(6))
    judge, people = [5, 4, 1, 3], [5, 3, 3, 3]
    assert (accuracy_within(judge, people), accuracy_within(judge, people, 1)) == (0.5, 0.75)
    assert accuracy_within([0.3], [0.1], 0.2) == 1


def test_values_without_a_correlation_are_refused(subtests: pytest.Subtests) -> None:
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


def test_p_value_of_three_pairs_enumerates_all_27_resamples() -> None:
    differences = (1.0, 1.0, -1.0)
    drawn = [sum(rows) for rows in itertools.product(differences, repeat=3)]
    exact = 2 * sum(total <= 0 for total in drawn) / len(drawn)
    found = paired_bootstrap([1, 1, 0], [0, 0, 1], seed=3, resamples=20_000)
    assert found.p_value == pytest.approx(exact, abs=0.02)
    assert found.difference == pytest.approx(1 / 3)
    found = paired_bootstrap([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], seed=1)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_sign_test_and_holm_match_values_computed_by_hand() -> None:
    assert sign_test(5, 1) == pytest.approx(2 * (math.comb(6, 0) + math.comb(6, 1)) / 2**6)
    assert sign_test(1, 5) == sign_test(5, 1)
    assert sign_test(3, 3) == sign_test(0, 0) == 1
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    )


def test_incomparable_values_are_refused() -> None:
    for first, second in (([], []), ([1.0], [1.0, 2.0]), ([math.nan], [1.0])):
        with pytest.raises(InvalidInput):
            paired_bootstrap(first, second, seed=1)
    with pytest.raises(InvalidInput):
        sign_test(-1, 2)
    for value in (1.5, math.nan):
        with pytest.raises(InvalidInput, match='"a"'):
            holm({"a": value})


SIDES = ("yes", "no")


# Two of three true values are predicted as true, and one of two false values.
FIVE = (
    judged("a", True, True, 0.9).values,
    judged("b", True, True, 0.7).values,
    judged("c", True, False, 0.2).values,
    judged("d", False, True, 0.6).values,
    judged("e", False, False, 0.1).values,
)


def test_class_scores_match_hand_computed_values_with_grouped_intervals() -> None:
    scores = class_scores(FIVE, SIDES, 7)
    assert {each.metric: each.value for each in scores} == pytest.approx(
        {
            "precision yes": 2 / 3, "recall yes": 2 / 3, "F1 yes": 2 / 3,
            "precision no": 1 / 2, "recall no": 1 / 2, "F1 no": 1 / 2,
            "weighted F1": (3 * 2 / 3 + 2 * 1 / 2) / 5,
        }
    )  # fmt: skip
    assert scores[0].metric == "weighted F1"
    assert all(each.low <= each.value <= each.high and each.n == 5 for each in scores)
    (weighted, *_) = class_scores([{**each, "group": "one"} for each in FIVE], SIDES, 7)
    assert weighted.low == weighted.value == weighted.high
    assert scores[0].low < weighted.value


def test_constant_predictions_are_scored_as_baseline_systems() -> None:
    yes, no = constant_scores(FIVE, SIDES, 7)
    # Always yes: precision 3/5, recall 1, F1 3/4, weighted by 3/5. Always no: precision 2/5, recall 1, F1 4/7, by 2/5.
    assert (yes.system, no.system) == ("always “yes”", "always “no”")
    assert (yes.value, no.value) == pytest.approx((0.45, 8 / 35))


def test_system_is_scored_over_its_measured_questions() -> None:
    outcomes = [
        Outcome(id="1", values={"group": "a", "dense": {"MRR": 1.0}, "reranked": {"MRR": 1.0}}),
        Outcome(id="2", values={"group": "b", "dense": {"MRR": 0.0}}),
    ]
    dense, reranked = system_scores(outcomes, ("MRR",), 1)
    assert (dense.system, dense.value, dense.n) == ("dense", 0.5, 2)
    assert (reranked.system, reranked.value, reranked.n) == ("reranked", 1.0, 1)
