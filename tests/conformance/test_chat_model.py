"""Every chat model, called through the Protocol."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from contracts.errors import ChatUnavailable
from tests.scripted_chat import ScriptedChatModel
from tests.tools.chat.server import REQUEST, free_port, running_server
from tools.chat.base import ChatModel, ChatRequest
from tools.chat.openai import OpenAIChatModel
from tools.chat.resilient import ResilientChatModel

TEXT = "The program time is 700 µs."


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


async def test_reply_and_stream_come_from_the_requested_model(chat: ChatModel) -> None:
    assert chat.model == "good"
    reply = await chat.complete(REQUEST)
    assert (reply.text, reply.model) == (TEXT, "good")
    assert reply.prompt_tokens > 0
    assert reply.completion_tokens > 0
    pieces = [piece async for piece in chat.stream(REQUEST)]
    assert len(pieces) > 1
    assert "".join(pieces).strip() == TEXT
    assert (await chat.complete(ChatRequest(messages=REQUEST.messages, model="adapter"))).model == "adapter"


async def test_unreachable_server_is_unavailable_and_its_window_unknown(dead_chat: ChatModel) -> None:
    with pytest.raises(ChatUnavailable):
        await dead_chat.complete(REQUEST)
    with pytest.raises(ChatUnavailable):
        [piece async for piece in dead_chat.stream(REQUEST)]
    assert await dead_chat.window() is None


async def test_model_works_again_after_close_or_cancelled_call(chat: ChatModel) -> None:
    await chat.check()
    await chat.close()
    assert (await chat.complete(REQUEST)).text == TEXT
    call = asyncio.create_task(chat.complete(REQUEST))
    await asyncio.sleep(0)
    call.cancel()
    await asyncio.wait([call])
    assert (await chat.complete(REQUEST)).text == TEXT
    async with aclosing(chat.stream(REQUEST)) as pieces:
        await anext(pieces)
    assert "".join([piece async for piece in chat.stream(REQUEST)]).strip() == TEXT
