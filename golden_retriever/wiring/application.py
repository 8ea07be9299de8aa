"""The application: every part, wired and closed together."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat, serving_llm
from golden_retriever.wiring.conversations import keep_tidy, open_conversations
from golden_retriever.wiring.indexes import build_embedder, build_vector_index, open_database
from golden_retriever.wiring.judgements import build_pipeline, build_services

if TYPE_CHECKING:
    from agent.chatbot import Chatbot, QuestionWatcher
    from agent.services import Services
    from golden_retriever.wiring.library_checks import ProvingRemover
    from ingestion.jobs import IngestionJobs
    from ingestion.pipeline import IngestionPipeline
    from jargon_db.store import JargonStore
    from library.store import LibraryStore
    from serving.metrics import Metrics
    from serving.traces import Traces
    from tools.chat import ChatModel
    from tools.chat.observers import ChatObserver
    from tools.embedding import Embedder
    from tools.search import VectorIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """Who follows ``questions``, and who follows ``calls`` of chat servers.

    ``headers`` are what those calls carry besides; ``close`` is called at the end, and blocks.
    """

    questions: "tuple[QuestionWatcher, ...]" = ()
    calls: "tuple[ChatObserver, ...]" = ()
    headers: Callable[[], Mapping[str, str]] | None = None
    close: Callable[[], None] = lambda: None


def build_watching(settings: Settings, metrics: "Metrics") -> Watching:
    """Return who follows what a server does: its log, its metrics, and its traces where they are sent anywhere.

    Raises:
        ConfigurationError: traces are asked for, and what sends them is not installed.
    """
    from serving.request_log import QuestionLog

    log = QuestionLog(with_text=settings.log_questions)
    if not settings.otlp_endpoint:
        return Watching(questions=(log, metrics), calls=(metrics,))
    traces = _build_traces(settings)
    return Watching(
        questions=(traces, log, metrics), calls=(traces, metrics), headers=traces.headers, close=traces.close
    )


def _build_traces(settings: Settings) -> "Traces":
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigurationError(
            "GOLDEN_OTLP_ENDPOINT is set, and traces need their extra: pip install 'golden-retriever-bot[telemetry]'"
        ) from error
    from golden_retriever import __version__
    from serving.traces import Traces

    resource = Resource.create({"service.name": "golden-retriever", "service.version": __version__})
    # Its end is this server's, which shuts it down: at the interpreter's exit nobody waits for a collector.
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{settings.otlp_endpoint}/v1/traces", timeout=5)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Traces(provider, with_text=settings.log_questions)


@dataclass(kw_only=True)
class Collection:
    """Documents and dictionary. The pipeline is built at its first use: a process that only asks needs no readers."""

    settings: Settings
    store: "LibraryStore"
    jargon: "JargonStore"
    embedder: "Embedder"
    chat: "ChatModel | None"

    @cached_property
    def pipeline(self) -> "IngestionPipeline":
        """What reads documents into the library."""
        return build_pipeline(self.settings, self.store, self.jargon, self.embedder, self.chat)


@asynccontextmanager
async def open_collection(
    settings: Settings,
    *,
    watching: Watching = Watching(),
) -> AsyncIterator[Collection]:
    """Wire the collection and close it at the end: for a process that ingests. Raises as ``open_application`` does."""
    async with AsyncExitStack() as parts:
        settings, _ = await parts.enter_async_context(serving_llm(settings))
        embedder = await parts.enter_async_context(_open_embedder(settings))

        from jargon_db.store import JargonStore
        from library.store import LibraryStore

        engine = parts.enter_context(open_database(settings))
        parts.push_async_callback(asyncio.to_thread, watching.close)
        chat = build_chat(settings, watching.calls, watching.headers)
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
    """Read the model from disk in a thread, while this one goes on to import the rest."""
    embedder = build_embedder(settings)
    warming = asyncio.create_task(embedder.embed_queries(["ready?"]))
    await asyncio.sleep(0)  # lets the thread begin
    try:
        yield embedder
    finally:
        await asyncio.gather(warming, return_exceptions=True)  # a broken model speaks up where it is used


@dataclass(kw_only=True)
class Application(Collection):
    """A wired application: the collection, and what answers from it.

    ``endings`` stop what others run beside it; they are called first when it closes.
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

        return IngestionJobs(JobQueue(self.store.engine), lambda: self.pipeline, self.vector_index.synchronise)

    async def close(self) -> None:
        """Stop what runs in the background."""
        for end in self.endings:
            await end()
        if "jobs" in self.__dict__:
            await self.jobs.close()

    @cached_property
    def remover(self) -> "ProvingRemover":
        """What removes documents from the library, and shows that they are gone."""
        from golden_retriever.wiring.library_checks import ProvingRemover

        lexical = self.services.lexical
        return ProvingRemover(lambda: self.pipeline, self.store, self.vector_index, lexical, self.embedder)


@asynccontextmanager
async def open_application(
    settings: Settings,
    *,
    one_shot: bool = False,
    watching: Watching = Watching(),
) -> AsyncIterator[Application]:
    """Wire everything and close it at the end; ``watching`` says who follows what is done.

    ``one_shot`` is for a process that does one thing and ends, such as a command: it uses the exact index, which opens
    faster than Chroma and has no owner. A server takes its changes over at the next question.

    Raises:
        ConfigurationError: a setting does not fit this machine.
        Unavailable: the database does not answer.
    """
    async with AsyncExitStack() as parts:
        collection = await parts.enter_async_context(open_collection(settings, watching=watching))
        settings = collection.settings

        from agent.chatbot import Chatbot
        from library.lexical_search import SqlLexicalSearch
        from library.suggested_questions import SuggestedQuestionStore
        from tools.jargon.sql import SqlJargonDictionary
        from tools.search.hybrid import HybridSearcher
        from tools.search.lexical import StoredLexicalIndex

        store, embedder, engine = collection.store, collection.embedder, collection.store.engine
        vector_index = build_vector_index(settings, store, embedder.name, exact=one_shot)
        parts.push_async_callback(vector_index.close)
        lexical = StoredLexicalIndex(SqlLexicalSearch(engine))
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
            chatbot=Chatbot(services, conversations=conversations, watchers=watching.questions),
            services=services,
            vector_index=vector_index,
        )
        if not one_shot:
            await parts.enter_async_context(_working_beside(application))
        parts.push_async_callback(application.close)
        yield application


@asynccontextmanager
async def _working_beside(application: Application) -> AsyncIterator[None]:
    """Keep records within their time for the length of the block."""
    task = asyncio.create_task(keep_tidy(application.settings, application.store.engine))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
