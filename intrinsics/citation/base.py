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
        """Link each answer sentence to the passage sentences it is based on; a sentence without evidence gets no link.

        ``question`` is the one that the answer answers, for finders that are shown the conversation.
        """
