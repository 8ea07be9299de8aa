"""Observers of chat servers: they are told each call's time, outcome and tokens, for metrics."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol

from contracts.errors import MalformedReply
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.chat.tokens import estimate_tokens

CallKind = Literal["whole", "stream"]
CallOutcome = Literal["ok", "unavailable", "malformed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCallEnd:
    """What came of a call to ``model``. ``counted``: the server reported the tokens; else they are estimated."""

    outcome: CallOutcome
    model: str
    prompt_tokens: int
    completion_tokens: int
    counted: bool


class ChatCall(Protocol):
    """Follows one call."""

    def first_piece(self) -> None:
        """Take note that a stream's first piece is there."""

    def end(self, end: ChatCallEnd) -> None:
        """Take note that nothing more comes."""


class ChatObserver(Protocol):
    """Follows calls. What it does must be quick, and must not raise."""

    def call(self, server: str, kind: CallKind) -> ChatCall:
        """Begin to follow a call to ``server`` (host and port), in the task that makes it."""


class ObservedCall:
    """A call, what came of it so far, and those who follow it."""

    def __init__(self, calls: Sequence[ChatCall]) -> None:
        self.calls = calls
        self.pieces: list[str] = []
        self.prompt_tokens = 0
        self.completion_tokens = 0

    def take(self, reply: ChatReply) -> None:
        self.prompt_tokens, self.completion_tokens = reply.prompt_tokens, reply.completion_tokens
        self.pieces.append(reply.text)

    def add(self, piece: str) -> None:
        if not self.pieces:
            for call in self.calls:
                call.first_piece()
        self.pieces.append(piece)


@contextmanager
def observed_call(
    observers: Sequence[ChatObserver], chat: ChatModel, address: str, request: ChatRequest, kind: CallKind
) -> Iterator[ObservedCall]:
    """Let ``observers`` follow the call that the block makes to ``chat`` at ``address``."""
    server = address.partition("://")[2].partition("/")[0].rpartition("@")[2]
    observed = ObservedCall([observer.call(server, kind) for observer in observers])
    outcome: CallOutcome = "ok"
    try:
        yield observed
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
        if observers:
            asked = request.prompt or "\n".join(message.content for message in request.messages)
            end = ChatCallEnd(
                outcome=outcome,
                # A server that chooses its model has named it by now.
                model=request.model or chat.model,
                prompt_tokens=observed.prompt_tokens or estimate_tokens(asked),
                completion_tokens=observed.completion_tokens or estimate_tokens("".join(observed.pieces)),
                counted=bool(observed.prompt_tokens),
            )
            for call in observed.calls:
                call.end(end)
