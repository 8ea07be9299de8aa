"""Keys: who asks is told by the API key that a request brings."""

import asyncio
import base64
import binascii
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from contracts.errors import GoldenError
from library.key_values import ApiKey
from serving.access import (
    Actor,
    Knock,
    Scope,
    Unauthenticated,
    expect_scope,
    refuse_other_pages,
    refuse_strange_host,
    refuse_strange_origin,
    user_named_in,
)

_LOG = logging.getLogger(__name__)
# A use is noted when the last note is older: the store itself keeps one a minute.
_NOTED_FOR = timedelta(minutes=1)


class KeyKeeper(Protocol):
    """Keeps API keys. Blocking and thread-safe; both raise ``Unavailable`` where the database does not answer."""

    def find(self, key: str) -> ApiKey | None:
        """Return the record of a key by its text, whatever its state, or None."""
        ...

    def note_use(self, key_id: str) -> None:
        """Note that a key is used now."""
        ...


class MissingKey(Unauthenticated):
    """The request brings no key at all (HTTP 401)."""

    code = "missing_api_key"


class KeyGuard:
    """Lets in who brings a key that is in force: as ``Authorization: Bearer``, or as the password of a browser's login.

    Each request looks its key up, so that a revoked one is refused from the next request on, whichever process revoked
    it. ``hosts`` are the names by which this server may be asked for beside those of this machine (none: any name;
    whoever rebinds a name to this address has no key to send). What a browser sends by itself, a login, must come from
    the server's own page; a bearer token no page of others can send.
    """

    def __init__(self, keeper: KeyKeeper, *, hosts: Sequence[str] = ()) -> None:
        self._keeper = keeper
        self._hosts = frozenset(host.strip().lower() for host in hosts if host.strip())
        self._noting: dict[str, asyncio.Task[None]] = {}

    async def let_in(self, knock: Knock) -> Actor:
        """Return whose key the request brings.

        Raises:
            Unauthenticated: it brings none that is in force.
            Forbidden: another web page could have sent it.
            InvalidInput: the header with the user's name cannot be used.
            Unavailable: the keys cannot be looked up just now.
        """
        if self._hosts:
            refuse_strange_host(knock, self._hosts)
        if not knock.welcome:
            refuse_strange_origin(knock, self._hosts)
        key, by_itself = _key_of(knock.headers.get("authorization", ""))
        if by_itself and not _is_navigation(knock):
            refuse_other_pages(knock)
        record = await asyncio.to_thread(self._keeper.find, key)
        moment = datetime.now(UTC)
        state = record.state_at(moment) if record is not None else "unknown"
        if record is None or state != "active":
            raise Unauthenticated(_REFUSALS[state])
        self._note(record, moment)
        user = user_named_in(knock)
        return Actor(
            # Whoever holds a key may name the person it asks for, but not hide behind that name.
            name=f"{user} ({record.name})" if user else record.name,
            groups=record.groups,
            scopes=record.scopes,
            department=record.department,
            key_id=record.id,
            account=f"key:{record.id}",
        )

    async def admit(self, knock: Knock, scope: Scope) -> Actor:
        """Return who makes the request, which needs ``scope``.

        Raises:
            Unauthenticated, InvalidInput, Unavailable: as of ``let_in``.
            Forbidden: as of ``let_in``, or the key has not this scope.
        """
        return expect_scope(await self.let_in(knock), scope)

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


_HOW = "send one that is in force as Authorization: Bearer gr_..."
_REFUSALS = {
    "unknown": f"This is no API key of this server: {_HOW}",
    "expired": f"This API key has expired: {_HOW}",
    "revoked": f"This API key was revoked: {_HOW}",
}


def _key_of(header: str) -> tuple[str, bool]:
    """Return the key that a header brings, and whether a browser sends it by itself.

    Raises:
        Unauthenticated: it brings none.
    """
    kind, _, value = header.strip().partition(" ")
    value = value.strip()
    if kind.lower() == "bearer" and value:
        return value, False
    if kind.lower() == "basic" and value:
        try:
            # A login is "name:password"; the name is anything.
            return base64.b64decode(value, validate=True).decode("utf-8").partition(":")[2].strip(), True
        except (binascii.Error, ValueError):
            raise Unauthenticated(f"The login cannot be read: {_HOW}") from None
    raise MissingKey(
        "This server asks for an API key: send it as Authorization: Bearer gr_..., or log in with any name and the key "
        "as the password. Whoever runs the server makes one with: golden keys create NAME"
    )


def _is_navigation(knock: Knock) -> bool:
    """Say whether a browser opens a page: following a link of another page to it does no harm."""
    return knock.method == "GET" and knock.headers.get("sec-fetch-mode", "").strip().lower() == "navigate"
