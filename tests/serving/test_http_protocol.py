"""Requests that are too large or too slow, sent over a socket: the server refuses them, and goes on."""

import asyncio
import http.client
import json
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from agent.chatbot import Chatbot
from serving import http_protocol
from serving.app import create_app
from serving.http_protocol import MAX_HEAD_BYTES, TimedHttpProtocol
from tests.agent.scripted import Script
from tests.servers import chat_of, client_of, nothing_missing

MIB = 1_048_576
PATH = "/v1/chat/completions"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def address() -> AsyncIterator[str]:
    app = create_app(chat_of(Chatbot(Script().services())), readiness=nothing_missing)
    async with client_of(app, http=TimedHttpProtocol, h11_max_incomplete_event_size=MAX_HEAD_BYTES) as http:
        yield str(http.base_url)
        assert (await http.get("/healthz")).status_code == 200


async def status_of(address: str, sent: bytes) -> int:
    """Send bytes to their end, only then read the answer: what comes back is lost where the server closes early."""

    def send() -> int:
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
            connection.sendall(sent)
            response = http.client.HTTPResponse(connection)
            response.begin()
            return response.status

    return await asyncio.to_thread(send)


def head(*lines: bytes, start: bytes = b"GET /healthz HTTP/1.1") -> bytes:
    return b"\r\n".join((start, b"Host: 127.0.0.1", *lines))


async def test_what_does_not_end_is_not_gathered(subtests: pytest.Subtests, address: str) -> None:
    body = head(b"Transfer-Encoding: chunked", start=b"POST /healthz HTTP/1.1") + b"\r\n\r\n"
    for sent in (
        head(b"X-Long: "),
        head(*(b"X-%d: y" % number for number in range(20_000))),
        head(start=b"GET /"),
        b"no HTTP at all\r\n\r\n",
        body + b"0\r\nX-Long: ",
        body + b"1;",
    ):
        with subtests.test(sent=sent[:40]):
            reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
            async with asyncio.timeout(20):
                with suppress(ConnectionError):
                    writer.write(sent + b"x" * 2 * MAX_HEAD_BYTES)
                    await writer.drain()
                    await reader.read()
            writer.close()


async def test_a_client_that_sends_a_whole_body_first_reads_that_it_is_too_large(
    subtests: pytest.Subtests, address: str
) -> None:
    for declared in [True, False]:
        with subtests.test(declared=declared):
            body = b"x" * 40 * MIB
            if declared:
                sent = head(b"Content-Length: %d" % len(body), start=b"POST %b HTTP/1.1" % PATH.encode())
            else:
                sent = head(b"Transfer-Encoding: chunked", start=b"POST %b HTTP/1.1" % PATH.encode())
                body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
            assert await status_of(address, sent + b"\r\nContent-Type: application/json\r\n\r\n" + body) == 413


async def test_headers_that_do_not_come_end_the_connection(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_TIMEOUT_S", 0.5)
    ends = []
    for sent in (
        b"",
        b"GET /health",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /healthz HTTP/1.1\r\nHost:",
    ):
        reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
        writer.write(sent)
        async with asyncio.timeout(60):
            ends.append(await reader.read())
        writer.close()
    assert ends[:2] == [b"", b""]
    # The request before was whole, and is answered.
    assert ends[2].startswith(b"HTTP/1.1 200 OK")


async def test_line_ends_behind_a_request_do_not_keep_the_connection(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_TIMEOUT_S", 0.5)
    reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    async with asyncio.timeout(60):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 OK")
        await asyncio.sleep(0.2)
        writer.write(b"\r\n")
        await reader.read()
    writer.close()


async def test_what_fits_is_served(address: str) -> None:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    headers = JSON | {"X-Long": "x" * (MAX_HEAD_BYTES - 10_000)}
    body = json.dumps({"messages": [{"role": "user", "content": "What is VPP on DDR4?"}], "metadata": {}}).encode()

    def ask(path: str) -> int:
        # Twice over one connection: the bound is one of each request.
        connection.request("POST", path, body + b" " * MIB, headers)
        response = connection.getresponse()
        response.read()
        return response.status

    long = f"{PATH}?{'x' * 7_000}"
    assert [await asyncio.to_thread(ask, path) for path in (PATH, long)] == [200, 200]
    connection.close()
