"""Faithfulness by claims and grades, and jointly with answerability."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import InvalidInput
from evaluation.metrics.faithfulness import (
    claim_faithfulness,
    joint_answerability_faithfulness,
    mean_joint_answerability_faithfulness,
    rad_score,
)


def test_the_share_of_supported_claims() -> None:
    assert claim_faithfulness([True, True, False, True]) == 0.75
    with pytest.raises(InvalidInput, match="without claims"):
        claim_faithfulness([])


def test_grades_are_brought_to_0_and_1() -> None:
    assert rad_score([1, 1, 1]) == 0
    assert rad_score([10, 10, 10]) == 1
    assert rad_score({"completeness": 4, "faithfulness": 10, "appropriateness": 7}) == pytest.approx((9 + 6 + 3) / 27)


@pytest.mark.parametrize(
    "grades",
    [[1, 2], [1, 2, 3, 4], [0, 5, 5], [5, 11, 5], [5, 5, math.nan], {"faithfulness": 5}, {"a": 1, "b": 1, "c": 1}],
)
def test_grades_that_cannot_be_are_refused(grades: list[float] | dict[str, float]) -> None:
    with pytest.raises(InvalidInput):
        rad_score(grades)


@pytest.mark.parametrize(
    ("predicted", "truth", "expected"), [(False, False, 1.0), (True, True, 0.7), (True, False, 0.0), (False, True, 0.0)]
)
def test_jafs_case_by_case(predicted: bool, truth: bool, expected: float) -> None:
    assert joint_answerability_faithfulness(predicted, truth, 0.7) == expected


def test_jafs_of_a_system_is_the_mean() -> None:
    found = mean_joint_answerability_faithfulness(
        [False, True, True, False], [False, True, False, True], [0.0, 0.7, 0.9, 0.9]
    )
    assert found == pytest.approx((1 + 0.7) / 4)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(0, 1)), min_size=1, max_size=20))
def test_jafs_is_at_most_the_accuracy_of_answerability(cases: list[tuple[bool, bool, float]]) -> None:
    predicted, truth, faithful = (list(column) for column in zip(*cases, strict=True))
    right = sum(said == true for said, true in zip(predicted, truth, strict=True)) / len(cases)
    assert 0 <= mean_joint_answerability_faithfulness(predicted, truth, faithful) <= right + 1e-12
    assert mean_joint_answerability_faithfulness(predicted, truth, [1.0] * len(cases)) == pytest.approx(right)


def test_jafs_refuses_what_does_not_belong_together() -> None:
    with pytest.raises(InvalidInput, match="1 predictions, 2 truths and 2 values"):
        mean_joint_answerability_faithfulness([True], [True, True], [1.0, 1.0])
    for faithfulness in (1.2, -0.1, math.nan):
        with pytest.raises(InvalidInput):
            joint_answerability_faithfulness(True, True, faithfulness)
    with pytest.raises(InvalidInput):
        mean_joint_answerability_faithfulness([], [], [])
