"""Readiness: what a question needs of this process and of what stands behind it, asked part by part."""

from collections.abc import Awaitable, Callable

from contracts.errors import ChatUnavailable
from golden_retriever.profiles import engines_of
from golden_retriever.wiring import Application
from serving.health import Degraded, HealthChecks

# Any words do: what is asked is whether they are looked up at all.
_PROBE = "ready?"


def build_readiness(application: Application) -> HealthChecks:
    """Return what names the missing parts: database, embedding model, both indexes, chat server.

    OCR is not among them: no question needs it. A chat server that is away is missing only where nothing stands in for
    it (``GOLDEN_DEGRADE=refuse``).
    """
    services, settings = application.services, application.settings
    embedder, index, chat = application.embedder, application.vector_index, application.chat

    async def vector_index() -> str:
        (vector,) = await embedder.embed_queries([_PROBE])
        await index.search(vector, 1)
        if getattr(index, "ready", True):
            return ""
        return Degraded("Chroma is not ready: it opens, is rebuilt or failed, and the exact search answers.")

    async def chat_server() -> str:
        assert chat is not None
        try:
            await chat.check()
        except ChatUnavailable as error:
            return str(error) if settings.degrade == "refuse" else Degraded(f"{error} The embedded engine answers.")
        return ""

    checks: dict[str, Callable[[], Awaitable[str]]] = {
        "database": lambda: _answers(services.dictionary.version()),
        "embedding model": lambda: _answers(embedder.embed_queries([_PROBE])),
        "vector index": vector_index,
        "lexical index": lambda: _answers(services.lexical.search(_PROBE, 1)),
    }
    if chat is not None and any(each != "embedded" for each in engines_of(settings.profile, settings.engines).values()):
        checks["chat server"] = chat_server
    return HealthChecks(checks)


async def _answers(call: Awaitable[object]) -> str:
    await call
    return ""
