"""Scopes in the description of the API: which one each route needs, and how a request may say who makes it."""

from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from serving.access import Guard, Scope

# Where a route's description says which scope it needs.
SCOPE_FIELD = "x-golden-scope"
_WAYS: dict[str, dict[str, Any]] = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "gr_…",
        "description": "An API key, as `golden keys create` prints it.",
    },
    "token": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A token of the identity provider that the server is set to believe.",
    },
    "login": {
        "type": "http",
        "scheme": "basic",
        "description": "Any name, and an API key as the password, for clients that know no other login.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "golden_session",
        "description": "What a browser keeps after its user logged in at `/login`.",
    },
}


def scoped_route(scope: Scope) -> type[APIRoute]:
    """Return the class of routes that say that they need ``scope``; who asks for it is the class derived from it."""

    class ScopedRoute(APIRoute):
        """A route whose description names its scope."""

        def __init__(self, *args: Any, openapi_extra: dict[str, Any] | None = None, **kwargs: Any) -> None:
            super().__init__(*args, openapi_extra={SCOPE_FIELD: scope, **(openapi_extra or {})}, **kwargs)
            self.description = f"{self.description}\n\nNeeds the scope `{scope}`.".lstrip()

    return ScopedRoute


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
