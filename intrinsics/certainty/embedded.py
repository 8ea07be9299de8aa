"""Certainty without a language model: what the other judgements say of an answer, weighed together."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from contracts.verdicts import CertaintyVerdict
from intrinsics.certainty.base import AnswerEvidence
from tools.evidence.matching import Scores
from tools.evidence.model import load_model
from tools.judges import provenance_since

_CALIBRATION = Path(__file__).with_name("calibration.json")

CERTAINTY_FEATURES = (
    "answerability",
    "weakest_faithfulness",
    "mean_faithfulness",
    "best_relevance",
    "relevance_margin",
)


class EmbeddedCertaintyEstimator:
    """Weighs answerability, faithfulness and relevance; none of them can lower the certainty by rising.

    Source: non-negative coefficients, ``golden-lab calibrate certainty``; see the calibration file.
    """

    def __init__(self, calibration: Path = _CALIBRATION) -> None:
        self._model = load_model(calibration, "certainty", CERTAINTY_FEATURES)

    async def estimate(self, evidence: AnswerEvidence) -> CertaintyVerdict:
        """Say how probable it is that the answer is right, in steps of 0.1."""
        started = time.perf_counter()
        probability = 0.0
        if evidence.answer.strip() and evidence.passages:
            probability = float(self._model.probabilities(certainty_features(evidence)[None, :])[0])
        return CertaintyVerdict(
            probability=round(probability, 1),
            provenance=provenance_since(started),
        )


def certainty_features(evidence: AnswerEvidence) -> Scores:
    """Return what is known of an answer, as in ``CERTAINTY_FEATURES``, each in [0, 1].

    Sentences without a claim say nothing about faithfulness; an answer of such sentences only counts as half faithful.
    """
    claims = [each.probability for each in evidence.faithfulness.sentences if each.label != "no_claim"] or [0.5]
    helpful = [each.probability for each in evidence.relevance.passages]
    return np.array([evidence.answerability, min(claims), sum(claims) / len(claims), *relevance_features(helpful)])


def relevance_features(probabilities: Sequence[float]) -> tuple[float, float]:
    """Return the best passage's relevance and how far it stands above the median one's (0 where it stands alone)."""
    helpful = sorted(probabilities, reverse=True) or [0.0]
    return helpful[0], helpful[0] - helpful[len(helpful) // 2]
