"""Several chat servers: which of them is asked next."""

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from contracts.errors import ChatUnavailable, GoldenError
from tools.chat.base import ChatModel
from tools.chat.breaker import BreakerState, CircuitBreaker
from tools.chat.refusal import ChatBusy, ChatLocked, ChatRefused, ChatTimedOut, ChatWithout


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """How one server does: its breaker, the calls that it is answering now, and why it last failed."""

    address: str
    breaker: BreakerState
    in_flight: int
    last_reason: str


class PooledServer:
    """One server of a pool: a chat model, its circuit breaker, and the calls that it is answering."""

    def __init__(self, chat: ChatModel, breaker: CircuitBreaker, clock: Callable[[], float]) -> None:
        self.chat = chat
        self.breaker = breaker
        self.in_flight = 0
        self.asked_at = 0
        self._clock = clock
        self._rests_until = 0.0

    @property
    def rests(self) -> bool:
        """Whether it has asked to be left alone for a while."""
        return self._clock() < self._rests_until

    @property
    def state(self) -> ServerState:
        """How it does."""
        return ServerState(
            address=str(getattr(self.chat, "address", self.chat.model)),
            breaker=self.breaker.state,
            in_flight=self.in_flight,
            last_reason=self.breaker.last_reason,
        )

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Count a call, and tell the breaker what came of it. A call that is cancelled tells nothing."""
        admission = self.breaker.begin()
        self.in_flight += 1
        try:
            yield
        except (ChatRefused, ChatWithout):
            self.breaker.succeed()
            raise
        except ChatUnavailable as error:
            self.breaker.fail(admission, str(error), weight=2 if isinstance(error, ChatTimedOut) else 1)
            if isinstance(error, ChatBusy) and error.retry_after_s:
                self._rests_until = self._clock() + error.retry_after_s
            raise
        except GoldenError:
            # It answers, if badly.
            self.breaker.succeed()
            raise
        else:
            self.breaker.succeed()
        finally:
            self.in_flight -= 1
            self.breaker.end(admission)

    async def probe(self, timeout_s: float) -> bool:
        """Return whether a half-open server is there, and open its breaker again where it is not."""
        admission = self.breaker.begin()
        try:
            async with asyncio.timeout(timeout_s):
                await self.chat.check()
        except TimeoutError:
            self.breaker.fail(
                admission, f"it did not answer within {timeout_s:g} s when it was asked whether it is there"
            )
            return False
        except GoldenError as error:
            self.breaker.fail(admission, str(error))
            return False
        finally:
            self.breaker.end(admission)
        return True


class ServerPool:
    """Chooses the least busy of the servers that are well, and probes those that may be well again."""

    def __init__(self, servers: Sequence[PooledServer], *, probe_timeout_s: float) -> None:
        self.servers = tuple(servers)
        self._probe_timeout_s = probe_timeout_s
        self._asked = 0
        self._probes: set[asyncio.Task[None]] = set()

    async def choose(self, failed: Sequence[PooledServer], barred: Sequence[PooledServer]) -> PooledServer:
        """Return the server to ask, rather none of ``failed`` and never one of ``barred``.

        A half-open one is probed first: beside the call where another server is well, else before it.

        Raises:
            ChatUnavailable: there is none just now; the text says why and until when.
        """
        usable = [server for server in self.servers if server not in barred]
        closed = [server for server in usable if server.breaker.state == "closed"]
        waiting = [server for server in usable if server.breaker.state == "half-open" and not server.breaker.trying]
        if closed:
            for server in waiting:
                self._probe_beside(server)
            return self._taken(min(closed, key=lambda one: (one in failed, one.rests, one.in_flight, one.asked_at)))
        for server in waiting:
            if await server.probe(self._probe_timeout_s) and not server.breaker.trying:
                return self._taken(server)
        raise self._nobody()

    def has_other(self, than: Sequence[PooledServer]) -> bool:
        """Tell whether a server that is well and not one of ``than`` could be asked at once."""
        return any(one.breaker.state == "closed" and not one.rests for one in self.servers if one not in than)

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

    def _probe_beside(self, server: PooledServer) -> None:
        async def probe() -> None:
            if await server.probe(self._probe_timeout_s):
                server.breaker.allow_one_failure()

        # From now on: the task begins only when this call waits.
        server.breaker.begin()
        task = asyncio.create_task(probe())
        self._probes.add(task)
        task.add_done_callback(self._probes.discard)

    def _nobody(self) -> ChatUnavailable:
        breakers = [server.breaker for server in self.servers]
        wait = min(breaker.wait_s for breaker in breakers)
        last = f"Last: {next((each.last_reason for each in breakers if each.last_reason), 'it is being tried')}"
        if len(breakers) == 1:
            return ChatUnavailable(
                f"The chat server was unavailable {breakers[0].failures} times in a row and is not asked for another "
                f"{wait:.0f} s. {last}"
            )
        return ChatUnavailable(
            f"None of the {len(breakers)} chat servers is available; the first is asked again in {wait:.0f} s. {last}"
        )


class Tries:
    """The tries of one call: which server is next, how long to wait, and when to give up.

    ``waits`` says how long: from ``first_wait_s``, doubled each time up to ``most_wait_s``, of which a random part
    between a half and the whole is taken; a longer wait that the server asks for is kept.

    Source: Brooker 2015, "Exponential Backoff And Jitter" (equal jitter).
    """

    def __init__(
        self,
        pool: ServerPool,
        *,
        retries: int,
        first_wait_s: float,
        most_wait_s: float,
        deadline: float,
        chance: random.Random,
    ) -> None:
        self._pool = pool
        self._retries = retries
        self._wait_s = first_wait_s
        self._most_wait_s = most_wait_s
        self._chance = chance
        self._failed: list[PooledServer] = []
        self._barred: list[PooledServer] = []
        self._error: GoldenError | None = None
        self.deadline = deadline

    async def server(self) -> PooledServer:
        """Return the server to ask now.

        Raises:
            ChatUnavailable: there is none.
            GoldenError: there is none any more; it is the last try's.
        """
        try:
            return await self._pool.choose(self._failed, self._barred)
        except ChatUnavailable as nobody:
            raise self._error or nobody from None

    async def failed(self, server: PooledServer, error: GoldenError) -> None:
        """Wait until the next try; raise the error where there is to be none.

        Raises:
            GoldenError: ``error`` itself.
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
        wait = self._wait_s * self._chance.uniform(0.5, 1.0)
        self._wait_s = min(2 * self._wait_s, self._most_wait_s)
        if isinstance(error, ChatBusy) and error.retry_after_s:
            wait = max(wait, error.retry_after_s)
        if asyncio.get_running_loop().time() + wait >= self.deadline:
            raise error
        await asyncio.sleep(wait)
