"""The web application: the OpenAI-compatible API and health, around one chatbot."""

import time

from fastapi import FastAPI

from agent.chatbot import Chatbot
from contracts.question import Asker
from serving.completions import Serving, completion_routes
from serving.health import Readiness, health_routes
from serving.problems import install_problems
from serving.requests import BoundedBodies, RequestIds

_TITLE = "Golden Retriever"


def create_app(
    chatbot: Chatbot,
    *,
    readiness: Readiness,
    model_name: str = "golden",
    asker: Asker = Asker(),  # noqa: B008 - a frozen value
    keep_alive_s: float = 10.0,
) -> FastAPI:
    """Return the application.

    ``readiness`` names what is not ready, each with the reason; nothing when all is. ``asker`` is who asks where a
    request does not say. A stream in which nothing happened for ``keep_alive_s`` carries an empty chunk.
    """
    # The interactive pages load scripts from another host; the description itself stays.
    app = FastAPI(title=_TITLE, docs_url=None, redoc_url=None)
    serving = Serving(
        chatbot=chatbot, model_name=model_name, asker=asker, keep_alive_s=keep_alive_s, started=int(time.time())
    )
    app.include_router(completion_routes(serving))
    app.include_router(health_routes(readiness))
    install_problems(app)
    app.add_middleware(BoundedBodies, prefixes=("/v1/", "/chat/completions"))
    app.add_middleware(RequestIds)
    return app
