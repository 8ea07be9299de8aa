"""Authentication of every request, so that a route added later is closed unless it is opened explicitly."""

from collections.abc import Iterable
from contextlib import AsyncExitStack
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from contracts.errors import GoldenError
from serving import access
from serving.access import Actor, RequestInfo, Unauthenticated, expect_scope
from serving.identity.guards import Guard
from serving.problems import error_response, request_id_of
from serving.rate_limits import RequestLimits

_DESCRIPTION = "/openapi.json"
# The paths that programs use; everything else is for browsers.
_PROGRAMS = ("/v1/", "/api/", "/mcp", _DESCRIPTION)
# Their routes declare the required scope; any key may read the description.
_SCOPED = ("/api/", _DESCRIPTION)
LOGIN = "/login"
_ASKED_FOR = 'Bearer realm="Golden Retriever"'
_POLICY_VIOLATION = 1008


class AuthenticationMiddleware:
    """Has the guard authenticate each request except those to the paths ``opened``, and enforces the accounts' limits.

    The routes of the API declare the scope that they need; everything else needs the scope for asking. The caller is
    stored in the request's state as ``actor``. Requests with which a browser loads a page do not count against the
    limits. An unauthenticated browser that opens a page is redirected to ``login``, the login path including the
    server's prefix ("": there is none).
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        guard: Guard,
        limits: RequestLimits | None = None,
        opened: Iterable[str] = (),
        login: str = "",
    ) -> None:
        self._app = app
        self._guard = guard
        self._limits = limits
        self._opened = frozenset(opened)
        self._login = login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # No route uses WebSockets, so all are refused: none may bypass the checks.
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            return
        if scope["type"] != "http" or scope["path"] in self._opened:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        of_programs = scope["path"].startswith(_PROGRAMS) or scope["path"] == "/v1"
        async with AsyncExitStack() as counted:
            try:
                actor = await self._guard.authenticate(request_info(request))
                if not scope["path"].startswith(_SCOPED):
                    expect_scope(actor, "ask")
                # Loading a page does not count against the limits.
                counts = of_programs or scope["method"] not in ("GET", "HEAD")
                if actor.account and self._limits and counts:
                    await counted.enter_async_context(self._limits.counted(actor.account))
            except GoldenError as error:
                sent = self._sent_to_login(error, request, of_programs=of_programs)
                response = sent or _refusal(error, request_id_of(request))
                await response(scope, receive, send)
                return
            scope.setdefault("state", {})["actor"] = actor
            await self._app(scope, receive, send)

    def _sent_to_login(self, error: GoldenError, request: Request, *, of_programs: bool) -> Response | None:
        if not self._login or not isinstance(error, Unauthenticated) or not _opens_page(request, of_programs):
            return None
        if request.headers.get("authorization", "").strip().lower().startswith("bearer"):
            return None
        query = f"?{request.url.query}" if request.url.query else ""
        following = self._login.removesuffix(LOGIN) + request.scope["path"] + query
        return RedirectResponse(f"{self._login}?{urlencode({'next': following})}", 303, {"cache-control": "no-store"})


def _opens_page(request: Request, of_programs: bool) -> bool:
    """Return whether a person sees the response; on paths for programs, only the browser's own headers count."""
    if request.method not in ("GET", "HEAD"):
        return False
    mode = request.headers.get("sec-fetch-mode", "").strip().lower()
    if mode:
        return mode == "navigate" and request.headers.get("sec-fetch-dest", "document").strip().lower() == "document"
    return not of_programs and "text/html" in request.headers.get("accept", "").lower()


async def admit(request: Request, guard: Guard, scope: access.Scope) -> Actor:
    """Return the caller of a request that needs ``scope``, as identified by the middleware or else by ``guard``.

    Raises:
        Forbidden, InvalidInput, Unauthenticated: as in ``Guard.authenticate`` and ``expect_scope``.
    """
    known = getattr(request.state, "actor", None) or await guard.authenticate(request_info(request))
    return expect_scope(known, scope)


def request_info(request: Request) -> RequestInfo:
    """Return the part of a request that a guard sees."""
    headers: dict[str, str] = {}
    repeated = set()
    for name, value in request.headers.items():
        if name in headers:
            # The values of a repeated header are joined, so that no check sees only the harmless one.
            repeated.add(name)
            value = f"{headers[name]}, {value}"
        headers[name] = value
    return RequestInfo(
        method=request.method,
        headers=headers,
        peer=request.client.host if request.client else "",
        repeated=frozenset(repeated),
        from_allowed_origin=bool(getattr(request.state, "from_allowed_origin", False)),
    )


def _refusal(error: GoldenError, request_id: str) -> Response:
    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    if isinstance(error, Unauthenticated):
        headers["www-authenticate"] = _ASKED_FOR
    return error_response(error, request_id, headers)
