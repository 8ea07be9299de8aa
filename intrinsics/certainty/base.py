"""The contract of certainty."""

from dataclasses import dataclass
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import CertaintyVerdict, FaithfulnessVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvidence:
    """The input of a certainty estimate; ``answerability`` is a probability."""

    question: str
    answer: str
    passages: tuple[Passage, ...]
    answerability: float
    faithfulness: FaithfulnessVerdict


class CertaintyEstimator(Protocol):
    """Estimates the probability that an answer is correct."""

    async def estimate(self, evidence: AnswerEvidence) -> CertaintyVerdict:
        """Return the probability that the answer is correct, in steps of 0.1."""
