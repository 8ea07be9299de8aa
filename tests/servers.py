"""Real servers on free ports of loopback, each for the length of a block."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import AsyncMock

import httpx
import uvicorn
from fastapi import FastAPI

from agent.chatbot import Chatbot
from agent.services import no_examples
from golden_retriever.server import claim_port
from serving.app import create_app
from serving.chat import ChatService
from serving.me import MeService
from tests.agent.scripted import Script


@asynccontextmanager
async def listening(app: Any, **options: Any) -> AsyncIterator[str]:
    """Serve ``app`` in this event loop and yield its address; ``options`` are uvicorn's."""
    # Not ``create_server``, whose sockets are not declared as TCP: each response would wait 40 ms for its client.
    listener = claim_port("127.0.0.1", 0)
    listener.listen()
    config = uvicorn.Config(app, **{"log_level": "critical", "timeout_graceful_shutdown": 2, **options})
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


@asynccontextmanager
async def client_of(
    app: Any, *, headers: Mapping[str, str] | None = None, **options: Any
) -> AsyncIterator[httpx.AsyncClient]:
    """Serve ``app`` and yield a client, once the application answers; ``options`` are uvicorn's."""
    async with (
        listening(app, **options) as address,
        httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as http,
    ):
        # The socket is already listening: the first request waits until the application is ready.
        assert (await http.get("/healthz")).status_code == 200
        yield http


def app_of(chatbot: Any = None, **options: Any) -> FastAPI:
    """Return a ready application around ``chatbot`` (None: a scripted one); ``options`` are those of ``create_app``."""
    chat = ChatService(chatbot=chatbot or Chatbot(Script().services()))
    return create_app(chat, **{"readiness": nothing_missing, **options})


def me_service(**fields: Any) -> MeService:
    """Return the service of `/api/me` with sound defaults; ``fields`` are fields of ``MeService``."""
    asked = {"contexts": AsyncMock(return_value=()), "has_documents": AsyncMock(return_value=True)}
    plain = {"contact": "", "department": "", "keeps_conversations": True, "version": "1", "writer": ""}
    return MeService(**{"example_questions": no_examples, **asked, **plain, **fields})


async def nothing_missing() -> dict[str, str]:
    """Say of a server that it is ready."""
    return {}
