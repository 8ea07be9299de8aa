"""Chat servers that refuse, hang, answer garbage, cut streams and are busy, in random order."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, suppress
from typing import Any

import pytest
import structlog.testing

from contracts.errors import ChatUnavailable, GoldenError, MalformedReply
from tests.tools.chat.faulty_server import FAULTS, SECRET, FaultyServer, collected, faulty_server
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


async def outcome(chat: ChatModel, number: int) -> str | GoldenError:
    """Return what came of one call, a whole reply or a stream in turn; a call that hangs fails the test."""
    try:
        async with asyncio.timeout(_HANGS_S):
            if number % 2:
                return (await chat.complete(asked(number))).text
            return await collected(chat.stream(asked(number)))
    except (ChatUnavailable, MalformedReply) as error:
        return error


async def collect(pieces: AsyncIterator[str], came: list[str]) -> None:
    async with asyncio.timeout(_HANGS_S):
        async for piece in pieces:
            came.append(piece)


async def until_well(chat: ResilientChatModel) -> None:
    """Ask until the breaker is closed again and a call is answered."""
    async with asyncio.timeout(_HANGS_S):
        while True:
            with suppress(ChatUnavailable, MalformedReply):
                assert (await chat.complete(asked("x"))).text == "To x: all well."
                if chat.breaker == "closed":
                    return
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_no_call_is_lost_or_hangs_in_any_order_of_faults(seed: int) -> None:
    with faulty_server(seed) as server:
        chat = resilient(server, timeout_s=1.0)
        await until_well(chat)
        server.manner = "random"
        outcomes = await asyncio.gather(*(outcome(chat, number) for number in range(24)))
        texts = {number: text for number, text in enumerate(outcomes) if isinstance(text, str)}
        assert texts == {number: f"To {number}: all well." for number in texts}
        assert all(str(error) for error in outcomes if not isinstance(error, str))
        server.manner = "well"
        await until_well(chat)


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_alone_is_told_and_got_over(server: FaultyServer, fault: str) -> None:
    server.manner = fault
    chat = resilient(server, timeout_s=0.25 if fault in ("hang", "stall") else 20.0)
    for number in range(2):
        assert isinstance(await outcome(chat, number), ChatUnavailable | MalformedReply)
    assert server.asked <= 4
    server.manner = "well"
    await until_well(chat)


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_request_ends_on_the_server_when_the_asker_goes_away(server: FaultyServer, streamed: bool) -> None:
    server.manner = "hang"
    chat = resilient(server)
    call = asyncio.create_task(collected(chat.stream(asked("a"))) if streamed else chat.complete(asked("a")))
    assert await asyncio.to_thread(server.somebody_asked.wait, _HANGS_S)
    call.cancel()
    with suppress(asyncio.CancelledError):
        await call
    assert await asyncio.to_thread(server.somebody_left.wait, _HANGS_S)
    server.manner = "well"
    assert (await chat.complete(asked("a"))).text == "To a: all well."


async def test_a_stream_that_is_closed_half_way_ends_on_the_server(server: FaultyServer) -> None:
    class Last(random.Random):
        def randrange(self, start: int, *more: Any) -> int:
            return start - 1

    server._chance = Last()
    server.manner = "stall"
    chat = resilient(server)
    async with aclosing(chat.stream(asked("a"))) as pieces:
        assert await anext(pieces) == "To"
    assert await asyncio.to_thread(server.somebody_left.wait, _HANGS_S)


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
    server.manner = fault
    chat = resilient(server, failures=1)
    came: list[str] = []
    with pytest.raises(MalformedReply):
        await collect(chat.stream(asked("x")), came)
    assert len("".join(came)) < 20_000
    assert chat.breaker == "closed"
    server.manner = "well"
    assert (await chat.complete(asked("x"))).text == "To x: all well."


async def test_a_whole_reply_of_any_length_is_refused(server: FaultyServer) -> None:
    server.manner = "huge"
    with pytest.raises(MalformedReply):
        await resilient(server).complete(asked("x"))


@pytest.mark.parametrize("streamed", [False, True])
async def test_no_request_is_sent_to_another_address(server: FaultyServer, streamed: bool) -> None:
    server.manner = "redirect"
    chat = resilient(server)
    with pytest.raises(ChatUnavailable, match="not followed"):
        await (collected(chat.stream(asked("x"))) if streamed else chat.complete(asked("x")))
    assert (server.asked, server.followed) == (1, 0)


@pytest.mark.parametrize("fault", ["429", "500", "noise"])
async def test_what_a_failing_server_says_goes_to_the_log_alone(server: FaultyServer, fault: str) -> None:
    server.manner = fault
    with structlog.testing.capture_logs() as logged, pytest.raises(ChatUnavailable) as caught:
        await resilient(server).complete(asked("x"))
    assert SECRET not in str(caught.value)
    assert any((SECRET in str(entry)) == fault.isdigit() for entry in logged)
    assert all(len(str(entry)) < 1_000 for entry in logged)
