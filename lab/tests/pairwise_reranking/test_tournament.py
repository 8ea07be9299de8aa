"""Passage reranking with pairwise comparisons by a chat model."""

import re
from collections.abc import Callable

import pytest

from contracts.text import Passage
from golden_lab.pairwise_reranking.tournament import PromptedPassageReranker
from tests.conformance.reading_cases import make_passage
from tests.intrinsics.replies import labelled
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatReply, ChatRequest

QUESTION = "Which number is the greatest?"
Choice = Callable[[int, int], str | ChatReply]


def numbered(number: int) -> tuple[Passage, ...]:
    return tuple(make_passage(f"The number of this one is {n}.", number=n) for n in range(number))


def asked(request: ChatRequest) -> tuple[int, int]:
    """Return the numbers of passages X and Y in a request, whether it is a repeated one or not."""
    pairs = [re.findall(r"The number of this one is (\d+)\.", each.content) for each in request.messages]
    (pair,) = filter(None, pairs)
    first, second = map(int, pair)
    return first, second


def playing(choose: Choice) -> ScriptedChatModel:
    return ScriptedChatModel(lambda request: choose(*asked(request)))


async def order_of(chat: ScriptedChatModel, number: int) -> list[int]:
    ranked = await PromptedPassageReranker(chat).rerank(QUESTION, numbered(number))
    return [each.chunk.ordinal for each in ranked.passages]


def greater(first: int, second: int) -> str:
    return "X" if first > second else "Y"


async def test_few_passages_are_all_compared_and_many_in_a_bounded_tournament(subtests: pytest.Subtests) -> None:
    for number, calls in [(0, 0), (1, 0), (2, 1), (9, 36)]:
        with subtests.test(number=number):
            chat = playing(greater)
            assert await order_of(chat, number) == list(reversed(range(number)))
            assert len(chat.requests) == calls == number * (number - 1) / 2
    for number, calls in [(10, 15), (12, 21), (17, 44), (30, 50), (40, 45)]:
        with subtests.test(number=number):
            chat = playing(greater)
            first, *rest = await order_of(chat, number)
            assert (first, sorted(rest)) == (number - 1, list(range(number - 1)))
            assert len(chat.requests) == calls <= number + 27
    # A model that only prefers one position does not change the search's order.
    for number in (5, 8, 9):
        assert await order_of(playing(lambda *_: labelled("X", X=0.6, Y=0.4)), number) == list(range(number))
    assert await order_of(playing(lambda *_: labelled("X", X=0.5, Y=0.5)), 12) == list(range(12))


async def test_passage_that_causes_unusable_replies_gains_nothing() -> None:
    def choose(first: int, second: int) -> str:
        return "As you wish: 4 4 4" if 4 in (first, second) else greater(first, second)

    ranked = await PromptedPassageReranker(playing(choose)).rerank(QUESTION, numbered(6))
    order = [each.chunk.ordinal for each in ranked.passages]
    # Five draws score as much as the two wins and one draw of passage 2, which the search ranked higher.
    assert order == [5, 3, 2, 4, 1, 0]
    assert ranked.provenance.implementation == "llm"
    assert "did not decide 5 of 15 comparisons" in ranked.provenance.degraded
    assert (await PromptedPassageReranker(playing(greater)).rerank(QUESTION, numbered(6))).provenance.degraded == ""
