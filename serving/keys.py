"""Keys: who asks is told by the API key that a request brings."""

import asyncio
import base64
import binascii
import logging
from datetime import UTC, datetime, timedelta
from typing import Protocol

from contracts.errors import GoldenError
from library.key_text import PREFIX
from library.key_values import ApiKey
from serving.access import Actor, Knock, Unauthenticated, is_navigation, refuse_other_pages, user_named_in

_LOG = logging.getLogger(__name__)
# A use is noted when the last note is older: the store itself keeps one a minute.
_NOTED_FOR = timedelta(minutes=1)


class KeyKeeper(Protocol):
    """Keeps API keys. Blocking and thread-safe; each raises ``Unavailable`` where the database does not answer."""

    def find(self, key: str) -> ApiKey | None:
        """Return the record of a key by its text, whatever its state, or None."""
        ...

    def note_use(self, key_id: str) -> None:
        """Note that a key is used now."""
        ...

    def any_kept(self) -> bool:
        """Say whether there is a key that is not revoked, be it expired."""
        ...


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

    def __init__(self, keeper: KeyKeeper) -> None:
        self._keeper = keeper
        self._noting: dict[str, asyncio.Task[None]] = {}

    async def recognise(self, knock: Knock) -> Actor | None:
        """Return whose key the request brings; None where it brings nothing that begins as a key does.

        Raises:
            Unauthenticated: the key is not in force.
            Forbidden: another web page could have sent it.
            InvalidInput: the header with the user's name cannot be used.
            Unavailable: the keys cannot be looked up just now.
        """
        key, by_itself = _key_of(knock.headers.get("authorization", ""))
        if not key.startswith(PREFIX):
            return None
        if by_itself and not is_navigation(knock):
            refuse_other_pages(knock)
        actor, state = await self.holder(key, user=user_named_in(knock))
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
        moment = datetime.now(UTC)
        state = record.state_at(moment) if record is not None else "unknown"
        if record is None or state != "active":
            return None, state
        self._note(record, moment)
        return actor_of(record, user=user), state

    def _note(self, record: ApiKey, moment: datetime) -> None:
        """Note the use beside the request: a writer may have to wait for an ingestion."""
        fresh = record.last_used_at is not None and moment - record.last_used_at < _NOTED_FOR
        if fresh or record.id in self._noting:
            return
        task = asyncio.create_task(self._noted(record.id))
        self._noting[record.id] = task
        task.add_done_callback(lambda _: self._noting.pop(record.id, None))

    async def _noted(self, key_id: str) -> None:
        try:
            await asyncio.to_thread(self._keeper.note_use, key_id)
        except GoldenError as error:
            _LOG.warning("the use of the key %s was not noted: %s", key_id, error)


def account_of(record: ApiKey) -> str:
    """Return who the holder of a key is from one request to the next."""
    return f"key:{record.id}"


def actor_of(record: ApiKey, *, user: str = "") -> Actor:
    """Return who asks with a key, for ``user`` if they say so."""
    return Actor(
        # Whoever holds a key may name the person it asks for, but not hide behind that name.
        name=f"{user} ({record.name})" if user else record.name,
        groups=record.groups,
        scopes=record.scopes,
        department=record.department,
        key_id=record.id,
        account=account_of(record),
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
