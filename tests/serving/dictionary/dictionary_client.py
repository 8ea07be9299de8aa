"""A scripted bot that reads a real dictionary, which is managed over HTTP by a real server."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
from fastapi import APIRouter, FastAPI

from agent.chatbot import Chatbot
from agent.services import Services
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.migrations import LIBRARY
from library.store import LibraryStore
from serving.access import Actor
from serving.dictionary.routes import dictionary_routers
from serving.dictionary.service import DictionaryService
from serving.identity.guards import Guard
from tests.agent.scripted import Script
from tests.databases import open_new_sqlite
from tests.models import mined
from tests.servers import app_of, client_of
from tools.jargon.sql import SqlJargonDictionary

ROOT = "/api/dictionary"
OURS = {"X-Golden-Request": "1"}
ADA, BOB = Actor(name="Ada"), Actor(name="Bob")
LUN = mined("LUN", "Logical Unit Number", page=3, score=0.5)


@dataclass(frozen=True, kw_only=True)
class DictionaryClient:
    """A client of a running server, and the store behind it."""

    store: JargonStore
    service: DictionaryService
    http: httpx.AsyncClient

    async def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request below the dictionary's address; see that no cache may keep the response."""
        response = await self.http.request(method, f"{ROOT}{path}", **options)
        assert response.headers["cache-control"] == "no-store"
        return response

    async def get(self, path: str, **query: Any) -> Any:
        """Return what a GET brings."""
        response = await self.send("GET", path, params=query)
        assert response.status_code == 200, response.text
        return response.json()

    async def add(self, term: str, extended_name: str, **fields: Any) -> Any:
        """Add a meaning."""
        response = await self.send("POST", "/senses", json={"term": term, "extended_name": extended_name, **fields})
        assert response.status_code == 201, response.text
        return response.json()

    async def edit(self, item: Mapping[str, Any], **fields: Any) -> Any:
        """Edit a meaning as it was seen."""
        response = await self.send("PATCH", f"/senses/{item['id']}", json=fields, headers={"If-Match": item["etag"]})
        assert response.status_code == 200, response.text
        return response.json()

    async def ask(self, question: str) -> Any:
        """Ask a question as an OpenAI client does; return our extension of the answer."""
        body = {"messages": [{"role": "user", "content": question}]}
        response = await self.http.post("/v1/chat/completions", json=body)
        assert response.status_code == 200, response.text
        return response.json()["choices"][0]["message"]["golden"]


def assert_refused(response: httpx.Response, status: int) -> Any:
    """Return the error of a response that must have ``status``."""
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert error["message"]
    assert error["type"] == "invalid_request_error"
    return error


@asynccontextmanager
async def open_client(folder: Path) -> AsyncIterator[DictionaryClient]:
    """Serve an empty dictionary in ``folder``."""
    engine = open_new_sqlite(folder / "golden.db", LIBRARY, DICTIONARY)
    store, library = JargonStore(engine), LibraryStore(engine)
    try:
        async with client_of(build_app(store, library)) as http:
            yield DictionaryClient(store=store, service=service_of(store, library), http=http)
    finally:
        engine.dispose()


def service_of(store: JargonStore, library: LibraryStore) -> DictionaryService:
    """Return the service over ``store``, whose questions are read by a script."""
    return DictionaryService(store, library, _services(store))


def _services(store: JargonStore) -> Services:
    return replace(Script().services(), dictionary=SqlJargonDictionary(store))


def build_app(store: JargonStore, library: LibraryStore, *routers: APIRouter) -> FastAPI:
    """Return the application around a scripted bot that reads the dictionary in ``store``, with further ``routers``."""
    every = [*dictionary_routers(service_of(store, library)), *routers]
    return app_of(Chatbot(_services(store)), routers=every, guard=Guard(user="Ada"))
