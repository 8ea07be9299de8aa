"""Chat servers that may fail: time limits, tries, circuit breakers, and the least busy of several."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

from contracts.errors import ChatUnavailable, MalformedReply
from tools.chat.base import ChatModel, ChatReply, ChatRequest, ContextWindow
from tools.chat.breaker import CircuitBreaker
from tools.chat.closing import closing
from tools.chat.patience import Patience
from tools.chat.pool import PooledServer, ServerPool, ServerState, Tries
from tools.chat.refusal import ChatTimedOut
from tools.chat.tokens import EstimatingTokenCounter


class ResilientChatModel:
    """Asks one of ``servers``, which serve the same models: bounded in time, with tries and a circuit breaker each.

    One try takes at most ``timeout_s``: to the whole reply, or in a stream to the first piece and to each next one.
    All tries of a call with their waits take at most ``total_timeout_s``, a stream as a whole ``stream_timeout_s``.
    After a failure a call is tried again up to ``retries`` times: at once with another server that is well, else
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
        most_wait_s: float = 8.0,
        failures: int = 4,
        cool_down_s: float = 10.0,
        probe_timeout_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
        chance: random.Random | None = None,
    ) -> None:
        self._timeout_s = timeout_s
        self._total_timeout_s = total_timeout_s if total_timeout_s is not None else 2 * timeout_s
        self._stream_timeout_s = stream_timeout_s
        self._retries = retries
        self._first_wait_s = first_wait_s
        self._most_wait_s = most_wait_s
        self._probe_timeout_s = min(probe_timeout_s, timeout_s)
        self._chance = chance or random.Random()
        pooled = [
            PooledServer(server, CircuitBreaker(failures=failures, cool_down_s=cool_down_s, clock=clock), clock)
            for server in servers
        ]
        self._windows: dict[str, ContextWindow] = {}
        self._pool = ServerPool(pooled, probe_timeout_s=self._probe_timeout_s)

    @property
    def model(self) -> str:
        """The default model's name: of the first server that knows it."""
        return next((one.chat.model for one in self._pool.servers if one.chat.model), "")

    @property
    def states(self) -> tuple[ServerState, ...]:
        """How each server does."""
        return tuple(server.state for server in self._pool.servers)

    @property
    def available(self) -> bool:
        """Whether a call would be sent now."""
        breakers = [server.breaker for server in self._pool.servers]
        return any(each.state == "closed" or (each.state == "half-open" and not each.trying) for each in breakers)

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
                with server.asked():
                    limit = asyncio.get_running_loop().time() + self._timeout_s
                    try:
                        async with asyncio.timeout_at(min(limit, tries.deadline)):
                            return await server.chat.complete(request)
                    except TimeoutError as error:
                        raise self._too_late(self._timeout_s) from error
            except (ChatUnavailable, MalformedReply) as error:
                await tries.failed(server, error)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Yield the reply's text as it comes. Raises as ``complete`` does, before the first piece or between two."""
        deadline = asyncio.get_running_loop().time() + self._stream_timeout_s
        tries = self._tries()
        given = False
        while True:
            server = await tries.server()
            try:
                with server.asked():
                    async with aclosing(self._pieces(server, request, tries.deadline, deadline)) as pieces:
                        async for piece in pieces:
                            if not given:
                                # A trial is won with the first piece: the others need not wait for the last.
                                server.breaker.succeed()
                            given = True
                            yield piece
                return
            except (ChatUnavailable, MalformedReply) as error:
                if given:
                    raise
                await tries.failed(server, error)

    async def window(self, model: str = "") -> ContextWindow:
        """Return how long a request may be: the least that the servers say that are well, else what was last known."""
        well = [one for one in self._pool.servers if one.breaker.state == "closed"]
        answers = await asyncio.gather(*(self._window(server, model) for server in well))
        windows = [answer for answer in answers if answer is not None]
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
        return Tries(
            self._pool,
            retries=self._retries,
            first_wait_s=self._first_wait_s,
            most_wait_s=self._most_wait_s,
            deadline=asyncio.get_running_loop().time() + self._total_timeout_s,
            chance=self._chance,
        )

    async def _pieces(
        self, server: PooledServer, request: ChatRequest, first_deadline: float, deadline: float
    ) -> AsyncGenerator[str, None]:
        loop, patience = asyncio.get_running_loop(), Patience()
        try:
            async with aclosing(closing(server.chat.stream(request))) as pieces:
                until = min(deadline, first_deadline)
                while True:
                    limit = min(loop.time() + self._timeout_s, until)
                    try:
                        with patience.until(limit):
                            piece = await anext(pieces)
                    except StopAsyncIteration:
                        return
                    except TimeoutError as error:
                        limit_s = self._stream_timeout_s if limit == deadline else self._timeout_s
                        raise self._too_late(limit_s) from error
                    until = deadline
                    yield piece
        finally:
            patience.close()

    async def _window(self, server: PooledServer, model: str) -> ContextWindow | None:
        try:
            # Its own limit comes first as a rule: it remembers then that it need not ask again at once.
            async with asyncio.timeout(2 * self._probe_timeout_s):
                return await server.chat.window(model)
        except (TimeoutError, ChatUnavailable):
            return None

    def _too_late(self, limit_s: float) -> ChatTimedOut:
        return ChatTimedOut(f"The chat server did not answer within {limit_s:g} s.")
