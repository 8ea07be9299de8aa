"""Allowed origins: other web pages that may send questions from a browser (CORS), named exactly; others are refused.

A page of an allowed origin may send questions and feedback, with a key as a bearer token if the server requires one:
cookies and browser logins are ignored there. It may not manage anything.
"""

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.problems import Problem, respond

# What other pages may do, by path (a trailing "/" includes everything under it) and method; everything else is reserved
# for the server's own pages and for programs.
SHARED_PATHS = {
    "/v1/chat/completions": "POST",
    "/v1/models": "GET",
    "/v1/models/": "GET",
    "/api/feedback": "POST",
    "/widget.js": "GET",
}
_HEADERS = ("authorization", "content-type", "x-golden-request", "x-request-id")
_READABLE = ("retry-after", "x-request-id")
_CORS = b"access-control-"


class SharedOrigins:
    """Admits pages of allowed origins, with Starlette's CORS middleware, and marks their requests.

    ``origins`` are spelled as browsers send them. The mark in a request's state is ``from_allowed_origin``; the guard
    still identifies the caller. All other preflights are refused, and CORS headers from other parts of the application
    are removed: only this middleware admits other pages.
    """

    def __init__(self, app: ASGIApp, *, origins: Collection[str] = ()) -> None:
        self._app = app
        self._origins = frozenset(origins)
        self._shared = CORSMiddleware(
            app, allow_origins=origins, allow_methods=("GET", "POST"), allow_headers=_HEADERS, expose_headers=_READABLE
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        named = headers.getlist("origin")
        wanted = headers.get("access-control-request-method", "") if scope["method"] == "OPTIONS" else ""
        method = wanted or ("GET" if scope["method"] == "HEAD" else scope["method"])
        shared = bool(self._origins) and _method_of(scope["path"]) == method

        async def send_without(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [each for each in message.get("headers", ()) if not each[0].startswith(_CORS)]
                if shared:
                    # A cache must not serve the response for one page to another page.
                    MutableHeaders(scope=message).add_vary_header("Origin")
            await send(message)

        if shared and len(named) == 1 and named[0] in self._origins:
            scope.setdefault("state", {})["from_allowed_origin"] = True
            await self._shared(scope, receive, send)
        elif wanted:
            await _refusal(named)(scope, receive, send)
        else:
            await self._app(scope, receive, send_without)


def _method_of(path: str) -> str:
    below = (method for each, method in SHARED_PATHS.items() if each.endswith("/") and path.startswith(each))
    return SHARED_PATHS.get(path) or next(below, "")


def _refusal(named: list[str]) -> Response:
    page = f"The page at {named[0]!r}" if named else "A page that does not state its origin"
    message = f"{page} may not do this: GOLDEN_ALLOWED_ORIGINS lists the origins whose pages may ask."
    return respond(403, Problem(message=message, type="invalid_request_error", code="forbidden"))
