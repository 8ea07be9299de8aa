"""The resilient chat model: time limits, tries, and the circuit breaker."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest

from contracts.errors import ChatUnavailable, MalformedReply
from tests.tools.chat.server import ChatServer, running_server
from tools.chat.base import ChatMessage, ChatModel, ChatReply, ChatRequest
from tools.chat.openai import OpenAIChatModel
from tools.chat.refusal import ChatBusy, ChatLocked, ChatRefused, ChatTimedOut
from tools.chat.resilient import ResilientChatModel
from tools.chat.scripted import ScriptedChatModel

ASKED = ChatRequest(messages=(ChatMessage(role="user", content="What is tPROG?"),))
DOWN = ChatUnavailable("the server is down")


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with running_server() as server:
        yield server


def resilient(*servers: ChatModel, **more: Any) -> ResilientChatModel:
    return ResilientChatModel(*servers, **{"first_wait_s": 0.001, **more})


async def collected(pieces: AsyncGenerator[str, None]) -> str:
    return "".join([piece async for piece in pieces])


async def test_one_failure_is_tried_again() -> None:
    inner = ScriptedChatModel([DOWN, "at last", MalformedReply("garbled"), "again"])
    chat = resilient(inner)
    assert (await chat.complete(ASKED)).text == "at last"
    assert await collected(chat.stream(ASKED)) == "again"
    assert len(inner.requests) == 4
    assert chat.model == "scripted"


async def test_tries_are_bounded() -> None:
    inner = ScriptedChatModel([DOWN, DOWN, "too late"])
    with pytest.raises(ChatUnavailable, match="the server is down"):
        await resilient(inner, retries=1).complete(ASKED)
    assert len(inner.requests) == 2


async def test_the_circuit_opens_cools_down_and_closes() -> None:
    clock = Clock()
    inner = ScriptedChatModel([DOWN] * 4 + [DOWN] + ["well again", "and well"])
    chat = resilient(inner, failures=4, retries=1, cool_down_s=30, clock=clock)
    for _ in range(2):
        with pytest.raises(ChatUnavailable, match="the server is down"):
            await chat.complete(ASKED)
    assert chat.states[0].breaker == "open"
    for _ in range(5):
        with pytest.raises(ChatUnavailable, match=r"not asked for another 30 s.*the server is down"):
            await chat.complete(ASKED)
        with pytest.raises(ChatUnavailable, match="not asked"):
            await collected(chat.stream(ASKED))
    assert len(inner.requests) == 4
    clock.now_s += 31
    with pytest.raises(ChatUnavailable, match="the server is down"):
        await chat.complete(ASKED)
    assert len(inner.requests) == 5
    with pytest.raises(ChatUnavailable, match="not asked"):
        await chat.complete(ASKED)
    clock.now_s += 31
    assert (await chat.complete(ASKED)).text == "well again"
    assert await collected(chat.stream(ASKED)) == "and well"
    assert chat.states[0].breaker == "closed"


async def test_after_the_cool_down_one_call_tries_while_the_others_wait() -> None:
    clock = Clock()
    begun, go_on = asyncio.Event(), asyncio.Event()

    class Waiting(ScriptedChatModel):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
            begun.set()
            await go_on.wait()
            yield "well"

    chat = resilient(Waiting([DOWN, "after"]), failures=1, cool_down_s=5, clock=clock)
    with pytest.raises(ChatUnavailable):
        await chat.complete(ASKED)
    clock.now_s += 6
    trial = asyncio.create_task(collected(chat.stream(ASKED)))
    await begun.wait()
    with pytest.raises(ChatUnavailable, match="not asked"):
        await chat.complete(ASKED)
    go_on.set()
    assert await trial == "well"
    assert (await chat.complete(ASKED)).text == "after"


async def test_a_trial_that_is_cancelled_lets_the_next_one_try() -> None:
    clock = Clock()

    class Hanging(ScriptedChatModel):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
            await asyncio.Event().wait()
            yield "never"

    chat = resilient(Hanging([DOWN, "well"]), failures=1, cool_down_s=5, clock=clock)
    with pytest.raises(ChatUnavailable):
        await chat.complete(ASKED)
    clock.now_s += 6
    trial = asyncio.create_task(collected(chat.stream(ASKED)))
    await asyncio.sleep(0.01)
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    assert (await chat.complete(ASKED)).text == "well"


async def test_a_request_that_is_refused_says_nothing_of_the_server() -> None:
    inner = ScriptedChatModel([ChatRefused("too long")] * 3 + ["short enough"])
    chat = resilient(inner, failures=1)
    for _ in range(3):
        with pytest.raises(ChatRefused):
            await chat.complete(ASKED)
    assert len(inner.requests) == 3
    assert (await chat.complete(ASKED)).text == "short enough"


async def test_replies_without_form_do_not_open_the_circuit() -> None:
    inner = ScriptedChatModel([MalformedReply("garbled")] * 6 + ["fine"])
    chat = resilient(inner, failures=1, retries=1)
    for _ in range(3):
        with pytest.raises(MalformedReply):
            await chat.complete(ASKED)
    assert (await chat.complete(ASKED)).text == "fine"


async def test_a_slow_server_costs_the_limit_once(server: ChatServer) -> None:
    server.bodies.clear()
    inner = OpenAIChatModel(server.url, "", "slow", 60.0)
    await inner.check()  # the connection is there before the time runs
    chat = resilient(inner, timeout_s=0.3, failures=1)
    with pytest.raises(ChatUnavailable, match=r"within 0.3 s"):
        await chat.complete(ASKED)
    with pytest.raises(ChatUnavailable, match="not asked"):
        await chat.complete(ASKED)
    assert len(server.bodies) <= 1


async def test_a_stream_that_failed_half_way_is_not_begun_again(server: ChatServer) -> None:
    server.bodies.clear()
    chat = resilient(OpenAIChatModel(server.url, "", "breaks-off", 5.0))
    came: list[str] = []

    async def read() -> None:
        async for piece in chat.stream(ASKED):
            came.append(piece)

    with pytest.raises(ChatUnavailable, match="broke off"):
        await read()
    assert "".join(came) == "The program time "
    assert len(server.bodies) == 1


async def test_a_stream_that_stalls_is_given_up(server: ChatServer) -> None:
    chat = resilient(OpenAIChatModel(server.url, "", "stalls", 60.0), timeout_s=0.3)
    with pytest.raises(ChatUnavailable, match=r"within 0.3 s"):
        await collected(chat.stream(ASKED))


async def test_a_stream_as_a_whole_is_bounded() -> None:
    class Endless(ScriptedChatModel):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
            while True:
                await asyncio.sleep(0.01)
                yield "on and on "

    chat = resilient(Endless([]), stream_timeout_s=0.2)
    with pytest.raises(ChatUnavailable, match=r"within 0.2 s"):
        await collected(chat.stream(ASKED))


async def test_a_wait_that_the_server_asks_for_is_kept_unless_it_is_too_long() -> None:
    loop = asyncio.get_running_loop()
    busy = ChatBusy("come back", retry_after_s=0.05)
    begun = loop.time()
    assert (await resilient(ScriptedChatModel([busy, "now"])).complete(ASKED)).text == "now"
    assert loop.time() - begun >= 0.05
    far = ScriptedChatModel([ChatBusy("come back tomorrow", retry_after_s=86_400.0), "never asked"])
    with pytest.raises(ChatBusy, match="tomorrow"):
        await resilient(far).complete(ASKED)
    assert len(far.requests) == 1


async def test_a_wrong_key_and_a_time_out_are_not_repeated() -> None:
    for error in (ChatLocked("wrong key"), ChatTimedOut("too late")):
        inner = ScriptedChatModel([error, "never asked"])
        with pytest.raises(type(error)):
            await resilient(inner).complete(ASKED)
        assert len(inner.requests) == 1


async def test_a_server_that_is_still_away_when_it_is_probed_gets_no_question() -> None:
    clock = Clock()

    class Away(ScriptedChatModel):
        async def check(self) -> None:
            await asyncio.Event().wait()

    inner = Away([DOWN, "well"])
    chat = resilient(inner, failures=1, cool_down_s=10, probe_timeout_s=0.02, clock=clock)
    with pytest.raises(ChatUnavailable):
        await chat.complete(ASKED)
    clock.now_s += 11
    with pytest.raises(ChatUnavailable, match="not asked for another 10 s"):
        await chat.complete(ASKED)
    assert len(inner.requests) == 1


async def test_calls_that_fail_side_by_side_count_as_one_and_one_after_the_other_each() -> None:
    class Failing(ScriptedChatModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(0)
            raise DOWN

    chat = resilient(Failing([]), failures=4, retries=0)
    for state in ("closed", "closed", "closed", "open"):
        await asyncio.gather(*(chat.complete(ASKED) for _ in range(8)), return_exceptions=True)
        assert chat.states[0].breaker == state


async def test_a_time_out_counts_twice() -> None:
    chat = resilient(ScriptedChatModel([ChatTimedOut("too late")] * 2), failures=4)
    for state in ("closed", "open"):
        with pytest.raises(ChatTimedOut):
            await chat.complete(ASKED)
        assert chat.states[0].breaker == state
