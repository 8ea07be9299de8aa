"""The application: every part, wired and closed together."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.collection import Collection, open_collection
from golden_retriever.wiring.indexes import build_vector_index
from golden_retriever.wiring.judgements import build_services
from golden_retriever.wiring.records import keep_tidy, open_conversations
from golden_retriever.wiring.watching import Watching

if TYPE_CHECKING:
    from agent.chatbot import Chatbot
    from agent.services import Services
    from agent.watching import Closing
    from golden_retriever.wiring.verifying import ProvingRemover
    from ingestion.jobs import IngestionJobs
    from tools.search import VectorIndex
    from tools.search.precomputation import VectorPrecomputation


@dataclass(kw_only=True)
class Application(Collection):
    """A wired application: the collection, and what answers from it.

    ``endings`` stop what others run beside it; they are called first when it closes.
    """

    chatbot: "Chatbot"
    services: "Services"
    vector_index: "VectorIndex"
    precomputation: "VectorPrecomputation | None"
    closing: "Closing"
    endings: "list[Callable[[], Awaitable[None]]]" = field(default_factory=list)

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
    def remover(self) -> "ProvingRemover":
        """What removes documents from the library, and shows that they are gone."""
        from golden_retriever.wiring.verifying import ProvingRemover

        lexical = self.services.lexical
        return ProvingRemover(
            lambda: self.pipeline, self.store, self.vector_index, lexical, self.embedder, self.precomputation
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
        collection = await parts.enter_async_context(open_collection(settings, watching=watching))

        from agent.watching import Closing, WatchedChatbot
        from library.lexical import SqlLexicalSearch
        from tools.jargon.sql import SqlJargonDictionary
        from tools.search.hybrid import HybridSearcher
        from tools.search.lexical import StoredLexicalIndex
        from tools.search.precomputation import VectorPrecomputation

        store, embedder, engine = collection.store, collection.embedder, collection.store.engine
        model, precomputed = collection.model, collection.precomputed
        vector_index = build_vector_index(settings, store, embedder.name, exact=one_shot)
        parts.push_async_callback(vector_index.close)
        lexical = StoredLexicalIndex(SqlLexicalSearch(engine))
        searcher = HybridSearcher(store, embedder, vector_index, lexical)
        dictionary = SqlJargonDictionary(collection.jargon)
        services = build_services(settings, embedder, searcher, lexical, dictionary, collection.chat)
        conversations = await parts.enter_async_context(open_conversations(settings, engine))
        closing = Closing()
        application = Application(
            **vars(collection),
            chatbot=WatchedChatbot(services, conversations=conversations, watchers=watching.questions, closing=closing),
            services=services,
            vector_index=vector_index,
            precomputation=VectorPrecomputation(store, model, precomputed, idle_s=embedder.idle_s)
            if precomputed is not None
            else None,
            closing=closing,
        )
        if not one_shot:
            await parts.enter_async_context(_working_beside(application))
        parts.push_async_callback(application.close)
        yield application


@asynccontextmanager
async def _working_beside(application: Application) -> AsyncIterator[None]:
    """Keep records within their time, and make the vectors of passages, for the length of the block."""
    work = [keep_tidy(application.settings, application.store.engine)]
    if application.precomputation is not None:
        work.append(application.precomputation.run())
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
