"""The resilient chat model: time limits, and a server that is left alone for a while."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from unittest.mock import AsyncMock, Mock

import pytest

from contracts.errors import ChatUnavailable, MalformedReply
from tests.scripted_chat import ScriptedChatModel
from tests.tools.chat.server import REQUEST, ChatServer
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.chat.errors import ChatRefused, ChatTimedOut, ChatWithout
from tools.chat.openai import OpenAIChatModel
from tools.chat.question_time import QuestionTime
from tools.chat.resilient import ResilientChatModel

DOWN = ChatUnavailable("the server is down")


@pytest.fixture
def clock() -> Mock:
    """A clock that shows what it is told to."""
    return Mock(return_value=100.0)


async def collected(pieces: AsyncGenerator[str, None]) -> str:
    return "".join([piece async for piece in pieces])


async def fails(chat: ChatModel, error: type[Exception] = ChatUnavailable, match: str | None = None) -> None:
    with pytest.raises(error, match=match):
        await chat.complete(REQUEST)


async def test_unavailable_server_is_skipped_and_tried_again_later(clock: Mock) -> None:
    inner = ScriptedChatModel([*[DOWN] * 5, "well again", "and well"])
    chat = ResilientChatModel(inner, failures=4, rest_s=30, clock=clock)
    for _ in range(4):
        await fails(chat, match="the server is down")
    assert chat.breaker == "open"
    for _ in range(5):
        await fails(chat, match=r"not asked for another 30 s.*the server is down")
        with pytest.raises(ChatUnavailable, match="not asked"):
            await collected(chat.stream(REQUEST))
    assert len(inner.requests) == 4
    clock.return_value += 31
    await fails(chat, match="the server is down")
    await fails(chat, match="not asked")
    clock.return_value += 31
    assert (await chat.complete(REQUEST)).text == "well again"
    assert await collected(chat.stream(REQUEST)) == "and well"
    assert chat.breaker == "closed"


@pytest.mark.parametrize("cancelled", [False, True])
async def test_after_the_pause_one_trial_call_runs_while_others_are_refused(clock: Mock, cancelled: bool) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    class Waiting(ScriptedChatModel):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
            begun.set()
            await go_on.wait()
            yield "well"

    chat = ResilientChatModel(Waiting([DOWN, "after"]), failures=1, rest_s=5, clock=clock)
    await fails(chat)
    clock.return_value += 6
    trial = asyncio.create_task(collected(chat.stream(REQUEST)))
    await begun.wait()
    await fails(chat, match="not asked")
    if cancelled:
        trial.cancel()
        await asyncio.wait([trial])
    else:
        go_on.set()
        assert await trial == "well"
    assert (await chat.complete(REQUEST)).text == "after"


async def test_server_that_fails_its_check_gets_no_request(clock: Mock) -> None:
    dead = ScriptedChatModel([DOWN])
    dead.check = AsyncMock(side_effect=DOWN)  # type: ignore[method-assign]
    chat = ResilientChatModel(dead, failures=1, rest_s=10, clock=clock)
    await fails(chat)
    clock.return_value += 11
    await fails(chat)
    assert len(dead.requests) == 1
    assert chat.breaker == "open"


@pytest.mark.parametrize("error", [ChatRefused("too long"), MalformedReply("garbled"), ChatWithout("no such adapter")])
async def test_invalid_request_does_not_count_as_server_failure(error: ChatRefused) -> None:
    inner = ScriptedChatModel([*[error] * 3, "well"])
    chat = ResilientChatModel(inner, failures=1)
    for _ in range(3):
        await fails(chat, type(error))
    assert len(inner.requests) == 3
    assert (await chat.complete(REQUEST)).text == "well"


@pytest.mark.parametrize("model", ["slow", "stalls"])
async def test_slow_server_costs_one_timeout_only(server: ChatServer, model: str) -> None:
    inner = OpenAIChatModel(server.url, "", model, 60.0)
    await inner.check()  # connect first, so that only the reply counts towards the time limit
    chat = ResilientChatModel(inner, timeout_s=0.3, failures=1)
    with pytest.raises(ChatUnavailable, match=r"within 0.3 s"):
        await (chat.complete(REQUEST) if model == "slow" else collected(chat.stream(REQUEST)))
    await fails(chat, match="not asked")


class Endless(ScriptedChatModel):
    """Streams words without end, with a pause before each."""

    def __init__(self, pause_s: float = 0.0) -> None:
        super().__init__(["x " * 10_000_000])
        self.pause_s = pause_s
        self.words = 0

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        while True:
            await asyncio.sleep(self.pause_s)
            self.words += 1
            yield f" word{self.words}"


async def test_stream_time_is_bounded_and_endless_reply_is_not_a_server_failure() -> None:
    with pytest.raises(ChatUnavailable, match=r"within 0.2 s"):
        await collected(ResilientChatModel(Endless(0.01), stream_timeout_s=0.2).stream(REQUEST))
    endless = Endless()
    chat = ResilientChatModel(endless, failures=1)
    with pytest.raises(MalformedReply):
        await collected(chat.stream(REQUEST))
    assert endless.words < 2_200
    await fails(chat, MalformedReply)
    assert chat.breaker == "closed"


@pytest.mark.parametrize(("at_once", "error", "states"), [(8, DOWN, "ccco"), (1, ChatTimedOut("too late"), "co")])
async def test_failures_at_once_count_once_a_timeout_twice(at_once: int, error: ChatUnavailable, states: str) -> None:
    class Failing(ScriptedChatModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(0)
            raise error

    chat = ResilientChatModel(Failing([]), failures=4, at_once=8)
    for state in states:
        await asyncio.gather(*(chat.complete(REQUEST) for _ in range(at_once)), return_exceptions=True)
        assert chat.breaker[0] == state


async def test_concurrent_calls_are_limited_and_waiting_does_not_use_up_time() -> None:
    class Counting(ScriptedChatModel):
        under_way = most = 0

        async def complete(self, request: ChatRequest) -> ChatReply:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await asyncio.sleep(0.1)
            self.under_way -= 1
            return await super().complete(request)

    server = Counting(lambda request: "1.2 V")
    chat = ResilientChatModel(server, at_once=2, timeout_s=0.25)
    assert len(await asyncio.gather(*(chat.complete(REQUEST) for _ in range(10)))) == 10
    assert server.most == 2


class Slow(ScriptedChatModel):
    """Takes three seconds of a clock for each reply."""

    def __init__(self, clock: Mock) -> None:
        super().__init__(lambda request: "well")
        self._clock = clock

    async def complete(self, request: ChatRequest) -> ChatReply:
        await asyncio.sleep(0)
        reply = await super().complete(request)
        self._clock.return_value += 3
        return reply


async def ask_within(question: QuestionTime, chat: ChatModel, times: int) -> int:
    """Return how many of so many calls, one after the other, were answered."""
    answered = 0
    with question.counted():
        for _ in range(times):
            with suppress(ChatUnavailable):
                answered += bool((await chat.complete(REQUEST)).text)
    return answered


async def test_calls_after_a_questions_time_limit_are_not_sent(clock: Mock) -> None:
    inner = Slow(clock)
    chat = ResilientChatModel(inner, failures=1)
    assert await ask_within(QuestionTime(5, clock=clock), chat, 4) == 2
    assert len(inner.requests) == 2
    assert chat.breaker == "closed"
    with QuestionTime(0, clock=clock).counted(), pytest.raises(ChatUnavailable, match="GOLDEN_LLM_QUESTION_TIMEOUT_S"):
        await chat.complete(REQUEST)


async def test_question_time_limit_covers_all_its_requests_while_they_run(clock: Mock) -> None:
    one_at_a_time, all_at_once = ResilientChatModel(Slow(clock), at_once=1), ResilientChatModel(Slow(clock))
    others = [ask_within(QuestionTime(2, clock=clock), one_at_a_time, 1) for _ in range(5)]
    assert sum(await asyncio.gather(*others)) == 5
    question = QuestionTime(100, clock=clock)
    await asyncio.gather(*(ask_within(question, all_at_once, 1) for _ in range(4)))
    assert question.left_s == 100 - 4 * 3
