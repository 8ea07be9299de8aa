"""The embedded relevance judge labels each passage."""

from collections.abc import Callable

import pytest

from contracts.text import Passage
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from tools.embedding.base import Embedder


@pytest.fixture
def judge(minilm: Embedder) -> EmbeddedRelevanceJudge:
    return EmbeddedRelevanceJudge(minilm)


@pytest.mark.parametrize(
    ("question", "helpful"),
    [
        ("What is the supply voltage of DDR3?", 0),
        ("how long does tPROG take at most?", 1),
        ("At what temperature are packages tested?", 2),
        ("what is the pin for write protection?", 3),
    ],
)
async def test_the_passage_with_the_answer_is_relevant_and_the_most_probable(
    judge: EmbeddedRelevanceJudge, handbook: tuple[Passage, ...], question: str, helpful: int
) -> None:
    verdicts = (await judge.judge(question, handbook)).passages
    assert len(verdicts) == len(handbook)
    assert verdicts[helpful].label == "relevant"
    assert max(range(len(verdicts)), key=lambda index: verdicts[index].probability) == helpful


async def test_another_subject_makes_every_passage_irrelevant(
    judge: EmbeddedRelevanceJudge, handbook: tuple[Passage, ...]
) -> None:
    labels = {each.label for each in (await judge.judge("What is the capital of France?", handbook)).passages}
    assert labels == {"irrelevant"}


async def test_another_member_of_the_family_is_misleading(
    judge: EmbeddedRelevanceJudge, make_passage: Callable[..., Passage]
) -> None:
    passages = [
        make_passage("The supply voltage of DDR4 is 1.2 V."),
        make_passage("The supply voltage of DDR5 is 1.1 V."),
    ]
    first, second = (await judge.judge("What is the supply voltage of DDR5?", passages)).passages
    assert first.label == "misleading"
    assert second.label == "relevant"
    assert first.probability < second.probability
