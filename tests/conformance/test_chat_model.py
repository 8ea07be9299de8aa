"""Every chat model, called through the Protocol."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from contracts.errors import ChatUnavailable
from tests.tools.chat.server import free_port, running_server
from tools.chat.base import ChatMessage, ChatModel, ChatRequest
from tools.chat.openai import OpenAIChatModel
from tools.chat.resilient import ResilientChatModel
from tools.chat.scripted import ScriptedChatModel

TEXT = "The program time is 700 µs."
ASKED = ChatRequest(messages=(ChatMessage(role="user", content="What is tPROG?"),))


@pytest.fixture(params=["openai", "scripted", "resilient"])
def chat(request: pytest.FixtureRequest) -> Iterator[ChatModel]:
    if request.param == "openai":
        with running_server() as server:
            yield OpenAIChatModel(server.url, "", "good", 10.0)
        return
    scripted = ScriptedChatModel(lambda _: TEXT, model="good")
    yield {"scripted": scripted, "resilient": ResilientChatModel(scripted)}[request.param]


@pytest.fixture(params=["openai", "scripted", "resilient"])
def dead_chat(request: pytest.FixtureRequest) -> ChatModel:
    if request.param == "openai":
        return OpenAIChatModel(f"http://127.0.0.1:{free_port()}/v1", "", "good", 5.0)
    scripted = ScriptedChatModel([])
    return {"scripted": scripted, "resilient": ResilientChatModel(scripted)}[request.param]


async def test_the_model_has_a_name(chat: ChatModel) -> None:
    assert chat.model == "good"


async def test_the_whole_reply(chat: ChatModel) -> None:
    reply = await chat.complete(ASKED)
    assert (reply.text, reply.model) == (TEXT, "good")
    assert reply.prompt_tokens > 0
    assert reply.completion_tokens > 0


async def test_the_streamed_reply_is_the_whole_one_in_pieces(chat: ChatModel) -> None:
    pieces = [piece async for piece in chat.stream(ASKED)]
    assert len(pieces) > 1
    assert "".join(pieces).strip() == TEXT


async def test_another_model_can_be_asked_for(chat: ChatModel) -> None:
    reply = await chat.complete(ChatRequest(messages=ASKED.messages, model="adapter"))
    assert reply.model == "adapter"


async def test_a_server_that_is_not_there_is_unavailable(dead_chat: ChatModel) -> None:
    with pytest.raises(ChatUnavailable):
        await dead_chat.complete(ASKED)
    with pytest.raises(ChatUnavailable):
        [piece async for piece in dead_chat.stream(ASKED)]


async def test_the_window_counts_tokens_whether_or_not_the_server_is_there(
    chat: ChatModel, dead_chat: ChatModel
) -> None:
    for each in (chat, dead_chat):
        window = await each.window()
        assert window.max_tokens is None or window.max_tokens > 0
        assert 0 < window.counter.count(TEXT) < len(TEXT)


async def test_a_closed_model_opens_again(chat: ChatModel) -> None:
    await chat.check()
    await chat.close()
    assert (await chat.complete(ASKED)).text == TEXT


async def test_a_call_that_was_cancelled_leaves_the_next_one_unharmed(chat: ChatModel) -> None:
    call = asyncio.create_task(chat.complete(ASKED))
    await asyncio.sleep(0)
    call.cancel()
    await asyncio.wait([call])
    assert (await chat.complete(ASKED)).text == TEXT
    async with aclosing(chat.stream(ASKED)) as pieces:
        await anext(pieces)
    assert "".join([piece async for piece in chat.stream(ASKED)]).strip() == TEXT
