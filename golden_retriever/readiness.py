"""Readiness: what a question needs of this process and of what stands behind it, asked part by part."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from golden_retriever.profiles import engines_of
from golden_retriever.wiring import Application

if TYPE_CHECKING:
    from serving.health import HealthChecks

# Any words do: what is asked is whether they are looked up at all.
_PROBE = "ready?"


def build_readiness(application: Application) -> "HealthChecks":
    """Return what names the missing parts: database, embedding model, both indexes, chat servers.

    OCR is not among them: no question needs it. A chat server that is away is missing only where nothing stands in for
    it (``GOLDEN_DEGRADE=refuse``).
    """
    from serving.health import HealthChecks

    checks: dict[str, Callable[[], Awaitable[str]]] = {
        "database": lambda: _answers(application.services.dictionary.version()),
        "embedding model": lambda: _answers(application.embedder.embed_queries([_PROBE])),
        "vector index": lambda: _vector_index(application),
        "lexical index": lambda: _answers(application.services.lexical.search(_PROBE, 1)),
    }
    if application.chat is not None and _runs_on_a_server(application):
        checks["chat server"] = lambda: _chat_server(application)
    return HealthChecks(checks)


def _runs_on_a_server(application: Application) -> bool:
    settings = application.settings
    return any(engine != "embedded" for engine in engines_of(settings.profile, settings.engines).values())


async def _answers(call: Awaitable[object]) -> str:
    await call
    return ""


async def _vector_index(application: Application) -> str:
    from serving.health import Degraded

    (vector,) = await application.embedder.embed_queries([_PROBE])
    await application.vector_index.search(vector, 1)
    if getattr(application.vector_index, "ready", True):
        return ""
    return Degraded("Chroma is not ready: it opens, is rebuilt or failed, and the exact search answers.")


async def _chat_server(application: Application) -> str:
    from contracts.errors import ChatUnavailable
    from serving.health import Degraded

    assert application.chat is not None
    try:
        await application.chat.check()
    except ChatUnavailable as error:
        if application.settings.degrade == "refuse":
            return str(error)
        return Degraded(f"{error} The embedded engine answers.")
    return ""
