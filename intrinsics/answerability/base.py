"""The contract of answerability."""

from collections.abc import Sequence
from typing import Protocol

from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict


class AnswerabilityJudge(Protocol):
    """Judges whether passages hold the answer."""

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        """Say how probable it is that ``passages`` hold the answer to ``question``; 0 if there are none."""
        ...
