"""The contract of term mining."""

from typing import Protocol

from contracts.jargon import MinedTerm


class TermMiner(Protocol):
    """Mines abbreviations with their expansions."""

    async def mine(self, text: str, *, page: int = 1) -> tuple[MinedTerm, ...]:
        """Find abbreviations with their expansions in ``text``, each with its evidence sentence."""
        ...
