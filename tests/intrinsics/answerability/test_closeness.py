"""When the gate's verdict lies close."""

import math

import pytest

from contracts.provenance import Provenance
from contracts.verdicts import AnswerabilityVerdict
from intrinsics.answerability.embedded import CLOSE_TO_GATE, NearGate, distance_from


def verdict(probability: float, *missing: str) -> AnswerabilityVerdict:
    return AnswerabilityVerdict(
        probability=probability, missing=missing, provenance=Provenance(implementation="embedded")
    )


def test_the_distance_is_the_difference_of_the_logits() -> None:
    assert distance_from(0.5, 0.5) == 0.0
    assert distance_from(0.5, 0.9) == pytest.approx(math.log(9))
    assert distance_from(0.5, 0.1) == pytest.approx(math.log(9))
    assert distance_from(0.8, 0.5) == pytest.approx(math.log(4))
    assert math.isfinite(distance_from(1.0, 0.0))


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.7])
async def test_the_band_lies_around_the_gate_wherever_that_is_set(threshold: float) -> None:
    gate = NearGate(threshold)
    logit = math.log(threshold / (1 - threshold))
    for offset in (-0.98, 0.0, 0.98):
        assert await gate.is_close(verdict(1 / (1 + math.exp(-logit - offset * CLOSE_TO_GATE))), "a question", ())
    for offset in (-1.02, 1.02):
        assert not await gate.is_close(verdict(1 / (1 + math.exp(-logit - offset * CLOSE_TO_GATE))), "a question", ())


async def test_what_the_rule_about_codes_decided_is_never_close() -> None:
    assert await NearGate(0.3).is_close(verdict(0.3, "Mondays"))
    assert not await NearGate(0.3).is_close(verdict(0.3, "Mondays", "DDR5"))
