"""Several chat servers as one: time limits, failover, and servers that are left alone for a while."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Literal, TypeVar

from contracts.errors import ChatUnavailable, GoldenError, MalformedReply
from tools.chat.base import ChatModel, ChatReply, ChatRequest, ContextWindow
from tools.chat.observing import CallKind, ChatObserver, ObservedCall, observed_call
from tools.chat.refusal import ChatRefused, ChatTimedOut, ChatWithout
from tools.chat.tokens import EstimatingTokenCounter

BreakerState = Literal["closed", "open", "half-open"]
_Answer = TypeVar("_Answer")


class PooledServer:
    """One server with its circuit breaker, its calls under way, and why it last failed.

    The breaker opens after ``failures`` calls in a row that found the server unavailable; a time-out counts twice,
    and calls that fail at the same time count once. Nothing is sent for ``rest_s`` seconds, after a time-out for as
    long as that took. Then the breaker is half-open: one call tries while the others are refused.

    Source: Nygard 2007, "Release It!", the circuit breaker.
    """

    def __init__(self, chat: ChatModel, *, failures: int, rest_s: float, clock: Callable[[], float]) -> None:
        self.chat = chat
        self.address = str(getattr(chat, "address", chat.model))
        self.in_flight = 0
        self.asked_at = 0
        self.last_reason = ""
        self.failures = 0
        self.trying = False
        self._most_failures = failures
        self._rest_s = rest_s
        self._clock = clock
        self._open_until = 0.0

    @property
    def breaker(self) -> BreakerState:
        """Closed: calls pass; open: none does; half-open: one may try."""
        if self.failures < self._most_failures:
            return "closed"
        return "half-open" if self._clock() >= self._open_until else "open"

    @property
    def wait_s(self) -> float:
        """How many seconds the breaker stays open."""
        return max(0.0, self._open_until - self._clock()) if self.breaker == "open" else 0.0

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count a call and its outcome. A cancelled call says nothing about the server."""
        before, is_trial, begun = self.failures, self.breaker == "half-open", self._clock()
        self.trying = self.trying or is_trial
        self.in_flight += 1
        try:
            yield
        except GoldenError as error:
            if not isinstance(error, ChatUnavailable) or isinstance(error, ChatRefused | ChatWithout):
                # It answers.
                self.failures = 0
                raise
            self.last_reason = str(error)
            timed_out = isinstance(error, ChatTimedOut)
            # Calls that fail at the same time count once: a server that is busy for a moment is not dead.
            if self.failures == before:
                self.failures += 2 if timed_out else 1
                rest_s = max(self._rest_s, self._clock() - begun) if timed_out else self._rest_s
                self._open_until = self._clock() + rest_s
            raise
        else:
            self.failures = 0
        finally:
            self.in_flight -= 1
            self.trying = self.trying and not is_trial


