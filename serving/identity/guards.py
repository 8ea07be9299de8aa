"""Guards that authenticate everyone: from the start, or as soon as there is a key."""

import asyncio
import logging
from collections.abc import Sequence

from library.keys import KeyStore
from serving.access import Actor, Guard, RequestInfo, Unauthenticated, refuse_other_origin, refuse_unknown_host
from serving.identity.base import MissingIdentity, Recogniser

_LOG = logging.getLogger(__name__)


class IdentityGuard:
    """Admits callers that one of ``recognisers``, tried in order, identifies.

    ``hosts`` are the names by which this server may be addressed in addition to those of this machine (none: any name,
    because an attacker who rebinds a name to this address has no key to send).
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
            raise Unauthenticated(
                f"This is neither an API key of this server nor another credential that it accepts: send {wanted}."
            )
        raise MissingIdentity(f"This server requires authentication: send {wanted}.")


class FirstKeyGuard:
    """Acts as ``before`` until there is a key, and as ``after`` permanently from then on.

    Each request checks whether there is one. If this cannot be checked, nobody is admitted.
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
            _LOG.warning("an API key now exists: from now on every request must be authenticated")
        return await (self._after if self._closed else self._before).authenticate(info)
