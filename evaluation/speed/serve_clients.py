"""Many clients of a server at once, in a process of their own: each asks, reads the stream to its end, asks again."""

import asyncio
import itertools
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

_CONTENT_TYPE = "content-type: application/json"
_SILENT_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """One question's stream. Moments are by the system's monotonic clock; None where it did not come so far.

    ``draft_s`` is the first piece of the unchecked draft in ``golden``, ``content_s`` the first checked content.
    ``error`` is empty where the stream was whole.
    """

    client: int
    question: str
    sent_s: float
    first_byte_s: float | None = None
    draft_s: float | None = None
    content_s: float | None = None
    done_s: float | None = None
    chunks: int = 0
    outcome: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What the clients do: so many at once, for so long or so many questions in all, the first ones spread out."""

    address: str
    clients: int
    questions: tuple[str, ...]
    seconds: float
    spread_s: float
    requests: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """All streams, when they began, what this process computed meanwhile, and questions that were asked again."""

    streams: tuple[Streamed, ...]
    began_s: float
    cpu_s: float
    repeated: int


def load(plan: Load) -> Loaded:
    """Ask as planned; return every stream. Blocking, with an event loop of its own."""
    computed = time.process_time()
    began = time.monotonic()
    streams, repeated = asyncio.run(_load(plan, began))
    return Loaded(streams=streams, began_s=began, cpu_s=time.process_time() - computed, repeated=repeated)


async def _load(plan: Load, began: float) -> tuple[tuple[Streamed, ...], int]:
    asked = itertools.count()
    found: list[Streamed] = []
    url = urlsplit(plan.address)

    def turns() -> Iterator[str]:
        while time.monotonic() - began < plan.seconds or plan.requests:
            number = next(asked)
            if plan.requests and number >= plan.requests:
                return
            yield plan.questions[number % len(plan.questions)]

    async def client(number: int) -> None:
        await asyncio.sleep(plan.spread_s * number / plan.clients)
        for question in turns():
            found.append(await _ask(url.hostname or "", url.port or 80, number, question))

    async with asyncio.TaskGroup() as group:
        for number in range(plan.clients):
            group.create_task(client(number))
    return tuple(found), max(0, len(found) - len(plan.questions))


async def _ask(host: str, port: int, client: int, question: str) -> Streamed:
    seen = _Seen()
    sent = time.monotonic()
    try:
        async with asyncio.timeout(_SILENT_S):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(_request(host, port, question))
                await seen.read(reader)
            finally:
                writer.close()
    except TimeoutError:
        seen.error = f"no end within {_SILENT_S:g} s"
    except (OSError, asyncio.IncompleteReadError, ValueError) as error:
        seen.error = seen.error or f"{type(error).__name__}: {error}"
    return Streamed(
        client=client,
        question=question,
        sent_s=sent,
        first_byte_s=seen.first_byte_s,
        draft_s=seen.draft_s,
        content_s=seen.content_s,
        done_s=seen.done_s,
        chunks=seen.chunks,
        outcome=seen.outcome,
        error=seen.error,
    )


class _Seen:
    """What was seen of a stream so far."""

    def __init__(self) -> None:
        self.first_byte_s: float | None = None
        self.draft_s: float | None = None
        self.content_s: float | None = None
        self.done_s: float | None = None
        self.chunks = 0
        self.outcome = ""
        self.error = ""

    async def read(self, reader: asyncio.StreamReader) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.first_byte_s = time.monotonic()
        status = head.split(" ", 2)[1]
        if status != "200":
            body = (await reader.read(2_000)).decode("utf-8", "replace")
            self.error = f"status {status}: {body[:200]}"
            return
        buffered = bytearray()
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            buffered += (await reader.readexactly(size + 2))[:-2]
            while (end := buffered.find(b"\n\n")) >= 0:
                self._hear(bytes(buffered[:end]))
                del buffered[: end + 2]
        if self.done_s is None and not self.error:
            self.error = "the stream ended without [DONE]"

    def _hear(self, event: bytes) -> None:
        now = time.monotonic()
        if event == b"data: [DONE]":
            self.done_s = now
            return
        self.chunks += 1
        if self.draft_s is None and b'"draft":' in event:
            self.draft_s = now
        # Only what may be content, the end or an error is read: there are hundreds of chunks of progress.
        if b'"content": ""' in event or b'"content":""' in event or not event.startswith(b"data: "):
            return
        values = json.loads(event[6:])
        if values.get("error"):
            self.error = f"error event: {values['error'].get('message', '')[:200]}"
            return
        for choice in values.get("choices", ()):
            if self.content_s is None and choice.get("delta", {}).get("content"):
                self.content_s = now
        golden = values.get("golden") or {}
        self.outcome = golden.get("outcome", self.outcome)


def _request(host: str, port: int, question: str) -> bytes:
    body = json.dumps({"stream": True, "messages": [{"role": "user", "content": question}]}).encode()
    lines: Sequence[str] = (
        "POST /v1/chat/completions HTTP/1.1",
        f"host: {host}:{port}",
        _CONTENT_TYPE,
        f"content-length: {len(body)}",
        "connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode() + body
