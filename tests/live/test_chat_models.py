"""Our chat models against llama.cpp's server: what the protocol promises, on a model that writes nonsense."""

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict

from tests.live.llama_server import SLOT_TOKENS, SLOTS, LlamaServer
from tests.live.recorder import recording
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.budget import count_prompt, send_fitting
from tools.chat.openai import OpenAIChatModel
from tools.chat.refusal import ChatTooLong
from tools.chat.resilient import ResilientChatModel
from tools.structured import ask_structured

pytestmark = pytest.mark.live

ASKED = ChatRequest(
    messages=(
        ChatMessage(role="system", content="You are the help desk."),
        ChatMessage(role="user", content="What is the VCCQ level for DDR3?"),
    ),
    max_tokens=40,
)
# Longer than any test waits: nothing ends by its time here, and what takes longer hangs.
_HANGS_S = 120.0
_LONG_TOKENS = 1_000


class Verdict(BaseModel):
    """A form with each kind of field that the prompts ask for."""

    model_config = ConfigDict(extra="forbid")

    label: Literal["faithful", "partial", "unfaithful"]
    sentences: list[int]
    certain: bool


@pytest.fixture
async def chat(server: LlamaServer) -> AsyncIterator[OpenAIChatModel]:
    opened = OpenAIChatModel(server.url, "", "", _HANGS_S)
    yield opened
    await opened.close()


@pytest.fixture
async def resilient(chat: OpenAIChatModel) -> ResilientChatModel:
    return ResilientChatModel(chat, timeout_s=_HANGS_S)


def filling(number: int = 0) -> ChatRequest:
    """Return a request whose reply is long, because its schema does not let it end before: seconds of writing."""
    schema = {"type": "array", "items": {"enum": ["relevant", "irrelevant"]}, "minItems": 300}
    asked = ChatMessage(role="user", content=f"Write chapter {number}.")
    return ChatRequest(messages=(asked,), json_schema=schema, max_tokens=_LONG_TOKENS)


async def wait_for_busy(server: LlamaServer, slots: int) -> None:
    """Wait until so many slots work."""
    assert await asyncio.to_thread(server.wait_for_busy, slots, _HANGS_S), f"never {slots} at work"


async def test_a_reply_comes_with_its_model_and_its_token_counts(server: LlamaServer, chat: OpenAIChatModel) -> None:
    reply = await chat.complete(ASKED)
    assert reply.text
    assert (reply.model, chat.model) == ("tiny", "tiny")
    assert 1 <= reply.completion_tokens <= ASKED.max_tokens
    assert reply.prompt_tokens <= count_prompt(ASKED, await chat.window())


async def test_the_window_is_known_before_anything_is_refused(chat: OpenAIChatModel) -> None:
    assert (await chat.window()).max_tokens == SLOT_TOKENS
    await chat.check()


async def test_a_stream_says_what_the_whole_reply_says(chat: OpenAIChatModel, resilient: ResilientChatModel) -> None:
    request = replace(filling(), max_tokens=20)
    pieces = [piece async for piece in resilient.stream(request)]
    assert len(pieces) > 1
    assert "".join(pieces) == (await chat.complete(request)).text


async def test_the_chunk_of_usage_at_a_streams_end_does_no_harm(server: LlamaServer) -> None:
    with recording(server.address) as recorder:
        recorder.more = {"stream_options": {"include_usage": True}}
        chat = OpenAIChatModel(recorder.url, "", "tiny", _HANGS_S)
        text = "".join([piece async for piece in chat.stream(ASKED)])
        await chat.close()
    (exchange,) = recorder.exchanges
    *_, last, done = [line for line in exchange.answer.decode().splitlines() if line]
    usage = json.loads(last.removeprefix("data: "))
    assert (usage["choices"], done) == ([], "data: [DONE]")
    assert usage["usage"]["completion_tokens"] >= 1
    assert text


async def test_strict_schemas_hold_a_model_that_writes_nonsense(resilient: ResilientChatModel) -> None:
    read, cut = 0, 0
    for number in range(12):
        asked = ChatMessage(role="user", content=f"Judge sentence {number}.")
        request = ChatRequest(messages=(asked,), max_tokens=300)
        reply = await resilient.complete(replace(request, json_schema=Verdict.model_json_schema()))
        if reply.truncated:
            cut += 1
            continue
        answered = await ask_structured(resilient, request, Verdict)
        assert not answered.repaired
        assert set(json.loads(reply.text)) == {"label", "sentences", "certain"}
        read += 1
    assert (read >= 6, read + cut) == (True, 12)


