"""The contract of context relevance."""

from collections.abc import Sequence
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import RelevanceVerdict


class RelevanceJudge(Protocol):
    """Judges whether a passage helps with a question."""

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        """Judge each passage's relevance to ``question``: one verdict per passage, in the same order."""
