"""Real servers on loopback for the browser, each in a thread with a loop of its own."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI

from golden_retriever.settings import load_settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import Application, open_application
from tests.servers import listening
from tests.ui.scripted_bot import ScriptedBot
from tests.ui.scripted_services import build_pages


@contextmanager
def serve(open_web: Callable[[], AbstractAsyncContextManager[FastAPI]]) -> Iterator[str]:
    """Serve an application; yield its address."""

    @asynccontextmanager
    async def serving() -> AsyncIterator[str]:
        async with open_web() as web, listening(web, log_level="warning", timeout_graceful_shutdown=1) as address:
            yield address

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(serving()) as address:
        yield address


def serve_chat(bot: ScriptedBot, *, prefix: str = "") -> AbstractContextManager[str]:
    """Serve the chat's page around a scripted bot."""

    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        yield build_pages(bot, prefix=prefix)

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
