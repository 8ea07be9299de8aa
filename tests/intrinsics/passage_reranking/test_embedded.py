"""The embedded reranker orders passages, and neither adds nor loses one."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.text import Passage
from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
from tools.embedding.base import Embedder
from tools.embedding.hashing import HashingEmbedder


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("how long does tPROG take at most?", 1),
        ("At what temperature are packages tested?", 2),
        ("what is the pin for write protection?", 3),
        ("Where are factory bad blocks marked?", 4),
    ],
)
async def test_the_passage_with_the_answer_comes_first_wherever_the_search_put_it(
    minilm: Embedder, handbook: tuple[Passage, ...], question: str, first: int
) -> None:
    ranked = await EmbeddedPassageReranker(minilm).rerank(question, handbook)
    assert ranked.passages[0].chunk.ordinal == first


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(5)), count=st.integers(0, 5), question=st.text(max_size=40))
async def test_none_is_added_or_lost(
    handbook: tuple[Passage, ...], order: list[int], count: int, question: str
) -> None:
    given_passages = [handbook[index] for index in order[:count]]
    ranked = await EmbeddedPassageReranker(HashingEmbedder()).rerank(question, given_passages)
    assert sorted(each.chunk.id for each in ranked.passages) == sorted(each.chunk.id for each in given_passages)


async def test_the_order_does_not_depend_on_the_order_given(minilm: Embedder, handbook: tuple[Passage, ...]) -> None:
    reranker = EmbeddedPassageReranker(minilm)
    question = "How are dies cut from the wafer?"
    forwards = (await reranker.rerank(question, handbook)).passages
    backwards = (await reranker.rerank(question, tuple(reversed(handbook)))).passages
    assert forwards == backwards
