"""Identical calls: kept by content, and shared while they are under way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from contracts.errors import ChatUnavailable
from tools.chat.base import ChatMessage, ChatReply, ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.chat.sharing import SharingChatModel


def asked(text: str, *, temperature: float = 0.0) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=text),), temperature=temperature)


async def collected(pieces: AsyncIterator[str]) -> list[str]:
    return [piece async for piece in pieces]


class Gated(ScriptedChatModel):
    """Answers when it is let, and tells how many of its calls were ended before."""

    def __init__(self) -> None:
        super().__init__(lambda request: f"To {request.messages[0].content}: three words more.")
        self.gate = asyncio.Event()
        self.ended = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        reply = await super().complete(request)
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.ended += 1
            raise
        return reply

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        async for piece in super().stream(request):
            yield piece
            try:
                await self.gate.wait()
            except (asyncio.CancelledError, GeneratorExit):
                self.ended += 1
                raise


async def test_equal_requests_are_made_once() -> None:
    inner = ScriptedChatModel(lambda request: f"You said: {request.messages[0].content}")
    chat = SharingChatModel(inner)
    assert (await chat.complete(asked("a"))) == (await chat.complete(asked("a")))
    assert (await chat.complete(asked("b"))).text == "You said: b"
    assert len(inner.requests) == 2
    assert (
        await collected(chat.stream(asked("a"))) == await collected(chat.stream(asked("a"))) == ["You ", "said: ", "a"]
    )
    assert len(inner.requests) == 3


async def test_samples_are_never_shared() -> None:
    inner = ScriptedChatModel(["one", "two", "three"])
    chat = SharingChatModel(inner)
    request = asked("a", temperature=0.7)
    first, second = await asyncio.gather(chat.complete(request), chat.complete(request))
    assert {first.text, second.text} == {"one", "two"}
    assert await collected(chat.stream(request)) == ["three"]


async def test_errors_and_empty_replies_are_not_kept() -> None:
    inner = ScriptedChatModel([ChatUnavailable("down"), "", "at last"])
    chat = SharingChatModel(inner)
    with pytest.raises(ChatUnavailable):
        await chat.complete(asked("a"))
    assert [(await chat.complete(asked("a"))).text for _ in range(3)] == ["", "at last", "at last"]


async def test_the_least_used_goes_first_and_everything_in_time() -> None:
    now_s = [0.0]
    inner = ScriptedChatModel(lambda request: request.messages[0].content)
    chat = SharingChatModel(inner, entries=2, keep_s=60.0, clock=lambda: now_s[0])
    for text in ("a", "b", "a", "c", "a", "b"):
        await chat.complete(asked(text))
    assert [request.messages[0].content for request in inner.requests] == ["a", "b", "c", "b"]
    now_s[0] = 61.0
    await chat.complete(asked("b"))
    assert len(inner.requests) == 5


async def test_equal_calls_at_the_same_time_share_one_request() -> None:
    inner = Gated()
    chat = SharingChatModel(inner)
    calls = [asyncio.create_task(chat.complete(asked("a"))) for _ in range(5)]
    streams = [asyncio.create_task(collected(chat.stream(asked("a")))) for _ in range(5)]
    await asyncio.sleep(0.01)
    assert len(inner.requests) == 2
    calls.pop().cancel()
    streams.pop().cancel()
    late = asyncio.create_task(collected(chat.stream(asked("a"))))
    await asyncio.sleep(0.01)
    inner.gate.set()
    assert {reply.text for reply in await asyncio.gather(*calls)} == {"To a: three words more."}
    for pieces in await asyncio.gather(*streams, late):
        assert pieces == ["To ", "a: ", "three ", "words ", "more."]
    assert (len(inner.requests), inner.ended) == (2, 0)


async def test_a_shared_failure_is_everybodys() -> None:
    class Failing(Gated):
        async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
            yield "One "
            await self.gate.wait()
            raise ChatUnavailable("broke off")

    inner = Failing()
    chat = SharingChatModel(inner)
    streams = [asyncio.create_task(collected(chat.stream(asked("a")))) for _ in range(3)]
    await asyncio.sleep(0.01)
    inner.gate.set()
    for answer in await asyncio.gather(*streams, return_exceptions=True):
        assert isinstance(answer, ChatUnavailable)


async def test_the_request_ends_when_the_last_of_those_who_wait_has_gone() -> None:
    inner = Gated()
    chat = SharingChatModel(inner)
    calls = [asyncio.create_task(chat.complete(asked("a"))) for _ in range(2)]
    await asyncio.sleep(0.01)
    for call, ended in zip(calls, (0, 1), strict=True):
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert inner.ended == ended
    async with aclosing(chat.stream(asked("a"))) as pieces:  # type: ignore[type-var]
        assert await anext(pieces) == "To "
    assert inner.ended == 2
    inner.gate.set()
    assert (await chat.complete(asked("a"))).text.startswith("To a")


def test_each_event_loop_makes_its_own_calls_and_shares_what_is_kept() -> None:
    inner = ScriptedChatModel(["only once"])
    chat = SharingChatModel(inner)
    assert asyncio.run(chat.complete(asked("a"))) == asyncio.run(chat.complete(asked("a")))


async def test_prompts_are_told_apart() -> None:
    inner = ScriptedChatModel(lambda request: request.prompt or "none")
    chat = SharingChatModel(inner)
    for prompt in ("one", "two", "one"):
        assert (await chat.complete(ChatRequest(messages=(), prompt=prompt))).text == prompt
    assert len(inner.requests) == 2
