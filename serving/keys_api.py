"""API keys over HTTP: list, make, show, revoke; for whoever has the scope ``admin``."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Annotated, Protocol

from fastapi import APIRouter, Query

from contracts.errors import Conflict, NotFound
from library.key_values import ApiKey
from serving.access import Actor, Forbidden, RequestGuard
from serving.areas import Area
from serving.dictionary.problems import problems
from serving.dictionary.routing import Acting, guarded_router, in_thread
from serving.keys_wire import KeyIn, KeyOut, KeysOut, NewKeyOut, key_out, new_key_out
from serving.requests import MAX_BODY_BYTES

PREFIX = "/api/keys"


class KeyRing(Protocol):
    """Keeps API keys. Blocking and thread-safe; each raises ``Unavailable`` where the database does not answer."""

    def create(
        self,
        name: str,
        *,
        scopes: Collection[str] = ...,
        groups: Collection[str] | None = ...,
        department: str = ...,
        expires_at: datetime | None = ...,
        who: str = ...,
    ) -> tuple[str, ApiKey]:
        """Make a key, and return it with its record; raises ``InvalidInput`` and ``Conflict``."""
        ...

    def records(self) -> tuple[ApiKey, ...]:
        """Return every key's record, revoked ones too, by the time they were made."""
        ...

    def revoke(self, named: str, *, who: str = ...) -> ApiKey:
        """Revoke the key with this id for good; raises ``NotFound`` and ``Conflict``."""
        ...


class LastAdminKey(Conflict):
    """Nobody could manage keys over HTTP any more (HTTP 409)."""

    code = "last_admin_key"


def keys_area(ring: KeyRing, guard: RequestGuard) -> Area:
    """Return everything below ``/api/keys``; ``guard`` lets requests in."""
    return Area(routers=(_routes(ring, guard),), bounds={PREFIX: MAX_BODY_BYTES}, scoped=(PREFIX,))


def _routes(ring: KeyRing, guard: RequestGuard) -> APIRouter:
    router = guarded_router(PREFIX, "keys", guard, "admin")

    @router.get("", responses=problems())
    async def list_keys(
        revoked: Annotated[bool, Query(description="Those that were revoked, too.")] = False,
    ) -> KeysOut:
        """List the keys by the time they were made: name, state, scopes, groups, expiry, last use."""
        records = await in_thread(ring.records)
        return KeysOut(keys=[key_out(each) for each in records if revoked or each.revoked_at is None])

    @router.post("", status_code=201, responses=problems(400, 409, 413, 415))
    async def create_key(body: KeyIn, actor: Acting) -> NewKeyOut:
        """Make a key, and show it this once; it may read no groups that you may not read yourself."""
        groups = None if body.groups == "all" else body.groups
        _expect_own_groups(actor, groups)
        key, record = await in_thread(
            ring.create,
            body.name,
            scopes=body.scopes,
            groups=groups,
            department=body.department,
            expires_at=body.expires_at,
            who=actor.name,
        )
        return new_key_out(key, record)

    @router.get("/{key_id}", responses=problems(404))
    async def show_key(key_id: str) -> KeyOut:
        """Show what is known of a key; the key itself is kept nowhere."""
        return key_out(_named(await in_thread(ring.records), key_id))

    @router.delete("/{key_id}", responses=problems(404, 409))
    async def revoke_key(
        key_id: str,
        actor: Acting,
        last: Annotated[bool, Query(description="Also the last key with the scope admin.")] = False,
    ) -> KeyOut:
        """Revoke a key for good: it is refused from the next request on, by every server process.

        The last one in force with the scope `admin` is revoked only with `last=true`.
        """
        records = await in_thread(ring.records)
        record = _named(records, key_id)
        if not last and _is_last_admin(record, records):
            own = "your own and " if record.id == actor.key_id else ""
            raise LastAdminKey(
                f"The key {record.name!r} is {own}the last one in force with the scope admin: without it no key can "
                "manage keys over HTTP, only `golden keys` on the server. Make another first, or add ?last=true."
            )
        return key_out(await in_thread(ring.revoke, record.id, who=actor.name))

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


def _named(records: Collection[ApiKey], key_id: str) -> ApiKey:
    found = next((each for each in records if each.id == key_id), None)
    if found is None:
        raise NotFound(f"There is no key with the id {key_id!r}: GET {PREFIX} lists those there are.")
    return found


def _is_last_admin(record: ApiKey, records: Collection[ApiKey]) -> bool:
    moment = datetime.now(UTC)
    admins = {each.id for each in records if "admin" in each.scopes and each.state_at(moment) == "active"}
    return admins == {record.id}
