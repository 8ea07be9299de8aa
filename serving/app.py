"""The web application: the OpenAI-compatible API, health and what is served besides, around one chatbot."""

from collections.abc import Collection, Sequence

from fastapi import FastAPI
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

from serving.access import Guard, LoopbackGuard
from serving.authentication import LOGIN, AuthenticationMiddleware
from serving.chat import ChatService
from serving.completions import completion_routes
from serving.headers import SecurityHeaders
from serving.health import PATHS as HEALTH_PATHS
from serving.health import Readiness, health_routes
from serving.origins import SharedOrigins
from serving.path_prefix import PathPrefix
from serving.problems import install_problems
from serving.rate_limits import RequestLimits
from serving.request_log import RequestLog, RequestObserver
from serving.routing import MAX_BODY_BYTES, Area

_TITLE = "Golden Retriever"


def create_app(
    chat: ChatService,
    *,
    readiness: Readiness,
    keep_alive_s: float = 10.0,
    areas: Sequence[Area] = (),
    guard: Guard | None = None,
    limits: RequestLimits | None = None,
    observers: Sequence[RequestObserver] = (),
    origins: Collection[str] = (),
    prefix: str = "",
) -> FastAPI:
    """Return the application.

    ``readiness`` names what is not ready, each with the reason; nothing when all is. A stream of ``chat`` in which
    nothing happened for ``keep_alive_s`` carries an empty chunk.
    ``areas`` are what is served besides. ``guard`` lets requests in (None: those of this machine), and whom it
    knows is held to ``limits``. Pages of ``origins`` may ask, too (``serving.origins``); ``prefix`` is the path under
    which a proxy serves this, where it passes it on.
    """
    # The interactive pages load scripts from another host; the description itself stays.
    app = FastAPI(title=_TITLE, docs_url=None, redoc_url=None)
    guard = guard or LoopbackGuard()
    built = [
        Area(routers=(completion_routes(chat, keep_alive_s=keep_alive_s),)),
        Area(routers=(health_routes(readiness),), open=HEALTH_PATHS),
        *areas,
    ]
    for area in built:
        for router in area.routers:
            app.include_router(router)
    install_problems(app)
    # Routes that take larger bodies say so. Behind the authentication: who is not let in hears that first.
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=MAX_BODY_BYTES)
    opened = [path for area in built for path in area.open]
    app.add_middleware(
        AuthenticationMiddleware,
        guard=guard,
        limits=limits,
        opened=opened,
        login=prefix + LOGIN if LOGIN in opened else "",
        scoped=[prefix for area in built for prefix in area.scoped],
    )
    app.add_middleware(RequestLog, observers=observers)
    app.add_middleware(SharedOrigins, origins=origins)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(PathPrefix, prefix=prefix)
    return app
