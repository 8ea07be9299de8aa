"""Sessions: who asks is told by the cookie that a browser got when its user logged in."""

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from contracts.errors import GoldenError
from library.session_values import Session
from serving.access import Actor, Knock, is_navigation, refuse_other_pages
from serving.keys import actor_of

COOKIE = "golden_session"
_LOG = logging.getLogger(__name__)
# A use is noted when the last note is older: the store itself keeps one a minute.
_NOTED_FOR = timedelta(minutes=1)


class SessionFinder(Protocol):
    """Finds sessions. Blocking and thread-safe; each raises ``Unavailable`` where the database does not answer."""

    def find(self, token: str) -> Session | None:
        """Return the session of what a browser sent, or None where there is none in force."""
        ...

    def note_use(self, session: Session) -> None:
        """Note that a session is used now."""
        ...


class SessionRecogniser:
    """Recognises who is logged in with a browser.

    Each request looks its session up, and the key that it is of, so that a revoked key ends it at once, whichever
    process revoked it. A browser sends the cookie by itself: the request must come from the server's own page. Whoever
    brings a bearer token asks by that, and no cookie counts for pages of other origins. A cookie whose session is over
    says nothing.
    """

    asks_for = "a login at /login with a browser"

    def __init__(self, finder: SessionFinder) -> None:
        self._finder = finder
        self._noting: dict[str, asyncio.Task[None]] = {}

    async def recognise(self, knock: Knock) -> Actor | None:
        """Return who is logged in; None where the request brings no cookie of a session in force.

        Raises:
            Forbidden: another web page could have sent it.
            Unavailable: the sessions cannot be looked up just now.
        """
        token = cookie_in(knock.headers.get("cookie", ""), COOKIE)
        bearer = knock.headers.get("authorization", "").strip().lower().startswith("bearer ")
        if not token or bearer or knock.welcome:
            return None
        session = await asyncio.to_thread(self._finder.find, token)
        if session is None:
            return None
        if not is_navigation(knock):
            refuse_other_pages(knock)
        self._note(session)
        if session.key is not None:
            return replace(actor_of(session.key), by_session=True)
        return Actor(
            name=session.name,
            groups=session.groups,
            scopes=session.scopes,
            account=session.account,
            by_session=True,
        )

    def _note(self, session: Session) -> None:
        """Note the use beside the request: a writer may have to wait for an ingestion."""
        if datetime.now(UTC) - session.seen_at < _NOTED_FOR or session.digest in self._noting:
            return
        task = asyncio.create_task(self._noted(session))
        self._noting[session.digest] = task
        task.add_done_callback(lambda _: self._noting.pop(session.digest, None))

    async def _noted(self, session: Session) -> None:
        try:
            await asyncio.to_thread(self._finder.note_use, session)
        except GoldenError as error:
            _LOG.warning("the use of a session of %s was not noted: %s", session.account, error)


def cookie_in(header: str, name: str) -> str:
    """Return the cookie of this name in a ``Cookie`` header, "" for none; of several the first, the most particular.

    Source: RFC 6265, section 5.4.
    """
    for part in header.split(";"):
        named, separator, value = part.partition("=")
        if separator and named.strip() == name:
            return value.strip()
    return ""
