"""The contract of jargon identification."""

from typing import Protocol

from contracts.verdicts import IdentifiedJargon


class JargonIdentifier(Protocol):
    """Finds the jargon in a question."""

    async def identify(self, question: str) -> IdentifiedJargon:
        """Find the abbreviations and jargon in ``question``, in any letter case and even if misspelt."""
