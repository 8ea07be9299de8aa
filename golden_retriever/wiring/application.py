"""The application: every part, wired and closed together."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat
from golden_retriever.wiring.databases import open_conversations, open_database
from golden_retriever.wiring.engines import build_pipeline, build_services
from golden_retriever.wiring.indexes import build_embedding_model, build_shelf, build_vector_index
from golden_retriever.wiring.records import build_recorder, keep_tidy
from golden_retriever.wiring.turns import compute_in_turns, short_turns
from golden_retriever.wiring.watching import Watching

if TYPE_CHECKING:
    from agent.chatbot import Chatbot
    from agent.services import Services
    from agent.watching import Closing
    from golden_retriever.wiring.verifying import LibraryVerifier, ProvingRemover
    from ingestion.jobs import IngestionJobs
    from ingestion.pipeline import IngestionPipeline
    from jargon_db.store import JargonStore
    from library.store import LibraryStore
    from tools.chat import ChatModel
    from tools.embedding import Embedder
    from tools.embedding.cached import CachedEmbedder
    from tools.embedding.shelf import VectorShelf
    from tools.search import VectorIndex
    from tools.search.preparing import PassagePreparer


@dataclass(kw_only=True)
class Application:
    """A wired application. The pipeline is built at its first use: a process that only asks needs no readers.

    ``endings`` stop what others run beside it; they are called first when it closes.
    """

    settings: Settings
    chatbot: "Chatbot"
    services: "Services"
    store: "LibraryStore"
    jargon: "JargonStore"
    vector_index: "VectorIndex"
    embedder: "Embedder"
    chat: "ChatModel | None"
    preparer: "PassagePreparer | None"
    closing: "Closing"
    endings: "list[Callable[[], Awaitable[None]]]" = field(default_factory=list)

    @cached_property
    def pipeline(self) -> "IngestionPipeline":
        """What reads documents into the library."""
        return build_pipeline(self.settings, self.store, self.jargon, self.embedder, self.chat)

    @cached_property
    def jobs(self) -> "IngestionJobs":
        """Ingestions in the background, one at a time."""
        from ingestion.jobs import IngestionJobs

        return IngestionJobs(lambda: self.pipeline, self.vector_index.synchronise)

    async def close(self) -> None:
        """Stop what runs in the background."""
        for end in self.endings:
            await end()
        if "jobs" in self.__dict__:
            await self.jobs.close()

    @cached_property
    def verifier(self) -> "LibraryVerifier":
        """What looks whether the library agrees with itself."""
        from golden_retriever.wiring.verifying import LibraryVerifier

        return LibraryVerifier(self.store, self.vector_index, self.embedder)

    @cached_property
    def remover(self) -> "ProvingRemover":
        """What removes documents from the library, and shows that they are gone."""
        from golden_retriever.wiring.verifying import ProvingRemover

        lexical = self.services.lexical
        return ProvingRemover(
            lambda: self.pipeline, self.store, self.vector_index, lexical, self.embedder, self.preparer
        )


@asynccontextmanager
async def open_application(
    settings: Settings,
    *,
    one_shot: bool = False,
    watching: Watching = Watching(),  # noqa: B008 - a frozen value
) -> AsyncIterator[Application]:
    """Wire everything and close it at the end; ``watching`` says who follows what is done.

    ``one_shot`` is for a process that does one thing and ends, such as a command: it uses the exact index, which opens
    faster than Chroma and has no owner. A server takes its changes over at the next question. Any other process also
    prepares the vectors of passages between questions.

    Raises:
        ConfigurationError: a setting does not fit this machine.
        Unavailable: the database does not answer.
    """
    async with AsyncExitStack() as parts:
        model, shelf, embedder = await parts.enter_async_context(_open_embedder(settings))

        from agent.watching import Closing, WatchedChatbot
        from jargon_db.store import JargonStore
        from library.lexical import SqlLexicalSearch
        from library.store import LibraryStore
        from tools.jargon.sql import SqlJargonDictionary
        from tools.search.hybrid import HybridSearcher
        from tools.search.lexical import StoredLexicalIndex
        from tools.search.preparing import PassagePreparer

        parts.enter_context(short_turns())
        compute_in_turns(settings)
        engine = parts.enter_context(open_database(settings))
        parts.push_async_callback(asyncio.to_thread, watching.close)
        store, jargon = LibraryStore(engine), JargonStore(engine, keep_questions=settings.keep_questions)
        chat = build_chat(settings, watching.calls, watching.headers)
        if chat is not None:
            parts.push_async_callback(chat.close)
        vector_index = build_vector_index(settings, store, embedder.name, exact=one_shot)
        parts.push_async_callback(vector_index.close)
        lexical = StoredLexicalIndex(SqlLexicalSearch(engine))
        searcher = HybridSearcher(store, embedder, vector_index, lexical)
        services = build_services(settings, embedder, searcher, lexical, SqlJargonDictionary(jargon), chat)
        conversations = await parts.enter_async_context(open_conversations(settings))
        closing, recorder = Closing(), build_recorder(settings, engine)
        if recorder is not None:
            parts.push_async_callback(recorder.close)
        application = Application(
            settings=settings,
            chatbot=WatchedChatbot(
                services, checkpointer=conversations, recorder=recorder, watchers=watching.questions, closing=closing
            ),
            services=services,
            store=store,
            jargon=jargon,
            vector_index=vector_index,
            embedder=embedder,
            chat=chat,
            preparer=PassagePreparer(store, model, shelf, idle_s=embedder.idle_s) if shelf is not None else None,
            closing=closing,
        )
        if not one_shot:
            await parts.enter_async_context(_working_beside(application))
        parts.push_async_callback(application.close)
        yield application


@asynccontextmanager
async def _open_embedder(
    settings: Settings,
) -> "AsyncIterator[tuple[Embedder, VectorShelf | None, CachedEmbedder]]":
    """Read the model from disk in a thread, while this one goes on to import the graph."""
    from tools.embedding.cached import CachedEmbedder

    model = build_embedding_model(settings)
    shelf = build_shelf(settings, model.name)
    embedder = CachedEmbedder(model, shelf=shelf)
    warming = asyncio.create_task(embedder.embed_queries(["ready?"]))
    await asyncio.sleep(0)  # lets the thread begin
    try:
        yield model, shelf, embedder
    finally:
        await asyncio.gather(warming, return_exceptions=True)  # a broken model speaks up where it is used
        if shelf is not None:
            shelf.close()


@asynccontextmanager
async def _working_beside(application: Application) -> AsyncIterator[None]:
    """Keep records within their time, and make the vectors of passages, for the length of the block."""
    work = [keep_tidy(application.settings, application.store.engine, application.chatbot)]
    if application.preparer is not None:
        work.append(application.preparer.run())
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
