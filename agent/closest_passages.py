"""The passages that come closest to a question that nothing answers, quoted with their places."""

from collections.abc import Sequence

from agent.composing import citation_of
from contracts.answer import Citation
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from tools.language import content_stems
from tools.reading.ranking import QuoteRanker

# Two quotations that share this much of their words say the same thing twice.
_DUPLICATE = 0.8


async def quote_closest(
    question: AugmentedQuestion, passages: Sequence[Passage], ranker: QuoteRanker, *, limit: int
) -> tuple[Citation, ...]:
    """Quote of each passage the part that is likeliest to answer; return at most ``limit`` of these, the best first.

    Passages that say nearly the same are quoted once.
    """
    chosen: list[Citation] = []
    quoted: set[int] = set()
    for each in await ranker.rank(question, passages):
        if each.passage in quoted or len(chosen) == limit:
            continue
        spans = (each.quote.span,) if each.quote.lead is None else (each.quote.lead, each.quote.span)
        citation = citation_of(len(chosen) + 1, passages[each.passage], spans)
        quoted.add(each.passage)
        if not any(_say_the_same(citation.quote, other.quote) for other in chosen):
            chosen.append(citation)
    return tuple(chosen)


def _say_the_same(one: str, other: str) -> bool:
    words, others = set(content_stems(one)), set(content_stems(other))
    return one == other or len(words & others) >= _DUPLICATE * len(words | others) > 0
