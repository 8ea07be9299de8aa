"""A chat server that fails in every way a network allows, in an order that a seed decides."""

import asyncio
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from tests.tools.chat.server import chunk, completion

FAULTS = ("drop", "hang", "page", "noise", "cut", "stall", "garble", "408", "429", "500", "503")
FAULTS_OF_STREAMS_LATE = frozenset({"cut", "stall", "garble"})
# Faults of a server that works but whose model does not, and responses that a server should never send.
FAULTS_OF_REPLIES = ("endless", "huge", "repeat", "truncate", "empty", "redirect")
PHRASE = "The level is what the manual says. "
SECRET = "key of the cluster: hunter2"
_HUGE_CHARACTERS = 20_000_000


class FaultyServer:
    """Answers in ``behaviour``: "well", one of ``FAULTS`` or ``FAULTS_OF_REPLIES``, or "random": any of the first.

    Its list of models is well unless it hangs. The bodies of its errors hold ``SECRET``.

    ``answer`` makes the reply's text of the request's body. ``asked`` counts the requests for chats. ``close`` and
    ``open`` take it off its port and back.
    """

    def __init__(self, portal: BlockingPortal, seed: int) -> None:
        self.behaviour = "well"
        self.answer: Callable[[dict[str, Any]], str] = lambda body: f"To {body['messages'][-1]['content']}: all well."
        self.max_model_len = 4_096
        self.asked = 0
        self._chance = random.Random(seed)
        self._portal = portal
        self._port = 0
        self.open()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def open(self) -> None:
        self._server = self._portal.call(asyncio.start_server, self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        self._portal.call(self._server.close)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = next(
                (int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-length")), 0
            )
            body = json.loads(await reader.readexactly(length) or b"{}")
            if "/models" in head.split("\r\n")[0]:
                await self._list(reader, writer)
            else:
                self.asked += 1
                await self._answer(body, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _list(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.behaviour == "hang":
            await reader.read()
            return
        card = {"id": "tiny", "object": "model", "created": 1, "owned_by": "us", "max_model_len": self.max_model_len}
        _send(writer, 200, json.dumps({"object": "list", "data": [card]}))

    async def _answer(self, body: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behaviour = self.behaviour
        if behaviour == "random":
            behaviour = self._chance.choice((*FAULTS, *("well",) * len(FAULTS)))
        if behaviour.isdigit():
            error = json.dumps({"error": {"message": f"status {behaviour}, {SECRET}", "type": "server_error"}})
            _send(writer, int(behaviour), error, "retry-after-ms: 2\r\n" if behaviour == "429" else "")
        elif behaviour == "redirect":
            _send(writer, 307, "", f"location: http://127.0.0.1:{self._port}/v1/elsewhere\r\n")
        elif behaviour == "drop":
            writer.transport.abort()
        elif behaviour == "hang" or (behaviour == "stall" and not body.get("stream")):
            await self._until_left(reader)
        elif behaviour == "page":
            _send(writer, 200, "<html>It works!</html>", kind="text/html")
        elif behaviour == "noise":
            writer.write(self._chance.randbytes(200))
        elif body.get("stream"):
            await self._stream(body, behaviour, reader, writer)
        else:
            self._complete(body, behaviour, writer)
        await writer.drain()

    def _complete(self, body: dict[str, Any], behaviour: str, writer: asyncio.StreamWriter) -> None:
        text = "".join(_words(self.answer(body), "huge" if behaviour == "endless" else behaviour))
        text = bytes(completion("tiny", text, "length" if behaviour == "truncate" else "stop").body).decode()
        if behaviour == "garble":
            text = text[: len(text) // 2]
        _send(writer, 200, text, length=len(text.encode()) + (100 if behaviour == "cut" else 0))

    async def _stream(
        self, body: dict[str, Any], behaviour: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        answer = self.answer(body)
        # Some break before the first word, some in the middle.
        stop = self._chance.randrange(len(answer.split(" "))) if behaviour in FAULTS_OF_STREAMS_LATE else None
        for word in itertools.islice(_words(answer, behaviour), stop):
            writer.write(_event({"content": word}))
            try:
                await writer.drain()
            except ConnectionError:
                return
        if behaviour == "stall":
            await self._until_left(reader)
        elif behaviour == "garble":
            writer.write(b"data: {not json\n\n")
        elif behaviour != "cut":
            writer.write(_event({}, "length" if behaviour == "truncate" else "stop") + b"data: [DONE]\n\n")

    async def _until_left(self, reader: asyncio.StreamReader) -> None:
        # A client that disconnects with unread data resets the connection.
        with suppress(ConnectionError):
            await reader.read()


def _words(answer: str, behaviour: str) -> Iterator[str]:
    """Yield the words of the reply whose right text is ``answer``, each with the space before it."""
    if behaviour == "endless":
        yield from (f" word{number}" for number in itertools.count())
    text = {"huge": "x " * (_HUGE_CHARACTERS // 2), "repeat": 32 * PHRASE, "empty": ""}.get(behaviour, answer)
    yield from [text] if behaviour == "huge" else re.findall(r" ?[^ ]*", text)


def _send(
    writer: asyncio.StreamWriter,
    status: int,
    text: str,
    more: str = "",
    *,
    kind: str = "application/json",
    length: int | None = None,
) -> None:
    content = text.encode()
    size = length if length is not None else len(content)
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {size}\r\nconnection: close\r\n{more}\r\n"
    writer.write(head.encode() + content)


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    return chunk("tiny", delta, finish).encode()


@contextmanager
def faulty_server(seed: int = 0) -> Iterator[FaultyServer]:
    """Run a faulty server for the length of the block."""
    with start_blocking_portal() as portal:
        yield FaultyServer(portal, seed)
