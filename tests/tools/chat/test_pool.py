"""Several chat servers: the least busy is asked, another takes over, and one that is back is found."""

import asyncio
from typing import Any

import pytest

from contracts.errors import ChatUnavailable
from tools.chat.base import ChatMessage, ChatModel, ChatReply, ChatRequest
from tools.chat.refusal import ChatBusy, ChatLocked, ChatTimedOut, ChatWithout
from tools.chat.resilient import ResilientChatModel
from tools.chat.scripted import ScriptedChatModel

ASKED = ChatRequest(messages=(ChatMessage(role="user", content="What is tPROG?"),))
DOWN = ChatUnavailable("the server is down")


class Clock:
    """A clock that goes when it is told to."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def resilient(*servers: ChatModel, **more: Any) -> ResilientChatModel:
    return ResilientChatModel(*servers, **{"first_wait_s": 0.001, **more})


async def test_another_server_takes_over_at_once() -> None:
    for error in (DOWN, ChatLocked("wrong key"), ChatTimedOut("too late"), ChatBusy("full", retry_after_s=900.0)):
        first, second = ScriptedChatModel([error, "first"]), ScriptedChatModel(["second", "second again"])
        chat = resilient(first, second, first_wait_s=900.0)
        assert (await chat.complete(ASKED)).text == "second"
        assert [len(first.requests), len(second.requests)] == [1, 1]


async def test_the_least_busy_server_is_asked() -> None:
    gate = asyncio.Event()

    class Gated(ScriptedChatModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            reply = await super().complete(request)
            await gate.wait()
            return reply

    servers = [Gated(lambda _: "well") for _ in range(3)]
    chat = resilient(*servers)
    calls = [asyncio.create_task(chat.complete(ASKED)) for _ in range(7)]
    await asyncio.sleep(0.01)
    assert sorted(state.in_flight for state in chat.states) == [2, 2, 3]
    gate.set()
    await asyncio.gather(*calls)
    assert [state.in_flight for state in chat.states] == [0, 0, 0]


async def test_a_server_that_is_back_is_probed_beside_the_calls_of_the_others() -> None:
    clock = Clock()

    class Away(ScriptedChatModel):
        away = True
        checks = 0

        async def check(self) -> None:
            self.checks += 1
            if self.away:
                raise DOWN

        async def complete(self, request: ChatRequest) -> ChatReply:
            await self.check()
            return await super().complete(request)

    dead, well = Away(lambda _: "dead"), ScriptedChatModel(lambda _: "well")
    chat = resilient(dead, well, failures=1, cool_down_s=10, clock=clock)
    for _ in range(4):
        assert (await chat.complete(ASKED)).text == "well"
    assert (dead.checks, chat.states[0].breaker) == (1, "open")
    clock.now_s += 11
    assert (await chat.complete(ASKED)).text == "well"
    await asyncio.sleep(0.01)
    assert (dead.checks, chat.states[0].breaker) == (2, "open")
    dead.away = False
    clock.now_s += 11
    assert (await chat.complete(ASKED)).text == "well"
    await asyncio.sleep(0.01)
    assert chat.states[0].breaker == "closed"
    assert {(await chat.complete(ASKED)).text for _ in range(4)} == {"well", "dead"}


async def test_the_window_is_the_smallest_of_the_servers_and_is_kept_while_they_are_away() -> None:
    servers = [ScriptedChatModel([DOWN], max_context_tokens=limit) for limit in (4_096, 2_048)]
    chat = resilient(*servers, failures=1, retries=1)
    assert (await chat.window()).max_tokens == 2_048
    with pytest.raises(ChatUnavailable):
        await chat.complete(ASKED)
    assert {state.breaker for state in chat.states} == {"open"}
    assert (await chat.window()).max_tokens == 2_048
    assert (await resilient(ScriptedChatModel([])).window()).max_tokens is None


async def test_an_adapter_that_one_server_lacks_says_nothing_against_the_server() -> None:
    without = ChatWithout("no such adapter")
    alone = resilient(ScriptedChatModel([*([without] * 6), "well"]))
    for _ in range(6):
        with pytest.raises(ChatWithout):
            await alone.complete(ASKED)
    assert (await alone.complete(ASKED)).text == "well"
    first, second = ScriptedChatModel([without]), ScriptedChatModel(["second"])
    chat = resilient(first, second)
    assert (await chat.complete(ASKED)).text == "second"
    assert {state.breaker for state in chat.states} == {"closed"}
