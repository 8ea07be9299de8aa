"""Routers whose routes need a scope."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer

from serving import access
from serving.access import Actor, expect_scope
from serving.identity.sessions import COOKIE
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
    "4XX": {
        "model": ProblemBody,
        "description": "The request is not valid: `message` says how to change it.",
    },
    "5XX": {"model": ProblemBody, "description": "Something failed or is unavailable right now: try again later."},
}


def guarded_router(prefix: str, tag: str, scope: access.Scope, **options: Any) -> APIRouter:
    """Return a router for the routes under ``prefix``, which need ``scope``; ``options`` are those of ``APIRouter``."""

    def let_in(request: Request) -> None:
        expect_scope(request.state.actor, scope)

    needed = [Depends(let_in), *(Security(way, scopes=[scope]) for way in _WAYS)]
    return APIRouter(prefix=prefix, tags=[tag], dependencies=needed, responses=_PROBLEMS, **options)


def _actor(request: Request) -> Actor:
    actor = request.state.actor
    assert isinstance(actor, Actor)
    return actor


# The caller, as a parameter of a route.
Acting = Annotated[Actor, Depends(_actor)]
