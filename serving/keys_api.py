"""API keys over HTTP: list, make, show, revoke; for whoever has the scope ``admin``."""

from collections.abc import Collection
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from contracts.keys import MAX_NAME_CHARACTERS, ApiKey, KeyScope, NewApiKey
from library.keys import KeyStore
from serving.access import Actor, Forbidden, Guard
from serving.areas import Area
from serving.requests import MAX_BODY_BYTES
from serving.routing import Acting, guarded_router

PREFIX = "/api/keys"


class KeyIn(BaseModel):
    """A key that is wanted."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=MAX_NAME_CHARACTERS, description="What the key is for.")
    scopes: list[KeyScope] = Field(["ask"], min_length=1)
    groups: list[str] | Literal["all"] = Field(
        ["everyone"], description='The document groups that it may read, or "all": yours at most.'
    )
    department: str = Field("", max_length=200)
    expires_at: AwareDatetime | None = Field(None, description="When it expires, with a time zone.")


class KeysOut(BaseModel):
    """The keys, by the time they were made."""

    keys: list[ApiKey]


def keys_area(keeper: KeyStore, guard: Guard) -> Area:
    """Return everything below ``/api/keys``; ``guard`` lets requests in."""
    return Area(routers=(_routes(keeper, guard),), bounds={PREFIX: MAX_BODY_BYTES}, scoped=(PREFIX,))


def _routes(keeper: KeyStore, guard: Guard) -> APIRouter:
    router = guarded_router(PREFIX, "keys", guard, "admin")

    @router.get("")
    def list_keys(
        revoked: Annotated[bool, Query(description="Those that were revoked, too.")] = False,
    ) -> KeysOut:
        """List the keys by the time they were made: name, state, scopes, groups, expiry, last use."""
        return KeysOut(keys=[each for each in keeper.records() if revoked or each.revoked_at is None])

    @router.post("", status_code=201)
    def create_key(body: KeyIn, actor: Acting) -> NewApiKey:
        """Make a key, and show it this once; it may read no groups that you may not read yourself."""
        groups = None if body.groups == "all" else body.groups
        _expect_own_groups(actor, groups)
        key, record = keeper.create(
            body.name,
            scopes=body.scopes,
            groups=groups,
            department=body.department,
            expires_at=body.expires_at,
            who=actor.name,
        )
        return NewApiKey(**dict(record), key=key)

    @router.get("/{key_id}")
    def show_key(key_id: str) -> ApiKey:
        """Show what is known of a key; the key itself is kept nowhere."""
        return keeper.expect(key_id)

    @router.delete("/{key_id}")
    def revoke_key(key_id: str, actor: Acting) -> ApiKey:
        """Revoke a key for good: it is refused from the next request on, by every server process."""
        return keeper.revoke(key_id, who=actor.name)

    return router


def _expect_own_groups(actor: Actor, groups: Collection[str] | None) -> None:
    if actor.groups is None:
        return
    beyond = ["all"] if groups is None else sorted({group.strip() for group in groups} - actor.groups)
    if beyond:
        raise Forbidden(
            f"A key can be given the groups that you may read yourself, and {beyond[0]!r} is not among them: use a key "
            "that may read it, or `golden keys create` on the server."
        )
