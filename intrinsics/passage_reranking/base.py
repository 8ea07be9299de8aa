"""The contract of passage reranking."""

from collections.abc import Sequence
from typing import Protocol

from contracts.text import Passage
from contracts.verdicts import Reranked


class PassageReranker(Protocol):
    """Ranks passages by usefulness."""

    async def rerank(self, question: str, passages: Sequence[Passage]) -> Reranked:
        """Sort ``passages`` by how well they help to answer ``question``; none are added or removed."""
