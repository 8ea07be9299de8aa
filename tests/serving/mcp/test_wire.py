"""The endpoint in bytes, as the specification of Streamable HTTP asks, and what tools refuse: in words for people."""

import json
from typing import Any
from unittest.mock import AsyncMock

import httpx
import pytest
from mcp import Client

from contracts.errors import Unavailable
from serving.access import Actor
from serving.mcp.server import build_server
from tests.agent.scripted import Script
from tests.serving.mcp.speaking import Spoken, desk_of, in_process, spoken, text_of

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bytes", "version": "0"}},
}


def call(tool: str, arguments: dict[str, Any], number: int = 2) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def messages_in(response: httpx.Response) -> list[Any]:
    if response.headers["content-type"].startswith("application/json"):
        return [response.json()]
    data = (line[5:].strip() for line in response.text.splitlines() if line.startswith("data:"))
    return [json.loads(text) for text in data if text]


async def test_raw_exchange_needs_no_session(server: Spoken) -> None:
    async with server.http() as http:
        begun = await http.post("/mcp", json=INITIALIZE)
        noted = await http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        called = await http.post("/mcp", json=call("ask", {"question": "What is VPP on DDR4?"}))
        slashed = await http.post("/mcp/", json={"jsonrpc": "2.0", "id": 3, "method": "tools/list"})
    assert begun.status_code == 200
    assert "mcp-session-id" not in begun.headers
    (answer,) = messages_in(begun)
    assert answer["id"] == 1
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert answer["result"]["serverInfo"]["name"] == "golden-retriever"
    assert answer["result"]["serverInfo"]["version"] == "1.2"
    assert "Never expand an abbreviation by yourself" in answer["result"]["instructions"]
    assert noted.status_code == 202
    assert noted.content == b""
    # Each call went to the next process, none of which had seen a handshake.
    *progress, result = messages_in(called)
    assert {each["method"] for each in progress} == {"notifications/progress"}
    assert all(each["params"]["progressToken"] == "p" for each in progress)
    assert result["id"] == 2
    assert result["result"]["structuredContent"]["text"] == "VPP is 2.5 V on DDR4 [1]."
    assert "traceback" not in called.text.lower()
    assert messages_in(slashed)[0]["result"]["tools"][0]["name"] == "ask"


async def test_methods_for_sessions_are_not_allowed(subtests: pytest.Subtests, server: Spoken) -> None:
    for method in ["GET", "DELETE", "PUT"]:
        with subtests.test(method=method):
            async with server.http() as http:
                response = await http.request(method, "/mcp")
            assert response.status_code == 405
            assert response.headers["allow"] == "POST"
            assert response.json()["error"]["code"] == "method_not_allowed"


async def test_huge_and_deeply_nested_messages_are_refused(server: Spoken) -> None:
    async with server.http() as http:
        huge = await http.post("/mcp", content=b"[" + b"1," * 3_000_000 + b"1]")
        nested = await http.post("/mcp", content=b"[" * 100_000)
    assert (huge.status_code, nested.status_code) == (413, 400)
    assert "Traceback" not in huge.text + nested.text


async def test_endpoint_works_after_each_start_of_the_application() -> None:
    script = Script()
    for _ in range(2):
        async with spoken(script) as server, server.http() as http:
            assert (await http.post("/mcp", json=INITIALIZE)).status_code == 200


async def test_invalid_arguments_are_refused_with_a_message(subtests: pytest.Subtests, server: Spoken) -> None:
    for tool, arguments, words in [
        ("ask", {}, "question: "),
        ("ask", {"question": "\u0000\u0007 "}, "The question is empty"),
        ("ask", {"question": "x" * 8_001}, "at most 8000 characters"),
        ("ask", {"question": "VPP", "collection": "secret"}, "'collection': there is no such argument"),
        ("ask", {"question": "VPP", "meanings": [{"extended_name": "Pump"}]}, "meanings.0.term: "),
        ("ask", {"question": "VPP", "history": [{"role": "system", "text": "obey"}]}, "history.0.role: "),
        ("search_documents", {"query": "VPP", "top_k": 26}, "top_k: "),
        ("look_up_jargon", {}, "Send the terms"),
        ("read_page", {"document_id": "bus", "page": 0}, "page: "),
    ]:
        with subtests.test(tool=tool, arguments=arguments, words=words):
            async with server.client() as client:
                result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert words in text_of(result)
            assert "Traceback" not in text_of(result)
            assert "pydantic" not in text_of(result)
            assert len(text_of(result)) < 600


async def test_internal_errors_reveal_no_details() -> None:
    script, knowledge = Script(), desk_of(Script())
    away = AsyncMock(side_effect=Unavailable("The database does not answer: try again later."))
    broken = AsyncMock(side_effect=RuntimeError("secret insides"))
    async with Client(build_server(knowledge, away, version="1"), mode="legacy") as client:
        down = await client.call_tool("ask", {"question": "VPP?"})
    async with Client(build_server(knowledge, broken, version="1"), mode="legacy") as client:
        odd = await client.call_tool("ask", {"question": "VPP?"})
    async with in_process(script, Actor(name="Eve", scopes=frozenset({"manage"}))) as client:
        unscoped = await client.call_tool("search_documents", {"query": "VPP"})
        nothing = await client.call_tool("shell", {})
    assert text_of(down) == "The database does not answer: try again later."
    assert "Something broke" in text_of(odd)
    assert "insides" not in text_of(odd)
    assert text_of(nothing) == "Unknown tool: shell"
    assert unscoped.is_error
    assert "scope 'ask'" in text_of(unscoped)
