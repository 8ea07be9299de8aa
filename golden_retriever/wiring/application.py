"""The application: every part, wired and closed together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat
from golden_retriever.wiring.databases import open_conversations, open_database
from golden_retriever.wiring.engines import build_pipeline, build_services
from golden_retriever.wiring.indexes import build_embedding_model, build_shelf, build_vector_index
from golden_retriever.wiring.records import build_recorder, keep_tidy
from golden_retriever.wiring.turns import short_turns
from golden_retriever.wiring.watching import Watching

if TYPE_CHECKING:
    from agent.chatbot import Chatbot
    from agent.services import Services
    from agent.watching import Closing
    from golden_retriever.wiring.verifying import ProvingRemover
    from ingestion.jobs import IngestionJobs
    from ingestion.pipeline import IngestionPipeline
    from jargon_db.store import JargonStore
    from library.store import LibraryStore
    from tools.chat import ChatModel
    from tools.embedding import Embedder
    from tools.search import VectorIndex
    from tools.search.preparing import PassagePreparer


@dataclass(kw_only=True)
class Application:
    """A wired application. The pipeline is built at its first use: a process that only asks needs no readers."""

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
        if "jobs" in self.__dict__:
            await self.jobs.close()

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
    from tools.embedding.cached import CachedEmbedder

    model = build_embedding_model(settings)
    shelf = build_shelf(settings, model.name)
    embedder = CachedEmbedder(model, shelf=shelf)
    # The model is read from disk in a thread while this one imports the graph.
    warming = asyncio.create_task(embedder.embed_queries(["ready?"]))
    await asyncio.sleep(0)  # lets the thread begin

    from agent.watching import Closing, WatchedChatbot
    from jargon_db.store import JargonStore
    from library.lexical import SqlLexicalSearch
    from library.store import LibraryStore
    from tools.jargon.sql import SqlJargonDictionary
    from tools.search.hybrid import HybridSearcher
    from tools.search.lexical import StoredLexicalIndex
    from tools.search.preparing import PassagePreparer

    with short_turns(), open_database(settings) as engine:
        store, jargon = LibraryStore(engine), JargonStore(engine, keep_questions=settings.keep_questions)
        chat = build_chat(settings, watching.calls, watching.headers)
        vector_index = build_vector_index(settings, store, embedder.name, exact=one_shot)
        lexical = StoredLexicalIndex(SqlLexicalSearch(engine))
        searcher = HybridSearcher(store, embedder, vector_index, lexical)
        preparer = PassagePreparer(store, model, shelf, idle_s=embedder.idle_s) if shelf is not None else None
        services = build_services(settings, embedder, searcher, lexical, SqlJargonDictionary(jargon), chat)
        try:
            async with open_conversations(settings) as conversations:
                closing, recorder = Closing(), build_recorder(settings, engine)
                chatbot = WatchedChatbot(
                    services,
                    checkpointer=conversations,
                    recorder=recorder,
                    watchers=watching.questions,
                    closing=closing,
                )
                application = Application(
                    settings=settings,
                    chatbot=chatbot,
                    services=services,
                    store=store,
                    jargon=jargon,
                    vector_index=vector_index,
                    embedder=embedder,
                    chat=chat,
                    preparer=preparer,
                    closing=closing,
                )
                beside = [] if one_shot else [keep_tidy(settings, engine, chatbot)]
                if preparer is not None and not one_shot:
                    beside.append(preparer.run())
                tasks = [asyncio.create_task(each) for each in beside]
                try:
                    yield application
                finally:
                    await application.close()
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                    if recorder is not None:
                        await recorder.close()
        finally:
            await asyncio.gather(warming, return_exceptions=True)  # a broken model speaks up where it is used
            await vector_index.close()
            if shelf is not None:
                shelf.close()
            if chat is not None:
                await chat.close()
            await asyncio.to_thread(watching.close)
