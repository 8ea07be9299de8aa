"""Passing on: what a browser asks of the server itself goes there as it is, and the answer comes back as it is sent."""

import asyncio
from collections.abc import AsyncIterator

import httpx
from starlette.types import ASGIApp, Receive, Scope, Send

from golden_retriever.alone.headers import answer_headers, request_headers
from serving.problems import respond
from serving.requests import request_id_in
from serving.wire import Problem

# Below these the server answers itself; a "/" at the end means whatever is below, too.
SERVER_PATHS = (
    "/api/", "/v1", "/v1/", "/login", "/login/", "/logout", "/openapi.json", "/readyz", "/widget.js",
)  # fmt: skip
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})


def is_servers(path: str) -> bool:
    """Say whether the server answers at ``path``, and not the pages."""
    return any(path.startswith(each) if each.endswith("/") else path == each for each in SERVER_PATHS)


class ServerPassage:
    """Passes requests for the server's paths on to it over ``http``, whose base is its address, and others to ``app``.

    Bodies and answers are streamed both ways. The browser's own credentials go along, no others. When the browser
    goes, so does the request to the server.
    """

    def __init__(self, app: ASGIApp, *, http: httpx.AsyncClient) -> None:
        self._app = app
        self._http = http

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or not is_servers(scope["path"]):
            await self._app(scope, receive, send)
            return
        body = _Body(receive, bodiless=scope["method"] in _BODILESS)
        work = asyncio.create_task(self._answer(scope, body, send))
        gone = asyncio.create_task(body.gone())
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (work, gone):
                if not each.done():
                    each.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
        if not work.cancelled() and (error := work.exception()) is not None:
            raise error

    async def _answer(self, scope: Scope, body: "_Body", send: Send) -> None:
        begun = False
        try:
            async with self._http.stream(
                scope["method"],
                _target(scope),
                headers=request_headers(_headers_of(scope), scope["client"][0] if scope.get("client") else ""),
                content=None if body.bodiless else body.pieces(),
            ) as answer:
                begun = True
                headers = answer_headers(answer.headers.raw)
                await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
                async for piece in answer.aiter_raw():
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except httpx.HTTPError as error:
            if begun:
                # Cut off: the browser must not take half an answer for a whole one.
                raise
            await respond(*_unreachable(error), {"x-request-id": request_id_in(scope)})(scope, _nothing, send)


class _Body:
    """A browser's body, piece by piece, and after it the moment at which the browser goes."""

    def __init__(self, receive: Receive, *, bodiless: bool) -> None:
        self.bodiless = bodiless
        self._receive = receive
        self._read = asyncio.Event()
        if bodiless:
            self._read.set()

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body."""
        try:
            while True:
                message = await self._receive()
                if message["type"] == "http.disconnect":
                    raise httpx.WriteError("the browser went away")
                if piece := message.get("body", b""):
                    yield piece
                if not message.get("more_body", False):
                    return
        finally:
            self._read.set()

    async def gone(self) -> None:
        """Wait until the browser goes."""
        await self._read.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass


def _target(scope: Scope) -> httpx.URL:
    raw = scope.get("raw_path") or scope["path"].encode()
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    # The path as it was sent: what is percent-encoded in it stays so.
    return httpx.URL(raw_path=raw + query)


def _headers_of(scope: Scope) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]


def _unreachable(error: httpx.HTTPError) -> tuple[int, Problem]:
    message = f"The server cannot be reached just now ({error or type(error).__name__}): try again in a minute."
    return 502, Problem(message=message, type="server_error", code="unavailable")


async def _nothing() -> dict[str, str]:
    return {"type": "http.disconnect"}
