"""Every implementation of PassageReranker keeps the contract."""

import pytest

from contracts.text import Chunk, Passage
from intrinsics.passage_reranking.base import PassageReranker
from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
from tests.conformance.reading_cases import ODD_QUESTIONS
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.reading.ranking import QuoteRanker

ANSWER = "The pump BLP4 runs at 12 V."
OTHERS = ("The hall is closed on Sunday.", "Valves are painted red.", " \n", "Chains are greased in May.")


def _passages(number: int, answer: int) -> tuple[Passage, ...]:
    texts = [f"{OTHERS[index % 4]} {index if index % 4 != 2 else ''}" for index in range(number)]
    if number:
        texts[answer] = ANSWER
    chunks = [
        Chunk(id=f"c{n}", document_id="d", kind="passage", ordinal=n, text=text, page=1, last_page=1)
        for n, text in enumerate(texts)
    ]
    return tuple(
        Passage(chunk=chunk, document_name="pumps.pdf", document_title="Pumps", score=1 / (1 + chunk.ordinal))
        for chunk in chunks
    )


@pytest.fixture
def reranker() -> PassageReranker:
    return EmbeddedPassageReranker(QuoteRanker(OverlapScorer()))


async def test_none_is_added_or_lost_and_the_answer_comes_first(
    reranker: PassageReranker, subtests: pytest.Subtests
) -> None:
    for number in [0, 1, 2, 5, 9, 10, 11, 31]:
        with subtests.test(number=number):
            passages = _passages(number, number * 2 // 3)
            ranked = await reranker.rerank("At which voltage does the pump BLP4 run?", passages)
            assert sorted(each.chunk.ordinal for each in ranked.passages) == list(range(number))
            assert all(each is passages[each.chunk.ordinal] for each in ranked.passages)
            assert not number or ranked.passages[0].text == ANSWER


async def test_any_question_has_an_order_and_a_judge(reranker: PassageReranker, subtests: pytest.Subtests) -> None:
    for question in ODD_QUESTIONS:
        with subtests.test(question=question[:20]):
            ranked = await reranker.rerank(question, _passages(12, 3))
            assert len({each.chunk.id for each in ranked.passages}) == 12
            assert (ranked.provenance.implementation, ranked.provenance.degraded) == ("embedded", "")
