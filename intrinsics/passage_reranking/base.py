"""The contract of passage reranking."""

from collections.abc import Sequence
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import Reranked


class PassageReranker(Protocol):
    """Orders passages by usefulness."""

    async def rerank(self, question: str, passages: Sequence[Passage]) -> Reranked:
        """Order ``passages`` by how well they help to answer ``question``; none is added or lost."""
