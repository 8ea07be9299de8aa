"""Requests that fit: passages go by rank, the reply's limit next, and a server's word counts more than ours."""

import pytest

from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.budget import count_prompt, fit_request, send_fitting
from tools.chat.refusal import ChatTooLong
from tools.chat.scripted import ScriptedChatModel

PASSAGE = "The pump runs at a pressure of ninety bar and stops when the valve is shut. " * 10


def request_of(number: int) -> ChatRequest:
    texts = [f"[{rank}] {PASSAGE}" for rank in range(1, number + 1)]
    return ChatRequest(messages=(ChatMessage(role="user", content="\n".join([*texts, "How much?"])),), max_tokens=200)


def passages_in(request: ChatRequest) -> int:
    return request.messages[0].content.count("] The pump")


async def needed(number: int) -> int:
    request = request_of(number)
    return count_prompt(request, await ScriptedChatModel([]).window()) + request.max_tokens


@pytest.mark.parametrize("number", [1, 3, 4, 8])
async def test_as_many_passages_as_fit_the_best_first(number: int) -> None:
    exact = await needed(number)
    for limit, expected in ((exact, number), (exact + 40, number), (exact - 1, max(number - 1, 1))):
        fitted = await fit_request(ScriptedChatModel([], max_context_tokens=limit), request_of, 8)
        assert fitted.passages == passages_in(fitted.request) == expected
        assert fitted.prompt_tokens + fitted.request.max_tokens <= limit


async def test_an_unknown_window_trims_nothing() -> None:
    assert (await fit_request(ScriptedChatModel([]), request_of, 8)).request == request_of(8)


async def test_where_not_even_one_fits_the_reply_gets_what_is_left() -> None:
    limit = await needed(1) - 50
    fitted = await fit_request(ScriptedChatModel([], max_context_tokens=limit), request_of, 8)
    assert (fitted.passages, fitted.request.max_tokens) == (1, 150)
    fitted = await fit_request(ScriptedChatModel([], max_context_tokens=10), request_of, 8)
    assert (fitted.passages, fitted.request.max_tokens) == (1, 64)


async def test_a_brief_without_passages_is_left_alone() -> None:
    fitted = await fit_request(ScriptedChatModel([], max_context_tokens=4_096), request_of, 0)
    assert (fitted.passages, fitted.request) == (0, request_of(0))


async def test_what_the_server_finds_too_long_is_asked_once_more_and_shorter() -> None:
    counted = await needed(8) - 200
    error = ChatTooLong("too long", max_tokens=counted, prompt_tokens=2 * counted)
    chat = ScriptedChatModel([error, "ninety bar"])
    assert (await send_fitting(chat, request_of, 8, chat.complete)).text == "ninety bar"
    # The server counts twice as many tokens as we do: under half of the passages fit.
    assert [passages_in(request) for request in chat.requests] == [8, 3]


async def test_without_numbers_half_is_left_out() -> None:
    chat = ScriptedChatModel([ChatTooLong("too long"), "well"])
    await send_fitting(chat, request_of, 8, chat.complete)
    assert [passages_in(request) for request in chat.requests] == [8, 4]
    chat = ScriptedChatModel([ChatTooLong("too long"), "well"])
    await send_fitting(chat, request_of, 1, chat.complete)
    assert [request.max_tokens for request in chat.requests] == [200, 100]


async def test_a_request_that_stays_too_long_is_refused_for_good() -> None:
    chat = ScriptedChatModel([ChatTooLong("too long")] * 3)
    with pytest.raises(ChatTooLong):
        await send_fitting(chat, request_of, 8, chat.complete)
    assert len(chat.requests) == 2


async def test_a_whole_prompt_is_counted_and_trimmed_as_messages_are() -> None:
    def prompt_of(number: int) -> ChatRequest:
        return ChatRequest(messages=(), prompt=PASSAGE * number, max_tokens=20)

    window = await ScriptedChatModel([]).window()
    limit = count_prompt(prompt_of(3), window) + 20
    fitted = await fit_request(ScriptedChatModel([], max_context_tokens=limit), prompt_of, 8)
    assert (fitted.passages, fitted.request.prompt) == (3, PASSAGE * 3)
