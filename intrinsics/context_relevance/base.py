"""The contract of context relevance."""

from collections.abc import Sequence
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import RelevanceVerdict


class RelevanceJudge(Protocol):
    """Judges whether a passage helps to answer a question."""

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        """Judge the relevance of each passage to ``question``; return one verdict per passage, in the same order."""
