"""A real server on loopback around a scripted bot."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import openai

from agent.chatbot import Chatbot
from contracts.answer import Citation
from contracts.errors import Unavailable
from contracts.question import Asker
from serving.app import create_app
from serving.chat import ChatService
from tests.agent.scripted import Script
from tests.servers import client_of


@dataclass
class Service:
    """A running server and what stands behind it. ``missing`` is what ``/readyz`` reports."""

    base_url: str
    script: Script
    missing: dict[str, str] = field(default_factory=dict)
    broken: bool = False

    async def readiness(self) -> Mapping[str, str]:
        if self.broken:
            raise Unavailable("the database does not answer")
        return self.missing

    def http(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.base_url, timeout=60)

    def client(self) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(base_url=f"{self.base_url}/v1", api_key="any", max_retries=0, timeout=60)

    async def ask(self, asked: Any, **options: Any) -> Any:
        """Ask a question, or send messages, as OpenAI's client does."""
        messages = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
        return await self.client().chat.completions.create(model="golden", messages=messages, **options)


class ListedQuestions:
    """Knows three questions, whatever is asked."""

    async def suggest(self, text: str, limit: int, *, asker: Asker) -> tuple[str, ...]:
        found = (
            "What does VPP stand for?",
            "What is VPP on DDR4?",
            "What is the row cycle time?",
            "When does the DLL lock?",
        )
        return found[:limit]


@asynccontextmanager
async def serve(script: Script, *, keep_alive_s: float = 10.0, **offered: Any) -> AsyncIterator[Service]:
    """Serve ``script``'s bot with uvicorn on a free port of loopback; ``offered`` are further fields of its offer."""
    service = Service("", script)
    chatbot = Chatbot(script.services())
    chat = ChatService(**{"chatbot": chatbot, "suggester": ListedQuestions(), **offered})
    app = create_app(chat, readiness=service.readiness, keep_alive_s=keep_alive_s)
    async with client_of(app) as http:
        service.base_url = str(http.base_url).rstrip("/")
        yield service


def citation(number: int, **fields: Any) -> Citation:
    """Return a citation of a page of bus.pdf; ``fields`` are what differs."""
    common = {"document_id": "1", "document_name": "bus.pdf", "document_title": "", "page": number, "chunk_id": "c"}
    return Citation(**{"number": number, "quote": "", "passage_text": "", **common, **fields})
