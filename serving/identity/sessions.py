"""Sessions: who asks is told by the cookie that a browser got when its user logged in."""

import asyncio
from dataclasses import replace
from functools import partial

from starlette.requests import cookie_parser

from library.sessions import SessionStore
from serving.access import Actor, RequestInfo, is_navigation, refuse_other_pages
from serving.keys import UseNotes, actor_of

COOKIE = "golden_session"


class SessionRecogniser:
    """Recognises who is logged in with a browser.

    Each request looks its session up, and the key that it is of, so that a revoked key ends it at once, whichever
    process revoked it. A browser sends the cookie by itself: the request must come from the server's own page. Whoever
    brings a bearer token asks by that, and no cookie counts for pages of other origins. A cookie whose session is over
    says nothing.
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
