"""Keeping the pages' door: the server says who somebody is, by the credentials that their browser sent."""

import hashlib
import time
from collections.abc import Callable

import httpx

from contracts.errors import Unavailable
from golden_retriever.alone.headers import request_headers
from serving.access import (
    Actor,
    Forbidden,
    Knock,
    Unauthenticated,
    is_navigation,
    refuse_other_pages,
    refuse_strange_origin,
)
from serving.identity.base import MissingIdentity
from serving.me import PREFIX as ME

# What a page loads comes in dozens; each thing that it shows is asked of the server anew, by the same credentials.
_KNOWN_FOR_S = 5.0
_MAX_KNOWN = 10_000
# What tells people apart, and under which name they ask for the server.
_TELLING = ("authorization", "cookie", "host", "x-golden-user")


class RemoteDoorkeeper:
    """Lets into the pages whom the server knows. For one event loop; ``clock`` tells seconds that only grow.

    ``http`` has the server's address for its base. ``hosts`` are names under which a proxy serves the pages.
    ``closed_only``: others than this machine can reach the pages, and a server that asks nobody who they are would be
    open to them; then nobody is let in. The server sees every request as this process's, so that pages of other origins
    are refused here.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        hosts: frozenset[str] = frozenset(),
        closed_only: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = http
        self._hosts = hosts
        self._closed_only = closed_only
        self._clock = clock
        self._known: dict[str, tuple[float, Actor]] = {}
        self._closed_until_s = float("-inf")

    async def let_in(self, knock: Knock) -> Actor:
        """Return who makes the request.

        Raises:
            Unauthenticated: the server does not know them.
            Forbidden: another web page could have sent it, they may not ask, or the server asks nobody who they are.
            Unavailable: the server cannot be asked just now.
        """
        await self.expect_closed()
        refuse_strange_origin(knock, self._hosts)
        if not is_navigation(knock):
            refuse_other_pages(knock)
        told = "\n".join(f"{name}={knock.headers.get(name, '')}" for name in _TELLING)
        name = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
        known = self._known.get(name)
        if known is not None and self._clock() - known[0] < _KNOWN_FOR_S:
            return known[1]
        headers = {each: knock.headers[each] for each in _TELLING if each in knock.headers}
        actor = await self._asked(request_headers(headers, knock.peer))
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        self._known[name] = self._clock(), actor
        return actor

    async def expect_closed(self) -> None:
        """See that the server asks everyone who they are, where others than this machine can reach the pages.

        Raises:
            Forbidden: it asks nobody.
            Unavailable: it cannot be asked just now.
        """
        if not self._closed_only or self._clock() < self._closed_until_s:
            return
        try:
            await self._asked([("host", "localhost")])
        except (Unauthenticated, Forbidden):
            self._closed_until_s = self._clock() + _KNOWN_FOR_S
            return
        raise Forbidden(
            "The server behind these pages asks nobody who they are, and other machines can reach these pages: make a "
            "key on the server (golden keys create NAME), or let these pages listen on 127.0.0.1."
        )

    async def _asked(self, headers: list[tuple[str, str]]) -> Actor:
        try:
            answer = await self._http.get(ME, headers=headers)
            told = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise Unavailable(f"The server cannot be reached just now: {error or type(error).__name__}") from None
        if answer.is_success:
            groups = told.get("groups")
            return Actor(
                name=told.get("name", ""),
                groups=None if groups is None else frozenset(groups),
                scopes=frozenset(told.get("scopes", ())),
                account=told.get("account", ""),
                by_session=bool(told.get("can_log_out")),
            )
        said = str(told.get("error", {}).get("message", "")) or f"The server answered {answer.status_code}."
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            raise MissingIdentity(said)
        if answer.status_code == httpx.codes.FORBIDDEN:
            raise Forbidden(said)
        raise Unavailable(said)
