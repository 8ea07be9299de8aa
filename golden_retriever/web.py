"""The web application: the API of ``serving`` and the pages of ``ui``, over the same services, on one address."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from golden_retriever.profiles import engines_of
from golden_retriever.readiness import build_readiness
from golden_retriever.wiring import Application
from golden_retriever.wiring.identity import build_guard, build_limits, build_login

if TYPE_CHECKING:
    from fastapi import FastAPI

    from serving.areas import AreaBuilder
    from serving.dictionary.service import DictionaryService
    from serving.me import MeService
    from serving.metrics import Metrics
    from ui.services import Services


async def build_web_application(
    application: Application, *, with_ui: bool = True, keyed: bool = False, metrics: "Metrics | None" = None
) -> "FastAPI":
    """Return the API and, with ``with_ui``, the pages, the chat at ``/``.

    ``keyed``: each request must say who makes it from the start, else once there is a key. ``metrics`` count requests.
    """
    from golden_retriever.wiring.offering import build_chat_service
    from golden_retriever.wiring.records import build_documents_service, build_records_service
    from serving.app import create_app
    from serving.metrics import Metrics
    from ui.services import Services

    metrics = metrics or Metrics()
    settings = application.settings
    guard, limits = build_guard(settings, application.store.engine, closed=keyed), build_limits(settings)
    chat = build_chat_service(application)
    services = Services(
        me=_me_service(application),
        chat=chat,
        dictionary=_dictionary(application),
        documents=build_documents_service(application),
        records=build_records_service(application),
    )
    web = create_app(
        chat,
        readiness=build_readiness(application),
        areas=[*_areas(application, services), _metrics_area(application, metrics)],
        observers=[metrics],
        guard=guard,
        limits=limits,
        origins=settings.origins,
        prefix=settings.path_prefix,
    )
    if with_ui:
        from ui.app import build_ui, mount_ui
        from ui.site import build_frame, pages

        prefix = settings.path_prefix
        frame = build_frame(services, guard, limits=limits, prefix=prefix)
        mount_ui(web, build_ui(frame, pages()), prefix=prefix)
    return web


def _metrics_area(application: Application, metrics: "Metrics") -> "AreaBuilder":
    from golden_retriever.wiring.gauges import read_gauges
    from serving.metrics import metrics_area

    settings = application.settings
    token = settings.metrics_token.get_secret_value()
    return partial(metrics_area, metrics, partial(read_gauges, application), token)


def _areas(application: Application, services: "Services") -> "list[AreaBuilder]":
    from golden_retriever import __version__
    from golden_retriever.wiring.mcp import build_knowledge
    from library.keys import KeyStore
    from serving.dictionary.routes import dictionary_area
    from serving.documents.routes import documents_area
    from serving.keys_api import keys_area
    from serving.mcp.http import mcp_area
    from serving.me import me_area
    from serving.records.routes import records_area
    from serving.widget.routes import widget_area

    return [
        partial(dictionary_area, services.dictionary),
        partial(documents_area, services.documents),
        partial(keys_area, KeyStore(application.store.engine)),
        build_login(application.settings, application.store.engine),
        partial(me_area, services.me),
        partial(mcp_area, build_knowledge(application), __version__),
        partial(records_area, services.records),
        widget_area,
    ]


def _dictionary(application: Application) -> "DictionaryService":
    from agent.previewing import QuestionPreviewer
    from serving.dictionary.service import DictionaryService

    return DictionaryService(application.jargon, application.store, QuestionPreviewer(application.services))


def _me_service(application: Application) -> "MeService":
    from golden_retriever import __version__
    from serving.me import MeService

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
