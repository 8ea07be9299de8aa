"""The embedded reranker orders passages, and neither adds nor loses one."""

import pytest

from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
from tests.conformance.reading_cases import HANDBOOK, make_passage
from tests.tools.cross_encoder.scripted import OverlapScorer, PreferringScorer
from tools.reading.ranking import QuoteRanker


async def test_the_passage_with_the_answer_comes_first_wherever_the_search_put_it(subtests: pytest.Subtests) -> None:
    for answer, first in [("700 µs", 1), ("first byte of the spare area", 4)]:
        with subtests.test(answer=answer):
            ranked = await EmbeddedPassageReranker(QuoteRanker(PreferringScorer(answer))).rerank(
                "What is it?", HANDBOOK
            )
            assert ranked.passages[0].chunk.ordinal == first
            assert sorted(each.chunk.ordinal for each in ranked.passages) == [0, 1, 2, 3, 4]
            assert ranked.provenance.model == "preferring@1"


async def test_a_passage_without_text_stays_at_the_end() -> None:
    empty = make_passage(" \n", number=9)
    ranked = await EmbeddedPassageReranker(QuoteRanker(OverlapScorer())).rerank("What?", (empty, *HANDBOOK))
    assert ranked.passages[-1] is empty
