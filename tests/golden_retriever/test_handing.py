"""Connections of one port, handed to whoever is least busy, and of equals to whoever holds the fewest."""

import asyncio
import multiprocessing
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest

from golden_retriever.handing import Channel, Door, HandedConnections, make_way

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Worker:
    """Takes connections as a worker does, and holds each until its client goes."""

    def __init__(self, name: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.name = name
        self.channel, way, ended = make_way(context)
        self.connections = HandedConnections(way, ended)
        self.held = 0

    async def start(self) -> None:
        self.server = await asyncio.start_server(self._hold, sock=self.connections)

    async def _hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.held += 1
        with suppress(ConnectionError):
            while line := await reader.readline():
                writer.write(self.name.encode() + b" " + line)
        self.held -= 1
        writer.close()


@pytest.fixture
def door() -> Iterator[Door]:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(256)
    found = Door(listener)
    yield found
    found.close()


async def clients(door: Door, number: int, channels: list[Channel]) -> list[Streams]:
    """Connect, all in one moment, and wait until somebody took each."""
    address = door.listener.getsockname()
    found = await asyncio.gather(*(asyncio.open_connection(*address) for _ in range(number)))
    while not door.let_in(channels):  # noqa: ASYNC110 - it says so when it is asked
        await asyncio.sleep(0.001)
    for stream in found:
        await said_by(stream)
    return found


async def one_by_one(door: Door, number: int, channels: list[Channel]) -> tuple[list[Streams], list[str]]:
    """Connect one after the other, each when those before are no longer just given; return who took each, too."""
    found = []
    for _ in range(number):
        await asyncio.sleep(0.03)
        found += await clients(door, 1, channels)
    return found, [await said_by(stream) for stream in found]


async def said_by(stream: Streams) -> str:
    """Say something; return the name of who answers, every time anew."""
    stream[1].write(b"hello\n")
    async with asyncio.timeout(10):
        return (await stream[0].readline()).decode().split()[0]


async def leave(streams: list[Streams], workers: list[Worker]) -> None:
    before = sum(each.channel.held for each in workers)
    for _, writer in streams:
        writer.close()
    async with asyncio.timeout(10):
        while sum(each.channel.held for each in workers) > before - len(streams):  # noqa: ASYNC110 - a plain count
            await asyncio.sleep(0.001)


async def test_each_connection_goes_to_the_worker_that_holds_the_fewest(door: Door) -> None:
    one, other = workers = [Worker("one"), Worker("other")]
    for each in workers:
        await each.start()
    channels = [each.channel for each in workers]
    streams = await clients(door, 64, channels)
    assert (one.held, other.held) == (32, 32)
    assert [channel.held for channel in channels] == [32, 32]

    # Long streams end where they end: what is new goes where there is room.
    of_one = [stream for stream in streams if await said_by(stream) == "one"]
    await leave(of_one[:20], workers)
    assert (one.channel.held, other.channel.held) == (12, 32)
    later, names = await one_by_one(door, 20, channels)
    assert names == ["one"] * 20
    # A client that keeps its connection keeps its worker.
    assert [await said_by(later[0]) for _ in range(3)] == ["one"] * 3

    # With equally many, they take turns: neither rests while one client after the other comes and goes.
    seen = []
    for _ in range(6):
        guest = await clients(door, 1, channels)
        seen.append(await said_by(guest[0]))
        await leave(guest, workers)
    assert sorted(seen) == ["one"] * 3 + ["other"] * 3
    await leave([*(stream for stream in streams if stream not in of_one[:20]), *later], workers)
    assert (one.channel.held, other.channel.held) == (0, 0)


async def test_a_worker_that_computes_is_passed_over_while_another_rests(door: Door) -> None:
    one, other = workers = [Worker("one"), Worker("other")]
    for each in workers:
        await each.start()
    channels = [each.channel for each in workers]

    one.connections.tell_computing(1)
    held, names = await one_by_one(door, 4, channels)
    assert names == ["other"] * 4
    # It rests again: now it is the one with fewer.
    one.connections.tell_computing(0)
    more, names = await one_by_one(door, 4, channels)
    assert names == ["one"] * 4
    # Where all are busy, the least.
    one.connections.tell_computing(3)
    other.connections.tell_computing(2)
    last, names = await one_by_one(door, 3, channels)
    assert names == ["other"] * 3
    await leave([*held, *more, *last], workers)


async def test_between_two_computations_a_worker_is_busy_still(door: Door) -> None:
    one, other = workers = [Worker("one"), Worker("other")]
    for each in workers:
        await each.start()
    await asyncio.sleep(0.05)
    for _ in range(5):
        one.connections.tell_computing(1)
        one.connections.tell_computing(0)
        told = one.channel.busy, other.channel.busy
        if told != (0, 0):
            break
    assert told == (1, 0)
    await asyncio.sleep(0.05)
    assert one.channel.busy == 0


async def test_a_worker_that_is_gone_is_passed_over_and_without_any_connections_wait(door: Door) -> None:
    one, other = Worker("one"), Worker("other")
    await one.start()
    await other.start()
    one.server.close()
    await asyncio.sleep(0)
    streams = await clients(door, 4, [one.channel, other.channel])
    assert [await said_by(stream) for stream in streams] == ["other"] * 4
    assert not one.channel.is_open
    assert other.channel.is_open
    await leave(streams, [other])
    other.server.close()
    await asyncio.sleep(0)

    reader, writer = await asyncio.open_connection(*door.listener.getsockname())
    assert not door.let_in([one.channel, other.channel])
    assert not other.channel.is_open
    third = Worker("third")
    await third.start()
    assert door.let_in([third.channel])
    assert await said_by((reader, writer)) == "third"
    await leave([(reader, writer)], [third])


async def test_a_worker_whose_giver_is_gone_does_not_spin(door: Door) -> None:
    worker = Worker("one")
    await worker.start()
    (stream,) = await clients(door, 1, [worker.channel])
    worker.channel.close()
    loop = asyncio.get_running_loop()
    await asyncio.sleep(0.05)
    assert not loop.remove_reader(worker.connections.fileno()), "it is heard no more"
    assert await said_by(stream) == "one", "what it holds goes on"
    await leave([stream], [worker])


async def test_a_client_that_left_before_it_was_taken_is_counted_as_gone(door: Door) -> None:
    worker = Worker("one")
    gone = socket.create_connection(door.listener.getsockname())
    gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert door.let_in([worker.channel])
    gone.close()
    assert worker.channel.held == 1
    await worker.start()
    (stream,) = await clients(door, 1, [worker.channel])
    assert await said_by(stream) == "one"
    assert worker.channel.held == 1
    await leave([stream], [worker])
