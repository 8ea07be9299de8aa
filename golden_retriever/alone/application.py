"""The web application of the pages alone: the pages, a door that the server keeps, and a passage to the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx

from contracts.errors import GoldenError
from golden_retriever.alone.connecting import shared_client, shared_transport
from golden_retriever.alone.headers import request_headers
from golden_retriever.alone.keeping import RemoteDoorkeeper
from golden_retriever.alone.passing import ServerPassage, is_servers

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ui.client import Caller

_HEALTH = "/healthz"


def build_pages_alone(server: str, *, hosts: frozenset[str] = frozenset(), beyond_loopback: bool = False) -> "FastAPI":
    """Return the pages as a client of the server at ``server`` (as of ``alone.address``).

    They are served below the path that the server's address has. ``hosts`` are the names under which a proxy serves
    the pages. ``beyond_loopback``: others than this machine can reach them.
    """
    from fastapi import FastAPI

    from serving.doorway import LOGIN, Doorway
    from serving.headers import SecurityHeaders
    from serving.origins import SharedOrigins
    from serving.prefix import PathPrefix
    from serving.problems import install_problems
    from serving.requests import MAX_BODY_BYTES, BoundedBodies, RequestIds
    from ui.app import build_ui, mount_ui
    from ui.client import ApiClient
    from ui.site import build_frame, desks

    prefix = urlsplit(server).path
    transport = shared_transport()
    http = shared_client(server, transport)
    keeper = RemoteDoorkeeper(http, hosts=hosts, closed_only=beyond_loopback)

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        async with http:
            yield

    web = FastAPI(title="Golden Retriever", docs_url=None, redoc_url=None, openapi_url=None, lifespan=living)

    @web.get(_HEALTH, include_in_schema=False)
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    install_problems(web)
    client = ApiClient(lambda caller: _PersonalTransport(transport, caller), server)
    mount_ui(web, build_ui(build_frame(client, prefix=prefix), desks()), prefix=prefix)
    web.add_middleware(BoundedBodies, bounds={"/": MAX_BODY_BYTES})
    web.add_middleware(Doorway, keeper=keeper, opened=(_HEALTH,), login=prefix + LOGIN)
    web.add_middleware(SharedOrigins)
    # What is passed on gets its id from the server.
    web.add_middleware(RequestIds)
    web.add_middleware(ServerPassage, http=http)
    web.add_middleware(_ClosedServer, keeper=keeper)
    web.add_middleware(SecurityHeaders)
    web.add_middleware(PathPrefix, prefix=prefix)
    return web


class _ClosedServer:
    """Lets nothing through to a server that asks nobody, where others than this machine can reach the pages."""

    def __init__(self, app: "ASGIApp", *, keeper: RemoteDoorkeeper) -> None:
        self._app = app
        self._keeper = keeper

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        from serving.problems import problem_of, respond

        if scope["type"] == "http" and is_servers(scope["path"]):
            try:
                await self._keeper.expect_closed()
            except GoldenError as error:
                await respond(*problem_of(error, ""))(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _PersonalTransport(httpx.AsyncBaseTransport):
    """Sends what the pages ask for one person over the connections of all, with that person's own headers alone."""

    def __init__(self, transport: httpx.AsyncBaseTransport, caller: "Caller") -> None:
        self._transport = transport
        self._caller = caller

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        request.headers = httpx.Headers(request_headers(request.headers.multi_items(), self._caller.peer[0]))
        return await self._transport.handle_async_request(request)
