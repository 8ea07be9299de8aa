"""The web application: the API of ``serving`` and the chat of ``ui`` on one address."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from contracts.question import LOCAL_ACCOUNT, Asker
from golden_retriever.readiness import build_readiness
from golden_retriever.wiring import Application
from golden_retriever.wiring.identity import build_guard, build_limits

if TYPE_CHECKING:
    from fastapi import FastAPI

    from serving.areas import AreaBuilder
    from serving.metrics import Metrics

_EXAMPLES_SHOWN = 4
_FACE = "chat"


async def build_web_application(
    application: Application, *, with_ui: bool = True, keyed: bool = False, metrics: "Metrics | None" = None
) -> "FastAPI":
    """Return the API and, with ``with_ui``, the chat at ``/``.

    ``keyed``: each request must say who makes it from the start, else once there is a key. ``metrics`` count requests.
    """
    from golden_retriever.wiring.offering import build_offer
    from serving.app import create_app
    from serving.metrics import Metrics

    metrics = metrics or Metrics()
    settings = application.settings
    web = create_app(
        application.chatbot,
        readiness=build_readiness(application),
        offer=build_offer(application),
        areas=[*_areas(application), _metrics_area(application, metrics)],
        observers=[metrics],
        guard=build_guard(settings, application.store.engine, closed=keyed),
        limits=build_limits(settings),
        origins=settings.origins,
        prefix=settings.path_prefix,
    )
    if with_ui:
        await _mount_chat(web, application)
    return web


def _metrics_area(application: Application, metrics: "Metrics") -> "AreaBuilder":
    from golden_retriever.wiring.gauges import read_gauges
    from serving.metrics_routes import build_metrics_area

    settings = application.settings
    return build_metrics_area(
        metrics,
        lambda: read_gauges(application),
        token=settings.metrics_token.get_secret_value(),
        everybody=settings.metrics_access == "open",
    )


def _areas(application: Application) -> "list[AreaBuilder]":
    from golden_retriever import __version__
    from golden_retriever.settings.in_force import settings_in_force
    from golden_retriever.wiring.dictionary import build_dictionary_desk
    from golden_retriever.wiring.documents import build_documents_desk
    from golden_retriever.wiring.mcp import build_knowledge_desk
    from golden_retriever.wiring.records_desk import build_records_desk
    from library.keys import KeyStore
    from serving.dictionary.routes import dictionary_area
    from serving.documents.routes import documents_area
    from serving.keys_api import keys_area
    from serving.mcp.http import mcp_area
    from serving.records.routes import records_area
    from serving.settings import settings_area
    from serving.widget.routes import widget_area

    dictionary = build_dictionary_desk(application.jargon, application.store, application.services)
    return [
        partial(dictionary_area, dictionary),
        partial(documents_area, build_documents_desk(application)),
        partial(keys_area, KeyStore(application.store.engine)),
        partial(mcp_area, build_knowledge_desk(application), __version__),
        partial(records_area, build_records_desk(application)),
        partial(settings_area, partial(settings_in_force, application.settings)),
        widget_area,
    ]


def _asker_of(request: Any, *, local: Asker) -> Asker:
    """Return who uses the chat, as the doorway saw them; one that never passed it fails here."""
    from serving.asking import asker_of

    actor = request.state.actor
    return local if actor is None else replace(asker_of(actor, local), face=_FACE)


async def _mount_chat(web: Any, application: Application) -> None:
    from ui.app import build_ui, mount_ui
    from ui.pages import PageImages

    local = Asker(account=LOCAL_ACCOUNT, name=application.settings.effective_user, face=_FACE)

    async def departments() -> tuple[str, ...]:
        return tuple(context.name for context in await application.services.dictionary.contexts())

    contexts = await application.services.dictionary.contexts()
    examples = [context.examples[0] for context in contexts if context.examples][:_EXAMPLES_SHOWN]
    page = build_ui(
        application.chatbot,
        departments=departments,
        department=application.settings.department,
        examples=examples,
        page_image=PageImages(application.store),
        contact=application.settings.contact,
        asker_of=partial(_asker_of, local=local),
    )
    mount_ui(web, page, prefix=application.settings.path_prefix)