async def test_a_schema_that_the_server_cannot_compile_is_left_out(server: LlamaServer) -> None:
    with recording(server.address) as recorder:
        chat = OpenAIChatModel(recorder.url, "", "tiny", _HANGS_S)
        hard = replace(ASKED, json_schema={"type": "nothing"})
        easy = replace(ASKED, json_schema={"type": "boolean"})
        assert json.loads((await chat.complete(easy)).text) in (True, False)
        assert (await chat.complete(hard)).text
        assert (await chat.complete(hard)).text
        assert json.loads((await chat.complete(easy)).text) in (True, False)
        await chat.close()
    asked = [(exchange.schema is not None, exchange.status) for exchange in recorder.exchanges]
    assert asked == [(True, 200), (True, 400), (False, 200), (False, 200), (True, 200)]


async def test_log_probabilities_of_every_token_with_alternatives(chat: OpenAIChatModel) -> None:
    reply = await chat.complete(replace(ASKED, top_logprobs=5))
    assert reply.tokens is not None
    assert "".join(token.text for token in reply.tokens) == reply.text
    for token in reply.tokens:
        assert len(token.options) == 5
        assert token.text == max(token.options, key=lambda option: option.logprob).text
        assert token.logprob == pytest.approx(max(option.logprob for option in token.options), abs=1e-4)
        assert 0 < sum(math.exp(option.logprob) for option in token.options) <= 1.001


async def test_log_probabilities_and_a_schema_go_together(chat: OpenAIChatModel) -> None:
    request = replace(ASKED, json_schema={"enum": ["relevant", "irrelevant"]}, top_logprobs=20)
    reply = await chat.complete(request)
    assert json.loads(reply.text) in ("relevant", "irrelevant")
    assert reply.tokens
    assert all(len(token.options) == 20 for token in reply.tokens)


async def test_a_request_that_is_too_long_is_refused_with_the_servers_numbers(chat: OpenAIChatModel) -> None:
    long = replace(ASKED, messages=(ChatMessage(role="user", content="supply voltage " * SLOT_TOKENS),))
    with pytest.raises(ChatTooLong) as caught:
        await chat.complete(long)
    assert caught.value.max_tokens == SLOT_TOKENS
    assert caught.value.prompt_tokens is not None
    assert caught.value.prompt_tokens > SLOT_TOKENS
    with pytest.raises(ChatTooLong):
        await anext(chat.stream(long))


async def test_passages_that_do_not_fit_are_left_out_by_rank(server: LlamaServer) -> None:
    with recording(server.address) as recorder:
        chat = OpenAIChatModel(recorder.url, "", "tiny", _HANGS_S)

        def request_of(number: int) -> ChatRequest:
            texts = [f"[{rank}] " + "The pump runs at ninety bar. " * 200 for rank in range(1, number + 1)]
            return replace(ASKED, messages=(ChatMessage(role="user", content="\n".join(texts)),))

        reply = await send_fitting(chat, request_of, 12, chat.complete)
        await chat.close()
    assert reply.text
    assert recorder.exchanges[-1].status == 200
    sent = recorder.exchanges[-1].body["messages"][0]["content"]
    assert 1 <= sent.count("] The pump") < 12
    assert len(recorder.exchanges) <= 2


async def test_a_reply_that_was_cut_says_so(chat: OpenAIChatModel) -> None:
    assert (await chat.complete(replace(filling(), max_tokens=5))).truncated


@pytest.mark.parametrize("way", ["complete", "stream"])
async def test_the_server_stops_writing_when_the_asker_goes_away(
    server: LlamaServer, resilient: ResilientChatModel, way: str
) -> None:
    async def ask() -> None:
        if way == "complete":
            await resilient.complete(filling())
        else:
            async for _ in resilient.stream(filling()):
                pass

    await wait_for_busy(server, 0)
    asking = asyncio.create_task(ask())
    await wait_for_busy(server, 1)
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    await wait_for_busy(server, 0)
    assert server.longest_reply() < _LONG_TOKENS // 2


async def test_a_stream_that_is_closed_half_way_ends_on_the_server(
    server: LlamaServer, resilient: ResilientChatModel
) -> None:
    await wait_for_busy(server, 0)
    async with aclosing(resilient.stream(filling(1))) as pieces:
        async for _ in pieces:
            break
        await wait_for_busy(server, 1)
    await wait_for_busy(server, 0)


async def test_more_requests_at_once_than_the_server_has_slots(
    server: LlamaServer, resilient: ResilientChatModel
) -> None:
    def numbered(number: int) -> ChatRequest:
        asked = ChatMessage(role="user", content=f"Question {number}: what is the level?")
        return ChatRequest(messages=(asked,), max_tokens=30, json_schema=Verdict.model_json_schema(), top_logprobs=3)

    replies = await asyncio.gather(*(resilient.complete(numbered(number)) for number in range(3 * SLOTS)))
    assert all(reply.text.startswith("{") and reply.tokens for reply in replies)
    assert server.busy_slots() == 0
    assert resilient.breaker == "closed"
