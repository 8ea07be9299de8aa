"""Passage reranking without a language model: the passage with the most probable answer comes first."""

import time
from collections.abc import Sequence

from contracts.text import Passage
from contracts.verdicts import Reranked
from tools.judges import provenance_since
from tools.reading.ranking import QuoteRanker


class EmbeddedPassageReranker:
    """Ranks passages by the score of their best quote."""

    def __init__(self, ranker: QuoteRanker) -> None:
        self._ranker = ranker

    async def rerank(self, question: str, passages: Sequence[Passage]) -> Reranked:
        started = time.perf_counter()
        ranked = await self._ranker.rank(question, passages)
        first = list(dict.fromkeys(each.passage for each in ranked))
        rest = [index for index in range(len(passages)) if index not in first]
        return Reranked(
            passages=tuple(passages[index] for index in (*first, *rest)),
            provenance=provenance_since(started, self._ranker.name),
        )
