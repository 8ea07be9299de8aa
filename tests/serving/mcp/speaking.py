"""A real server on loopback whose tools work with a scripted bot, and the clients that speak to it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, cast
from unittest.mock import AsyncMock

import httpx
from mcp import Client

from agent.chatbot import Chatbot
from contracts.errors import NotFound
from contracts.text import Chunk, Document
from library.store import LibraryStore
from serving.access import Actor
from serving.mcp.http import mcp_router
from serving.mcp.server import Knowledge, build_server
from tests.agent.scripted import ListedConversations, Script
from tests.library.samples import document_of
from tests.servers import app_of, client_of

# The handshake of the 2025 protocol, which most clients use, and the 2026 protocol, which has none.
ERAS = ("legacy", "2026-07-28")
JSON_AND_EVENTS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


class ScriptedPages:
    """The texts of some documents; those named in ``secret`` are of a group of their own."""

    def __init__(self, script: Script, secret: Sequence[str] = ()) -> None:
        self._passages = script.passages
        self._secret = secret

    def document(self, document_id: str) -> Document | None:
        chunks = self.document_chunks(document_id)
        if not chunks:
            return None
        name = next(each.document_name for each in self._passages if each.chunk.document_id == document_id)
        group = "secret" if document_id in self._secret else "everyone"
        return replace(document_of(name, group=group), id=document_id, pages=max(each.last_page for each in chunks))

    def expect_documents(self, ids: Sequence[str], *, groups: frozenset[str] | None = None) -> None:
        for each in ids:
            document = self.document(each)
            if document is None or (groups is not None and document.group not in groups):
                raise NotFound(f"There is no document {each!r} in the library.")

    def document_chunks(self, document_id: str) -> tuple[Chunk, ...]:
        return tuple(each.chunk for each in self._passages if each.chunk.document_id == document_id)

    def chunks(self, ids: Sequence[str]) -> Mapping[str, Chunk]:
        return {each.chunk.id: each.chunk for each in self._passages if each.chunk.id in ids}


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """A running server: its address and what stands behind it."""

    address: str
    script: Script

    @property
    def endpoint(self) -> str:
        return f"{self.address}/mcp"

    def client(self, era: str = "legacy", **options: Any) -> Client:
        return Client(self.endpoint, mode=era, **options)

    def http(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.address, timeout=60, headers=JSON_AND_EVENTS)


def desk_of(script: Script, secret: Sequence[str] = (), kept: ListedConversations | None = None) -> Knowledge:
    services = script.services()
    chatbot = Chatbot(services, conversations=kept)
    library = cast("LibraryStore", ScriptedPages(script, secret))
    return Knowledge(chatbot=chatbot, services=services, library=library)


@asynccontextmanager
async def spoken(script: Script) -> AsyncIterator[Spoken]:
    """Serve ``script``'s bot with uvicorn on a free port of loopback."""
    desk = desk_of(script)
    async with client_of(app_of(Chatbot(desk.services), routers=[mcp_router(desk, "1.2")])) as http:
        yield Spoken(address=str(http.base_url).rstrip("/"), script=script)


def in_process(script: Script, actor: Actor | None = None, kept: ListedConversations | None = None) -> Client:
    """Return a client of a server in this process, to which ``actor`` (None: Ada) speaks."""
    desk = desk_of(script, secret=["apps"], kept=kept)
    who = AsyncMock(return_value=actor or Actor(name="Ada"))
    return Client(build_server(desk, who, version="1.2"), mode="legacy")


def text_of(result: Any) -> str:
    """Return what a tool says for people."""
    return str(result.content[0].text)
