"""The endpoint itself, spoken to in bytes: what the specification of Streamable HTTP asks of it."""

import json
from typing import Any

import httpx
import pytest

from tests.agent.scripted import Script
from tests.serving.mcp.speaking import Spoken, spoken

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
    return [
        json.loads(line[5:]) for line in response.text.splitlines() if line.startswith("data:") and line[5:].strip()
    ]


async def test_a_conversation_in_bytes_needs_no_session(server: Spoken) -> None:
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
    # Each call went to the next process: none of them knew of a handshake.
    *progress, result = messages_in(called)
    assert {each["method"] for each in progress} == {"notifications/progress"}
    assert all(each["params"]["progressToken"] == "p" for each in progress)
    assert result["id"] == 2
    assert result["result"]["structuredContent"]["text"] == "VPP is 2.5 V on DDR4 [1]."
    assert "traceback" not in called.text.lower()
    assert messages_in(slashed)[0]["result"]["tools"][0]["name"] == "ask"


async def test_what_only_sessions_have_is_not_for_this_server(subtests: pytest.Subtests, server: Spoken) -> None:
    for method in ["GET", "DELETE", "PUT"]:
        with subtests.test(method=method):
            async with server.http() as http:
                response = await http.request(method, "/mcp")
            assert response.status_code == 405
            assert response.headers["allow"] == "POST"
            assert response.json()["error"]["code"] == "method_not_allowed"


async def test_what_is_no_message_is_refused(server: Spoken) -> None:
    async with server.http() as http:
        broken = await http.post("/mcp", content=b"{")
        no_message = await http.post("/mcp", json={"question": "VPP?"})
        unknown = await http.post("/mcp", json={"jsonrpc": "2.0", "id": 9, "method": "shell/run", "params": {}})
        unwanted = await http.post("/mcp", json=INITIALIZE, headers={"accept": "text/html"})
        huge = await http.post("/mcp", content=b"[" + b"1," * 3_000_000 + b"1]")
        nested = await http.post("/mcp", content=b"[" * 100_000)
    assert broken.status_code == 400
    assert no_message.status_code == 400
    assert messages_in(unknown)[0]["error"]["code"] == -32601
    assert unwanted.status_code == 406
    assert huge.status_code == 413
    assert nested.status_code == 400
    for response in (broken, no_message, unknown, unwanted, huge, nested):
        assert "Traceback" not in response.text


async def test_the_endpoint_is_there_each_time_the_application_starts() -> None:
    script = Script()
    for _ in range(2):
        async with spoken(script) as server, server.http() as http:
            assert (await http.post("/mcp", json=INITIALIZE)).status_code == 200
