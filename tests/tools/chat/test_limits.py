"""Requests that fit the window by an estimate of their tokens, and where a reply ends."""

import re
from contextlib import suppress

import pytest
from openai.types import Completion
from openai.types.chat import ChatCompletionChunk

from contracts.errors import MalformedReply
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.completions import piece_of
from tools.chat.context_window import count_prompt, estimate_tokens, send_fitting
from tools.chat.errors import ChatTooLong
from tools.chat.reply_limits import ReplyLimits, TruncatedReply

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


async def test_best_passages_that_fit_are_sent() -> None:
    for number in (1, 3, 8):
        exact = needed(number)
        for limit, expected in ((exact, number), (exact + 40, number), (exact - 1, max(number - 1, 1)), (None, 8)):
            assert passages_in(await fitted(limit, 8)) == expected, (number, limit)
    assert await fitted(4_096, 0) == request_of(0)
    # If none fits, the reply gets the rest of the window.
    request = await fitted(needed(1) - 50, 8)
    assert (passages_in(request), request.max_tokens) == (1, 150)
    request = await fitted(10, 8)
    assert (passages_in(request), request.max_tokens) == (1, 64)


async def test_request_that_is_too_long_is_retried_once_with_half() -> None:
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


def test_token_estimate_matches_values_computed_by_hand() -> None:
    expected = {
        "": 0, "page": 1, "pages": 2, "VCCQ": 2, "1.5": 3, "(a)": 3, "µs": 2, "a\n\nb": 3,
    }  # fmt: skip
    assert {text: estimate_tokens(text) for text in expected} == expected


def test_only_the_first_choice_of_a_stream_is_used() -> None:
    for choices, piece in [
        ([{"delta": {"content": "It is "}, "finish_reason": None}], ("It is ", "")),
        ([{"delta": {"content": "1.2 V."}, "finish_reason": "stop"}], ("1.2 V.", "stop")),
        ([{"delta": None, "finish_reason": "length"}], ("", "length")),
        ([{"text": "It is ", "finish_reason": None}], ("It is ", "")),
        ([{"delta": {"content": ["It"]}}], ("", "")),
        ([], ("", "")),
        ({"0": {}}, ("", "")),
    ]:
        kind = Completion if "'text'" in str(choices) else ChatCompletionChunk
        assert piece_of(kind.construct(id="1", choices=choices)) == piece
    assert [piece_of(chunk) for chunk in (None, "text", [], {"usage": {}})] == [("", "")] * 4


def taken(text: str) -> str:
    """Return how much of a text passes, taken in small pieces."""
    limits, passed = ReplyLimits(1_000), ""
    with suppress(MalformedReply):
        for piece in re.findall(r"(?s).{1,5}", text):
            limits.take(piece)
            passed += piece
    return passed


def test_repeated_phrase_ends_the_reply_early() -> None:
    for phrase in [
        "The level is what the manual says. ",
        "no, ",
        "a" * 70 + " ",
        "The page buffer holds the data that a program operation writes, and the controller checks it before the next "
        "operation begins, which is why the device waits for it. ",
        "最高电压是三伏。",
    ]:
        passed = taken("It is not known. " + 40 * phrase)
        assert phrase in passed
        assert len(passed) < 20 * len(phrase)
    # Changing list numbers do not hide a repetition.
    text = "\n".join(f"{number}. Do what the manual says." for number in range(1, 40))
    assert len(taken(text)) < len(text) / 4
    # Similar but different text is not a repetition.
    matrix = "\n".join(f"| Port {name} | 1.5 V | 1.8 V | 1.2 V | no | no | no | no | yes |" for name in "ABCDEFGH")
    texts = [matrix, "1 2 3 4 5 6 7 8 9 10 " * 2, "It is 5 V. It is 5 V on each of the rails."]
    assert [text for text in texts if taken(text) != text] == []


def test_huge_piece_is_refused_without_processing() -> None:
    with pytest.raises(TruncatedReply):
        ReplyLimits(600).take("a " * 10_000_000)
    with pytest.raises(TruncatedReply):
        ReplyLimits(600).take_whole("a" * 10_000)
