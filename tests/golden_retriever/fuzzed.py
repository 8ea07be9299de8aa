"""The real web application over real SQLite, its bot scripted, served for requests that nobody would write."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import uvicorn

from agent.chatbot import Chatbot
from golden_retriever.server import claim_port
from golden_retriever.settings import Settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import open_application
from library.keys import KeyStore
from tests.agent.scripted import Script

GUIDE = "# Rings\n\nEach self-healing ring (SHR) keeps three copies. The retention of audit records is 400 days.\n"


@dataclass(frozen=True, kw_only=True)
class Fuzzed:
    """A running server, and what a request to it carries."""

    address: str
    headers: dict[str, str]


@contextmanager
def fuzzed_server(folder: Path) -> Iterator[Fuzzed]:
    """Serve a library of one document; whoever has the key may do everything, as often as they like."""
    started: list[Fuzzed] = []
    failures: list[BaseException] = []
    ready, stop = threading.Event(), threading.Event()

    def run() -> None:
        try:
            asyncio.run(_serve(folder, started, ready, stop))
        except BaseException as error:
            failures.append(error)
            ready.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert ready.wait(120)
        assert not failures, failures
        yield started[0]
    finally:
        stop.set()
        thread.join(60)
    assert not failures, failures


async def _serve(folder: Path, started: list[Fuzzed], ready: threading.Event, stop: threading.Event) -> None:
    settings = Settings(data_dir=folder / "data", workers=1, key_requests_per_minute=0, key_requests_at_once=0)
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
        listener = claim_port("127.0.0.1", 0)
        server = uvicorn.Server(uvicorn.Config(web, log_config=None, timeout_graceful_shutdown=2))
        running = asyncio.create_task(server.serve(sockets=[listener]))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(retries=5)) as http:
            assert (await http.get(f"{address}/healthz")).status_code == 200
        started.append(Fuzzed(address=address, headers={"authorization": f"Bearer {key}", "x-golden-request": "1"}))
        ready.set()
        await asyncio.to_thread(stop.wait)
        server.should_exit = True
        await running
        await scripted.close()
