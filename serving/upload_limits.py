"""Metering: how much an account has in bodies under way, counted while they arrive."""

from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.access import Actor, TooManyRequests
from serving.problems import error_response
from serving.rate_limits import RequestLimits


class UploadLimits:
    """Counts the bodies of each account against its limit, and refuses (429) what goes beyond it.

    What a request declares is counted before any of it is read; a body of undeclared length while it arrives. It stands
    behind the authentication, which says whose a request is; who is not told apart is not counted.
    """

    def __init__(self, app: ASGIApp, *, limits: RequestLimits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        actor = scope.get("state", {}).get("actor")
        if scope["type"] != "http" or not isinstance(actor, Actor) or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"")
        promised = int(declared[:20]) if declared.isdigit() else 0
        with self._limits.carried(actor.account) as count:
            body = _Body(receive, send, count, promised)
            try:
                count(promised)
                await self._app(scope, body.receive, body.send)
            except Exception as error:
                # Whatever a route makes of a body that broke off, the reason is this one.
                if body.refused is None and not isinstance(error, TooManyRequests):
                    raise
                body.refused = body.refused or error
            if body.refused is not None and not body.answered:
                request_id = str(scope["state"].get("request_id", ""))
                await error_response(body.refused, request_id)(scope, receive, send)


class _Body:
    """A request's body as it arrives, and whether its answer has begun."""

    def __init__(self, receive: Receive, send: Send, count: Callable[[int], None], promised: int) -> None:
        self._receive, self._send, self._count, self._promised = receive, send, count, promised
        self._read = 0
        self.refused: Exception | None = None
        self.answered = False

    async def receive(self) -> Message:
        """Return the next piece, counted where it is more than was promised."""
        message = await self._receive()
        if message["type"] == "http.request":
            before, self._read = self._read, self._read + len(message.get("body", b""))
            try:
                self._count(max(0, self._read - self._promised) - max(0, before - self._promised))
            except TooManyRequests as error:
                self.refused = error
                raise
        return message

    async def send(self, message: Message) -> None:
        """Send a piece of the answer, unless the body is refused."""
        if self.refused is not None and not self.answered:
            return
        self.answered = True
        await self._send(message)
