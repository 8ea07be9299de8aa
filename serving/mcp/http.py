"""Streamable HTTP: the MCP server as an area at ``/mcp``, behind the doorway like everything else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

from contracts.errors import Unavailable
from serving.access import Actor, RequestGuard
from serving.areas import Area
from serving.doorway import guarded_route
from serving.mcp.desk import KnowledgeDesk
from serving.mcp.server import build_server
from serving.problems import respond
from serving.requests import MAX_BODY_BYTES
from serving.wire import Problem

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
_OTHER_METHODS = ("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS")


def mcp_area(desk: KnowledgeDesk, version: str, guard: RequestGuard) -> Area:
    """Return ``/mcp``; ``guard`` lets requests in, and each must be allowed to ask.

    Each request stands alone: no session is kept between two, so that any of several processes may answer the next.
    """
    endpoint = _Endpoint(desk, version)
    router = APIRouter(
        tags=["mcp"], route_class=guarded_route(guard, "ask"), lifespan=endpoint.lifespan, include_in_schema=False
    )

    @router.post(PATH)
    @router.post(f"{PATH}/")
    async def serve() -> Response:
        return endpoint.response()

    @router.api_route(PATH, methods=list(_OTHER_METHODS))
    @router.api_route(f"{PATH}/", methods=list(_OTHER_METHODS))
    async def refuse(request: Request) -> Response:
        """Refuse what only a server with sessions has: a stream of its own (GET), and the end of one (DELETE)."""
        message = f"{request.method} is not for {PATH}: send JSON-RPC messages with POST. No sessions are kept here."
        problem = Problem(message=message, type="invalid_request_error", code="method_not_allowed")
        return respond(405, problem, {"allow": "POST"})

    return Area(routers=(router,), bounds={PATH: MAX_BODY_BYTES})


class _Endpoint:
    """The server's requests over HTTP, for as long as the application runs."""

    def __init__(self, desk: KnowledgeDesk, version: str) -> None:
        self._desk = desk
        self._version = version
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def lifespan(self, _app: Any) -> AsyncIterator[None]:
        """Serve for the length of the block, which may be entered again after it ended."""
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        manager = StreamableHTTPSessionManager(
            build_server(self._bring_desk, _actor_of, version=self._version),
            stateless=True,
            # Hosts and origins were checked at the doorway, which knows the trusted ones.
            security_settings=None,
            max_request_body_size=MAX_BODY_BYTES,
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    def response(self) -> Response:
        """Return what answers one request.

        Raises:
            Unavailable: the application is not up.
        """
        if self._manager is None:
            raise Unavailable("The server is starting or stopping: try again in a moment.")
        return _Handed(self._manager)

    async def _bring_desk(self) -> KnowledgeDesk:
        return self._desk


class _Handed(Response):
    """A response that the SDK sends, after it has read the request."""

    def __init__(self, manager: "StreamableHTTPSessionManager") -> None:
        super().__init__()
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request."""
        await self._manager.handle_request(scope, receive, send)


async def _actor_of(context: "ServerRequestContext[Any, Any]") -> Actor:
    request = context.request
    assert isinstance(request, Request)
    actor = request.state.actor
    assert isinstance(actor, Actor)
    return actor
