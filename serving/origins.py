"""Origins: the web pages of others that may ask from a browser (CORS), each named exactly; nobody else is answered.

A page of an allowed origin may ask and give feedback, with a key where the server wants one, which it must bring as a
bearer token: no cookie and no login of the browser counts there. It may not manage.
"""

from collections.abc import Collection

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.problems import Problem, respond

# What pages of others may do, by path ("/" at its end: and whatever is below) and method; everything else stays the
# server's own pages' and programs'.
SHARED_PATHS = {
    "/v1/chat/completions": "POST",
    "/v1/models": "GET",
    "/v1/models/": "GET",
    "/api/feedback": "POST",
    "/widget.js": "GET",
}
_HEADERS = "authorization, content-type, x-golden-request, x-request-id"
_READABLE = "retry-after, x-request-id"
# A browser may ask anew after this long, so that an origin that is taken off the list is refused soon.
_PREFLIGHT_HOLDS_S = 600
_CORS = b"access-control-"


class SharedOrigins:
    """Answers the preflights of allowed origins, marks their requests, and lets them read the answers.

    ``origins`` are spelled as browsers do. The mark in a request's state is ``from_allowed_origin``; who asks is still
    for the guard to say. All other preflights are refused, and whatever a part of the application would tell pages of
    others is taken off its answers: nobody but this lets them in.

    Source: https://fetch.spec.whatwg.org/#http-cors-protocol
    """

    def __init__(self, app: ASGIApp, *, origins: Collection[str] = ()) -> None:
        self._app = app
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wanted = _wanted_by_preflight(scope)
        method = wanted or ("GET" if scope["method"] == "HEAD" else str(scope["method"]))
        shared = bool(self._origins) and _method_of(scope["path"]) == method
        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        origin = named[0] if shared and len(named) == 1 and named[0] in self._origins else ""

        async def send_for_origin(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [each for each in message.get("headers", ()) if not each[0].startswith(_CORS)]
                headers = MutableHeaders(scope=message)
                if shared:
                    # A cache must not hand what one page was answered to another.
                    headers.add_vary_header("Origin")
                if origin:
                    headers["access-control-allow-origin"] = origin
                    headers["access-control-expose-headers"] = _READABLE
                if origin and wanted:
                    headers["access-control-allow-methods"] = wanted
                    headers["access-control-allow-headers"] = _HEADERS
                    headers["access-control-max-age"] = str(_PREFLIGHT_HOLDS_S)
            await send(message)

        if wanted:
            answer = Response(status_code=204) if origin else _refusal(named)
            await answer(scope, receive, send_for_origin)
            return
        if origin:
            scope.setdefault("state", {})["from_allowed_origin"] = True
        await self._app(scope, receive, send_for_origin)


def _method_of(path: str) -> str:
    below = (method for each, method in SHARED_PATHS.items() if each.endswith("/") and path.startswith(each))
    return SHARED_PATHS.get(path) or next(below, "")


def _wanted_by_preflight(scope: Scope) -> str:
    """Return the method that a preflight asks for; "" for what is none."""
    if scope["method"] != "OPTIONS":
        return ""
    asked = (value.decode("latin-1") for name, value in scope["headers"] if name == b"access-control-request-method")
    return next(asked, "")


def _refusal(named: list[str]) -> Response:
    page = f"The page at {named[0]!r}" if named else "A page that does not say where it is from"
    message = f"{page} may not do this: GOLDEN_ALLOWED_ORIGINS names the origins whose pages may ask."
    return respond(403, Problem(message=message, type="invalid_request_error", code="forbidden"))
