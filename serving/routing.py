"""Routers whose routes need a scope, and the version that an edit is based on."""

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer

from contracts.errors import InvalidInput
from serving import access
from serving.access import Actor, expect_scope
from serving.identity.credentials import COOKIE
from serving.problems import ProblemBody

# Many times the size of a conversation of hundreds of long turns; more is a mistake or an attack.
MAX_BODY_BYTES = 4 * 1024 * 1024
# The authentication schemes, for the description of the API; the guard reads the credentials itself.
_WAYS = (
    HTTPBearer(scheme_name="key", bearerFormat="gr_…", description="An API key.", auto_error=False),
    HTTPBearer(
        scheme_name="token",
        bearerFormat="JWT",
        description="A token from the identity provider that the server is configured to trust.",
        auto_error=False,
    ),
    APIKeyCookie(
        scheme_name="session",
        name=COOKIE,
        description="The session cookie that a browser gets after a login at `/login`.",
        auto_error=False,
    ),
)
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ProblemBody, "description": "The request is not valid: `message` explains how to change it."},
    "5XX": {"model": ProblemBody, "description": "Something failed or is unavailable right now: try again later."},
}


def guarded_router(prefix: str, tag: str, scope: access.Scope, **options: Any) -> APIRouter:
    """Return a router for the routes under ``prefix``, which need ``scope``; ``options`` are those of ``APIRouter``."""

    def authorise(request: Request) -> None:
        expect_scope(request.state.actor, scope)

    needed = [Depends(authorise), *(Security(way, scopes=[scope]) for way in _WAYS)]
    return APIRouter(prefix=prefix, tags=[tag], dependencies=needed, responses=_PROBLEMS, **options)


def _actor(request: Request) -> Actor:
    actor = request.state.actor
    assert isinstance(actor, Actor)
    return actor


# The caller, as a parameter of a route.
Acting = Annotated[Actor, Depends(_actor)]
# The version that the caller saw, so that no edit overwrites another.
IfMatch = Annotated[
    str | None, Header(max_length=100, description="The ETag of the version that you saw; without it, any version.")
]
_TAG = re.compile(r'(?:W/)?"v([0-9]{1,9})"', re.ASCII)


def version_in(if_match: str | None) -> int | None:
    """Return the version that ``If-Match`` names; None if it names none, or any.

    Raises:
        InvalidInput: it is not an entity tag of this server.
    """
    given = (if_match or "").strip()
    if given in ("", "*"):
        return None
    found = _TAG.fullmatch(given)
    if found is None:
        raise InvalidInput(
            'If-Match is not an ETag of this server: send it as you received it, such as "v3", or leave it out.',
            field="If-Match",
        )
    return int(found[1])
