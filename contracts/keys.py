"""API keys: everything about them except the key itself."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field, field_serializer

KeyScope = Literal["ask", "manage", "admin"]
KeyState = Literal["active", "expired", "revoked"]

SCOPES: tuple[KeyScope, ...] = ("ask", "manage", "admin")
EVERYONE = frozenset({"everyone"})
MAX_NAME_CHARACTERS = 100


class ApiKey(BaseModel):
    """A key's record, as it is stored, sent and shown.

    ``scopes`` say what it may be used for, ``groups`` which document groups it may read (None: all). ``department`` is
    a context's name or "". ``last_used_at`` may lag behind by a minute. Times are in UTC.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    scopes: frozenset[KeyScope]
    groups: frozenset[str] | None = Field(description='The document groups that it may read, or "all".')
    department: str
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    last_used_at: datetime | None = Field(default=None, description="To the minute.")
    revoked_at: datetime | None = None
    revoked_by: str = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def state(self) -> KeyState:
        """Whether the key may be used now, or why not."""
        return self.state_at(datetime.now(UTC))

    def state_at(self, moment: datetime) -> KeyState:
        """Return whether the key may be used at ``moment``, or why not."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= moment else "active"

    @field_serializer("scopes", when_used="json")
    def _sorted_scopes(self, scopes: frozenset[KeyScope]) -> list[KeyScope]:
        return sorted(scopes)

    @field_serializer("groups", when_used="json")
    def _sorted_groups(self, groups: frozenset[str] | None) -> list[str] | Literal["all"]:
        return "all" if groups is None else sorted(groups)

    @field_serializer("created_at", "expires_at", "last_used_at", "revoked_at", when_used="json")
    def _iso(self, moment: datetime | None) -> str | None:
        return moment.isoformat() if moment is not None else None
