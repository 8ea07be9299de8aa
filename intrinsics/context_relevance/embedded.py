"""Context relevance without a language model, from the score of the best quote in each passage."""

import math
import time
from collections.abc import Sequence

from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceLabel, RelevanceVerdict
from tools.judges import provenance_since
from tools.reading.ranking import QuoteRanker, RankedQuote

_RELEVANT = 0.5
_PARTIAL = 0.15


class EmbeddedRelevanceJudge:
    """Labels each passage by its best quote.

    A passage is ``misleading`` if its best quote is about a different code than the question (DDR4 instead of DDR5).
    """

    def __init__(self, ranker: QuoteRanker) -> None:
        self._ranker = ranker

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        started = time.perf_counter()
        best: dict[int, RankedQuote] = {}
        for each in await self._ranker.rank(question, passages):
            best.setdefault(each.passage, each)
        return RelevanceVerdict(
            passages=tuple(_verdict(best.get(index)) for index in range(len(passages))),
            provenance=provenance_since(started, self._ranker.name),
        )


def _verdict(best: RankedQuote | None) -> PassageRelevance:
    if best is None:
        return PassageRelevance(label="irrelevant", probability=0.0)
    probability = 1.0 / (1.0 + math.exp(-best.score))
    if best.conflict:
        return PassageRelevance(label="misleading", probability=min(probability, _PARTIAL))
    label: RelevanceLabel = "irrelevant"
    if probability >= _PARTIAL:
        label = "relevant" if probability >= _RELEVANT else "partial"
    return PassageRelevance(label=label, probability=probability)