class ResilientChatModel:
    """Asks one of ``servers``, which serve the same models: the least busy one, and another where that one fails.

    A try takes at most ``timeout_s``: to the whole reply, or in a stream to the first piece and to each next one. All
    tries of a call take at most twice as long, a stream as a whole ``stream_timeout_s``. Each server is asked once:
    a server tries again by itself (see ``OpenAIChatModel``). A request that was refused is not sent to another server.
    ``observers`` follow each call.

    A stream goes to another server only while nothing of it has been given out: beginning anew would show a reader the
    same words twice, or two answers in one. What broke off later is raised, and whoever shows the stream puts another
    answer in its place.
    """

    def __init__(
        self,
        *servers: ChatModel,
        observers: Sequence[ChatObserver] = (),
        timeout_s: float = 60.0,
        stream_timeout_s: float = 300.0,
        failures: int = 4,
        rest_s: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._observers = observers
        self._timeout_s = timeout_s
        self._stream_timeout_s = stream_timeout_s
        self._windows: dict[str, ContextWindow] = {}
        self._asked = 0
        self.states = tuple(PooledServer(one, failures=failures, rest_s=rest_s, clock=clock) for one in servers)

    @property
    def model(self) -> str:
        """The default model's name: of the first server that knows it."""
        return next((one.chat.model for one in self.states if one.chat.model), "")

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply.

        Raises:
            ChatUnavailable: every server failed, the request was refused, or no server is asked just now.
            MalformedReply: the last answer was no chat completion.
        """
        deadline = _now() + 2 * self._timeout_s
        failed: list[PooledServer] = []
        while True:
            server = self._choose(failed)
            try:
                with self._call(server, request, "whole") as call:
                    await self._check_trial(server)
                    reply = await self._in_time(server.chat.complete(request), deadline, 2 * self._timeout_s)
                    call.take(reply)
                    return reply
            except (ChatUnavailable, MalformedReply) as error:
                self._note_failure(server, failed, error)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's text as it comes. Raises as ``complete`` does, before the first piece or between two."""
        deadline = _now() + self._stream_timeout_s
        failed: list[PooledServer] = []
        given = False
        while True:
            server = self._choose(failed)
            try:
                with self._call(server, request, "stream") as call:
                    await self._check_trial(server)
                    async with aclosing(server.chat.stream(request)) as pieces:
                        while (
                            piece := await self._in_time(anext(pieces, None), deadline, self._stream_timeout_s)
                        ) is not None:
                            # A trial succeeds with the first piece: others need not wait for the last.
                            server.failures = 0 if not given else server.failures
                            given = True
                            call.add(piece)
                            yield piece
                return
            except (ChatUnavailable, MalformedReply) as error:
                if given:
                    raise
                self._note_failure(server, failed, error)

    async def window(self, model: str = "") -> ContextWindow:
        """Return how long a request may be: the least that the available servers say, else what was last known."""
        available = [one.chat for one in self.states if one.breaker == "closed"]
        windows = await asyncio.gather(*(chat.window(model) for chat in available))
        if windows:
            known = [each.max_tokens for each in windows if each.max_tokens]
            self._windows[model] = ContextWindow(max_tokens=min(known, default=None), counter=windows[0].counter)
        return self._windows.get(model) or ContextWindow(max_tokens=None, counter=EstimatingTokenCounter())

    async def check(self) -> None:
        """Ask all servers whether they are there; one is enough.

        Raises:
            ChatUnavailable: none is; the text is the first's.
        """
        answers = await asyncio.gather(*(server.chat.check() for server in self.states), return_exceptions=True)
        errors = [answer for answer in answers if isinstance(answer, BaseException)]
        if len(errors) == len(answers):
            raise errors[0]

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        for server in self.states:
            await server.chat.close()

    def _choose(self, failed: Sequence[PooledServer]) -> PooledServer:
        """Return the server to ask, none of ``failed``.

        Raises:
            ChatUnavailable: no server is available; the text says why and until when.
        """
        ready = self._ready(failed)
        if not ready:
            raise self._nobody()
        server = min(ready, key=lambda one: (one.in_flight, one.asked_at))
        self._asked += 1
        server.asked_at = self._asked
        return server

    def _note_failure(self, server: PooledServer, failed: list[PooledServer], error: GoldenError) -> None:
        """Take note that ``server`` failed, for the next try.

        Raises:
            GoldenError: ``error`` itself; there is no next try.
        """
        failed.append(server)
        if isinstance(error, ChatRefused) or not self._ready(failed):
            raise error

    def _ready(self, failed: Sequence[PooledServer]) -> list[PooledServer]:
        usable = [one for one in self.states if one not in failed]
        # One that may be back is tried before the others: where it is not, they take over.
        trials = [one for one in usable if one.breaker == "half-open" and not one.trying]
        return trials or [one for one in usable if one.breaker == "closed"]

    @contextmanager
    def _call(self, server: PooledServer, request: ChatRequest, kind: CallKind) -> Iterator[ObservedCall]:
        with observed_call(self._observers, server.chat, server.address, request, kind) as call, server.call():
            yield call

    async def _check_trial(self, server: PooledServer) -> None:
        # Nobody should wait for a whole time-out to learn that it is still away.
        if server.breaker == "half-open":
            await server.chat.check()

    async def _in_time(self, answer: Awaitable[_Answer], deadline: float, whole_s: float) -> _Answer:
        """Await ``answer`` for the time of one try; ``deadline`` is that of the whole, which lasts ``whole_s``."""
        limit = _now() + self._timeout_s
        try:
            async with asyncio.timeout_at(min(limit, deadline)):
                return await answer
        except TimeoutError as error:
            limit_s = self._timeout_s if limit <= deadline else whole_s
            raise ChatTimedOut(f"The chat server did not answer within {limit_s:g} s.") from error

    def _nobody(self) -> ChatUnavailable:
        wait_s = min(server.wait_s for server in self.states)
        last = next((one.last_reason for one in self.states if one.last_reason), "it is being tried")
        if len(self.states) == 1:
            return ChatUnavailable(
                f"The chat server was unavailable {self.states[0].failures} times in a row and is not asked for "
                f"another {wait_s:.0f} s. Last: {last}"
            )
        return ChatUnavailable(
            f"None of the {len(self.states)} chat servers is available; the first is asked again in {wait_s:.0f} s. "
            f"Last: {last}"
        )


def _now() -> float:
    return asyncio.get_running_loop().time()
