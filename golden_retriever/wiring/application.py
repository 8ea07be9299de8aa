"""The application: every part, wired and closed together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.databases import open_conversations, open_database
from golden_retriever.wiring.engines import build_chat, build_pipeline, build_services
from golden_retriever.wiring.indexes import build_embedder, build_vector_index

if TYPE_CHECKING:
    from agent.chatbot import Chatbot
    from agent.services import Services
    from ingestion.pipeline import IngestionPipeline
    from jargon_db.store import JargonStore
    from library.store import LibraryStore
    from tools.embedding import Embedder
    from tools.search import VectorIndex


@dataclass(frozen=True, kw_only=True)
class Application:
    """A wired application."""

    settings: Settings
    chatbot: "Chatbot"
    services: "Services"
    store: "LibraryStore"
    jargon: "JargonStore"
    pipeline: "IngestionPipeline"
    vector_index: "VectorIndex"
    embedder: "Embedder"


@asynccontextmanager
async def open_application(settings: Settings, *, one_shot: bool = False) -> AsyncIterator[Application]:
    """Wire everything and close it at the end.

    ``one_shot`` is for a process that does one thing and ends, such as a command: it uses the exact index, which opens
    faster than Chroma and has no owner. A server takes its changes over at the next question.

    Raises:
        ConfigurationError: a setting does not fit this machine.
        Unavailable: the database does not answer.
    """
    from agent.chatbot import Chatbot
    from jargon_db.store import JargonStore
    from library.lexical import SqlLexicalSearch
    from library.store import LibraryStore
    from tools.jargon.sql import SqlJargonDictionary
    from tools.search.hybrid import HybridSearcher
    from tools.search.lexical import StoredLexicalIndex

    with open_database(settings) as engine:
        store, jargon = LibraryStore(engine), JargonStore(engine)
        embedder, chat = build_embedder(settings), build_chat(settings)
        vector_index = build_vector_index(settings, store, embedder.name, exact=one_shot)
        lexical = StoredLexicalIndex(SqlLexicalSearch(engine))
        searcher = HybridSearcher(store, embedder, vector_index, lexical)
        services = build_services(settings, embedder, searcher, lexical, SqlJargonDictionary(jargon), chat)
        try:
            async with open_conversations(settings) as conversations:
                yield Application(
                    settings=settings,
                    chatbot=Chatbot(services, checkpointer=conversations),
                    services=services,
                    store=store,
                    jargon=jargon,
                    pipeline=build_pipeline(settings, store, jargon, embedder, chat),
                    vector_index=vector_index,
                    embedder=embedder,
                )
        finally:
            await vector_index.close()
