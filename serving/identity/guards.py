"""Guards that ask everyone who they are: from the start, or from the moment on at which there is a key."""

import asyncio
import logging
from collections.abc import Sequence

from library.keys import KeyStore
from serving.access import Actor, Guard, RequestInfo, Unauthenticated, refuse_other_origin, refuse_unknown_host
from serving.identity.base import MissingIdentity, Recogniser

_LOG = logging.getLogger(__name__)


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
        if info.bearer:
            raise Unauthenticated(f"This is no API key of this server, and nothing else that it knows: send {wanted}.")
        raise MissingIdentity(f"This server asks who you are: send {wanted}.")


class FirstKeyGuard:
    """Is ``before`` until there is a key, and ``after`` from then on, for good.

    Whether there is one is looked up for each request. Where it cannot be looked up nobody is let in.
    """

    def __init__(self, keeper: KeyStore, *, before: Guard, after: Guard) -> None:
        self._keeper = keeper
        self._before = before
        self._after = after
        self._closed = False

    @property
    def asks_everyone(self) -> bool:
        return self._closed

    async def authenticate(self, info: RequestInfo) -> Actor:
        if not self._closed and await asyncio.to_thread(self._keeper.any_kept):
            self._closed = True
            _LOG.warning("there is an API key now: from here on every request must say who makes it")
        return await (self._after if self._closed else self._before).authenticate(info)
