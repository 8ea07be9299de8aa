"""Keys over HTTP as they are sent and read."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from library.key_values import MAX_NAME_CHARACTERS, ApiKey, KeyScope, KeyState


class KeyOut(BaseModel):
    """What is known of a key; the key itself is kept nowhere."""

    id: str
    name: str
    state: KeyState
    scopes: list[KeyScope]
    groups: list[str] | Literal["all"] = Field(description='The document groups that it may read, or "all".')
    department: str
    created_at: str
    created_by: str
    expires_at: str | None
    last_used_at: str | None = Field(description="To the minute.")
    revoked_at: str | None
    revoked_by: str


class NewKeyOut(KeyOut):
    """A key that was just made, with its text: nobody can see that again."""

    key: str


class KeysOut(BaseModel):
    """The keys, by the time they were made."""

    keys: list[KeyOut]


class KeyIn(BaseModel):
    """A key that is wanted."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"name": "open-webui", "scopes": ["ask"], "groups": ["everyone", "nand"]}],
        },
    )

    name: str = Field(min_length=1, max_length=MAX_NAME_CHARACTERS, description="What the key is for.")
    scopes: list[KeyScope] = Field(["ask"], min_length=1)
    groups: list[str] | Literal["all"] = Field(
        ["everyone"], description='The document groups that it may read, or "all": yours at most.'
    )
    department: str = Field("", max_length=200)
    expires_at: AwareDatetime | None = Field(None, description="When it expires, with a time zone.")


def key_out(record: ApiKey) -> KeyOut:
    """Return what is sent of a key."""
    return KeyOut.model_validate(record.described_at(datetime.now(UTC)))


def new_key_out(key: str, record: ApiKey) -> NewKeyOut:
    """Return what is sent of a key, once, when it is made."""
    return NewKeyOut.model_validate({**record.described_at(datetime.now(UTC)), "key": key})
