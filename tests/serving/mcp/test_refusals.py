"""What a tool refuses, and how: as a result in words for people, never with its insides."""

from typing import Any

import pytest
from mcp import Client

from contracts.errors import Unavailable
from serving.access import Actor
from serving.mcp.server import build_server
from tests.agent.scripted import Script
from tests.serving.mcp.speaking import Spoken, desk_of, in_process, text_of


async def test_arguments_that_cannot_be_used_are_refused_in_words(subtests: pytest.Subtests, server: Spoken) -> None:
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


async def test_what_breaks_is_told_without_its_insides() -> None:
    script, knowledge = Script(), desk_of(Script())

    async def away(_context: Any) -> Actor:
        raise Unavailable("The database does not answer: try again later.")

    async def broken(_context: Any) -> Actor:
        raise RuntimeError("secret insides")

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
