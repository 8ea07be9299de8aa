"""What answers before the application is there, and when it is about to go."""

from typing import Literal

from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.headers import SecurityHeaders
from serving.problems import respond
from serving.requests import request_id_in
from serving.wire import Problem

Phase = Literal["starting", "serving", "leaving", "closed"]

_REASONS: dict[Phase, str] = {
    "starting": "The server is starting: documents, indexes and models are being opened.",
    "leaving": "The server is about to stop: send new requests to another one.",
    "closed": "The server is stopping and takes no more requests: ask another one, or again in a moment.",
}


class PhaseMiddleware:
    """Stands before the application from the first moment to the last.

    ``/healthz`` is answered always. While the application ``starts``, and once the server is ``closed``, everything
    else is a 503 with ``Retry-After``. While it is ``leaving``, requests are served, but ``/readyz`` tells balancers to
    send no more. ``under_way`` counts the requests that can change something (any but GET and HEAD): those are waited
    for at the end; a page that listens for news is not.
    """

    def __init__(self, *, prefix: str = "") -> None:
        self._prefix = prefix
        self.phase: Phase = "starting"
        self.under_way = 0
        self._app: ASGIApp | None = None

    def open(self, app: ASGIApp) -> None:
        """Let requests through to ``app``."""
        self._app = app
        if self.phase == "starting":
            self.phase = "serving"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            if self._app is not None:
                await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(self._prefix)
        if path == "/readyz" and self.phase != "serving":
            await SecurityHeaders(self._not_ready())(scope, receive, send)
        elif self._app is None or self.phase in ("starting", "closed"):
            await SecurityHeaders(self._refusal(scope, path))(scope, receive, send)
        elif scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
        else:
            await self._counted(self._app, scope, receive, send)

    async def _counted(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        self.under_way += 1
        try:
            await app(scope, receive, self._closing(send))
        finally:
            self.under_way -= 1

    def _closing(self, send: Send) -> Send:
        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start" and self.phase == "closed":
                # A client that keeps its connection would send the next request into a server that has gone.
                message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
            await send(message)

        return send_on

    def _not_ready(self) -> JSONResponse:
        reasons = {"server": _REASONS[self.phase]}
        body = {"status": self.phase, "missing": reasons, "degraded": {}}
        return JSONResponse(body, status_code=503, headers={"cache-control": "no-store", "retry-after": "1"})

    def _refusal(self, scope: Scope, path: str) -> JSONResponse:
        if path == "/healthz":
            return JSONResponse({"status": "ok"})
        headers = {"retry-after": "1", "x-request-id": request_id_in(scope)}
        if self.phase == "closed":
            headers["connection"] = "close"
        code = "server_starting" if self.phase == "starting" else "server_stopping"
        return respond(503, Problem(message=_REASONS[self.phase], type="server_error", code=code), headers)
