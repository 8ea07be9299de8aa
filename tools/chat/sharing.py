"""Identical calls, made once: a cache by content, and one request for calls at the same time."""

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict

from tools.chat.base import ChatModel, ChatReply, ChatRequest, ContextWindow
from tools.chat.closing import closing
from tools.chat.pool import ServerState

_Kept = ChatReply | tuple[str, ...]


class SharingChatModel:
    """Keeps the replies of ``inner`` to requests of temperature 0, and lets equal calls at the same time share one.

    At most ``entries`` replies are kept, the least used go first, and each for ``keep_s`` seconds: the model behind
    a name may change. Replies without text are not kept, errors neither. A shared request ends on the server when
    the last of those who wait for it has gone. ``clock`` counts seconds.
    """

    def __init__(
        self,
        inner: ChatModel,
        *,
        entries: int = 512,
        keep_s: float = 3_600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._entries = entries
        self._keep_s = keep_s
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, _Kept]] = OrderedDict()
        self._flights: dict[tuple[str, int], _Flight] = {}

    @property
    def model(self) -> str:
        """The default model's name."""
        return self._inner.model

    @property
    def states(self) -> tuple[ServerState, ...]:
        """How each server behind it does; none where ``inner`` does not say."""
        return tuple(getattr(self._inner, "states", ()))

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply. Raises as the inner model does."""
        if request.temperature > 0:
            return await self._inner.complete(request)
        key = _key("complete", self._inner.model, request)
        kept = self._find(key)
        if isinstance(kept, ChatReply):
            return kept

        async def fetch(flight: _Flight) -> None:
            flight.reply = await self._inner.complete(request)
            if flight.reply.text.strip():
                self._keep(key, flight.reply)

        async with self._joined(key, fetch) as flight:
            return await flight.whole()

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Yield the reply's text as it comes. Raises as the inner model does."""
        if request.temperature > 0:
            async with aclosing(closing(self._inner.stream(request))) as pieces:
                async for piece in pieces:
                    yield piece
            return
        key = _key("stream", self._inner.model, request)
        kept = self._find(key)
        if isinstance(kept, tuple):
            for piece in kept:
                yield piece
            return

        async def fetch(flight: _Flight) -> None:
            async with aclosing(closing(self._inner.stream(request))) as pieces:
                async for piece in pieces:
                    flight.add(piece)
            if "".join(flight.pieces).strip():
                self._keep(key, tuple(flight.pieces))

        async with self._joined(key, fetch) as flight:
            async for piece in flight.follow():
                yield piece

    async def window(self, model: str = "") -> ContextWindow:
        """Return how long a request may be."""
        return await self._inner.window(model)

    async def check(self) -> None:
        """Ask whether the server is there. Raises as the inner model does."""
        await self._inner.check()

    async def close(self) -> None:
        """Close the connections."""
        await self._inner.close()

    @asynccontextmanager
    async def _joined(self, key: str, fetch: "Callable[[_Flight], Awaitable[None]]") -> "AsyncIterator[_Flight]":
        # Tasks belong to the event loop that they were made in.
        place = (key, id(asyncio.get_running_loop()))
        flight = self._flights.get(place)
        if flight is None or flight.has_ended:
            flight = self._flights[place] = _Flight(fetch)
        flight.passengers += 1
        try:
            yield flight
        finally:
            flight.passengers -= 1
            if not flight.passengers:
                if self._flights.get(place) is flight:
                    del self._flights[place]
                await flight.end()

    def _find(self, key: str) -> _Kept | None:
        until, kept = self._kept.get(key, (0.0, None))
        if kept is None or self._clock() >= until:
            self._kept.pop(key, None)
            return None
        self._kept.move_to_end(key)
        return kept

    def _keep(self, key: str, reply: _Kept) -> None:
        self._kept[key] = (self._clock() + self._keep_s, reply)
        self._kept.move_to_end(key)
        while len(self._kept) > self._entries:
            self._kept.popitem(last=False)


class _Flight:
    """One request under way, and those who wait for it."""

    def __init__(self, fetch: "Callable[[_Flight], Awaitable[None]]") -> None:
        self.passengers = 0
        self.pieces: list[str] = []
        self.reply: ChatReply | None = None
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._run(fetch))

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing more to come."""
        return self._task.done()

    def add(self, piece: str) -> None:
        """Give a piece of the stream to those who follow it."""
        self.pieces.append(piece)
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def whole(self) -> ChatReply:
        """Return the reply when it is there."""
        await asyncio.shield(self._task)
        assert self.reply is not None
        return self.reply

    async def follow(self) -> AsyncIterator[str]:
        """Yield the stream's pieces from its beginning, as they come."""
        given = 0
        while True:
            news = self._news
            for piece in self.pieces[given:]:
                given += 1
                yield piece
            if given < len(self.pieces):
                continue
            if self._task.done():
                self._task.result()
                return
            await news.wait()

    async def end(self) -> None:
        """End the request, if it is still under way, and wait until it has ended."""
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])
        if not self._task.cancelled():
            # Those who wait have raised it; nobody does where all have gone.
            self._task.exception()

    async def _run(self, fetch: "Callable[[_Flight], Awaitable[None]]") -> None:
        try:
            await fetch(self)
        finally:
            asyncio.get_running_loop().call_soon(self._news.set)


def _key(kind: str, model: str, request: ChatRequest) -> str:
    content = json.dumps([kind, model, asdict(request)], sort_keys=True, default=str)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
