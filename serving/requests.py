"""Requests: an id for each, a bound on how much is read of one, and the path prefix of a proxy."""

import math
import re
import uuid
from collections.abc import Mapping
from contextlib import nullcontext

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.errors import GoldenError
from serving.access import Actor, TooManyRequests
from serving.problems import RequestTooLarge, error_response
from serving.rate_limits import RequestLimits

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


class BoundedBodies:
    """Bounds each body by the longest matching path prefix (413), and those of an account together (429).

    What a request declares is refused before any of it is read; other bodies are counted while they arrive, so that an
    endless one never fills the memory. It stands behind the authentication, which says whose a request is; who is not
    told apart has no bound of their own.
    """

    def __init__(self, app: ASGIApp, *, bounds: Mapping[str, int], limits: RequestLimits | None = None) -> None:
        self._app = app
        self._bounds = sorted(bounds.items(), key=lambda bound: -len(bound[0]))
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        most = next((most for prefix, most in self._bounds if scope["path"].startswith(prefix)), math.inf)
        actor = scope.get("state", {}).get("actor")
        own = self._limits.carried(actor.account) if self._limits and isinstance(actor, Actor) else None
        declared = dict(scope["headers"]).get(b"content-length", b"")
        promised = int(declared[:20]) if declared.isdigit() else 0
        read, answered = 0, False
        refused: GoldenError | None = None
        with own or nullcontext(lambda _size: None) as count:

            def expect(size: int, more: int) -> None:
                nonlocal refused
                try:
                    if size > most:
                        raise RequestTooLarge(f"The request is too large: at most {most} bytes are read.")
                    count(more)
                except (RequestTooLarge, TooManyRequests) as error:
                    refused = error
                    raise

            async def receive_counted() -> Message:
                nonlocal read
                message = await receive()
                if message["type"] == "http.request":
                    before, read = read, read + len(message.get("body", b""))
                    expect(read, max(0, read - promised) - max(0, before - promised))
                return message

            async def send_unless_refused(message: Message) -> None:
                nonlocal answered
                if refused is None or answered:
                    answered = True
                    await send(message)

            try:
                expect(promised, promised)
                await self._app(scope, receive_counted, send_unless_refused)
            except Exception:
                # Whatever a route makes of a body that broke off, the reason is this one.
                if refused is None:
                    raise
        if refused is not None and not answered:
            await error_response(refused, str(scope.get("state", {}).get("request_id", "")))(scope, receive, send)


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
