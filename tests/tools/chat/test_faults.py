"""Chat servers that hang, redirect, write without end and give secrets away in their errors."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import structlog.testing

from contracts.errors import ChatUnavailable, MalformedReply
from tests.tools.chat.faulty_server import SECRET, FaultyServer, collected, faulty_server
from tools.chat.base import ChatMessage, ChatModel, ChatRequest
from tools.chat.openai import OpenAIChatModel
from tools.chat.resilient import ResilientChatModel

pytestmark = pytest.mark.slow

# Far above every limit set here: what takes so long hangs.
_HANGS_S = 30.0


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with faulty_server() as server:
        yield server


OPENED: list[ChatModel] = []


@pytest.fixture(autouse=True)
async def close_models() -> AsyncIterator[None]:
    yield
    while OPENED:
        await OPENED.pop().close()


def resilient(server: FaultyServer, **more: Any) -> ResilientChatModel:
    limits = {"timeout_s": 20.0, "rest_s": 0.05}
    opened = ResilientChatModel(OpenAIChatModel(server.url, "", "tiny", 60.0), **{**limits, **more})
    OPENED.append(opened)
    return opened


def asked(text: object) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=str(text)),))


async def collect(pieces: AsyncIterator[str], came: list[str]) -> None:
    async with asyncio.timeout(_HANGS_S):
        async for piece in pieces:
            came.append(piece)


async def test_the_window_is_what_the_server_lists_for_an_adapter_its_base_models(server: FaultyServer) -> None:
    chat = OpenAIChatModel(server.url, "", "")
    OPENED.append(chat)
    assert (await chat.window()).max_tokens == 4_096
    assert (await chat.window("adapter")).max_tokens == 4_096
    assert (await chat.window("unheard-of")).max_tokens is None
    server.close()
    assert (await chat.window()).max_tokens == 4_096
    away = OpenAIChatModel(server.url, "", "tiny")
    assert (await away.window()).max_tokens is None
    assert (await OpenAIChatModel(server.url, "", "tiny", max_context_tokens=512).window()).max_tokens == 512
    with pytest.raises(ChatUnavailable):
        await away.check()


@pytest.mark.parametrize("fault", ["endless", "huge", "repeat", "truncate"])
async def test_a_reply_without_end_is_cut_off_and_says_nothing_against_the_server(
    server: FaultyServer, fault: str
) -> None:
    server.behaviour = fault
    chat = resilient(server, failures=1)
    came: list[str] = []
    with pytest.raises(MalformedReply):
        await collect(chat.stream(asked("x")), came)
    assert len("".join(came)) < 20_000
    assert chat.breaker == "closed"
    server.behaviour = "well"
    assert (await chat.complete(asked("x"))).text == "To x: all well."


@pytest.mark.parametrize("streamed", [False, True])
async def test_no_request_is_sent_to_another_address(server: FaultyServer, streamed: bool) -> None:
    server.behaviour = "redirect"
    chat = resilient(server)
    with pytest.raises(ChatUnavailable, match="not followed"):
        await (collected(chat.stream(asked("x"))) if streamed else chat.complete(asked("x")))
    assert (server.asked, server.followed) == (1, 0)


@pytest.mark.parametrize("fault", ["429", "500", "noise"])
async def test_what_a_failing_server_says_goes_to_the_log_alone(server: FaultyServer, fault: str) -> None:
    server.behaviour = fault
    with structlog.testing.capture_logs() as logged, pytest.raises(ChatUnavailable) as caught:
        await resilient(server).complete(asked("x"))
    assert SECRET not in str(caught.value)
    assert any((SECRET in str(entry)) == fault.isdigit() for entry in logged)
    assert all(len(str(entry)) < 1_000 for entry in logged)
