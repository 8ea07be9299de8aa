"""The contract of summarisation."""

from typing import Protocol

from contracts.verdicts import Summary


class Summariser(Protocol):
    """Summarises a section as a domain expert."""

    async def summarise(self, text: str, *, title: str = "") -> Summary:
        """Summarise a section of about 4,000 tokens as an expert in its field, optionally with questions it answers."""
