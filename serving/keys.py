"""Keys: who asks is told by the API key that a request brings."""

import asyncio
import base64
import binascii
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from contracts.errors import GoldenError
from contracts.keys import ApiKey
from library.keys import PREFIX
from serving.access import Actor, RequestInfo, Unauthenticated, is_navigation, refuse_other_pages, user_named_in

if TYPE_CHECKING:
    from library.keys import KeyStore

_LOG = logging.getLogger(__name__)
# A use is noted when the last note is older: the store itself keeps one a minute.
_NOTED_FOR = timedelta(minutes=1)


class KeyRecogniser:
    """Recognises who brings an API key: as ``Authorization: Bearer``, or as the password of a browser's login.

    Each request looks its key up, so that a revoked one is refused from the next request on, whichever process revoked
    it. What a browser sends by itself, a login, must come from the server's own page; a bearer token no page of others
    can send.
    """

    asks_for = (
        "an API key as Authorization: Bearer gr_..., or a login with any name and the key as the password (whoever "
        "runs the server makes one with: golden keys create NAME)"
    )

    def __init__(self, keeper: "KeyStore") -> None:
        self._keeper = keeper
        self._uses = UseNotes()

    async def recognise(self, info: RequestInfo) -> Actor | None:
        """Return whose key the request brings; None where it brings nothing that begins as a key does.

        Raises:
            Unauthenticated: the key is not in force.
            Forbidden: another web page could have sent it.
            InvalidInput: the header with the user's name cannot be used.
            Unavailable: the keys cannot be looked up just now.
        """
        key, by_itself = _key_of(info.headers.get("authorization", ""))
        if not key.startswith(PREFIX):
            return None
        if by_itself and not is_navigation(info):
            refuse_other_pages(info)
        actor, state = await self.holder(key, user=user_named_in(info))
        if actor is None:
            raise Unauthenticated(_REFUSALS[state])
        return actor

    async def holder(self, key: str, *, user: str = "") -> tuple[Actor | None, str]:
        """Return whose key it is, for ``user`` if they say so, and note the use; without one in force, say why.

        The second value is the key's state: "active", "expired", "revoked" or "unknown".

        Raises:
            Unavailable: the keys cannot be looked up just now.
        """
        record = await asyncio.to_thread(self._keeper.find, key)
        state = record.state if record is not None else "unknown"
        if record is None or state != "active":
            return None, state
        self._uses.note(record.id, record.last_used_at, partial(self._keeper.note_use, record.id))
        return actor_of(record, user=user), state


class UseNotes:
    """Notes uses beside the requests, since a writer may have to wait for an ingestion; once a minute is enough."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def note(self, name: str, last: datetime | None, write: Callable[[], None]) -> None:
        """Have the use of ``name`` written, unless the ``last`` note is fresh, or one is being written."""
        fresh = last is not None and datetime.now(UTC) - last < _NOTED_FOR
        if not fresh and name not in self._tasks:
            self._tasks[name] = asyncio.create_task(_noted(write))
            self._tasks[name].add_done_callback(lambda _: self._tasks.pop(name, None))


async def _noted(write: Callable[[], None]) -> None:
    try:
        await asyncio.to_thread(write)
    except GoldenError as error:
        _LOG.warning("a use was not noted: %s", error)


def actor_of(record: ApiKey, *, user: str = "") -> Actor:
    """Return who asks with a key, for ``user`` if they say so."""
    return Actor(
        # Whoever holds a key may name the person it asks for, but not hide behind that name.
        name=f"{user} ({record.name})" if user else record.name,
        groups=record.groups,
        scopes=record.scopes,
        department=record.department,
        key_id=record.id,
        account=f"key:{record.id}",
    )


_HOW = "send one that is in force as Authorization: Bearer gr_..."
_REFUSALS = {
    "unknown": f"This is no API key of this server: {_HOW}",
    "expired": f"This API key has expired: {_HOW}",
    "revoked": f"This API key was revoked: {_HOW}",
}


def _key_of(header: str) -> tuple[str, bool]:
    """Return what a header brings where a key would stand ("": nothing), and whether a browser sends it by itself."""
    kind, _, value = header.strip().partition(" ")
    value = value.strip()
    if kind.lower() == "bearer":
        return value, False
    if kind.lower() == "basic":
        try:
            # A login is "name:password"; the name is anything.
            return base64.b64decode(value, validate=True).decode("utf-8").partition(":")[2].strip(), True
        except (binascii.Error, ValueError):
            pass
    return "", False
