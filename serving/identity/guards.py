"""The guard: admits only requests with an identified caller, from the start or as soon as a key exists."""

import asyncio
import logging
from collections.abc import Sequence

from library.keys import KeyStore
from serving.access import (
    Actor,
    RequestInfo,
    Unauthenticated,
    is_navigation,
    refuse_other_origin,
    refuse_other_pages,
    refuse_unknown_host,
)
from serving.identity.base import MissingIdentity, Recogniser

_LOG = logging.getLogger(__name__)


class Guard:
    """Admits callers that are identified by one of ``recognisers``, which are tried in order.

    Without ``recognisers`` (None), it admits requests from this machine that no other web page sent, and everybody may
    do everything; histories call them ``user``. It also does this while ``before`` has no key; each request checks
    whether a key exists, and if this check fails, nobody is admitted. ``hosts`` are the names by which this server may
    be addressed in addition to those of this machine. If everybody must be identified, an empty ``hosts`` means that
    any name is accepted, because an attacker who rebinds a name to this address has no key to send.
    """

    def __init__(
        self,
        recognisers: Sequence[Recogniser] | None = None,
        *,
        hosts: Sequence[str] = (),
        user: str = "",
        before: KeyStore | None = None,
    ) -> None:
        self._recognisers = tuple(recognisers or ())
        self._before = before
        self._user = user
        self.hosts = frozenset(map(str.lower, hosts))
        # Whether each request must be authenticated; once true, it stays true.
        self.asks_everyone = recognisers is not None and before is None

    async def authenticate(self, info: RequestInfo) -> Actor:
        """Return the caller of the request; this is called before its body is read.

        Raises:
            Unauthenticated: it has no valid credential.
            Forbidden: it could come from another web page, or addresses this server by a name that is not its own.
            InvalidInput: a header that names the caller cannot be used.
        """
        if not self.asks_everyone and self._before is not None and await asyncio.to_thread(self._before.any_kept):
            self.asks_everyone = True
            _LOG.warning("an API key exists: from now on every request must be authenticated")
        self.expect_own_name(info)
        if self.asks_everyone:
            if not info.from_allowed_origin:
                refuse_other_origin(info, self.hosts)
            return await self._recognised(info)
        if not info.from_allowed_origin and not is_navigation(info):
            refuse_other_origin(info, self.hosts)
            refuse_other_pages(info)
        return Actor(name=self._user)

    def expect_own_name(self, info: RequestInfo) -> None:
        """Check that a request addresses this server by one of its names. Raises ``Forbidden`` if it does not."""
        if self.hosts or not self.asks_everyone:
            refuse_unknown_host(info, self.hosts)

    async def _recognised(self, info: RequestInfo) -> Actor:
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
