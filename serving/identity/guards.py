"""Guards that ask everyone who they are: from the start, or from the moment on at which there is a key."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from serving.access import (
    Actor,
    Guard,
    RequestInfo,
    Scope,
    Unauthenticated,
    expect_scope,
    refuse_other_origin,
    refuse_unknown_host,
)
from serving.identity.base import MissingIdentity, Recogniser

if TYPE_CHECKING:
    from library.keys import KeyStore

_LOG = logging.getLogger(__name__)
# How long after the first key was made a request without one may still be let in, at most.
FIRST_KEY_NOTICED_S = 2.0


class IdentityGuard:
    """Lets in whom one of ``recognisers``, asked in their order, recognises.

    ``hosts`` are the names by which this server may be asked for beside those of this machine (none: any name; whoever
    rebinds a name to this address has no key to send).
    """

    asks_everyone = True

    def __init__(self, recognisers: Sequence[Recogniser], *, hosts: Sequence[str] = ()) -> None:
        self._recognisers = tuple(recognisers)
        self._hosts = frozenset(map(str.lower, hosts))

    async def authenticate(self, info: RequestInfo) -> Actor:
        if self._hosts:
            refuse_unknown_host(info, self._hosts)
        if not info.from_allowed_origin:
            refuse_other_origin(info, self._hosts)
        for recogniser in self._recognisers:
            actor = await recogniser.recognise(info)
            if actor is not None:
                return actor
        wanted = "; or ".join(recogniser.asks_for for recogniser in self._recognisers)
        kind, _, value = info.headers.get("authorization", "").strip().partition(" ")
        if kind.lower() == "bearer" and value.strip():
            raise Unauthenticated(f"This is no API key of this server, and nothing else that it knows: send {wanted}.")
        raise MissingIdentity(f"This server asks who you are: send {wanted}.")

    async def admit(self, info: RequestInfo, scope: Scope) -> Actor:
        return expect_scope(await self.authenticate(info), scope)


class FirstKeyGuard:
    """Is ``before`` until there is a key, and ``after`` from then on, for good.

    Whether there is one is looked up at most every ``FIRST_KEY_NOTICED_S`` seconds: a key that another process makes
    takes effect within them. Where it cannot be looked up nobody is let in. For one event loop; ``clock`` tells seconds
    that only grow.
    """

    def __init__(
        self, keeper: "KeyStore", *, before: Guard, after: Guard, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._keeper = keeper
        self._before = before
        self._after = after
        self._clock = clock
        self._closed = False
        self._looked_s = float("-inf")
        self._looking = asyncio.Lock()

    @property
    def asks_everyone(self) -> bool:
        return self._closed

    async def authenticate(self, info: RequestInfo) -> Actor | None:
        return await (await self._in_force()).authenticate(info)

    async def admit(self, info: RequestInfo, scope: Scope) -> Actor:
        return await (await self._in_force()).admit(info, scope)

    async def _in_force(self) -> Guard:
        if not self._closed and self._clock() - self._looked_s >= FIRST_KEY_NOTICED_S:
            async with self._looking:
                if not self._closed and self._clock() - self._looked_s >= FIRST_KEY_NOTICED_S:
                    begun_s = self._clock()
                    self._closed = await asyncio.to_thread(self._keeper.any_kept)
                    self._looked_s = begun_s
                    if self._closed:
                        _LOG.warning("there is an API key now: from here on every request must say who makes it")
        return self._after if self._closed else self._before
