"""The contract of certainty."""

from dataclasses import dataclass
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import CertaintyVerdict, FaithfulnessVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvidence:
    """What is known about an answer when its certainty is estimated; ``answerability`` is a probability."""

    question: str
    answer: str
    passages: tuple[Passage, ...]
    answerability: float
    faithfulness: FaithfulnessVerdict


class CertaintyEstimator(Protocol):
    """Estimates how probably an answer is right."""

    async def estimate(self, evidence: AnswerEvidence) -> CertaintyVerdict:
        """Return how probable it is that the answer is right, in steps of 0.1."""
