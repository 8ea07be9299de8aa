"""Every chat model, called through the Protocol."""

from collections.abc import Iterator

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
    elif request.param == "scripted":
        yield ScriptedChatModel(lambda _: TEXT, model="good")
    else:
        yield ResilientChatModel(ScriptedChatModel(lambda _: TEXT, model="good"))


@pytest.fixture(params=["openai", "scripted", "resilient"])
def dead_chat(request: pytest.FixtureRequest) -> ChatModel:
    if request.param == "openai":
        return OpenAIChatModel(f"http://127.0.0.1:{free_port()}/v1", "", "good", 5.0)
    return ScriptedChatModel([]) if request.param == "scripted" else ResilientChatModel(ScriptedChatModel([]))


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
