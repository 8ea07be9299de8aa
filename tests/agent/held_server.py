"""A chat server over HTTP whose reply is held until the test lets it speak, and which sees who goes away."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@dataclass
class Exchange:
    """One request: its body, and whether its client has gone before the reply was whole."""

    body: dict[str, Any]
    left: asyncio.Event = field(default_factory=asyncio.Event)
    whole: bool = False


@dataclass
class HeldServer:
    """Streams ``reply`` word by word: the first ``ready`` words at once, the rest when ``speak`` is set.

    ``asked`` is set by the first request; ``tasks`` are the server's own.
    """

    reply: str = "VPP is 2.5 V on DDR4."
    ready: int = 0
    url: str = ""
    exchanges: list[Exchange] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    speak: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set[Any] = field(default_factory=set)

    def left_behind(self) -> set[Any]:
        """Return the tasks that run beside the caller's and the server's own."""
        return asyncio.all_tasks() - self.tasks - {asyncio.current_task()}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.tasks.add(asyncio.current_task())
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = next((line[15:] for line in head.split("\r\n") if line.startswith("content-length:")), "0")
                body = await reader.readexactly(int(length))
                if not head.startswith("post"):
                    _send(writer, {"object": "list", "data": [{"id": "held", "object": "model", "created": 0}]})
                    continue
                exchange = Exchange(json.loads(body))
                self.exchanges.append(exchange)
                telling = asyncio.create_task(self._tell(writer))
                self.tasks.add(telling)
                # A client sends nothing more before it has its reply: what comes meanwhile is its end.
                leaving = asyncio.create_task(reader.read(1))
                self.tasks.add(leaving)
                self.asked.set()
                await asyncio.wait([telling, leaving], return_when=asyncio.FIRST_COMPLETED)
                exchange.whole = telling.done()
                telling.cancel()
                if not exchange.whole:
                    exchange.left.set()
                leaving.cancel()
                await asyncio.wait([telling, leaving])
                if not exchange.whole:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _tell(self, writer: asyncio.StreamWriter) -> None:
        writer.write(_HEAD.encode())
        for number, word in enumerate(self.reply.split(" ")):
            if number == self.ready:
                await self.speak.wait()
            writer.write(_chunk({"content": word if not number else f" {word}"}, None))
        if self.ready >= len(self.reply.split(" ")):
            await self.speak.wait()
        writer.write(_chunk({}, "stop") + b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")


@asynccontextmanager
async def held_server(**given: Any) -> AsyncIterator[HeldServer]:
    """Run the server on the loopback, in the test's own event loop."""
    held = HeldServer(**given)
    server = await asyncio.start_server(held._serve, "127.0.0.1", 0)
    held.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield held
    finally:
        server.close()
        for task in held.tasks:
            task.cancel()
        await asyncio.gather(*held.tasks, return_exceptions=True)


def _chunk(delta: dict[str, str], finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    value = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "held", "choices": [choice]}
    content = f"data: {json.dumps(value)}\n\n".encode()
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


def _send(writer: asyncio.StreamWriter, content: dict[str, Any]) -> None:
    body = json.dumps(content).encode()
    writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode())
    writer.write(body)
