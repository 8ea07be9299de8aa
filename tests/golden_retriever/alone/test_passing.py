"""The pages alone pass on what is the server's: streamed both ways, with the person's own credentials and no others."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from contracts.errors import InvalidInput
from golden_retriever.alone.address import server_address
from golden_retriever.alone.connecting import shared_client, shared_transport
from golden_retriever.alone.passing import ServerPassage, is_servers
from tests.servers import listening

PLAIN: dict[str, Any] = {"lifespan": "off", "timeout_graceful_shutdown": 1, "proxy_headers": False}


class Upstream:
    """A server that keeps what it is sent, and answers piece by piece until it is let go."""

    def __init__(self) -> None:
        self.headers: list[tuple[str, str]] = []
        self.target = b""
        self.bodies: list[bytes] = []
        self.first_piece, self.go_on, self.left = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.headers = [(name.decode(), value.decode()) for name, value in scope["headers"]]
        self.target = scope["raw_path"] + b"?" + scope["query_string"]
        if scope["path"] == "/golden/api/stream":
            await self._stream(receive, send)
            return
        more = True
        while more:
            message = await receive()
            self.bodies.append(message.get("body", b""))
            self.first_piece.set()
            more = message.get("more_body", False)
        headers = [
            (b"content-type", b"application/json"),
            (b"set-cookie", b"a=1; Path=/golden; HttpOnly"),
            (b"set-cookie", b"b=2; Path=/golden"),
            (b"location", b"/golden/login"),
        ]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"ok": true}'})

    async def _stream(self, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True})
        leaving, going = asyncio.create_task(receive()), asyncio.create_task(self.go_on.wait())
        done, _ = await asyncio.wait({leaving, going}, return_when=asyncio.FIRST_COMPLETED)
        if leaving in done:
            self.left.set()
            going.cancel()
            return
        leaving.cancel()
        await send({"type": "http.response.body", "body": b"data: 2\n\n", "more_body": False})


@asynccontextmanager
async def pages(base: str) -> AsyncIterator[httpx.AsyncClient]:
    """Serve pages of one word beside a passage to the server at ``base``; yield a browser."""
    async with (
        shared_client(base, shared_transport()) as to_server,
        listening(ServerPassage(PlainTextResponse("pages"), http=to_server), **PLAIN) as address,
        httpx.AsyncClient(base_url=address, timeout=20) as browser,
    ):
        yield browser


async def test_what_is_the_servers_goes_there_as_it_is_and_all_else_is_the_pages() -> None:
    upstream = Upstream()
    async with listening(upstream, **PLAIN) as server, pages(f"{server}/golden") as browser:
        assert (await browser.get("/documents")).text == "pages"
        sent = {"cookie": "golden_session=x", "authorization": "Bearer gr_1", "host": "chat.example", "accept": "a/b"}
        answer = await browser.post("/api/documents/K%2F%C3%A9?group=a%20b", content=b"{}", headers=sent)
        assert (answer.status_code, answer.headers["location"]) == (303, "/golden/login")
        assert answer.headers.get_list("set-cookie") == ["a=1; Path=/golden; HttpOnly", "b=2; Path=/golden"]
        assert answer.json() == {"ok": True}
        assert upstream.target == b"/golden/api/documents/K%2F%C3%A9?group=a%20b"
        assert sent.items() <= dict(upstream.headers).items()
        assert b"".join(upstream.bodies) == b"{}"


async def test_nothing_goes_on_by_which_a_proxy_would_vouch_for_somebody() -> None:
    upstream = Upstream()
    async with listening(upstream, **PLAIN) as server, pages(server) as browser:
        forged = {"x-forwarded-user": "ada", "x-forwarded-groups": "it", "forwarded": "for=10.0.0.1", "x-auth": "1"}
        await browser.get("/api/me", headers=forged | {"x-forwarded-for": "10.0.0.1"})
        told = [(name, value) for name, value in upstream.headers if name.startswith(("x-", "forwarded"))]
        assert told == [("x-forwarded-for", "127.0.0.1")]


async def test_what_one_browser_is_given_no_other_one_ever_sends() -> None:
    upstream = Upstream()
    async with listening(upstream, **PLAIN) as server, pages(f"{server}/golden") as browser:
        for _ in range(2):
            browser.cookies.clear()
            assert "set-cookie" in (await browser.post("/login", data={"key": "gr_1"})).headers
            assert "cookie" not in dict(upstream.headers)


async def test_a_stream_comes_as_it_is_sent_and_who_goes_away_ends_it() -> None:
    upstream = Upstream()
    async with listening(upstream, **PLAIN) as server, pages(f"{server}/golden") as browser:
        async with browser.stream("GET", "/api/stream") as answer:
            lines = answer.aiter_lines()
            assert await anext(lines) == "data: 1"
            upstream.go_on.set()
            assert [line async for line in lines if line] == ["data: 2"]
        upstream.go_on.clear()
        async with browser.stream("GET", "/api/stream") as answer:
            assert await anext(answer.aiter_lines()) == "data: 1"
        await asyncio.wait_for(upstream.left.wait(), 20)


async def test_an_upload_is_handed_on_before_it_is_whole() -> None:
    upstream = Upstream()

    async def body() -> AsyncIterator[bytes]:
        yield b"first"
        await asyncio.wait_for(upstream.first_piece.wait(), 20)
        yield b"second"

    async with listening(upstream, **PLAIN) as server, pages(server) as browser:
        assert (await browser.post("/api/documents", content=body())).status_code == 303
        assert b"".join(upstream.bodies) == b"firstsecond"


async def test_a_server_that_is_away_is_told_in_the_form_of_the_api() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    async with pages(nobody) as browser:
        answer = await browser.get("/api/me")
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "unavailable")
        assert "cannot be reached" in answer.json()["error"]["message"]


def test_which_paths_are_the_servers() -> None:
    for path in ("/api/me", "/login", "/login/oidc", "/logout", "/v1/models", "/widget.js", "/openapi.json"):
        assert is_servers(path), path
    for path in ("/", "/documents", "/apis", "/gradio_api/queue/join", "/loginx", "/metrics", "/mcp", "/assets/a.js"):
        assert not is_servers(path), path


@pytest.mark.parametrize(
    "text",
    ["", "bot.example", "ftp://bot", "http://", "http://bot:99999", "http://bot?x=1", "http://a:b@bot", "http://["],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="no address of a server"):
        server_address(text)


def test_an_address_keeps_its_path() -> None:
    assert server_address(" https://intranet.example/golden/ ") == "https://intranet.example/golden"
