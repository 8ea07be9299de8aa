"""Calls side by side, a few at a time and in order; and one judge in the place of another."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cached_property

import pytest

from contracts.errors import ChatUnavailable, InvalidInput, MalformedReply
from contracts.provenance import Provenance
from contracts.verdicts import Summary
from tools.concurrency import run_concurrently
from tools.fallback import with_fallback


class Work:
    """Counts how many calls run; each ends when ``ending`` is set."""

    def __init__(self) -> None:
        self.running = self.most = self.begun = 0
        self.ending = asyncio.Event()

    def call(self, value: int, error: Exception | None = None) -> Callable[[], Awaitable[int]]:
        async def run() -> int:
            self.begun += 1
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                await self.ending.wait()
                if error is not None:
                    raise error
                return value
            finally:
                self.running -= 1

        return run


async def test_results_are_in_order_and_concurrency_is_limited() -> None:
    work = Work()
    running = asyncio.create_task(run_concurrently([work.call(n) for n in range(10)], 3))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert work.running == 3
    work.ending.set()
    assert await running == tuple(range(10))
    assert work.most == 3
    assert await run_concurrently([], 3) == ()
    assert await run_concurrently([work.call(1)], 0) == (1,)


async def test_error_cancels_the_other_calls_and_is_raised() -> None:
    work, endless = Work(), Work()
    work.ending.set()
    calls = [endless.call(1), work.call(2, ChatUnavailable("Down.")), endless.call(3), endless.call(4)]
    with pytest.raises(ChatUnavailable, match="Down"):
        await run_concurrently(calls, 2)
    assert endless.running == 0
    assert endless.begun <= 2
    # A cancelled caller leaves nothing running either.
    work = Work()
    running = asyncio.create_task(run_concurrently([work.call(n) for n in range(5)], 2))
    await asyncio.sleep(0.01)
    assert work.running == 2
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (work.running, work.begun) == (0, 2)


class Repeater:
    """Repeats a text, or raises."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        self._name, self._error = name, error

    @cached_property
    def costly(self) -> int:
        raise AssertionError("the other one must not be called")

    async def repeat(self, text: str, *, times: int = 1) -> Summary:
        if self._error is not None:
            raise self._error
        return Summary(text=text * times, provenance=Provenance(implementation=self._name))


class Streamer:
    """Streams pieces, and may raise in the middle."""

    def __init__(self, *pieces: str | Summary | Exception) -> None:
        self._pieces = pieces

    async def stream(self) -> AsyncIterator[str | Summary]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece


async def test_fallback_is_used_on_failure_and_records_the_reason() -> None:
    embedded = Repeater("embedded")
    repeated = await with_fallback(Repeater("llm"), embedded).repeat("ab", times=2)
    assert (repeated.text, repeated.provenance) == ("abab", Provenance(implementation="llm"))
    for error in (ChatUnavailable("No answer in 60 s."), MalformedReply("No JSON.")):
        repeated = await with_fallback(Repeater("llm", error), embedded).repeat("ab", times=2)
        assert (repeated.text, repeated.provenance.implementation) == ("abab", "embedded")
        assert str(error) in repeated.provenance.degraded
        with pytest.raises(type(error)):
            await with_fallback(Repeater("llm", error), embedded, refuse=True).repeat("ab")
    # An invalid input is not a reason to call the other one.
    with pytest.raises(InvalidInput):
        await with_fallback(Repeater("llm", InvalidInput("Empty.")), embedded).repeat("")


async def test_stream_restarts_with_the_fallback() -> None:
    summary = await Repeater("embedded").repeat("Three grams.")
    first, second = Streamer("It weighs", ChatUnavailable("Down.")), Streamer("Three ", "grams.", summary)
    streamed = [piece async for piece in with_fallback(first, second).stream()]
    assert streamed[:3] == ["It weighs", "\n\nThree ", "grams."]
    assert "Down." in streamed[3].provenance.degraded
    with pytest.raises(ChatUnavailable):
        [piece async for piece in with_fallback(first, second, refuse=True).stream()]
