"""Chat servers that may fail: time limits, tries, circuit breakers, and the least busy of several."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from contracts.errors import ChatUnavailable, MalformedReply
from tools.chat.base import ChatModel, ChatReply, ChatRequest, ContextWindow
from tools.chat.pool import PooledServer, ServerPool, ServerState, Tries
from tools.chat.refusal import ChatTimedOut
from tools.chat.tokens import EstimatingTokenCounter

_Answer = TypeVar("_Answer")


class ResilientChatModel:
    """Asks one of ``servers``, which serve the same models: bounded in time, with tries and a circuit breaker each.

    One try takes at most ``timeout_s``: to the whole reply, or in a stream to the first piece and to each next one.
    All tries of a call with their waits take at most ``total_timeout_s``, a stream as a whole ``stream_timeout_s``.
    After a failure a call is tried again up to ``retries`` times: at once with another available server, else
    after a wait with jitter, or the one that the server asks for. After a time-out, or where the key is refused, only
    another server is tried. A request that was refused is not tried again.

    A stream is tried again only while nothing of it has been given out: beginning anew would show a reader the same
    words twice, or two answers in one. What broke off later is raised, and whoever shows the stream puts another
    answer in its place.
    """

    def __init__(
        self,
        *servers: ChatModel,
        timeout_s: float = 60.0,
        total_timeout_s: float | None = None,
        stream_timeout_s: float = 300.0,
        retries: int = 2,
        first_wait_s: float = 0.5,
        failures: int = 4,
        cool_down_s: float = 10.0,
        probe_timeout_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._timeout_s = timeout_s
        self._total_timeout_s = total_timeout_s if total_timeout_s is not None else 2 * timeout_s
        self._stream_timeout_s = stream_timeout_s
        self._retries = retries
        self._first_wait_s = first_wait_s
        self._windows: dict[str, ContextWindow] = {}
        self._pool = ServerPool(
            [
                PooledServer(
                    server,
                    failures=failures,
                    cool_down_s=cool_down_s,
                    probe_timeout_s=min(probe_timeout_s, timeout_s),
                    clock=clock,
                )
                for server in servers
            ]
        )

    @property
    def model(self) -> str:
        """The default model's name: of the first server that knows it."""
        return next((one.chat.model for one in self._pool.servers if one.chat.model), "")

    @property
    def states(self) -> tuple[ServerState, ...]:
        """How each server does."""
        return tuple(server.state for server in self._pool.servers)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply.

        Raises:
            ChatUnavailable: every try failed, the request was refused, or no server is asked just now.
            MalformedReply: the last answer was no chat completion.
        """
        tries = self._tries()
        while True:
            server = await tries.server()
            try:
                with server.call():
                    reply = server.chat.complete(request)
                    return await self._in_time(reply, tries.deadline, self._total_timeout_s)
            except (ChatUnavailable, MalformedReply) as error:
                await tries.failed(server, error)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's text as it comes. Raises as ``complete`` does, before the first piece or between two."""
        deadline = asyncio.get_running_loop().time() + self._stream_timeout_s
        tries = self._tries()
        given = False
        while True:
            server = await tries.server()
            until = min(deadline, tries.deadline)
            try:
                with server.call():
                    async with aclosing(server.chat.stream(request)) as pieces:
                        while (
                            piece := await self._in_time(anext(pieces, None), until, self._stream_timeout_s)
                        ) is not None:
                            if not given:
                                # A trial succeeds with the first piece: others need not wait for the last.
                                server.succeed()
                            given, until = True, deadline
                            yield piece
                return
            except (ChatUnavailable, MalformedReply) as error:
                if given:
                    raise
                await tries.failed(server, error)

    async def window(self, model: str = "") -> ContextWindow:
        """Return how long a request may be: the least that the available servers say, else what was last known."""
        available = [one for one in self._pool.servers if one.breaker == "closed"]
        windows = await asyncio.gather(*(server.chat.window(model) for server in available))
        if windows:
            known = [each.max_tokens for each in windows if each.max_tokens]
            self._windows[model] = ContextWindow(max_tokens=min(known, default=None), counter=windows[0].counter)
        return self._windows.get(model) or ContextWindow(max_tokens=None, counter=EstimatingTokenCounter())

    async def check(self) -> None:
        """Ask all servers whether they are there; one is enough.

        Raises:
            ChatUnavailable: none is; the text is the first's.
        """
        answers = await asyncio.gather(*(server.chat.check() for server in self._pool.servers), return_exceptions=True)
        errors = [answer for answer in answers if isinstance(answer, BaseException)]
        if len(errors) == len(answers):
            raise errors[0]

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        await self._pool.close()

    def _tries(self) -> Tries:
        deadline = asyncio.get_running_loop().time() + self._total_timeout_s
        return Tries(self._pool, retries=self._retries, first_wait_s=self._first_wait_s, deadline=deadline)

    async def _in_time(self, answer: Awaitable[_Answer], deadline: float, whole_s: float) -> _Answer:
        """Await ``answer`` for the time of one try; ``deadline`` is that of the whole, which lasts ``whole_s``."""
        limit = asyncio.get_running_loop().time() + self._timeout_s
        try:
            async with asyncio.timeout_at(min(limit, deadline)):
                return await answer
        except TimeoutError as error:
            limit_s = self._timeout_s if limit <= deadline else whole_s
            raise ChatTimedOut(f"The chat server did not answer within {limit_s:g} s.") from error
