"""The pace in which the pieces of many streams are read and handed on."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing

import pytest

from contracts.errors import ChatUnavailable
from tests.tools.chat.faulty_server import collected, faulty_server
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.openai import OpenAIChatModel
from tools.chat.pacing import StreamPace
from tools.chat.refusal import ChatTimedOut


async def said(
    *parts: Sequence[str], closed: list[str] | None = None, error: Exception | None = None
) -> AsyncGenerator[Sequence[str], None]:
    try:
        for part in parts:
            yield part
        if error is not None:
            raise error
    finally:
        if closed is not None:
            closed.append("closed")


async def forever(first: str, closed: list[str]) -> AsyncGenerator[Sequence[str], None]:
    try:
        yield [first]
        await asyncio.Event().wait()
    finally:
        closed.append("closed")


def has_ended() -> asyncio.Event:
    ended = asyncio.Event()
    ended.set()
    return ended


async def test_the_pieces_of_a_few_streams_come_as_they_are() -> None:
    pace = StreamPace()
    parts = said(["a", "b"], [], ["", "c"])
    assert [each async for each in pace.paced(parts, asyncio.Event())] == ["a", "b", "c"]


async def test_the_pieces_of_many_streams_are_joined_and_none_is_lost() -> None:
    pace = StreamPace(pieces_a_second=1.0, most_s=60.0)
    async with AsyncExitStack() as streams:
        for _ in range(8):
            waiting = await streams.enter_async_context(aclosing(pace.paced(forever("x", []), asyncio.Event())))
            assert await anext(waiting) == "x"
        words = [f"{number} " for number in range(100)]
        async with asyncio.timeout(30):
            # All has come already: the end waits for no pace.
            pieces = [each async for each in pace.paced(said(words[:50], words[50:]), has_ended())]
        assert pieces == ["".join(words[:50]), "".join(words[50:])]


async def test_a_stream_among_many_rests_until_its_end_has_come() -> None:
    pace = StreamPace(pieces_a_second=1.0, most_s=60.0)
    ended = asyncio.Event()
    async with AsyncExitStack() as streams:
        for _ in range(8):
            waiting = await streams.enter_async_context(aclosing(pace.paced(forever("x", []), asyncio.Event())))
            await anext(waiting)
        pieces = await streams.enter_async_context(aclosing(pace.paced(said(["a"], ["b"]), ended)))
        assert await anext(pieces) == "a"
        second = asyncio.ensure_future(anext(pieces))
        await asyncio.sleep(0.05)
        assert not second.done(), "its time has not come"
        ended.set()
        assert await asyncio.wait_for(second, 30) == "b"


async def test_where_nobody_tells_the_end_nothing_rests() -> None:
    pace = StreamPace(pieces_a_second=1.0, most_s=60.0)
    async with AsyncExitStack() as streams:
        for _ in range(8):
            waiting = await streams.enter_async_context(aclosing(pace.paced(forever("x", []), None)))
            await anext(waiting)
        async with asyncio.timeout(30):
            assert [each async for each in pace.paced(said(["a"], ["b"]), None)] == ["a", "b"]


async def test_what_breaks_comes_behind_what_was_said() -> None:
    pieces = StreamPace().paced(said(["a"], error=ChatUnavailable("broken")), asyncio.Event())
    assert await anext(pieces) == "a"
    with pytest.raises(ChatUnavailable, match="broken"):
        await anext(pieces)


async def test_a_reader_who_goes_away_ends_the_stream() -> None:
    closed: list[str] = []
    pace = StreamPace()
    async with aclosing(pace.paced(forever("a", closed), asyncio.Event())) as pieces:
        assert await anext(pieces) == "a"
    assert closed == ["closed"]
    assert pace.interval_s == 0.0


@pytest.fixture
async def opened() -> AsyncIterator[list[OpenAIChatModel]]:
    models: list[OpenAIChatModel] = []
    yield models
    for model in models:
        await model.close()


def asked(text: str) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=text),))


async def test_the_end_of_a_reply_waits_for_no_pace_however_many_are_written(opened: list[OpenAIChatModel]) -> None:
    with faulty_server() as server:
        chat = OpenAIChatModel(server.url, "", "tiny", 60.0)
        opened.append(chat)
        # So slow a pace that a reply which rested until its time would never be whole here.
        chat._pace = StreamPace(pieces_a_second=0.001, most_s=3_600.0)
        async with asyncio.timeout(60):
            texts = await asyncio.gather(*(collected(chat.stream(asked(str(number)))) for number in range(12)))
        alone = [(await chat.complete(asked(str(number)))).text for number in range(12)]
    assert texts == alone


async def test_a_server_that_falls_silent_in_the_middle_is_left_in_time(opened: list[OpenAIChatModel]) -> None:
    with faulty_server() as server:
        server.manner = "stall"
        chat = OpenAIChatModel(server.url, "", "tiny", 0.5)
        opened.append(chat)
        async with asyncio.timeout(60):
            with pytest.raises(ChatTimedOut, match=r"did not answer within 0\.5 s"):
                await collected(chat.stream(asked("anything")))
