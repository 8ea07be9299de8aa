"""Faithfulness by claims and grades, and jointly with answerability."""

import pytest

from contracts.errors import InvalidInput
from golden_lab.metrics.answers import claim_faithfulness, joint_answerability_faithfulness


def test_the_share_of_supported_claims() -> None:
    assert claim_faithfulness([True, True, False, True]) == 0.75
    with pytest.raises(InvalidInput, match="without claims"):
        claim_faithfulness([])


def test_jafs_counts_right_refusals_and_faithful_answers() -> None:
    assert joint_answerability_faithfulness(True, True, 0.25) == 0.25
    assert joint_answerability_faithfulness(False, False) == 1
    assert joint_answerability_faithfulness(True, False, 1.0) == joint_answerability_faithfulness(False, True) == 0
