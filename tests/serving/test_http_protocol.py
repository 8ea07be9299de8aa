"""Requests that are too large, sent by real clients over a socket: each client reads why, and the server goes on."""

import asyncio
import http.client
import json
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest

from serving import http_protocol
from serving.http_protocol import MAX_HEAD_BYTES, MAX_URL_BYTES, BoundedHttpProtocol
from tests.servers import app_of, client_of

MIB = 1_048_576
PATH = "/v1/chat/completions"
JSON = {"Content-Type": "application/json"}
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture
async def address() -> AsyncIterator[str]:
    async with client_of(app_of(), http=BoundedHttpProtocol) as http:
        yield str(http.base_url)
        assert (await http.get("/healthz")).status_code == 200


async def answered(address: str, sent: bytes) -> tuple[int, dict[str, Any]]:
    """Send bytes to their end, only then read the answer: what comes back is lost where the server closes early."""

    def send() -> tuple[int, dict[str, Any]]:
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
            connection.sendall(sent)
            response = http.client.HTTPResponse(connection)
            response.begin()
            told = response.read()
            is_json = response.headers.get_content_type() == "application/json"
            return response.status, json.loads(told)["error"] if is_json else {"message": told.decode()}

    return await asyncio.to_thread(send)


def head(*lines: bytes, start: bytes = b"GET /healthz HTTP/1.1") -> bytes:
    return b"\r\n".join((start, b"Host: 127.0.0.1", *lines))


async def test_a_client_reads_why_its_request_is_refused(subtests: pytest.Subtests, address: str) -> None:
    for sent, status in [
        (head(b"X-Long: " + b"x" * 20 * MIB), 431),
        (head(*(b"X-%d: y" % number for number in range(500_000))) + b"\r\n\r\n", 431),
        (head(start=b"GET /" + b"x" * 20 * MIB), 414),
        (head(start=b"GET /healthz?" + b"x" * MAX_URL_BYTES + b" HTTP/1.1") + b"\r\n\r\n", 414),
        (b"no HTTP at all\r\n\r\n" + b"x" * 20 * MIB, 400),
    ]:
        with subtests.test(sent=sent[:40], status=status):
            found, error = await answered(address, sent)
            assert (found, error["type"]) == (status, "invalid_request_error")
            assert error["message"]


async def test_client_that_sends_its_whole_body_first_gets_the_413(subtests: pytest.Subtests, address: str) -> None:
    for declared in [True, False]:
        with subtests.test(declared=declared):
            body = b"x" * 40 * MIB
            if declared:
                sent = head(b"Content-Length: %d" % len(body), start=b"POST %b HTTP/1.1" % PATH.encode())
            else:
                sent = head(b"Transfer-Encoding: chunked", start=b"POST %b HTTP/1.1" % PATH.encode())
                body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
            found, _ = await answered(address, sent + b"\r\nContent-Type: application/json\r\n\r\n" + body)
            assert found == 413


async def test_chunk_trailers_and_extensions_are_bounded(address: str) -> None:
    begin = head(b"Transfer-Encoding: chunked", start=b"POST /healthz HTTP/1.1") + b"\r\n\r\n"
    for endless in (b"0\r\nX-Long: ", b"1;"):
        reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
        writer.write(begin + endless + b"x" * MAX_HEAD_BYTES)
        await writer.drain()
        writer.write(b"x" * MAX_HEAD_BYTES)
        async with asyncio.timeout(20):
            # The request is refused before it is complete, so the connection is closed.
            with suppress(ConnectionResetError):
                await reader.read()
        assert reader.at_eof() or isinstance(reader.exception(), ConnectionResetError)
        writer.close()


async def test_missing_headers_end_the_connection(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_TIMEOUT_S", 0.5)
    ends = []
    for sent in (b"", b"GET /health", WHOLE + b"GET /healthz HTTP/1.1\r\nHost:"):
        reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
        writer.write(sent)
        async with asyncio.timeout(60):
            ends.append(await reader.read())
        writer.close()
    assert ends[0] == b""
    assert ends[1].startswith(b"HTTP/1.1 408 Request Timeout")
    # The previous request was complete and gets its response.
    assert ends[2].startswith(b"HTTP/1.1 200 OK")


async def test_line_breaks_after_request_do_not_keep_connection(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_TIMEOUT_S", 0.5)
    reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
    writer.write(WHOLE)
    async with asyncio.timeout(60):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 OK")
        await asyncio.sleep(0.2)
        writer.write(b"\r\n")
        await reader.read()
    writer.close()


async def test_requests_within_the_limits_are_served(address: str) -> None:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    headers = JSON | {"X-Long": "x" * (MAX_HEAD_BYTES - 10_000)}
    body = json.dumps({"messages": [{"role": "user", "content": "What is VPP on DDR4?"}], "metadata": {}}).encode()

    def ask(path: str) -> int:
        # Twice over one connection: the limit applies to each request.
        connection.request("POST", path, body + b" " * MIB, headers)
        response = connection.getresponse()
        response.read()
        return response.status

    long = f"{PATH}?{'x' * 7_000}"
    assert [await asyncio.to_thread(ask, path) for path in (PATH, long)] == [200, 200]
    connection.close()
