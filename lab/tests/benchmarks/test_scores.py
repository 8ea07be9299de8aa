"""Scores of outcomes: two-sided verdicts, rankings and systems, by cases worked out by hand."""

from typing import Any

import pytest

from golden_lab.benchmarks.scores import (
    class_scores,
    constant_scores,
    system_scores,
)
from golden_lab.results import Outcome, Score

SIDES = ("yes", "no")


def verdict(truth: bool, said: bool, probability: float, group: str = "") -> dict[str, Any]:
    return {"truth": truth, "said": said, "probability": probability, "group": group or f"{truth}{said}{probability}"}


# Of three true ones two are found; of two false ones one.
FIVE = (
    verdict(True, True, 0.9),
    verdict(True, True, 0.7),
    verdict(True, False, 0.2),
    verdict(False, True, 0.6),
    verdict(False, False, 0.1),
)


def by_metric(scores: list[Score]) -> dict[str, float]:
    return {each.metric: each.value for each in scores}


def test_classes_by_hand_with_intervals_that_draw_groups() -> None:
    scores = class_scores(FIVE, SIDES, 7)
    assert by_metric(scores) == pytest.approx(
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


def test_saying_always_the_same_is_a_system_of_its_own() -> None:
    yes, no = constant_scores(FIVE, SIDES, 7)
    # Always yes: precision 3/5, recall 1, F1 3/4, weighted by 3/5. Always no: precision 2/5, recall 1, F1 4/7, by 2/5.
    assert (yes.system, no.system) == ("always “yes”", "always “no”")
    assert (yes.value, no.value) == pytest.approx((0.45, 8 / 35))


def test_a_system_is_scored_over_the_questions_that_it_has_values_of() -> None:
    outcomes = [
        Outcome(id="1", values={"group": "a", "dense": {"MRR": 1.0}, "reranked": {"MRR": 1.0}}),
        Outcome(id="2", values={"group": "b", "dense": {"MRR": 0.0}}),
    ]
    dense, reranked = system_scores(outcomes, ("MRR",), 1)
    assert (dense.system, dense.value, dense.n) == ("dense", 0.5, 2)
    assert (reranked.system, reranked.value, reranked.n) == ("reranked", 1.0, 1)
