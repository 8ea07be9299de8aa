"""Routers whose routes need a scope."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer

from serving import access
from serving.access import Actor, expect_scope
from serving.identity.sessions import COOKIE
from serving.problems import ProblemBody

# A conversation of hundreds of long turns fits many times; more is a mistake or an attack.
MAX_BODY_BYTES = 4 * 1024 * 1024
# The ways to say who asks, for the description of the API; the guard reads them itself.
_WAYS = (
    HTTPBearer(scheme_name="key", bearerFormat="gr_…", description="An API key.", auto_error=False),
    HTTPBearer(
        scheme_name="token",
        bearerFormat="JWT",
        description="A token of the identity provider that the server is set to believe.",
        auto_error=False,
    ),
    APIKeyCookie(
        scheme_name="session",
        name=COOKIE,
        description="What a browser keeps after its user logged in at `/login`.",
        auto_error=False,
    ),
)
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "model": ProblemBody,
        "description": "The request must change: `message` says how.",
    },
    "5XX": {"model": ProblemBody, "description": "Something broke, or is not there just now: try again later."},
}


def guarded_router(prefix: str, tag: str, scope: access.Scope, **options: Any) -> APIRouter:
    """Return a router for the routes below ``prefix``, which need ``scope``; ``options`` are those of ``APIRouter``."""

    def let_in(request: Request) -> None:
        expect_scope(request.state.actor, scope)

    needed = [Depends(let_in), *(Security(way, scopes=[scope]) for way in _WAYS)]
    return APIRouter(prefix=prefix, tags=[tag], dependencies=needed, responses=_PROBLEMS, **options)


def _actor(request: Request) -> Actor:
    actor = request.state.actor
    assert isinstance(actor, Actor)
    return actor


# Who makes the request, as a route's parameter.
Acting = Annotated[Actor, Depends(_actor)]
