"""Calls side by side, a few at a time and in order; and one judge in the place of another."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cached_property

import pytest
from pydantic import BaseModel

from contracts.errors import ChatUnavailable, InvalidInput, MalformedReply
from contracts.provenance import Provenance
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


class Weight(BaseModel, frozen=True):
    """A verdict."""

    grams: int
    provenance: Provenance


class Scale:
    """Weighs, or raises."""

    def __init__(self, answer: int | Exception, name: str) -> None:
        self._answer = answer
        self._name = name

    @cached_property
    def costly(self) -> int:
        raise AssertionError("the other one must not be called")

    async def weigh(self, thing: str, *, times: int = 1) -> Weight:
        if isinstance(self._answer, Exception):
            raise self._answer
        return Weight(grams=self._answer * times + len(thing), provenance=Provenance(implementation=self._name))


class Streamer:
    """Streams pieces, and may raise in the middle."""

    def __init__(self, pieces: list[str | Weight | Exception]) -> None:
        self._pieces = pieces

    async def stream(self) -> AsyncIterator[str | Weight]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece


WEIGHT = Weight(grams=3, provenance=Provenance(implementation="embedded"))


async def test_fallback_is_used_on_failure_and_records_the_reason() -> None:
    weight = await with_fallback(Scale(5, "llm"), Scale(7, "embedded")).weigh("ab", times=2)
    assert (weight.grams, weight.provenance) == (12, Provenance(implementation="llm"))
    for error in (ChatUnavailable("No answer in 60 s."), MalformedReply("No JSON.")):
        weight = await with_fallback(Scale(error, "llm"), Scale(7, "embedded")).weigh("ab", times=2)
        assert (weight.grams, weight.provenance.implementation) == (16, "embedded")
        assert str(error) in weight.provenance.degraded
        with pytest.raises(type(error)):
            await with_fallback(Scale(error, "llm"), Scale(7, "embedded"), refuse=True).weigh("ab")
    # An invalid input is not a reason to call the other one.
    with pytest.raises(InvalidInput):
        await with_fallback(Scale(InvalidInput("Empty."), "llm"), Scale(7, "embedded")).weigh("")


async def test_stream_restarts_with_the_fallback() -> None:
    first = Streamer(["It weighs", ChatUnavailable("Down.")])
    streamed = [piece async for piece in with_fallback(first, Streamer(["Three ", "grams.", WEIGHT])).stream()]
    assert streamed[:3] == ["It weighs", "\n\nThree ", "grams."]
    assert "Down." in streamed[3].provenance.degraded
    with pytest.raises(ChatUnavailable):
        [piece async for piece in with_fallback(first, Streamer([WEIGHT]), refuse=True).stream()]
