"""Items come as they are made, and nothing of them is lost."""

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
