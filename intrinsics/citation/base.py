"""The contract of citation."""

from collections.abc import Sequence
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import CitationVerdict


class CitationFinder(Protocol):
    """Links answer sentences to passage sentences."""

    async def find(
        self, sentences: Sequence[str], passages: Sequence[Passage], *, question: str = ""
    ) -> CitationVerdict:
        """Link each answer sentence to the passage sentences that it is based on, if there are any.

        ``question`` is the question that was answered, for finders that use it.
        """
