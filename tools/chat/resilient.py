"""A chat server with time limits and a circuit breaker, which pauses calls after failures."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Literal, TypeVar

from contracts.errors import ChatUnavailable, GoldenError
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.chat.errors import ChatRefused, ChatTimedOut, ChatWithout
from tools.chat.observers import CallKind, ChatCall, ChatObserver, observed_call
from tools.chat.question_time import current_question_time
from tools.chat.reply_limits import ReplyLimits

BreakerState = Literal["closed", "open", "half-open"]
_Answer = TypeVar("_Answer")


class ResilientChatModel:
    """Calls ``server`` within time limits, and stops calling it while it seems to be down.

    A complete reply may take ``timeout_s`` seconds, including the retries of ``server`` (see ``OpenAIChatModel``). The
    same limit applies to each piece of a stream, and ``stream_timeout_s`` to a whole stream. A reply that is longer
    than its token limit allows, or that repeats itself, is cut off (see ``ReplyLimits``). Each call is reported to
    ``observers`` when it ends. At most ``at_once`` calls run at the same time; the others wait, and their time limits
    begin when they are sent. ``QuestionTime`` limits the total time of the calls for one question.

    The breaker opens when the server was unavailable for ``failures`` consecutive calls; a timeout counts twice, and
    calls that fail at the same time count once. Nothing is then sent for ``rest_s`` seconds or, after a timeout, for as
    long as the timeout lasted. After that, the breaker is half-open: one call is tried, and the others are refused.

    Source: Nygard 2007, "Release It!", the circuit breaker.
    """

    def __init__(
        self,
        server: ChatModel,
        *,
        observers: Sequence[ChatObserver] = (),
        timeout_s: float = 60.0,
        at_once: int = 4,
        stream_timeout_s: float = 300.0,
        failures: int = 4,
        rest_s: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.address = str(getattr(server, "address", server.model))
        self._server = server
        self._observers = observers
        self._timeout_s = timeout_s
        self._stream_timeout_s = stream_timeout_s
        self._most_failures = failures
        self._rest_s = rest_s
        self._clock = clock
        self._places = asyncio.Semaphore(at_once)
        self._failures = 0
        self._trying = False
        self._open_until = 0.0
        self._last_reason = ""

    @property
    def model(self) -> str:
        return self._server.model

    @property
    def breaker(self) -> BreakerState:
        """The state of the breaker: closed (calls are sent), open (none are sent) or half-open (one is tried)."""
        if self._failures < self._most_failures:
            return "closed"
        return "half-open" if self._clock() >= self._open_until else "open"

    async def complete(self, request: ChatRequest) -> ChatReply:
        question = current_question_time()
        question.check()
        async with self._places:
            with question.sent(), self._call(request, "whole") as call:
                await self._check_trial()
                limit_s = min(self._timeout_s, question.left_s)
                reply = await _in_time(self._server.complete(request), _now() + limit_s, limit_s)
                ReplyLimits(request.max_tokens).take_whole(reply.text)
                call.take(reply)
                return reply

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        question = current_question_time()
        question.check()
        async with self._places:
            limits = ReplyLimits(request.max_tokens)
            with question.sent(), self._call(request, "stream") as call:
                await self._check_trial()
                whole_s = min(self._stream_timeout_s, question.left_s)
                whole = _now() + whole_s
                async with aclosing(self._server.stream(request)) as pieces:
                    while True:
                        soon = _now() + self._timeout_s
                        limit_s = self._timeout_s if soon <= whole else whole_s
                        piece = await _in_time(anext(pieces, None), min(soon, whole), limit_s)
                        if piece is None:
                            break
                        # A trial call succeeds with its first piece, so that other calls need not wait for its end.
                        self._failures = 0
                        limits.take(piece)
                        call.add(piece)
                        yield piece

    async def window(self, model: str = "") -> int | None:
        return await self._server.window(model)

    async def check(self) -> None:
        await self._server.check()

    async def close(self) -> None:
        await self._server.close()

    @contextmanager
    def _call(self, request: ChatRequest, kind: CallKind) -> Iterator[ChatCall]:
        """Run a call, and count its outcome. A cancelled call does not count.

        Raises:
            ChatUnavailable: the server is not being called at the moment; the message explains why and for how long.
        """
        is_trial = self.breaker == "half-open" and not self._trying
        if self.breaker != "closed" and not is_trial:
            raise self._left_alone()
        before, begun = self._failures, self._clock()
        self._trying = self._trying or is_trial
        try:
            with observed_call(self._observers, self._server, self.address, request, kind) as call:
                yield call
        except GoldenError as error:
            if not isinstance(error, ChatUnavailable) or isinstance(error, ChatRefused | ChatWithout):
                # The server answered, so this is not a failure of the server.
                self._failures = 0
                raise
            self._last_reason = str(error)
            timed_out = isinstance(error, ChatTimedOut)
            # Simultaneous failures count once, because a server that is busy for a moment is not down.
            if self._failures == before:
                self._failures += 2 if timed_out else 1
                rest_s = max(self._rest_s, self._clock() - begun) if timed_out else self._rest_s
                self._open_until = self._clock() + rest_s
            raise
        else:
            self._failures = 0
        finally:
            self._trying = self._trying and not is_trial

    async def _check_trial(self) -> None:
        # This quick check comes first, so that nobody waits for a full timeout if the server is still unavailable.
        if self.breaker == "half-open":
            await self._server.check()

    def _left_alone(self) -> ChatUnavailable:
        wait_s = max(0.0, self._open_until - self._clock())
        return ChatUnavailable(
            f"The chat server was unavailable {self._failures} times in a row and is not asked for another "
            f"{wait_s:.0f} s. Last: {self._last_reason or 'it is being tried'}"
        )


async def _in_time(answer: Awaitable[_Answer], deadline: float, limit_s: float) -> _Answer:
    try:
        async with asyncio.timeout_at(deadline):
            return await answer
    except TimeoutError as error:
        raise ChatTimedOut(f"The chat server did not answer within {limit_s:.3g} s.") from error


def _now() -> float:
    return asyncio.get_running_loop().time()
