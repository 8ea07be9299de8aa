"""``golden mcp`` in a process of its own, and ``/mcp`` of the running server with keys of two groups."""

import json
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.golden_retriever.keyed import CANARIES, Keyed, keyed_server
from tests.golden_retriever.served import GOLDEN, environment_for, golden

KEYS: dict[str, dict[str, Any]] = {"limited": {"scopes": ["ask"]}, "all": {"scopes": ["ask"], "groups": None}}
QUESTIONS = ("What does VDM stand for?", "What does the PLR hold?", "What is the lattice made of?", "ZORBLAXIT?")

OpenClient = Callable[[], AbstractAsyncContextManager[Client]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mcp")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Keyed]:
    with keyed_server(folder, KEYS) as running:
        yield running


@asynccontextmanager
async def over_http(server: Keyed, key: str, era: str = "legacy") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {server.keys[key]}"}
    async with (
        create_mcp_http_client(headers=headers) as http,
        Client(streamable_http_client(f"{server.address}/mcp", http_client=http), mode=era) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(data: Path, *arguments: str) -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=GOLDEN[0], args=[*GOLDEN[1:], "mcp", *arguments], env=environment_for(data), cwd=data
    )
    async with Client(command) as client:
        yield client


async def all_replies(client: Client, documents: list[str]) -> str:
    """Ask every tool about every question, read every document, and return all that came back."""
    replies: list[str] = []

    async def on_progress(_progress: float, _total: float | None, message: str | None) -> None:
        replies.append(message or "")

    for question in QUESTIONS:
        for tool, arguments in (
            ("ask", {"question": question}),
            ("search_documents", {"query": question}),
            ("search_documents", {"query": question, "groups": ["secret", "everyone"]}),
            ("look_up_jargon", {"text": question}),
        ):
            result = await client.call_tool(tool, arguments, progress_callback=on_progress)
            assert not result.is_error, result
            replies.append(result.model_dump_json())
    for terms in (["VDM", "PLR"], ["QUORVX", "zorblax"]):
        replies.append((await client.call_tool("look_up_jargon", {"terms": terms})).model_dump_json())
    for document in documents:
        replies.append((await client.call_tool("read_page", {"document_id": document})).model_dump_json())
    return "\n".join(replies).lower()


async def documents_of(client: Client) -> dict[str, str]:
    """Return the ids of the documents that a search brings, by name."""
    result = await client.call_tool("search_documents", {"query": "PLR VDM noon lattice", "top_k": 25})
    return {each["document"]: each["document_id"] for each in result.structured_content["passages"]}


@pytest.mark.slow
async def test_neither_transport_reveals_a_forbidden_document(server: Keyed, folder: Path) -> None:
    data = folder / "data"
    async with over_http(server, "all") as client:
        documents = await documents_of(client)
        whole = await all_replies(client, list(documents.values()))
    assert {"pumps.txt", "zorblaxite.txt"} <= set(documents)
    assert all(canary in whole for canary in CANARIES), "users who may read everything see it, so the test can fail"
    ways: dict[str, OpenClient] = {
        "http": lambda: over_http(server, "limited"),
        "http of 2026": lambda: over_http(server, "limited", "2026-07-28"),
        "stdio with a group": lambda: over_stdio(data, "--group", "everyone"),
    }
    for way, opened in ways.items():
        async with opened() as client:
            replies = await all_replies(client, list(documents.values()))
        assert not [canary for canary in CANARIES if canary in replies], way
        assert "water level" in replies, way


@pytest.mark.slow
async def test_stdio_reads_every_group_or_the_named_ones(server: Keyed, folder: Path) -> None:
    data = folder / "data"
    async with over_stdio(data) as client:
        assert {"pumps.txt", "zorblaxite.txt"} <= set(await documents_of(client))
    async with over_stdio(data, "--group", "secret", "--group", "lab") as client:
        assert set(await documents_of(client)) == {"zorblaxite.txt"}


def start(folder: Path) -> subprocess.Popen[str]:
    """Start ``golden mcp`` over a new data folder, its three streams in our hands."""
    return subprocess.Popen(
        [*GOLDEN, "mcp"],
        cwd=folder,
        env=environment_for(folder / "data"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def say(process: subprocess.Popen[str], *messages: object) -> None:
    for message in messages:
        process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    process.stdin.flush()


def receive(process: subprocess.Popen[str]) -> Any:
    return json.loads(process.stdout.readline())


def test_stdio_writes_only_protocol_messages_and_ends_with_its_input(tmp_path: Path) -> None:
    with start(tmp_path) as process:
        info = {"name": "bytes", "version": "0"}
        begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        say(process, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin})
        assert receive(process)["result"]["serverInfo"]["name"] == "golden-retriever"
        say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"}, "this is no JSON: \u2603")
        say(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        message = receive(process)
        while "result" not in message:
            message = receive(process)
        assert message["id"] == 2
        call = {"name": "look_up_jargon", "arguments": {"terms": ["QXZ"]}}
        say(process, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call})
        assert receive(process)["result"]["structuredContent"]["terms"][0]["status"] == "unknown"
        process.stdin.close()
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in process.stdout.read().splitlines())
        assert process.wait(30) == 0
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_signal_ends_stdio_cleanly_while_its_input_is_open(tmp_path: Path, number: signal.Signals) -> None:
    process = start(tmp_path)
    say(process, {"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert receive(process)["id"] == 1
    process.send_signal(number)
    assert process.wait(30) == 0
    assert process.communicate() == ("", "")


def test_a_group_without_a_name_is_refused(tmp_path: Path) -> None:
    result = golden("mcp", "--group", " ", environment=environment_for(tmp_path / "data"), folder=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("golden: --group needs the name of a group")
    assert result.stdout == ""
