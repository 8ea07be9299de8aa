"""The pace in which the pieces of many streams are handed on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing

import pytest

from contracts.errors import ChatUnavailable
from tools.chat.pacing import StreamPace


async def said(*pieces: str, closed: list[str] | None = None, error: Exception | None = None) -> AsyncIterator[str]:
    try:
        for piece in pieces:
            yield piece
        if error is not None:
            raise error
    finally:
        if closed is not None:
            closed.append("closed")


async def forever(first: str, closed: list[str]) -> AsyncIterator[str]:
    try:
        yield first
        await asyncio.Event().wait()
    finally:
        closed.append("closed")


async def test_the_pieces_of_a_few_streams_come_as_they_are() -> None:
    pace = StreamPace()
    assert [each async for each in pace.paced(said("a", "b", "c"))] == ["a", "b", "c"]


async def test_the_pieces_of_many_streams_are_joined_and_none_is_lost() -> None:
    pace = StreamPace(pieces_a_second=1.0, most_s=60.0)
    async with AsyncExitStack() as streams:
        for _ in range(8):
            waiting = await streams.enter_async_context(aclosing(pace.paced(forever("x", []))))
            assert await anext(waiting) == "x"
        words = [f"{number} " for number in range(100)]
        async with asyncio.timeout(30):
            pieces = [each async for each in pace.paced(said(*words))]
        assert "".join(pieces) == "".join(words)
        assert len(pieces) < 10, "the end waits for no pace, and what came before it comes joined"


async def test_what_breaks_comes_behind_what_was_said() -> None:
    pieces = StreamPace().paced(said("a", error=ChatUnavailable("broken")))
    assert await anext(pieces) == "a"
    with pytest.raises(ChatUnavailable, match="broken"):
        await anext(pieces)


async def test_a_reader_who_goes_away_ends_the_stream() -> None:
    closed: list[str] = []
    pace = StreamPace()
    async with aclosing(pace.paced(forever("a", closed))) as pieces:
        assert await anext(pieces) == "a"
    assert closed == ["closed"]
    assert pace.interval_s == 0.0
