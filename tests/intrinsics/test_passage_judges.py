"""The embedded relevance judge and the embedded reranker follow the likeliest answer in each passage."""

import pytest

from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
from tests.conformance.reading_cases import HANDBOOK, make_passage
from tests.tools.cross_encoder.scripted import OverlapScorer, PreferringScorer
from tools.reading.ranking import QuoteRanker


def judge_sure_of(*answers: str) -> EmbeddedRelevanceJudge:
    return EmbeddedRelevanceJudge(QuoteRanker(PreferringScorer(*answers)))


async def test_the_passage_with_the_answer_is_relevant_and_the_others_are_not(subtests: pytest.Subtests) -> None:
    for answer, helpful in [("1.5 V", 0), ("700 µs", 1), ("the pin WP#", 3)]:
        with subtests.test(answer=answer):
            verdicts = (await judge_sure_of(answer).judge("What is asked here?", HANDBOOK)).passages
            assert [each.label for each in verdicts] == [
                "relevant" if at == helpful else "irrelevant" for at in range(len(HANDBOOK))
            ]
            assert max(range(len(verdicts)), key=lambda index: verdicts[index].probability) == helpful


async def test_another_member_of_the_family_is_misleading_however_sure_the_scorer_is() -> None:
    passages = [
        make_passage("The supply voltage of DDR4 is 1.2 V."),
        make_passage("The supply voltage of DDR5 is 1.1 V.", number=1),
        make_passage(" \n", number=2),
    ]
    verdict = await judge_sure_of("1.2 V", "1.1 V").judge("What is the supply voltage of DDR5?", passages)
    assert [each.label for each in verdict.passages] == ["misleading", "relevant", "irrelevant"]
    assert verdict.passages[0].probability < verdict.passages[1].probability
    assert verdict.passages[2].probability == 0.0


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
