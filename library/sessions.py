"""Browser sessions: they are stored hashed, they expire, and they end when the user logs out."""

import re
import secrets
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel
from sqlalchemy import Engine, delete, insert, or_, select, update

from contracts.keys import SCOPES, ApiKey, KeyScope
from database.transactions import reading, writing
from library.keys import USE_NOTED_EVERY, digest_of, note_key_use, record_of
from library.tables import api_keys, sessions

_TOKEN_BYTES = 32
_TOKEN = re.compile(r"[\w-]{43}", re.ASCII)


class Session(BaseModel, frozen=True):
    """A valid session of ``key`` or, if that is None, of a person whom an identity provider authenticated.

    ``account`` identifies the user across sessions. ``scopes`` and ``groups`` (None: all) come from the provider's
    token at the beginning of the session or, if there is a ``key``, from it. ``digest`` identifies the session; the
    browser's token is not stored. Times are in UTC; ``seen_at`` may be up to a minute old.
    """

    digest: str
    account: str
    name: str
    scopes: frozenset[KeyScope]
    groups: frozenset[str] | None
    key: ApiKey | None
    began_at: datetime
    seen_at: datetime
    expires_at: datetime


class SessionStore:
    """Stores sessions, each of which lasts at most ``whole``, and at most ``idle`` without a request.

    The calls block and are thread-safe; each is one transaction.
    """

    def __init__(self, engine: Engine, *, idle: timedelta, whole: timedelta) -> None:
        self._engine = engine
        self._idle = idle
        self._whole = whole

    @property
    def whole(self) -> timedelta:
        """The maximum duration of a session."""
        return self._whole

    def begin_for_key(self, key: ApiKey, *, account: str) -> str:
        """Begin a session of a key; return the token for the browser, which cannot be retrieved later.

        The session ends when the key expires, if not earlier.
        """
        return self._begin(account, key.name, key_id=key.id, scopes=(), groups=None)

    def begin_for_person(
        self, name: str, *, account: str, scopes: Collection[str], groups: Collection[str] | None
    ) -> str:
        """Begin a session for a person whom an identity provider authenticated, as in ``begin_for_key``."""
        return self._begin(account, name, key_id=None, scopes=scopes, groups=groups)

    def find(self, token: str) -> Session | None:
        """Return the session for a browser's token, or None if there is no valid session.

        A session is invalid after its maximum duration, after too long without a request, or if its key is inactive.
        """
        if _TOKEN.fullmatch(token) is None:
            return None
        moment = datetime.now(UTC)
        with reading(self._engine) as connection:
            row = connection.execute(select(sessions).where(sessions.c.digest == digest_of(token))).first()
            if row is None or row.expires_at <= moment or row.seen_at <= moment - self._idle:
                return None
            found = connection.execute(select(api_keys).where(api_keys.c.id == row.key_id)).first()
        key = None if found is None else record_of(found)
        if row.key_id is not None and (key is None or key.state_at(moment) != "active"):
            return None
        return Session.model_validate({**row._mapping, "key": key})

    def note_use(self, session: Session) -> None:
        """Record that a session and its key were used now, unless a use in the last minute has been recorded."""
        moment = datetime.now(UTC)
        old = sessions.c.seen_at <= moment - USE_NOTED_EVERY
        seen = update(sessions).where(sessions.c.digest == session.digest, old)
        with writing(self._engine) as connection:
            connection.execute(seen.values(seen_at=moment))
            if session.key is not None:
                note_key_use(connection, session.key.id, moment)

    def end(self, token: str) -> bool:
        """End the session for a browser's token; return whether there was one."""
        if _TOKEN.fullmatch(token) is None:
            return False
        with writing(self._engine) as connection:
            gone = connection.execute(delete(sessions).where(sessions.c.digest == digest_of(token)))
        return gone.rowcount > 0

    def _begin(
        self, account: str, name: str, *, key_id: str | None, scopes: Collection[str], groups: Collection[str] | None
    ) -> str:
        token, moment = secrets.token_urlsafe(_TOKEN_BYTES), datetime.now(UTC)
        row = {
            "digest": digest_of(token),
            "key_id": key_id,
            "account": account,
            "name": name,
            "scopes": [scope for scope in SCOPES if scope in scopes],
            "groups": None if groups is None else sorted(groups),
            "began_at": moment,
            "seen_at": moment,
            "expires_at": moment + self._whole,
        }
        over = or_(sessions.c.expires_at <= moment, sessions.c.seen_at <= moment - self._idle)
        with writing(self._engine) as connection:
            # Only this method adds rows, so it is enough to delete old rows here.
            connection.execute(delete(sessions).where(over))
            connection.execute(insert(sessions), [row])
        return token
