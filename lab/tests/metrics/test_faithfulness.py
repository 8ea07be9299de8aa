"""Faithfulness by claims and grades, and jointly with answerability."""

import math

import pytest

from contracts.errors import InvalidInput
from golden_lab.metrics.answers import (
    claim_faithfulness,
    joint_answerability_faithfulness,
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


def test_jafs_refuses_a_faithfulness_out_of_range() -> None:
    for faithfulness in (1.2, -0.1, math.nan):
        with pytest.raises(InvalidInput):
            joint_answerability_faithfulness(True, True, faithfulness)
