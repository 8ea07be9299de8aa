"""Requests: an id for each, and a bound on how much is read of one."""

import re
import uuid

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.problems import problem_of, respond
from serving.wire import Problem

_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)
# A conversation of hundreds of long turns fits many times; more is a mistake or an attack.
MAX_BODY_BYTES = 4 * 1024 * 1024


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
        given = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
        request_id = given if _ID.fullmatch(given) else uuid.uuid4().hex
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
            await respond(*problem_of(error, request_id))(scope, receive, send_with_id)


class BoundedBodies:
    """Refuses bodies above ``max_bytes`` under the given path prefixes; other paths have bounds of their own."""

    def __init__(self, app: ASGIApp, *, prefixes: tuple[str, ...], max_bytes: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._prefixes = prefixes
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; the body is read first, so that an unbounded one never reaches the parser."""
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].startswith(self._prefixes):
            await self._app(scope, receive, send)
            return
        body = b""
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            if len(body) > self._max_bytes:
                text = f"The request is too large: at most {self._max_bytes} bytes are read. Send fewer messages."
                problem = Problem(message=text, type="invalid_request_error", code="request_too_large")
                await respond(413, problem)(scope, receive, send)
                return
            if not message.get("more_body", False):
                break
        read = False

        async def replay() -> Message:
            nonlocal read
            if read:
                return await receive()
            read = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, replay, send)
