"""Records of API keys, without the keys themselves."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel

KeyScope = Literal["ask", "manage", "admin"]
KeyState = Literal["active", "expired", "revoked"]

SCOPES: tuple[KeyScope, ...] = ("ask", "manage", "admin")
EVERYONE = frozenset({"everyone"})
MAX_NAME_CHARACTERS = 100


class ApiKey(BaseModel, frozen=True):
    """The record of a key, as it is stored and shown.

    ``scopes`` are the permitted uses; ``groups`` are the document groups that the key may read (None: all).
    ``department`` is the name of a context or "". ``last_used_at`` may be up to a minute old. Times are in UTC.
    """

    id: str
    name: str
    scopes: frozenset[KeyScope]
    groups: frozenset[str] | None
    department: str
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    revoked_by: str = ""

    @property
    def state(self) -> KeyState:
        """Whether the key may be used now, or why not."""
        return self.state_at(datetime.now(UTC))

    def state_at(self, moment: datetime) -> KeyState:
        """Return whether the key may be used at ``moment``, or why not."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= moment else "active"
