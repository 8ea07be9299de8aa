"""Callers identified by the cookie that a browser got when its user logged in."""

import asyncio
from dataclasses import replace
from functools import partial

from starlette.requests import cookie_parser

from library.sessions import SessionStore
from serving.access import Actor, RequestInfo, is_navigation, refuse_other_pages
from serving.keys import UseNotes, actor_of

COOKIE = "golden_session"


class SessionRecogniser:
    """Identifies people who are logged in with a browser.

    Each request looks up its session and the session's key, so a revoked key ends it at once, whichever process revoked
    it. A browser sends the cookie automatically, so the request must come from the server's own page. A bearer token
    takes precedence over the cookie, and cookies are ignored for pages of other origins. A cookie whose session has
    ended is ignored.
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
            name=session.name,
            groups=session.groups,
            scopes=session.scopes,
            account=session.account,
            by_session=True,
        )
