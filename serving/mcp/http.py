"""Streamable HTTP: the MCP server at ``/mcp``, with the same checks as every other address."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from mcp.server.mcpserver import Context
from starlette.types import Receive, Scope, Send

from contracts.errors import Unavailable
from serving.access import Actor
from serving.mcp.server import Knowledge, build_server
from serving.problems import Problem, respond
from serving.routing import MAX_BODY_BYTES, guarded_router

PATH = "/mcp"
_OTHER_METHODS = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]


def mcp_router(knowledge: Knowledge, version: str) -> APIRouter:
    """Return ``/mcp``, for everybody who may ask.

    Requests are independent: there are no sessions, so any of several processes can answer the next request.
    """
    running: list[_Sent] = []

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        # A session manager cannot run twice, so each start of the application builds a new server.
        server = build_server(knowledge, _actor_of, version=version)
        # Hosts and origins have already been checked against the trusted names.
        server.streamable_http_app(stateless_http=True, max_request_body_size=MAX_BODY_BYTES)
        async with server.session_manager.run():
            running.append(_Sent(server.session_manager))
            yield
        running.clear()

    router = guarded_router("", "mcp", "ask", lifespan=lifespan, include_in_schema=False)

    @router.post(PATH)
    @router.post(f"{PATH}/")
    async def serve() -> Response:
        if not running:
            raise Unavailable("The server is starting or stopping: try again in a moment.")
        return running[0]

    @router.api_route(PATH, methods=_OTHER_METHODS)
    @router.api_route(f"{PATH}/", methods=_OTHER_METHODS)
    async def refuse(request: Request) -> Response:
        """Refuse requests that need sessions: opening a stream (GET) and ending a session (DELETE)."""
        message = (
            f"{request.method} is not supported on {PATH}: send JSON-RPC messages with POST. There are no sessions."
        )
        problem = Problem(message=message, type="invalid_request_error", code="method_not_allowed")
        return respond(405, problem, {"allow": "POST"})

    return router


class _Sent(Response):
    """A response that the SDK sends itself, after it has read the request."""

    def __init__(self, manager: Any) -> None:
        super().__init__()
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


async def _actor_of(ctx: Context[Any, Any]) -> Actor:
    request = ctx.request_context.request
    assert isinstance(request, Request)
    actor = request.state.actor
    assert isinstance(actor, Actor)
    return actor
