"""Requests: an id for each, and the path prefix of a proxy."""

import re
import uuid

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.problems import error_response

_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)
# A conversation of hundreds of long turns fits many times; more is a mistake or an attack.
MAX_BODY_BYTES = 4 * 1024 * 1024


def request_id_in(scope: Scope) -> str:
    """Return the id that a request brings, where that is a sound one, else a new one."""
    given = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
    return given if _ID.fullmatch(given) else uuid.uuid4().hex


class RequestIds:
    """Gives each request an id, the client's own where it sends a sound one, and returns it as ``x-request-id``.

    It stands outermost: what nobody else caught becomes an error body here, so that even that answer carries its id.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = request_id_in(scope)
        scope.setdefault("state", {})["request_id"] = request_id

        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            if started:
                raise
            await error_response(error, request_id)(scope, receive, send_with_id)


class PathPrefix:
    """Takes ``prefix`` ("/golden"; "" for none) off the paths of requests that have it; the others stay as they are.

    So a proxy may pass the prefix on or take it off itself. The routes, and what is checked by path, never see it.
    """

    def __init__(self, app: ASGIApp, *, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if self._prefix and (path == self._prefix or path.startswith(f"{self._prefix}/")):
            raw = scope.get("raw_path") or b""
            scope = {**scope, "path": path[len(self._prefix) :] or "/"}
            if raw.startswith(self._prefix.encode()):
                scope["raw_path"] = raw[len(self._prefix) :] or b"/"
        await self._app(scope, receive, send)
