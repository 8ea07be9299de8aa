"""The application: every part, wired and closed together."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat, serving_llm
from golden_retriever.wiring.conversations import apply_retention_regularly, open_conversations
from golden_retriever.wiring.indexes import build_embedder, build_vector_index, open_database
from golden_retriever.wiring.judgements import build_pipeline, build_services

if TYPE_CHECKING:
    from agent.chatbot import Chatbot, QuestionWatcher
    from agent.services import Services
    from contracts.documents import RemovalProof
    from ingestion.jobs import IngestionJobs
    from ingestion.pipeline import IngestionPipeline
    from jargon_db.store import JargonStore
    from library.store import LibraryStore
    from tools.chat.base import ChatModel
    from tools.chat.observers import ChatObserver
    from tools.embedding.base import Embedder
    from tools.search.base import VectorIndex


@dataclass(kw_only=True)
class Collection:
    """Documents and dictionary. The pipeline is built on first use: a process that only asks needs no readers."""

    settings: Settings
    store: "LibraryStore"
    jargon: "JargonStore"
    embedder: "Embedder"
    chat: "ChatModel | None"

    @cached_property
    def pipeline(self) -> "IngestionPipeline":
        return build_pipeline(self.settings, self.store, self.jargon, self.embedder, self.chat)


@asynccontextmanager
async def open_collection(settings: Settings, observers: "Sequence[ChatObserver]" = ()) -> AsyncIterator[Collection]:
    """Open, and later close, the collection for a process that ingests. Raises the errors of ``open_application``."""
    async with AsyncExitStack() as parts:
        settings, _ = await parts.enter_async_context(serving_llm(settings))
        embedder = await parts.enter_async_context(_open_embedder(settings))

        from jargon_db.store import JargonStore
        from library.store import LibraryStore

        engine = parts.enter_context(open_database(settings))
        chat = build_chat(settings, observers)
        if chat is not None:
            parts.push_async_callback(chat.close)
        yield Collection(
            settings=settings,
            store=LibraryStore(engine),
            jargon=JargonStore(engine, keep_questions=settings.keep_questions),
            embedder=embedder,
            chat=chat,
        )


@asynccontextmanager
async def _open_embedder(settings: Settings) -> "AsyncIterator[Embedder]":
    """Read the model from disk in a thread, while this one continues importing."""
    embedder = build_embedder(settings)
    warming = asyncio.create_task(embedder.embed_queries(["ready?"]))
    await asyncio.sleep(0)  # let the thread start
    try:
        yield embedder
    finally:
        await asyncio.gather(warming, return_exceptions=True)  # errors of a broken model are raised when it is used


@dataclass(kw_only=True)
class Application(Collection):
    """A wired application: the collection, and the services that answer from it.

    ``endings`` stop background work; they are called first when the application closes.
    """

    chatbot: "Chatbot"
    services: "Services"
    vector_index: "VectorIndex"
    endings: "list[Callable[[], Awaitable[None]]]" = field(default_factory=list)

    @cached_property
    def jobs(self) -> "IngestionJobs":
        """Ingestions in the background, one at a time."""
        from ingestion.jobs import IngestionJobs
        from library.job_queue import JobQueue

        return IngestionJobs(
            JobQueue(self.store.engine),
            lambda: self.pipeline,
            self.vector_index.synchronise,
            watched_roots=tuple(map(Path, self.settings.watched_roots)),
        )

    async def close(self) -> None:
        for end in self.endings:
            await end()
        if "jobs" in self.__dict__:
            await self.jobs.close()

    async def remove_document(self, document_id: str) -> "RemovalProof":
        """Remove a document, and prove that it is gone. Raises the same errors as ``remove_with_proof``."""
        from golden_retriever.wiring.library_checks import remove_with_proof

        parts = (self.store, self.vector_index, self.services.lexical, self.embedder)
        return await remove_with_proof(document_id, self.pipeline, *parts)


@asynccontextmanager
async def open_application(
    settings: Settings,
    *,
    one_shot: bool = False,
    watchers: "Sequence[QuestionWatcher]" = (),
    observers: "Sequence[ChatObserver]" = (),
) -> AsyncIterator[Application]:
    """Wire everything and close it at the end; ``watchers`` follow questions, ``observers`` calls to the chat server.

    ``one_shot`` is for a process that does one thing and ends, such as a command: it uses the exact index, which opens
    faster than Chroma and has no owner. A server sees its changes with the next question.

    Raises:
        ConfigurationError: a setting does not fit this machine.
        Unavailable: the database does not answer.
    """
    async with AsyncExitStack() as parts:
        collection = await parts.enter_async_context(open_collection(settings, observers))
        settings = collection.settings

        from agent.chatbot import Chatbot
        from library.lexical_search import SqlLexicalSearch
        from library.suggested_questions import SuggestedQuestionStore
        from tools.jargon.sql import SqlJargonDictionary
        from tools.search.hybrid import HybridSearcher

        store, embedder, engine = collection.store, collection.embedder, collection.store.engine
        vector_index = build_vector_index(settings, store, embedder.name, exact=one_shot)
        parts.push_async_callback(vector_index.close)
        lexical = SqlLexicalSearch(engine)
        searcher = HybridSearcher(store, embedder, vector_index, lexical)
        dictionary = SqlJargonDictionary(collection.jargon)
        services = build_services(
            settings,
            embedder,
            searcher,
            lexical,
            dictionary,
            collection.chat,
            library=store,
            example_questions=partial(asyncio.to_thread, SuggestedQuestionStore(engine).examples),
        )
        conversations = await parts.enter_async_context(open_conversations(settings, engine))
        application = Application(
            **vars(collection),
            chatbot=Chatbot(services, conversations=conversations, watchers=watchers),
            services=services,
            vector_index=vector_index,
        )
        if not one_shot:
            retention = asyncio.create_task(apply_retention_regularly(settings, engine))
            parts.callback(retention.cancel)
        parts.push_async_callback(application.close)
        yield application
