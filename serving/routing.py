"""Routers whose routes ask the guard before anything of a body is read, and the areas of the server made of them."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from serving import access
from serving.access import Actor, Guard
from serving.authentication import admit
from serving.problems import ProblemBody

# Where a route's description says which scope it needs.
SCOPE_FIELD = "x-golden-scope"
_WAYS: dict[str, dict[str, Any]] = {
    "key": {"type": "http", "scheme": "bearer", "bearerFormat": "gr_…", "description": "An API key."},
    "token": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A token of the identity provider that the server is set to believe.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "golden_session",
        "description": "What a browser keeps after its user logged in at `/login`.",
    },
}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "model": ProblemBody,
        "description": "The request must change: `message` says how.",
    },
    "5XX": {"model": ProblemBody, "description": "Something broke, or is not there just now: try again later."},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Routes, and how requests to them are checked.

    ``bounds`` gives the most bytes of a body by path prefix. ``scoped`` are path prefixes whose routes say which scope
    they need; elsewhere it is "ask". ``open`` are paths that nobody needs a key for.
    """

    routers: tuple[APIRouter, ...]
    bounds: Mapping[str, int] = field(default_factory=dict)
    scoped: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


# Makes an area whose routes let in whom the guard does.
AreaBuilder = Callable[[Guard], Area]


def guarded_router(prefix: str, tag: str, guard: Guard, scope: access.Scope, **options: Any) -> APIRouter:
    """Return a router for the routes below ``prefix``, which need ``scope``; ``options`` are those of ``APIRouter``."""

    class GuardedRoute(APIRoute):
        """A route that lets nobody in whom the guard does not."""

        def __init__(self, *args: Any, openapi_extra: dict[str, Any] | None = None, **kwargs: Any) -> None:
            super().__init__(*args, openapi_extra={SCOPE_FIELD: scope, **(openapi_extra or {})}, **kwargs)
            self.description = f"{self.description}\n\nNeeds the scope `{scope}`.".lstrip()

        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            serve = super().get_route_handler()

            async def handle(request: Request) -> Response:
                request.state.actor = await admit(request, guard, scope)
                response = await serve(request)
                # Unless the route says how long a browser may keep what it sends.
                response.headers.setdefault("cache-control", "no-store")
                return response

            return handle

    return APIRouter(prefix=prefix, tags=[tag], route_class=GuardedRoute, responses=_PROBLEMS, **options)


def describe_ways_in(app: FastAPI, guard: Guard) -> None:
    """Make the description of ``app`` name the ways to say who asks; nobody need where ``guard`` does not ask."""
    describe = app.openapi

    def described() -> dict[str, Any]:
        document = describe()
        document.setdefault("components", {})["securitySchemes"] = _WAYS
        ways: list[dict[str, list[str]]] = [{way: []} for way in _WAYS]
        for operations in document["paths"].values():
            for operation in operations.values():
                if SCOPE_FIELD in operation:
                    operation["security"] = ways if guard.asks_everyone else [{}, *ways]
        return document

    app.openapi = described  # type: ignore[method-assign]


def _actor(request: Request) -> Actor:
    actor = request.state.actor
    assert isinstance(actor, Actor)
    return actor


# Who makes the request, as a route's parameter.
Acting = Annotated[Actor, Depends(_actor)]
