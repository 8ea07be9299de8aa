"""Request log: each request gets one line in the log, is counted in the metrics, and has its id on every line."""

import logging
import re
import time
import uuid
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.access import Actor
from serving.health import PATHS as HEALTH_PATHS
from serving.problems import error_response

if TYPE_CHECKING:
    from serving.metrics import Metrics

# The status if a client disconnects before the response; other servers' logs use the same one.
_GONE = 499
_UNMATCHED = "unmatched"
# Load balancers and scrapers send requests every few seconds: only their failures are logged.
_QUIET = frozenset({*HEALTH_PATHS, "/metrics"})

_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)

_log = logging.getLogger(__name__)
# The id of the current request, for every line of the log.
REQUEST_ID: ContextVar[str] = ContextVar("request id", default="")
_NOTES: ContextVar["dict[str, object] | None"] = ContextVar("notes on the request", default=None)


def note(**values: object) -> None:
    """Add values to the current request's line in the log; without a request, nothing happens."""
    notes = _NOTES.get()
    if notes is not None:
        notes.update(values)


class RequestLog:
    """Reports each request to the log and to ``metrics``, and gives it an id, which it returns as ``x-request-id``.

    A valid id from the client is kept. Uncaught errors become an error body here, so that even that response has its
    id.
    """

    def __init__(self, app: ASGIApp, *, metrics: "Metrics | None" = None) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # A mounted application replaces our application and routes in the scope.
        begun, ours, root = time.perf_counter(), scope.get("app"), scope.get("root_path", "")
        status = _GONE
        notes: dict[str, object] = {}
        state = scope.setdefault("state", {})
        state["request_id"] = request_id = _id_of(scope)

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
            await send(message)

        _NOTES.set(notes)
        if self._metrics is not None:
            self._metrics.begin()
        token = REQUEST_ID.set(request_id)
        try:
            await self._app(scope, receive, send_on)
        except Exception as error:
            if status != _GONE:
                status = 500
                raise
            await error_response(error, request_id)(scope, receive, send_on)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "OTHER"
            route, seconds = _route_of(scope, ours, root), time.perf_counter() - begun
            _tell({"method": method, "route": route, "status": status}, seconds, state.get("actor"), notes)
            if self._metrics is not None:
                self._metrics.end(method, route, status, seconds)
            REQUEST_ID.reset(token)


def _id_of(scope: Scope) -> str:
    given = Headers(scope=scope).get("x-request-id", "")
    return given if _ID.fullmatch(given) else uuid.uuid4().hex


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _route_of(scope: Scope, ours: object, root: str) -> str:
    if scope.get("app") is not ours:
        mounted = scope.get("root_path", "").removeprefix(root)
        return mounted if mounted.startswith("/") else "/"
    return str(getattr(scope.get("route"), "path", _UNMATCHED))


def _tell(served: dict[str, Any], seconds: float, actor: object, notes: dict[str, object]) -> None:
    values = {**served, "ms": round(seconds * 1_000, 1)}
    if isinstance(actor, Actor):
        values |= {"actor": actor.name, **({"key": actor.key_id} if actor.key_id else {})}
    # Files that the chat page loads would fill the log, as health checks would.
    noise = served["status"] < 500 and (
        served["route"] in _QUIET or (served["route"] == "/" and served["method"] in ("GET", "HEAD"))
    )
    _log.log(logging.DEBUG if noise else logging.INFO, "request", extra={**values, **notes})
