"""Several chat servers: which of them is asked next, and when a call is tried again."""

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from contracts.errors import ChatUnavailable, GoldenError
from tools.chat.base import ChatModel
from tools.chat.refusal import ChatBusy, ChatLocked, ChatRefused, ChatTimedOut, ChatWithout

BreakerState = Literal["closed", "open", "half-open"]
_MOST_WAIT_S = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """How one server does: its circuit breaker, its calls under way, and why it last failed."""

    address: str
    breaker: BreakerState
    in_flight: int
    last_reason: str


class PooledServer:
    """One server of a pool with its circuit breaker.

    The breaker opens after ``failures`` calls in a row that found the server unavailable; a time-out counts twice,
    and calls that fail at the same time count once. Nothing is sent for ``cool_down_s`` seconds. Then it is half-open:
    the server is probed, and one call tries while the others are refused; its outcome closes or opens the breaker.

    Source: Nygard 2007, "Release It!", the circuit breaker.
    """

    def __init__(
        self, chat: ChatModel, *, failures: int, cool_down_s: float, probe_timeout_s: float, clock: Callable[[], float]
    ) -> None:
        self.chat = chat
        self.in_flight = 0
        self.asked_at = 0
        self.failures = 0
        self.trying = False
        self.last_reason = ""
        self._most_failures = failures
        self._cool_down_s = cool_down_s
        self._probe_timeout_s = probe_timeout_s
        self._clock = clock
        self._open_until = 0.0
        self._rests_until = 0.0

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

    @property
    def rests(self) -> bool:
        """Whether the server has asked callers to come back later."""
        return self._clock() < self._rests_until

    @property
    def state(self) -> ServerState:
        """How it does."""
        return ServerState(
            address=str(getattr(self.chat, "address", self.chat.model)),
            breaker=self.breaker,
            in_flight=self.in_flight,
            last_reason=self.last_reason,
        )

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count a call and its outcome. A cancelled call says nothing about the server."""
        before, trial = self.failures, self.breaker == "half-open"
        self.trying = self.trying or trial
        self.in_flight += 1
        try:
            yield
        except GoldenError as error:
            if not isinstance(error, ChatUnavailable) or isinstance(error, ChatRefused | ChatWithout):
                # It answers.
                self.succeed()
                raise
            self.last_reason = str(error)
            # Calls that fail at the same time count once: a server that is busy for a moment is not dead.
            if self.failures == before:
                self._fail(2 if isinstance(error, ChatTimedOut) else 1)
            if isinstance(error, ChatBusy) and error.retry_after_s:
                self._rests_until = self._clock() + error.retry_after_s
            raise
        else:
            self.succeed()
        finally:
            self.in_flight -= 1
            self.trying = self.trying and not trial

    def succeed(self) -> None:
        """Close the breaker."""
        self.failures = 0

    async def probe(self) -> bool:
        """Return whether a half-open server is there, and open its breaker again where it is not."""
        self.trying = True
        try:
            async with asyncio.timeout(self._probe_timeout_s):
                await self.chat.check()
            return True
        except TimeoutError:
            self.last_reason = f"it did not answer a probe within {self._probe_timeout_s:g} s"
        except GoldenError as error:
            self.last_reason = str(error)
        finally:
            self.trying = False
        self._fail(1)
        return False

    async def probe_and_close(self) -> None:
        """Close the breaker where a probe finds the server there; the first call that fails opens it again."""
        if await self.probe():
            self.failures = self._most_failures - 1

    def _fail(self, weight: int) -> None:
        self.failures += weight
        if self.failures >= self._most_failures:
            self._open_until = self._clock() + self._cool_down_s


class ServerPool:
    """Chooses the least busy of the available servers, and probes those that may be available again."""

    def __init__(self, servers: Sequence[PooledServer]) -> None:
        self.servers = tuple(servers)
        self._asked = 0
        self._probes: set[asyncio.Task[None]] = set()

    async def choose(self, failed: Sequence[PooledServer], barred: Sequence[PooledServer]) -> PooledServer:
        """Return the server to ask, preferably none of ``failed`` and never one of ``barred``.

        A half-open server is probed first: in the background where another server is available.

        Raises:
            ChatUnavailable: no server is available; the text says why and until when.
        """
        usable = [server for server in self.servers if server not in barred]
        closed = [server for server in usable if server.breaker == "closed"]
        half_open = [server for server in usable if server.breaker == "half-open"]
        if closed:
            for server in half_open:
                if not server.trying:
                    self._probe_in_background(server)
            return self._taken(min(closed, key=lambda one: (one in failed, one.rests, one.in_flight, one.asked_at)))
        for server in half_open:
            if not server.trying and await server.probe():
                return self._taken(server)
        raise self._nobody()

    def has_other(self, than: Sequence[PooledServer]) -> bool:
        """Tell whether a server that is not one of ``than`` could be asked at once."""
        return any(one.breaker == "closed" and not one.rests for one in self.servers if one not in than)

    async def close(self) -> None:
        """End the probes and close the connections."""
        for probe in tuple(self._probes):
            probe.cancel()
        await asyncio.gather(*self._probes, return_exceptions=True)
        for server in self.servers:
            await server.chat.close()

    def _taken(self, server: PooledServer) -> PooledServer:
        self._asked += 1
        server.asked_at = self._asked
        return server

    def _probe_in_background(self, server: PooledServer) -> None:
        # The task begins later; until then no other call may start a probe.
        server.trying = True
        task = asyncio.create_task(server.probe_and_close())
        self._probes.add(task)
        task.add_done_callback(self._probes.discard)

    def _nobody(self) -> ChatUnavailable:
        wait_s = min(server.wait_s for server in self.servers)
        last = next((one.last_reason for one in self.servers if one.last_reason), "it is being tried")
        if len(self.servers) == 1:
            return ChatUnavailable(
                f"The chat server was unavailable {self.servers[0].failures} times in a row and is not asked for "
                f"another {wait_s:.0f} s. Last: {last}"
            )
        return ChatUnavailable(
            f"None of the {len(self.servers)} chat servers is available; the first is asked again in {wait_s:.0f} s. "
            f"Last: {last}"
        )


class Tries:
    """The tries of one call: which server is next, how long to wait, and when to give up.

    The wait begins with ``first_wait_s`` and doubles, up to 8 s; of each wait a random part between a half and the
    whole is taken. A longer wait that the server asks for is kept.

    Source: Brooker 2015, "Exponential Backoff And Jitter" (equal jitter).
    """

    def __init__(self, pool: ServerPool, *, retries: int, first_wait_s: float, deadline: float) -> None:
        self._pool = pool
        self._retries = retries
        self._wait_s = first_wait_s
        self._failed: list[PooledServer] = []
        self._barred: list[PooledServer] = []
        self._error: GoldenError | None = None
        self.deadline = deadline

    async def server(self) -> PooledServer:
        """Return the server to ask now.

        Raises:
            ChatUnavailable: there is none.
            GoldenError: there is none any more; the error is the last try's.
        """
        try:
            return await self._pool.choose(self._failed, self._barred)
        except ChatUnavailable as nobody:
            raise self._error or nobody from None

    async def failed(self, server: PooledServer, error: GoldenError) -> None:
        """Wait until the next try.

        Raises:
            GoldenError: ``error`` itself; there is no next try.
        """
        self._error = error
        self._failed.append(server)
        if isinstance(error, ChatRefused) or len(self._failed) > self._retries:
            raise error
        if isinstance(error, ChatTimedOut | ChatLocked):
            self._barred.append(server)
        if self._pool.has_other(self._failed):
            return
        if len(self._barred) == len(self._pool.servers):
            raise error
        wait_s = self._wait_s * random.uniform(0.5, 1.0)
        self._wait_s = min(2 * self._wait_s, _MOST_WAIT_S)
        if isinstance(error, ChatBusy) and error.retry_after_s:
            wait_s = max(wait_s, error.retry_after_s)
        if asyncio.get_running_loop().time() + wait_s >= self.deadline:
            raise error
        await asyncio.sleep(wait_s)
