"""The contracts of refinement."""

from collections.abc import Sequence
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import RefinementVerdict


class AnswerRefiner(Protocol):
    """Decides whether a draft is rewritten."""

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        """Decide whether ``draft`` is rewritten, and with which critique."""
