"""The collection: documents and dictionary, and what reads more into them, without anything that answers questions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat
from golden_retriever.wiring.databases import open_database
from golden_retriever.wiring.engines import build_pipeline
from golden_retriever.wiring.indexes import build_embedding_model, build_precomputed_vectors
from golden_retriever.wiring.watching import Watching

if TYPE_CHECKING:
    from ingestion.pipeline import IngestionPipeline
    from jargon_db.store import JargonStore
    from library.store import LibraryStore
    from tools.chat import ChatModel
    from tools.embedding import Embedder
    from tools.embedding.cached import CachedEmbedder
    from tools.embedding.precomputed_vectors import PrecomputedVectors


@dataclass(kw_only=True)
class Collection:
    """Documents and dictionary. The pipeline is built at its first use: a process that only asks needs no readers.

    ``precomputed`` keeps vectors of passages on disk, None where settings want none; ``embedder`` asks it first.
    """

    settings: Settings
    store: "LibraryStore"
    jargon: "JargonStore"
    model: "Embedder"
    precomputed: "PrecomputedVectors | None"
    embedder: "CachedEmbedder"
    chat: "ChatModel | None"

    @cached_property
    def pipeline(self) -> "IngestionPipeline":
        """What reads documents into the library."""
        return build_pipeline(self.settings, self.store, self.jargon, self.embedder, self.chat)


@asynccontextmanager
async def open_collection(
    settings: Settings,
    *,
    watching: Watching = Watching(),  # noqa: B008 - a frozen value
) -> AsyncIterator[Collection]:
    """Wire the collection and close it at the end: for a process that ingests. Raises as ``open_application`` does."""
    async with AsyncExitStack() as parts:
        model, precomputed, embedder = await parts.enter_async_context(_open_embedder(settings))

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
            model=model,
            precomputed=precomputed,
            embedder=embedder,
            chat=chat,
        )


@asynccontextmanager
async def _open_embedder(
    settings: Settings,
) -> "AsyncIterator[tuple[Embedder, PrecomputedVectors | None, CachedEmbedder]]":
    """Read the model from disk in a thread, while this one goes on to import the rest."""
    from tools.embedding.cached import CachedEmbedder

    model = build_embedding_model(settings)
    precomputed = build_precomputed_vectors(settings, model.name)
    embedder = CachedEmbedder(model, precomputed=precomputed)
    warming = asyncio.create_task(embedder.embed_queries(["ready?"]))
    await asyncio.sleep(0)  # lets the thread begin
    try:
        yield model, precomputed, embedder
    finally:
        await asyncio.gather(warming, return_exceptions=True)  # a broken model speaks up where it is used
        if precomputed is not None:
            precomputed.close()
