"""API keys: creates and recognises keys, and stores issued keys with hashes, names and expiry times."""

import hashlib
import re
import secrets
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.keys import EVERYONE, MAX_NAME_CHARACTERS, SCOPES, ApiKey, KeyScope
from database.text import unified
from database.transactions import reading, writing
from library.tables import api_keys

# The prefix helps scanners of repositories and logs to recognise a leaked key.
PREFIX = "gr_"
_SECRET_BYTES = 32
_KEY = re.compile(rf"{PREFIX}[\w-]{{43}}", re.ASCII)
# The last use is recorded at most this often, because it is a write, and requests must not wait for each other.
USE_NOTED_EVERY = timedelta(minutes=1)
_ID_BYTES = 4


def new_key() -> str:
    """Return a new key: ``gr_`` and 256 random bits in letters, digits, ``-`` and ``_``."""
    return PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def is_key(text: str) -> bool:
    """Return whether ``text`` has the form of a key, without a look-up."""
    return _KEY.fullmatch(text) is not None


def digest_of(key: str) -> str:
    """Return the digest of a key that is stored: its SHA-256, in 64 hexadecimal digits.

    Slow hashes protect secrets that can be guessed, such as passwords. 256 random bits cannot be guessed, so a fast
    hash is equally safe and does not slow down requests.
    """
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class KeyStore:
    """Stores API keys. The calls block and are thread-safe; each is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(
        self,
        name: str,
        *,
        scopes: Collection[str] = ("ask",),
        groups: Collection[str] | None = EVERYONE,
        department: str = "",
        expires_at: datetime | None = None,
        who: str = "",
    ) -> tuple[str, ApiKey]:
        """Create a key, and return it with its record. The key itself cannot be retrieved later.

        Raises:
            InvalidInput: the name, a scope or the expiry is invalid, or there is no scope or group.
            Conflict: another unrevoked key has this name.
        """
        moment = datetime.now(UTC)
        record = ApiKey(
            id=secrets.token_hex(_ID_BYTES),
            name=_checked_name(name),
            scopes=_checked_scopes(scopes),
            groups=_checked_groups(groups),
            department=" ".join(department.split()),
            created_at=moment,
            created_by=who,
            expires_at=_checked_expiry(expires_at, moment),
        )
        key = new_key()
        try:
            with writing(self._engine) as connection:
                connection.execute(insert(api_keys), [_row_of(record, key)])
        except IntegrityError:
            # The original error is hidden because its message contains the digest.
            raise Conflict(
                f"A key called {record.name!r} already exists: revoke it first, or choose another name."
            ) from None
        return key, record

    def find(self, key: str) -> ApiKey | None:
        """Return the record of ``key``, whatever its state is; None if the key does not exist."""
        if not is_key(key):
            return None
        with reading(self._engine) as connection:
            row = connection.execute(select(api_keys).where(api_keys.c.digest == digest_of(key))).first()
        # The index compares digests, whose beginnings nobody can choose, so timing reveals nothing about a key.
        return record_of(row) if row is not None else None

    def any_kept(self) -> bool:
        """Return whether there is an unrevoked key, even if it has expired."""
        with reading(self._engine) as connection:
            query = select(api_keys.c.id).where(api_keys.c.revoked_at.is_(None)).limit(1)
            return connection.execute(query).first() is not None

    def records(self) -> tuple[ApiKey, ...]:
        """Return the records of all keys, including revoked ones, by time of creation."""
        with reading(self._engine) as connection:
            query = select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id)
            return tuple(record_of(row) for row in connection.execute(query))

    def expect(self, named: str) -> ApiKey:
        """Return the key with this id or name; if several have this name, return the unrevoked or else the newest one.

        Raises:
            NotFound: the key does not exist.
        """
        wanted = _folded(named)
        found = [each for each in self.records() if each.id == named.strip() or _folded(each.name) == wanted]
        if not found:
            raise NotFound(f"There is no key {named!r}: `golden keys list` lists the existing keys.")
        return max(found, key=lambda each: (each.id == named.strip(), each.revoked_at is None, each.created_at))

    def revoke(self, named: str, *, who: str = "") -> ApiKey:
        """Permanently revoke the key with this id or name, from the next request on.

        Raises:
            NotFound: the key does not exist.
            Conflict: the key is already revoked.
        """
        record = self.expect(named)
        change = update(api_keys).where(api_keys.c.id == record.id, api_keys.c.revoked_at.is_(None))
        with writing(self._engine) as connection:
            done = connection.execute(change.values(revoked_at=datetime.now(UTC), revoked_by=who)).rowcount
        if not done:
            current = self.expect(record.id)
            assert current.revoked_at is not None
            by = f" by {current.revoked_by}" if current.revoked_by else ""
            raise Conflict(
                f"The key {current.name!r} was already revoked on {current.revoked_at:%Y-%m-%d %H:%M} UTC{by}."
            )
        return self.expect(record.id)

    def note_use(self, key_id: str) -> None:
        """Record that a key was used now, unless a use in the last minute has been recorded."""
        with writing(self._engine) as connection:
            note_key_use(connection, key_id, datetime.now(UTC))


def note_key_use(connection: Connection, key_id: str, moment: datetime) -> None:
    """Record that a key was used at ``moment``, unless a use in the minute before has been recorded."""
    old = or_(api_keys.c.last_used_at.is_(None), api_keys.c.last_used_at <= moment - USE_NOTED_EVERY)
    connection.execute(update(api_keys).where(api_keys.c.id == key_id, old).values(last_used_at=moment))


def _checked_name(name: str) -> str:
    name = " ".join(unified(name).split())
    if not name or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        raise InvalidInput(f"A key needs a name of at most {MAX_NAME_CHARACTERS} printable characters.", field="name")
    if is_key(name):
        raise InvalidInput("A key's name is visible to others: do not use the text of a key as a name.", field="name")
    return name


def _checked_scopes(scopes: Collection[str]) -> frozenset[KeyScope]:
    known = tuple(each for each in SCOPES if each in scopes)
    strange = sorted(set(scopes) - set(known))
    if strange or not known:
        wrong = f"{strange[0]!r} is not a scope" if strange else "A key needs at least one scope"
        raise InvalidInput(f"{wrong}: give one or more of {', '.join(SCOPES)}.", field="scope")
    return frozenset(known)


def _checked_groups(groups: Collection[str] | None) -> frozenset[str] | None:
    if groups is None:
        return None
    found = frozenset(group.strip() for group in groups)
    if not found or "" in found:
        raise InvalidInput("A key needs the name of at least one document group.", field="group")
    return found


def _checked_expiry(expires_at: datetime | None, moment: datetime) -> datetime | None:
    if expires_at is None:
        return None
    if expires_at.tzinfo is None:
        raise InvalidInput("The expiry time of a key needs a time zone.", field="expires")
    if expires_at <= moment:
        raise InvalidInput(f"{expires_at:%Y-%m-%d %H:%M %Z} is in the past: a key must expire later.", field="expires")
    return expires_at.astimezone(UTC)


def _folded(name: str) -> str:
    return " ".join(unified(name).split()).casefold()


def _row_of(record: ApiKey, key: str) -> dict[str, Any]:
    return {
        **record.model_dump(),
        "name_key": _folded(record.name),
        "digest": digest_of(key),
        "scopes": [scope for scope in SCOPES if scope in record.scopes],
        "groups": None if record.groups is None else sorted(record.groups),
    }


def record_of(row: Any) -> ApiKey:
    """Return the record of a row of ``api_keys``."""
    return ApiKey.model_validate(dict(row._mapping))
