"""Callers identified by the API key of a request, or by the cookie that a browser got when its user logged in."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from starlette.requests import cookie_parser

from contracts.errors import GoldenError
from contracts.keys import ApiKey
from library.keys import PREFIX, KeyStore
from library.sessions import SessionStore
from serving.access import Actor, RequestInfo, Unauthenticated, is_navigation, refuse_other_pages

COOKIE = "golden_session"
_LOG = logging.getLogger(__name__)
# A use is recorded if the last record is older than this: the store itself keeps at most one per minute.
_NOTED_FOR = timedelta(minutes=1)


class KeyRecogniser:
    """Identifies callers with an API key as ``Authorization: Bearer``, which no other web page can send.

    Each request looks up its key, so a key that any process has revoked is refused from the next request on.
    """

    asks_for = "an API key as Authorization: Bearer gr_... (an administrator creates one with: golden keys create NAME)"

    def __init__(self, keeper: KeyStore) -> None:
        self._keeper = keeper
        self._uses = UseNotes()

    async def recognise(self, info: RequestInfo) -> Actor | None:
        """Return the holder of the request's key; None if it sends nothing that looks like a key."""
        if not info.bearer.startswith(PREFIX):
            return None
        record = await asyncio.to_thread(self._keeper.find, info.bearer)
        if record is None or record.state != "active":
            raise Unauthenticated(_REFUSALS[record.state if record is not None else "unknown"])
        self._uses.note(record.id, record.last_used_at, partial(self._keeper.note_use, record.id))
        return actor_of(record)


class UseNotes:
    """Records uses in the background, because a writer may have to wait for an ingestion; once a minute is enough."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def note(self, name: str, last: datetime | None, write: Callable[[], None]) -> None:
        """Record the use of ``name``, unless the ``last`` record is recent, or one is being written."""
        fresh = last is not None and datetime.now(UTC) - last < _NOTED_FOR
        if not fresh and name not in self._tasks:
            self._tasks[name] = asyncio.create_task(_noted(write))
            self._tasks[name].add_done_callback(lambda _: self._tasks.pop(name, None))


async def _noted(write: Callable[[], None]) -> None:
    try:
        await asyncio.to_thread(write)
    except GoldenError as error:
        _LOG.warning("the use of a key was not recorded: %s", error)


def actor_of(record: ApiKey) -> Actor:
    """Return the caller that a key identifies."""
    return Actor(
        name=record.name,
        groups=record.groups,
        scopes=record.scopes,
        department=record.department,
        key_id=record.id,
        account=f"key:{record.id}",
    )


_HOW = "send a valid one as Authorization: Bearer gr_..."
_REFUSALS = {
    "unknown": f"This is not an API key of this server: {_HOW}",
    "expired": f"This API key has expired: {_HOW}",
    "revoked": f"This API key was revoked: {_HOW}",
}


class SessionRecogniser:
    """Identifies people who are logged in with a browser.

    Each request looks up its session and the session's key, so revoking a key in any process ends the session at once.
    A browser sends the cookie automatically, so the request must come from the server's own page. A bearer token takes
    precedence over the cookie, and cookies are ignored for pages of other origins. A cookie whose session has ended is
    ignored.
    """

    asks_for = "a login at /login with a browser"

    def __init__(self, keeper: SessionStore) -> None:
        self._keeper = keeper
        self._uses = UseNotes()

    async def recognise(self, info: RequestInfo) -> Actor | None:
        token = cookie_parser(info.headers.get("cookie", "")).get(COOKIE, "")
        if not token or info.bearer or info.from_allowed_origin:
            return None
        session = await asyncio.to_thread(self._keeper.find, token)
        if session is None:
            return None
        if not is_navigation(info):
            refuse_other_pages(info)
        self._uses.note(session.digest, session.seen_at, partial(self._keeper.note_use, session))
        if session.key is not None:
            return replace(actor_of(session.key), by_session=True)
        return Actor(
            name=session.name, groups=session.groups, scopes=session.scopes, account=session.account, by_session=True
        )
