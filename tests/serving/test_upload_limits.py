"""How much one account may have in uploads under way, over the real order of the server's parts."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from serving.access import Actor
from serving.rate_limits import RequestLimits
from serving.requests import BoundedBodies

MIB = 1_048_576


class Uploads:
    """A server that reads bodies; it goes on reading when ``going`` is set. Who asks is who the header says."""

    def __init__(self) -> None:
        self.limits = RequestLimits(a_minute=0, at_once=0, body_bytes=2 * MIB)
        self.going = asyncio.Event()
        self.reading = asyncio.Event()
        self.going.set()
        routes = [Route("/{kind}", self._take, methods=["GET", "POST"])]
        self._app = BoundedBodies(Starlette(routes=routes), bounds={}, limits=self.limits)

    async def _take(self, request: Request) -> JSONResponse:
        self.reading.set()
        await self.going.wait()
        size = 0
        try:
            async for piece in request.stream():
                size += len(piece)
        except Exception:
            if request.path_params["kind"] == "hides":
                return JSONResponse({"error": "unreadable"}, status_code=400)
            raise
        return JSONResponse(size)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = dict(scope["headers"])[b"x-who"].decode()
        scope["state"] = {"actor": Actor(name=name, account=f"key:{name}") if name else None}
        await self._app(scope, receive, send)

    def http(self, who: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(self), base_url="http://test", headers={"x-who": who}, timeout=10
        )


async def pieces(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 65_536):
        yield b"x" * 65_536


def expect_refused(response: httpx.Response) -> None:
    assert response.status_code == 429
    assert int(response.headers["retry-after"]) >= 1
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["code"] == "rate_limit_exceeded"
    assert "2 MiB that you may have at once" in error["message"]


async def test_what_fits_is_taken_and_let_go() -> None:
    uploads = Uploads()
    async with uploads.http("ann") as http:
        for _ in range(3):
            assert (await http.post("/plain", content=b"x" * 2 * MIB)).json() == 2 * MIB
            assert (await http.post("/plain", content=pieces(2 * MIB))).json() == 2 * MIB


@pytest.mark.parametrize("kind", ["plain", "hides"])
async def test_what_is_too_much_is_refused_with_the_reason(kind: str) -> None:
    uploads = Uploads()
    async with uploads.http("ann") as http:
        expect_refused(await http.post(f"/{kind}", content=b"x" * (2 * MIB + 1)))
        assert not uploads.reading.is_set(), "what says beforehand how much it is, is not read"
        expect_refused(await http.post(f"/{kind}", content=pieces(3 * MIB)))
        assert (await http.post(f"/{kind}", content=b"x" * 2 * MIB)).json() == 2 * MIB


async def test_uploads_at_once_count_together_for_each_account() -> None:
    uploads = Uploads()
    uploads.going.clear()
    async with uploads.http("ann") as ann, uploads.http("bob") as bob, uploads.http("") as nobody:
        first = asyncio.create_task(ann.post("/plain", content=b"x" * MIB))
        await uploads.reading.wait()
        expect_refused(await ann.post("/plain", content=b"x" * (MIB + 1)))
        assert not first.done()
        others = [
            asyncio.create_task(each.post("/plain", content=b"x" * size))
            for each, size in ((bob, 2), (nobody, 3 * MIB))
        ]
        uploads.going.set()
        assert [each.json() for each in await asyncio.gather(first, *others)] == [MIB, 2, 3 * MIB]
        assert (await ann.post("/plain", content=b"x" * 2 * MIB)).json() == 2 * MIB
