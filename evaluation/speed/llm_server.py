"""A simulated server of OpenAI's protocol with a set rate: real HTTP, in a process of its own, no model behind it."""

import asyncio
import json
import math
import re
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any
from urllib.request import urlopen

from contracts.errors import InvalidInput, Unavailable
from evaluation.speed.child import end_with_parent
from evaluation.speed.llm_replies import reply_to
from tools.chat.tokens import EstimatingTokenCounter

MODEL = "simulated"
# Labels that judgements ask for, the most favourable first: so every question goes all the way through the graph.
LABELS = ("answerable", "relevant", "faithful", "yes", "true", "X", "A", "1", "10")
_WINDOW_TOKENS = 32_768
# vLLM keeps prefixes in blocks of so many tokens.
_BLOCK_TOKENS = 16
_SURE = -0.05
_START_TIMEOUT_S = 60.0
_PIECES = re.compile(r"\S+\s*|\s+")
_TOKENS = re.compile(r"\w+|\W+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How fast the model is: tokens a second read and written, and milliseconds before the first token besides.

    Requests are read one after the other and written side by side, each at this rate, as a server does that batches.
    Where reading takes no time (``prefill_per_s`` infinite), no request waits for another one.
    """

    prefill_per_s: float
    decode_per_s: float
    first_token_ms: float = 30.0


def read_rate(text: str, *, first_token_ms: float) -> Rate:
    """Read "2500,40": tokens a second read, and written.

    Raises:
        InvalidInput: it is not of that form, or one of them is not above 0.
    """
    try:
        prefill, decode = (float(part) for part in text.split(","))
    except ValueError:
        prefill = decode = 0.0
    if not (0 < prefill < float("inf") and 0 < decode < float("inf")):
        raise InvalidInput(f'the rate "{text}" is not two numbers above 0 such as 2500,40', field="rate")
    return Rate(prefill_per_s=prefill, decode_per_s=decode, first_token_ms=first_token_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request: tokens (estimated) of its prompt and reply, and how many of the prompt's are a prefix known before.

    ``shared_tokens`` counts the longest beginning, in whole blocks, that an earlier request of the same record had; 0
    where reading takes no time.
    """

    prompt_tokens: int
    shared_tokens: int
    completion_tokens: int
    streamed: bool
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The calls since the last record, how long at least one was under way, and how many were at once at most."""

    calls: tuple[Call, ...]
    busy_ms: float
    most_at_once: int


class SimulatedServer:
    """Answers requests for chats in the time that a model of ``rate`` takes, with replies of the right form."""

    def __init__(self, rate: Rate, labels: Sequence[str] = LABELS) -> None:
        self._rate = rate
        self._labels = tuple(labels)
        self._counter = EstimatingTokenCounter()
        self._reading = asyncio.Lock()
        self._prompts: list[str] = []
        self._calls: list[Call] = []
        self._busy_s = self._busy_since = 0.0
        self._under_way = self._most = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it ends; a request that its client leaves ends with it."""
        following = asyncio.create_task(reader.readuntil(b"\r\n\r\n"))
        try:
            while head := await following:
                lines = head.decode("latin-1").split("\r\n")
                named = dict(line.lower().split(":", 1) for line in lines[1:] if ":" in line)
                body = await reader.readexactly(int(named.get("content-length", "0")))
                following = asyncio.create_task(reader.readuntil(b"\r\n\r\n"))
                await _unless_left(self._answer(lines[0].split(" ")[1], body, writer), following)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            following.cancel()
            writer.close()

    async def _answer(self, path: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        if path.endswith("/chat/completions"):
            await self._complete(json.loads(body), writer)
        elif path.endswith("/record"):
            _send(writer, asdict(self._taken()))
        else:
            card = {"id": MODEL, "object": "model", "created": 0, "owned_by": "us", "max_model_len": _WINDOW_TOKENS}
            _send(writer, {"object": "list", "data": [card]})
        await writer.drain()

    async def _complete(self, request: Mapping[str, Any], writer: asyncio.StreamWriter) -> None:
        began = time.monotonic()
        self._begin(began)
        try:
            prompt = "\n".join(f"{each['role']}: {each['content']}" for each in request["messages"])
            prompt_tokens = self._counter.count(prompt)
            reply = reply_to(request, self._labels)
            shared = await self._read(prompt, prompt_tokens, began)
            streamed = bool(request.get("stream"))
            if streamed:
                await self._stream(reply, writer)
            else:
                await _until(time.monotonic() + self._counter.count(reply) / self._rate.decode_per_s)
                _send(writer, _completion(reply, prompt_tokens, self._counter.count(reply), request))
            await writer.drain()
            self._calls.append(
                Call(
                    prompt_tokens=prompt_tokens,
                    shared_tokens=shared,
                    completion_tokens=self._counter.count(reply),
                    streamed=streamed,
                    milliseconds=(time.monotonic() - began) * 1_000,
                )
            )
        finally:
            self._end(time.monotonic())

    async def _read(self, prompt: str, prompt_tokens: int, began: float) -> int:
        """Take the time until the first token; return how many of the prompt's tokens were read before."""
        first_token_s = self._rate.first_token_ms / 1_000
        if math.isinf(self._rate.prefill_per_s):
            await _until(began + first_token_s)
            return 0
        shared = self._shared(prompt)
        self._prompts.append(prompt)
        async with self._reading:
            await _until(time.monotonic() + (prompt_tokens - shared) / self._rate.prefill_per_s + first_token_s)
        return shared

    async def _stream(self, reply: str, writer: asyncio.StreamWriter) -> None:
        head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        due = time.monotonic()
        for piece in _PIECES.findall(reply):
            due += self._counter.count(piece) / self._rate.decode_per_s
            await _until(due)
            writer.write(_event({"content": piece}))
        writer.write(_event({}, "stop") + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")

    def _shared(self, prompt: str) -> int:
        longest = max((_common_length(prompt, each) for each in self._prompts), default=0)
        return self._counter.count(prompt[:longest]) // _BLOCK_TOKENS * _BLOCK_TOKENS

    def _begin(self, now: float) -> None:
        if not self._under_way:
            self._busy_since = now
        self._under_way += 1
        self._most = max(self._most, self._under_way)

    def _end(self, now: float) -> None:
        self._under_way -= 1
        if not self._under_way:
            self._busy_s += now - self._busy_since

    def _taken(self) -> Record:
        record = Record(calls=tuple(self._calls), busy_ms=self._busy_s * 1_000, most_at_once=self._most)
        self._prompts, self._calls = [], []
        self._busy_s, self._most = 0.0, self._under_way
        return record


@contextmanager
def simulated_server(rate: Rate) -> Iterator[str]:
    """Run a server in a process of its own, on the loopback, for the length of the block; yield its address.

    Raises:
        Unavailable: it does not start.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(rate, theirs), daemon=True)
    process.start()
    try:
        if not ours.poll(_START_TIMEOUT_S):
            raise Unavailable("the simulated chat server did not start; try again")
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        process.terminate()
        process.join()
        ours.close()
        theirs.close()


def take_record(address: str) -> Record:
    """Return what the server at ``address`` was asked since the last time; it then begins anew. Blocking."""
    with urlopen(f"{address}/record", timeout=_START_TIMEOUT_S) as answer:  # an address of our own
        content = json.load(answer)
    return Record(**{**content, "calls": tuple(Call(**each) for each in content["calls"])})


def _run(rate: Rate, told: Connection) -> None:
    end_with_parent()

    async def listen() -> None:
        server = await asyncio.start_server(SimulatedServer(rate).serve, "127.0.0.1", 0)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(listen())


async def _unless_left(answering: Coroutine[Any, Any, None], following: "asyncio.Task[bytes]") -> None:
    """Answer until ``following``, the wait for the next request, tells that there will be none."""
    task = asyncio.create_task(answering)
    try:
        await asyncio.wait([task, following], return_when=asyncio.FIRST_COMPLETED)
        if not task.done() and following.exception() is None:
            await asyncio.wait([task])
    finally:
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        task.result()


def _common_length(first: str, second: str) -> int:
    """Return how many characters both begin with."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))


async def _until(due: float) -> None:
    await asyncio.sleep(max(0.0, due - time.monotonic()))


def _completion(text: str, prompt_tokens: int, completion_tokens: int, request: Mapping[str, Any]) -> dict[str, Any]:
    logprobs = {"content": [_token(piece) for piece in _TOKENS.findall(text)]} if request.get("logprobs") else None
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": logprobs}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }


def _token(text: str) -> dict[str, Any]:
    option = {"token": text, "logprob": _SURE, "bytes": None}
    return {**option, "top_logprobs": [option]}


def _send(writer: asyncio.StreamWriter, content: Mapping[str, Any]) -> None:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)


def _event(delta: Mapping[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    content = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": MODEL, "choices": [choice]}
    return _chunk(f"data: {json.dumps(content)}\n\n".encode())


def _chunk(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"
