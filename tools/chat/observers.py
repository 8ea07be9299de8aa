"""Reports calls to chat servers to observers when they end (time, outcome and tokens), for metrics."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from contracts.errors import MalformedReply
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.chat.context_window import estimate_tokens

CallKind = Literal["whole", "stream"]
CallOutcome = Literal["ok", "unavailable", "malformed", "cancelled"]


@dataclass(slots=True, kw_only=True)
class ChatCall:
    """A call to ``server`` (host and port), which is reported to observers when it ends.

    ``first_piece_s`` is the time until the first piece of a stream. ``counted`` is true if the server reported the
    tokens; otherwise they are estimated.
    """

    server: str
    kind: CallKind
    model: str = ""
    outcome: CallOutcome = "ok"
    begun: float = 0.0
    seconds: float = 0.0
    first_piece_s: float | None = None
    text: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    counted: bool = False

    def take(self, reply: ChatReply) -> None:
        self.prompt_tokens, self.completion_tokens, self.text = reply.prompt_tokens, reply.completion_tokens, reply.text

    def add(self, piece: str) -> None:
        if self.first_piece_s is None:
            self.first_piece_s = time.perf_counter() - self.begun
        self.text += piece


# An observer must be fast and must not raise.
ChatObserver = Callable[[ChatCall], None]


@contextmanager
def observed_call(
    observers: Sequence[ChatObserver], chat: ChatModel, address: str, request: ChatRequest, kind: CallKind
) -> Iterator[ChatCall]:
    """Report to ``observers`` the call that the block makes to ``chat`` at ``address``."""
    server = address.partition("://")[2].partition("/")[0].rpartition("@")[2]
    call = ChatCall(server=server, kind=kind, begun=time.perf_counter())
    try:
        yield call
    except MalformedReply:
        call.outcome = "malformed"
        raise
    except (asyncio.CancelledError, GeneratorExit):
        call.outcome = "cancelled"
        raise
    except BaseException:
        call.outcome = "unavailable"
        raise
    finally:
        if observers:
            asked = request.prompt or "\n".join(message.content for message in request.messages)
            call.seconds = time.perf_counter() - call.begun
            # If the server chooses the model, its name is known only now.
            call.model = request.model or chat.model
            call.counted = bool(call.prompt_tokens)
            call.prompt_tokens = call.prompt_tokens or estimate_tokens(asked)
            call.completion_tokens = call.completion_tokens or estimate_tokens(call.text)
            for observer in observers:
                observer(call)
