"""The real web application over real SQLite, its bot scripted, served for requests that nobody would write."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from anyio.from_thread import start_blocking_portal

from agent.chatbot import Chatbot
from golden_retriever.settings import Settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import open_application
from library.keys import KeyStore
from tests.agent.scripted import Script
from tests.servers import client_of

GUIDE = "# Rings\n\nEach self-healing ring (SHR) keeps three copies. The retention of audit records is 400 days.\n"


@dataclass(frozen=True, kw_only=True)
class Fuzzed:
    """A running server, and what a request to it carries."""

    address: str
    headers: dict[str, str]


@contextmanager
def fuzzed_server(folder: Path) -> Iterator[Fuzzed]:
    """Serve a library of one document; whoever has the key may do everything, as often as they like."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(_served(folder)) as served:
        yield served


@asynccontextmanager
async def _served(folder: Path) -> AsyncIterator[Fuzzed]:
    settings = Settings(data_dir=folder / "data", workers=1, key_requests_per_minute=0)
    async with open_application(settings, one_shot=True) as application:
        documents = folder / "documents"
        documents.mkdir()
        (documents / "guide.md").write_text(GUIDE, encoding="utf-8")
        await application.pipeline.ingest([documents])
        scripted = replace(application, chatbot=Chatbot(Script().services()))
        # From the start: else the first key that a request makes would close the server to all that follow.
        key, _ = KeyStore(application.store.engine).create(
            "fuzz", scopes=frozenset({"ask", "manage", "admin"}), groups=None
        )
        web = await build_web_application(scripted, with_ui=False, keyed=True)
        async with client_of(web, log_config=None) as http:
            address = str(http.base_url).rstrip("/")
            yield Fuzzed(address=address, headers={"authorization": f"Bearer {key}", "x-golden-request": "1"})
        await scripted.close()
