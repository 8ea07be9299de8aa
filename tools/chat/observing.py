"""Observing a chat server: each call's time, outcome and tokens are told to whoever counts or traces."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol

from contracts.errors import MalformedReply
from tools.chat.base import ChatModel, ChatReply, ChatRequest, ContextWindow
from tools.chat.tokens import EstimatingTokenCounter

CallKind = Literal["whole", "stream"]
CallOutcome = Literal["ok", "unavailable", "malformed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCallEnd:
    """What came of a call to ``model``. ``counted``: whether the server told the tokens; else they are estimated."""

    outcome: CallOutcome
    model: str
    prompt_tokens: int
    completion_tokens: int
    counted: bool


class ChatCall(Protocol):
    """Follows one call."""

    def first_piece(self) -> None:
        """Take note that a stream's first piece is there."""
        ...

    def end(self, end: ChatCallEnd) -> None:
        """Take note that nothing more comes."""
        ...


class ChatObserver(Protocol):
    """Follows calls. What it does must be quick, and must not raise."""

    def call(self, server: str, kind: CallKind) -> ChatCall:
        """Begin to follow a call to ``server`` (host and port), in the task that makes it."""
        ...


class ObservedChatModel:
    """Completes chats as ``inner`` does, and tells ``observers`` of each call."""

    def __init__(self, inner: ChatModel, observers: Sequence[ChatObserver], *, address: str) -> None:
        self._inner = inner
        self._observers = observers
        self._counter = EstimatingTokenCounter()
        self.address = address

    @property
    def model(self) -> str:
        """The default model's name."""
        return self._inner.model

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply. Raises as the inner model does."""
        with self._followed(request, "whole") as call:
            reply = await self._inner.complete(request)
            call.take(reply)
            return reply

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's text as it comes. Raises as the inner model does."""
        with self._followed(request, "stream") as call:
            async with aclosing(self._inner.stream(request)) as pieces:
                async for piece in pieces:
                    call.add(piece)
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

    @contextmanager
    def _followed(self, request: ChatRequest, kind: CallKind) -> "Iterator[_Followed]":
        server = self.address.partition("://")[2].partition("/")[0].rpartition("@")[2]
        followed = _Followed([observer.call(server, kind) for observer in self._observers])
        outcome: CallOutcome = "ok"
        try:
            yield followed
        except MalformedReply:
            outcome = "malformed"
            raise
        except (asyncio.CancelledError, GeneratorExit):
            outcome = "cancelled"
            raise
        except BaseException:
            outcome = "unavailable"
            raise
        finally:
            count = self._counter.count
            end = ChatCallEnd(
                outcome=outcome,
                # A server that is to choose has told its model's name by now.
                model=request.model or self._inner.model,
                prompt_tokens=followed.prompt_tokens or count(_asked(request)),
                completion_tokens=followed.completion_tokens or count("".join(followed.pieces)),
                counted=bool(followed.prompt_tokens),
            )
            for call in followed.calls:
                call.end(end)


def _asked(request: ChatRequest) -> str:
    return request.prompt or "\n".join(message.content for message in request.messages)


class _Followed:
    """A call and those who follow it."""

    def __init__(self, calls: Sequence[ChatCall]) -> None:
        self.calls = calls
        self.pieces: list[str] = []
        self.prompt_tokens = 0
        self.completion_tokens = 0

    def take(self, reply: ChatReply) -> None:
        """Keep what the server says of a whole reply."""
        self.prompt_tokens, self.completion_tokens = reply.prompt_tokens, reply.completion_tokens
        self.pieces.append(reply.text)

    def add(self, piece: str) -> None:
        """Keep a piece of a stream."""
        if not self.pieces:
            for call in self.calls:
                call.first_piece()
        self.pieces.append(piece)
