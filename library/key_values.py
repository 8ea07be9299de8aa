"""API keys as they are kept: everything of them but the key itself."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

KeyScope = Literal["ask", "manage", "admin"]
KeyState = Literal["active", "expired", "revoked"]

SCOPES: tuple[KeyScope, ...] = ("ask", "manage", "admin")
EVERYONE = frozenset({"everyone"})
MAX_NAME_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key's record.

    ``scopes`` say what it may be used for, ``groups`` the documents of which groups it may read (None: all).
    ``department`` is a context's name or "". ``last_used_at`` may lag behind by a minute. Moments are in UTC.
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

    def state_at(self, moment: datetime) -> KeyState:
        """Say whether the key may be used at ``moment``, and if not, why."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= moment else "active"

    def described_at(self, moment: datetime) -> dict[str, Any]:
        """Return what may be told of the key, as JSON has it, with its state at ``moment``; the key is not in it."""
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state_at(moment),
            "scopes": sorted(self.scopes),
            "groups": "all" if self.groups is None else sorted(self.groups),
            "department": self.department,
            "created_at": self.created_at.isoformat(),
            "created_by": self.created_by,
            "expires_at": self.expires_at.isoformat() if self.expires_at else None,
            "last_used_at": self.last_used_at.isoformat() if self.last_used_at else None,
            "revoked_at": self.revoked_at.isoformat() if self.revoked_at else None,
            "revoked_by": self.revoked_by,
        }
