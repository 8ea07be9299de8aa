"""A transport to an ASGI application in the same process that streams: each piece of an answer comes as it is sent."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from typing import Any

import httpx

_Message = MutableMapping[str, Any]
_HTTP_PORT = 80


class InProcessTransport(httpx.AsyncBaseTransport):
    """Calls an ASGI application; ``peer`` is the address and port that it sees at the other end.

    httpx's own transport of this kind returns an answer when it is whole; a stream must be heard while it is written.
    """

    def __init__(self, app: Any, *, peer: tuple[str, int]) -> None:
        self._app = app
        self._peer = peer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; the answer's body comes piece by piece, and closing it ends the application's work."""
        body = b"".join([piece async for piece in request.stream])  # type: ignore[union-attr]
        call = _Call(self._app, _scope_of(request, self._peer), body)
        status, headers = await call.begun()
        return httpx.Response(status, headers=headers, stream=call)


class _Call(httpx.AsyncByteStream):
    """One request to the application, which works in a task of its own."""

    def __init__(self, app: Any, scope: dict[str, Any], body: bytes) -> None:
        self._app = app
        self._body: bytes | None = body
        self._gone = asyncio.Event()
        self._sent: asyncio.Queue[_Message | None] = asyncio.Queue(maxsize=16)
        self._work = asyncio.create_task(self._run(scope))

    async def begun(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        try:
            message = await self._sent.get()
        except asyncio.CancelledError:
            await self.aclose()
            raise
        if message is None:
            # It ended before it answered; what it raised is raised here.
            await self._work
            raise httpx.RemoteProtocolError("the application did not answer")
        return message["status"], list(message.get("headers", ()))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self._sent.get()) is not None:
            if message["type"] == "http.response.body":
                if piece := message.get("body", b""):
                    yield piece
                if not message.get("more_body", False):
                    return
        await self._work

    async def aclose(self) -> None:
        self._gone.set()
        self._work.cancel()
        await asyncio.gather(self._work, return_exceptions=True)

    async def _run(self, scope: dict[str, Any]) -> None:
        try:
            await self._app(scope, self._receive, self._sent.put)
        finally:
            # Nobody may listen any more, and a full queue has what wakes whoever does.
            if not self._sent.full():
                self._sent.put_nowait(None)

    async def _receive(self) -> _Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}


def _scope_of(request: httpx.Request, peer: tuple[str, int]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.split(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "server": (request.url.host, request.url.port or _HTTP_PORT),
        "client": peer,
        # Whoever holds accounts to their limits counts what the browser sent, and questions.
        "state": {"in_process": True},
    }
