"""The contract of answerability."""

from collections.abc import Sequence
from typing import Protocol

from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict


class AnswerabilityJudge(Protocol):
    """Judges whether passages contain the answer."""

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        """Return the probability that ``passages`` contain the answer to ``question``; 0 if there are no passages."""
        ...
