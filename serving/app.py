"""The web application: the OpenAI-compatible API, health and the dictionary's API, around one chatbot."""

import time

from fastapi import FastAPI

from agent.chatbot import Chatbot
from contracts.question import Asker
from serving.access import LoopbackGuard
from serving.completions import Serving, completion_routes
from serving.dictionary.base import DictionaryDesk
from serving.dictionary.exchange import MAX_UPLOAD_BYTES
from serving.dictionary.routes import dictionary_routes
from serving.dictionary.routing import PREFIX
from serving.documents.base import DocumentsDesk
from serving.documents.routes import PREFIX as DOCUMENTS_PREFIX
from serving.documents.routes import document_routes
from serving.doorway import Doorway
from serving.health import Readiness, health_routes
from serving.keys import KeyGuard
from serving.limits import RequestLimits
from serving.problems import install_problems
from serving.requests import MAX_BODY_BYTES, BoundedBodies, RequestIds

_TITLE = "Golden Retriever"


def create_app(
    chatbot: Chatbot,
    *,
    readiness: Readiness,
    model_name: str = "golden",
    asker: Asker = Asker(),  # noqa: B008 - a frozen value
    keep_alive_s: float = 10.0,
    dictionary: DictionaryDesk | None = None,
    documents: DocumentsDesk | None = None,
    guard: LoopbackGuard | KeyGuard | None = None,
    limits: RequestLimits | None = None,
) -> FastAPI:
    """Return the application.

    ``readiness`` names what is not ready, each with the reason; nothing when all is. ``asker`` is who asks where a
    request does not say. A stream in which nothing happened for ``keep_alive_s`` carries an empty chunk.
    ``dictionary`` is what its manager works on under ``/api/dictionary``, ``documents`` what is ingested and listed
    under ``/api/documents``, if that is served; ``guard`` lets requests in (None: those of this machine), and who
    comes with a key is held to ``limits``.
    """
    # The interactive pages load scripts from another host; the description itself stays.
    app = FastAPI(title=_TITLE, docs_url=None, redoc_url=None)
    guard = guard or LoopbackGuard()
    serving = Serving(
        chatbot=chatbot, model_name=model_name, asker=asker, keep_alive_s=keep_alive_s, started=int(time.time())
    )
    app.include_router(completion_routes(serving, guard))
    app.include_router(health_routes(readiness))
    bounds = {"/v1/": MAX_BODY_BYTES, "/chat/completions": MAX_BODY_BYTES}
    if dictionary is not None:
        for router in dictionary_routes(dictionary, guard):
            app.include_router(router)
        bounds |= {PREFIX: MAX_BODY_BYTES, f"{PREFIX}/import": MAX_UPLOAD_BYTES}
    if documents is not None:
        for router in document_routes(documents, guard):
            app.include_router(router)
        bounds |= {DOCUMENTS_PREFIX: documents.max_upload_bytes, f"{DOCUMENTS_PREFIX}/ingest": MAX_BODY_BYTES}
    install_problems(app)
    app.add_middleware(BoundedBodies, bounds=bounds)
    app.add_middleware(Doorway, keeper=guard, limits=limits)
    app.add_middleware(RequestIds)
    return app
