"""Requests: an id for each, and a bound on how much is read of one."""

import re
import uuid
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.problems import Problem, error_response, respond

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
        """Serve one request."""
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


class BoundedBodies:
    """Refuses bodies that are larger than the bound of the longest matching path prefix; other paths have none here."""

    def __init__(self, app: ASGIApp, *, bounds: Mapping[str, int]) -> None:
        self._app = app
        self._bounds = sorted(bounds.items(), key=lambda bound: -len(bound[0]))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request: a body is counted while it is read, so that an unbounded one never fills the memory."""
        most = self._most(scope)
        if most is None:
            await self._app(scope, receive, send)
            return
        refusal = _TooLarge(most)
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared[:20]) > most:
            await refusal.response()(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                if read > most:
                    raise refusal
            return message

        await self._app(scope, counted, send)

    def _most(self, scope: Scope) -> int | None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return None
        return next((most for prefix, most in self._bounds if scope["path"].startswith(prefix)), None)


class _TooLarge(HTTPException):
    """What a route that reads on is stopped with."""

    def __init__(self, most: int) -> None:
        super().__init__(413, f"The request is too large: at most {most} bytes are read. Send less at a time.")

    def response(self) -> Response:
        """Return the refusal of a body that says beforehand how large it is."""
        return respond(413, Problem(message=self.detail, type="invalid_request_error", code="request_too_large"))
