"""The contract of term mining."""

from typing import Protocol

from contracts.verdicts import MinedTerms


class TermMiner(Protocol):
    """Finds abbreviations with their expansions."""

    async def mine(self, text: str, *, page: int = 1) -> MinedTerms:
        """Find abbreviations with their expansions in ``text``, each with a sentence as evidence."""
