"""Requests that fit, by an estimate of their tokens: passages go by rank, the reply's limit next."""

import pytest

from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.context_window import count_prompt, estimate_tokens, send_fitting
from tools.chat.errors import ChatTooLong

PASSAGE = "The pump runs at a pressure of ninety bar and stops when the valve is shut. " * 10


def request_of(number: int) -> ChatRequest:
    texts = [f"[{rank}] {PASSAGE}" for rank in range(1, number + 1)]
    return ChatRequest(messages=(ChatMessage(role="user", content="\n".join([*texts, "How much?"])),), max_tokens=200)


async def fitted(limit: int | None, passages: int) -> ChatRequest:
    chat = ScriptedChatModel(["ninety bar"], max_context_tokens=limit)
    await send_fitting(chat, request_of, passages, chat.complete)
    return chat.requests[0]


def passages_in(request: ChatRequest) -> int:
    return request.messages[0].content.count("] The pump")


def needed(number: int) -> int:
    request = request_of(number)
    return count_prompt(request) + request.max_tokens


async def test_as_many_passages_as_fit_the_best_first() -> None:
    for number in (1, 3, 8):
        exact = needed(number)
        for limit, expected in ((exact, number), (exact + 40, number), (exact - 1, max(number - 1, 1)), (None, 8)):
            assert passages_in(await fitted(limit, 8)) == expected, (number, limit)
    assert await fitted(4_096, 0) == request_of(0)


async def test_where_not_even_one_fits_the_reply_gets_what_is_left() -> None:
    request = await fitted(needed(1) - 50, 8)
    assert (passages_in(request), request.max_tokens) == (1, 150)
    request = await fitted(10, 8)
    assert (passages_in(request), request.max_tokens) == (1, 64)


async def test_what_the_server_finds_too_long_is_asked_once_more_with_half() -> None:
    chat = ScriptedChatModel([ChatTooLong("too long"), "well"])
    assert (await send_fitting(chat, request_of, 8, chat.complete)).text == "well"
    assert [passages_in(request) for request in chat.requests] == [8, 4]
    chat = ScriptedChatModel([ChatTooLong("too long"), "well"])
    await send_fitting(chat, request_of, 1, chat.complete)
    assert [request.max_tokens for request in chat.requests] == [200, 100]
    chat = ScriptedChatModel([ChatTooLong("too long")] * 3)
    with pytest.raises(ChatTooLong):
        await send_fitting(chat, request_of, 8, chat.complete)
    assert len(chat.requests) == 2


def test_the_estimate_by_hand(subtests: pytest.Subtests) -> None:
    for text, tokens in [
        ("", 0), ("page", 1), ("pages", 2), ("VCCQ", 2), ("1.5", 3), ("(a)", 3), ("µs", 2), ("a\n\nb", 3),
    ]:  # fmt: skip
        with subtests.test(text=text):
            assert estimate_tokens(text) == tokens
