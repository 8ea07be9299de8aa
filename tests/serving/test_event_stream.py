"""Items come as they are made, nothing of them is lost, and a pause is a sign of life."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from serving.event_stream import with_pauses

LONG_S = 60.0


async def test_a_reader_who_was_away_gets_everything_and_no_pause_between() -> None:
    async with aclosing(with_pauses(counted(5), 60.0)) as items:
        assert await anext(items) == 0
        await asyncio.sleep(0.05)
        assert [each async for each in items] == [1, 2, 3, 4]


async def counted(end: int) -> AsyncGenerator[int, None]:
    for number in range(end):
        yield number
        await asyncio.sleep(0)


async def test_quiet_is_told_again_and_again_until_something_comes() -> None:
    release = asyncio.Event()

    async def silent() -> AsyncGenerator[str, None]:
        await release.wait()
        yield "at last"

    async with aclosing(with_pauses(silent(), 0.01)) as items:
        assert [await anext(items) for _ in range(3)] == [None, None, None]
        release.set()
        assert [each async for each in items if each is not None] == ["at last"]


async def test_an_error_comes_after_what_was_there_before_it() -> None:
    async def broken() -> AsyncGenerator[str, None]:
        yield "a"
        raise ValueError("away")

    given: list[str | None] = []

    async def read() -> None:
        async for each in with_pauses(broken(), LONG_S):
            given.append(each)

    with pytest.raises(ValueError, match="away"):
        await read()
    assert given == ["a"]


async def test_closing_stops_the_work_behind_the_items() -> None:
    stopped = asyncio.Event()

    async def endless() -> AsyncGenerator[int, None]:
        try:
            while True:
                yield 1
                await asyncio.sleep(0.001)
        finally:
            stopped.set()

    async with aclosing(with_pauses(endless(), LONG_S)) as items:
        assert await anext(items) == 1
    assert stopped.is_set()
