"""Real servers on loopback for the browser, each in a thread with a loop of its own."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from golden_retriever.server import claim_port
from golden_retriever.settings import load_settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import Application, open_application
from tests.ui.scripted_bot import ScriptedBot
from tests.ui.scripted_services import build_pages

PATIENCE_S = 300


@contextmanager
def serve(open_web: Callable[[], AbstractAsyncContextManager[FastAPI]]) -> Iterator[str]:
    """Serve an application; yield its address."""
    with claim_port("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        servers: list[uvicorn.Server] = []
        broken: list[BaseException] = []

        async def run() -> None:
            async with open_web() as web:
                servers.append(uvicorn.Server(uvicorn.Config(web, log_level="warning", timeout_graceful_shutdown=1)))
                await servers[0].serve(sockets=[listener])

        def work() -> None:
            try:
                asyncio.run(run())
            except BaseException as error:
                broken.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        deadline = time.monotonic() + PATIENCE_S
        while not (servers and servers[0].started) and not broken and time.monotonic() < deadline:
            time.sleep(0.05)
        if broken:
            raise broken[0]
        assert servers, f"the server did not start in {PATIENCE_S} s"
        yield f"http://127.0.0.1:{port}"
        servers[0].should_exit = True
        thread.join(timeout=20)


def serve_chat(bot: ScriptedBot, *given: Any, **options: Any) -> AbstractContextManager[str]:
    """Serve the chat's page around a scripted bot; the other arguments are those of ``build_pages``."""

    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        yield build_pages(bot, *given, **options)

    return serve(open_web)


def serve_bot(
    folder: Path, files: Mapping[str, str | bytes], *, prepare: Callable[[Application], object] = bool, **settings: Any
) -> AbstractContextManager[str]:
    """Serve the whole bot with all that it keeps in ``folder``, after ``prepare``, once it has read the ``files``."""
    chosen = load_settings(data_dir=folder / "data", dense_index="exact", workers=1, **settings)
    documents = folder / "documents"
    for name, content in files.items():
        documents.mkdir(exist_ok=True)
        (documents / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        async with open_application(chosen) as application:
            prepare(application)
            if files:
                await application.pipeline.ingest([documents])
                await application.vector_index.synchronise()
            yield await build_web_application(application)

    return serve(open_web)
