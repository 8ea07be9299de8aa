"""Scores of two-sided verdicts, by cases worked out by hand."""

import pytest

from contracts.errors import InvalidInput
from evaluation.results import Score
from golden_lab.benchmarks.verdict_scores import (
    Sides,
    Verdict,
    class_scores,
    constant_scores,
    probability_scores,
    reliability,
    stored_verdict,
    verdict_values,
)

SIDES = Sides(true="yes", false="no")


def verdict(truth: bool, said: bool, probability: float, group: str = "") -> Verdict:
    return Verdict(truth=truth, said=said, probability=probability, group=group or f"{truth}{said}{probability}")


# Of three true ones two are found; of two false ones one.
FIVE = (
    verdict(True, True, 0.9),
    verdict(True, True, 0.7),
    verdict(True, False, 0.2),
    verdict(False, True, 0.6),
    verdict(False, False, 0.1),
)


def by_metric(scores: tuple[Score, ...]) -> dict[str, float]:
    return {each.metric: each.value for each in scores}


def test_classes_by_hand() -> None:
    scores = class_scores(FIVE, SIDES, 7)
    found = by_metric(scores)
    assert found == pytest.approx(
        {
            "precision yes": 2 / 3, "recall yes": 2 / 3, "F1 yes": 2 / 3,
            "precision no": 1 / 2, "recall no": 1 / 2, "F1 no": 1 / 2,
            "weighted F1": (3 * 2 / 3 + 2 * 1 / 2) / 5,
        }
    )  # fmt: skip
    assert scores[0].metric == "weighted F1"
    assert all(each.low <= each.value <= each.high and each.n == 5 for each in scores)


def test_saying_always_the_same_is_a_system_of_its_own() -> None:
    yes, no = constant_scores(FIVE, SIDES, 7)
    # Always yes: precision 3/5, recall 1, F1 3/4, weighted by 3/5. Always no: precision 2/5, recall 1, F1 4/7, by 2/5.
    assert (yes.system, no.system) == ("always “yes”", "always “no”")
    assert (yes.value, no.value) == pytest.approx((0.45, 8 / 35))


def test_probabilities_by_hand() -> None:
    scores = probability_scores(FIVE, 7)
    found = by_metric(scores)
    # Of six pairs of a true and a false one, five have the true one above: 0.2 stands below 0.6.
    assert found["AUROC"] == pytest.approx(5 / 6)
    assert found["Brier"] == pytest.approx((0.01 + 0.09 + 0.64 + 0.36 + 0.01) / 5)
    assert found["ECE"] == pytest.approx((0.1 + 0.3 + 0.8 + 0.6 + 0.1) / 5)
    assert [each.higher_is_better for each in scores] == [True, False, False]


def test_where_all_are_true_there_is_no_auroc() -> None:
    assert [each.metric for each in probability_scores(FIVE[:3], 7)] == ["Brier", "ECE"]


def test_an_interval_draws_groups() -> None:
    together = tuple(verdict(each.truth, each.said, each.probability, "one") for each in FIVE)
    (weighted, *_) = class_scores(together, SIDES, 7)
    assert weighted.low == weighted.value == weighted.high
    assert class_scores(FIVE, SIDES, 7)[0].low < weighted.value


def test_a_verdict_comes_back_from_its_plain_values() -> None:
    assert stored_verdict({**verdict_values(FIVE[0]), "kind": "more"}) == FIVE[0]


def test_the_plot_tells_what_it_shows() -> None:
    figure = reliability(FIVE, "Sure?")
    assert figure.svg.startswith("<svg")
    assert "0.90 said, 1.00 true of 1" in figure.description


def test_nothing_cannot_be_scored() -> None:
    with pytest.raises(InvalidInput):
        class_scores((), SIDES, 7)
