"""What a login works with."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from library.key_values import ApiKey
from serving.limits import RequestLimits
from serving.login.places import Places
from serving.login.provider import LoginProvider


class KeyFinder(Protocol):
    """Finds keys. Blocking and thread-safe; raises ``Unavailable`` where the database does not answer."""

    def find(self, key: str) -> ApiKey | None:
        """Return the record of a key by its text, whatever its state, or None."""
        ...


class SessionBook(Protocol):
    """Begins and ends sessions. Blocking and thread-safe; each raises ``Unavailable`` as of ``KeyFinder``."""

    @property
    def whole(self) -> timedelta:
        """How long a session lasts at most."""
        ...

    def begin_for_key(self, key: ApiKey, *, account: str) -> str:
        """Begin a session of a key; return what the browser is to send."""
        ...

    def begin_for_person(
        self, name: str, *, account: str, scopes: Collection[str], groups: Collection[str] | None
    ) -> str:
        """Begin a session of a person whom the identity provider named; return what the browser is to send."""
        ...

    def end(self, token: str) -> bool:
        """End the session of what a browser sent; return whether there was one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginDesk:
    """What the routes of a login work with.

    ``hosts`` are the names by which this server may be asked for beside those of this machine (none: any name, where
    everyone is asked who they are). ``attempts`` bounds the logins of each address. ``provider`` lets people in, too.
    """

    keys: KeyFinder
    sessions: SessionBook
    places: Places
    attempts: RequestLimits
    hosts: frozenset[str] = frozenset()
    provider: LoginProvider | None = None
