"""The contract of faithfulness."""

from collections.abc import Sequence
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import FaithfulnessVerdict


class FaithfulnessJudge(Protocol):
    """Checks answer sentences against passages."""

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        """Judge for each answer sentence whether ``passages`` support it."""
