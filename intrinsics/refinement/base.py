"""The contract of refinement."""

from collections.abc import Sequence
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import RefinementVerdict


class AnswerRefiner(Protocol):
    """Decides whether to rewrite a draft."""

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        """Decide whether to rewrite ``draft``, and with which critique."""
