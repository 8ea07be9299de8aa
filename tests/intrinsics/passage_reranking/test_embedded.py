"""The embedded reranker orders passages, and neither adds nor loses one."""

import pytest

from contracts.text import Passage
from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
from tools.embedding.base import Embedder


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


async def test_the_order_does_not_depend_on_the_order_given(minilm: Embedder, handbook: tuple[Passage, ...]) -> None:
    reranker = EmbeddedPassageReranker(minilm)
    question = "How are dies cut from the wafer?"
    forwards = (await reranker.rerank(question, handbook)).passages
    backwards = (await reranker.rerank(question, tuple(reversed(handbook)))).passages
    assert forwards == backwards
