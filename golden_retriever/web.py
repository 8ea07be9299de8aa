"""The web application: the API of ``serving`` and the pages of ``ui``, with the same services, at one address."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import get_args

from fastapi import APIRouter, FastAPI

from contracts.errors import ChatUnavailable, GoldenError
from contracts.jobs import JobState
from golden_retriever import __version__
from golden_retriever.profiles import engines_of
from golden_retriever.wiring import Application
from golden_retriever.wiring.identity import build_guard, build_login
from golden_retriever.wiring.mcp import build_knowledge
from golden_retriever.wiring.records import build_documents_service, build_records_service
from serving.app import create_app
from serving.chat import ChatService
from serving.dictionary.routes import dictionary_routers
from serving.dictionary.service import DictionaryService
from serving.documents.routes import documents_routers
from serving.follow_ups import NearbyQuestions
from serving.health import Degraded, HealthChecks
from serving.identity.guards import Guard
from serving.mcp.http import mcp_router
from serving.me import MeService, me_router
from serving.metrics import Metrics, metrics_router
from serving.question_check import QuestionCheck
from serving.rate_limits import RequestLimits
from serving.records.routes import records_routers
from serving.widget.routes import widget_router
from tools.chat.resilient import ResilientChatModel
from ui.pages import Services

# Any words will do: this only tests whether the look-up works.
_PROBE = "ready?"
# Concurrent requests of one key or person in this process.
_REQUESTS_AT_ONCE = 64
_OPEN = {"closed": 0.0, "half-open": 0.5, "open": 1.0}


async def build_web_application(
    application: Application, *, with_ui: bool = True, keyed: bool = False, metrics: Metrics | None = None
) -> FastAPI:
    """Return the API and, if ``with_ui`` is true, the pages, with the chat at ``/``.

    Requests must be authenticated from the start if ``keyed``, otherwise once a key exists. ``metrics`` count requests.
    """
    metrics = metrics or Metrics()
    settings = application.settings
    guard = build_guard(settings, application.store.engine, closed=keyed)
    a_minute = settings.key_requests_per_minute
    limits = RequestLimits(a_minute=a_minute, at_once=_REQUESTS_AT_ONCE, redis_url=settings.limits_url)
    services = Services(
        me=_me_service(application),
        chat=build_chat_service(application),
        dictionary=DictionaryService(application.jargon, application.store, application.services),
        documents=build_documents_service(application),
        records=build_records_service(application),
    )
    web = create_app(
        services.chat,
        readiness=build_readiness(application),
        routers=_routers(application, services, metrics, guard),
        metrics=metrics,
        guard=guard,
        limits=limits,
        origins=settings.allowed_origins,
        prefix=settings.path_prefix,
    )
    if with_ui:
        from ui.app import build_frame, build_ui, mount_ui, pages

        frame = build_frame(services, guard, limits=limits, prefix=settings.path_prefix)
        mount_ui(web, build_ui(frame, pages()), prefix=settings.path_prefix)
    return web


def _routers(application: Application, services: Services, metrics: Metrics, guard: Guard) -> list[APIRouter]:
    settings = application.settings
    return [
        *dictionary_routers(services.dictionary),
        *documents_routers(services.documents),
        build_login(settings, application.store.engine, guard),
        me_router(services.me),
        mcp_router(build_knowledge(application), __version__),
        *records_routers(services.records),
        widget_router(),
        metrics_router(metrics, partial(_gauges, application), settings.metrics_token.get_secret_value(), guard),
    ]


def build_chat_service(application: Application) -> ChatService:
    """Return the service through which routes and pages ask the bot."""
    services, settings = application.services, application.settings
    return ChatService(
        chatbot=application.chatbot,
        library=application.store,
        suggester=NearbyQuestions(application.store, services.lexical, services.embedder),
        citation_url=settings.citation_url,
        footer=settings.answer_footer,
    )


def build_question_check(application: Application) -> QuestionCheck:
    """Return the background check that finds the questions offered by the chat."""
    return QuestionCheck(application.store, application.services, written=application.chat is not None)


def _me_service(application: Application) -> MeService:
    settings, chat, ledger = application.settings, application.chat, application.store.ledger
    quotes = chat is None or engines_of(settings.profile, settings.engines)["answer_generation"] == "embedded"

    async def has_documents(groups: frozenset[str] | None) -> bool:
        return bool(await asyncio.to_thread(ledger.records, state="ready", groups=groups, limit=1))

    return MeService(
        contexts=application.services.dictionary.contexts,
        contact=settings.contact,
        department=settings.department,
        keeps_conversations=settings.keep_questions,
        version=__version__,
        writer="" if quotes or chat is None else chat.model,
        example_questions=application.services.example_questions,
        has_documents=has_documents,
    )


def _gauges(application: Application) -> Mapping[str, Mapping[str, float]]:
    """Return further values for ``Metrics.exposition``: the library, the queues, the chat server. Blocking.

    Values that cannot be read right now are left out: without the database the other numbers are still shown.
    """
    gauges: dict[str, Mapping[str, float]] = {}
    try:
        documents, chunks = application.store.counts()
        gauges["golden_library_documents"] = {"": documents}
        gauges["golden_library_chunks"] = {"": chunks}
        gauges["golden_unknown_terms"] = {"": len(application.jargon.unknown_terms())}
        states = application.jobs.queue.counts()
        gauges["golden_ingestion_jobs:state"] = {state: states.get(state, 0) for state in get_args(JobState)}
    except GoldenError:
        pass
    if isinstance(application.chat, ResilientChatModel):
        chat = application.chat
        host = chat.address.partition("://")[2].partition("/")[0].rpartition("@")[2]
        gauges["golden_chat_server_open:server"] = {host: _OPEN[chat.breaker]}
    return gauges


def build_readiness(application: Application) -> HealthChecks:
    """Return the function that names missing parts: database, embedding model, both indexes, chat server.

    OCR is not among them: no question needs it. An unreachable chat server counts as missing only if there is no
    fallback (``GOLDEN_DEGRADE=refuse``).
    """
    services, settings = application.services, application.settings
    embedder, index, chat = application.embedder, application.vector_index, application.chat

    async def vector_index() -> str:
        (vector,) = await embedder.embed_queries([_PROBE])
        await asyncio.to_thread(index.find, vector, 1)
        if getattr(index, "ready", True):
            return ""
        return Degraded("Chroma is not ready: it is being opened or rebuilt, or has failed. The exact index is used.")

    async def chat_server() -> str:
        assert chat is not None
        try:
            await chat.check()
        except ChatUnavailable as error:
            return str(error) if settings.degrade == "refuse" else Degraded(f"{error} The embedded engine is used.")
        return ""

    checks: dict[str, Callable[[], Awaitable[str]]] = {
        "database": lambda: _answers(services.dictionary.version()),
        "embedding model": lambda: _answers(embedder.embed_queries([_PROBE])),
        "vector index": vector_index,
        "lexical index": lambda: _answers(asyncio.to_thread(services.lexical.find, _PROBE, 1)),
    }
    if chat is not None and any(each != "embedded" for each in engines_of(settings.profile, settings.engines).values()):
        checks["chat server"] = chat_server
    return HealthChecks(checks)


async def _answers(call: Awaitable[object]) -> str:
    await call
    return ""
