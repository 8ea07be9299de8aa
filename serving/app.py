"""The web application: the OpenAI-compatible API, health checks and other routes for one chatbot."""

from collections.abc import Collection, Sequence

from fastapi import APIRouter, FastAPI
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from serving.authentication import LOGIN, AuthenticationMiddleware
from serving.chat import ChatService
from serving.completions import completion_routes
from serving.headers import SecurityHeaders
from serving.health import PATHS as HEALTH_PATHS
from serving.health import Readiness, health_routes
from serving.identity.guards import Guard
from serving.login.addresses import PATHS as LOGIN_PATHS
from serving.metrics import PATH as METRICS_PATH
from serving.metrics import Metrics
from serving.origins import SharedOrigins
from serving.problems import install_problems
from serving.rate_limits import RequestLimits
from serving.request_log import RequestLog
from serving.routing import MAX_BODY_BYTES
from serving.widget.routes import PATH as WIDGET_PATH

_TITLE = "Golden Retriever"
# Paths that need no key, besides the login if there is one; /metrics checks access itself.
_OPENED = (*HEALTH_PATHS, METRICS_PATH, WIDGET_PATH)


def create_app(
    chat: ChatService,
    *,
    readiness: Readiness,
    keep_alive_s: float = 10.0,
    routers: Sequence[APIRouter] = (),
    guard: Guard | None = None,
    limits: RequestLimits | None = None,
    metrics: Metrics | None = None,
    origins: Collection[str] = (),
    prefix: str = "",
) -> FastAPI:
    """Return the application.

    ``readiness`` names the parts that are not ready, each with the reason. If nothing happens in a stream of ``chat``
    for ``keep_alive_s``, it sends an empty chunk. ``routers`` are further routes. ``guard`` admits
    requests (None: those from this machine); accounts that it knows are subject to ``limits``. Pages of ``origins`` may
    ask, too (``serving.origins``); ``prefix`` is the path under which a proxy serves this, if the proxy passes it on.
    """
    # The interactive pages load scripts from another host; the description itself is served.
    app = FastAPI(title=_TITLE, docs_url=None, redoc_url=None)
    guard = guard or Guard()
    for router in (completion_routes(chat, keep_alive_s=keep_alive_s), health_routes(readiness), *routers):
        app.include_router(router)
    install_problems(app)
    # Routes that accept larger bodies declare this. The limit is applied after authentication.
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=MAX_BODY_BYTES)
    logs_in = any(getattr(route, "path", "") == LOGIN for router in routers for route in router.routes)
    app.add_middleware(
        AuthenticationMiddleware,
        guard=guard,
        limits=limits,
        opened=(*_OPENED, *(LOGIN_PATHS if logs_in else ())),
        login=prefix + LOGIN if logs_in else "",
    )
    app.add_middleware(RequestLog, metrics=metrics)
    app.add_middleware(SharedOrigins, origins=origins)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(PathPrefix, prefix=prefix)
    return app


class PathPrefix:
    """Removes ``prefix`` ("/golden"; "" for none) from the paths of requests that have it; others stay unchanged.

    A proxy may therefore pass the prefix on or remove it. Routes and path checks never see it.
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
