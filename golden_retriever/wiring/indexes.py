"""Databases, the embedding model and the indexes."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError, Conflict, Unavailable
from golden_retriever.settings import Settings, cache_folder

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from jargon_db.store import JargonStore
    from library.keys import KeyStore
    from library.store import LibraryStore
    from tools.embedding.base import Embedder
    from tools.search.base import VectorIndex


@contextmanager
def open_database(settings: Settings) -> "Iterator[Engine]":
    """Open the database, bring its schema up to date, and close it at the end.

    Raises:
        ConfigurationError: the data folder or the database cannot be used.
        Unavailable: the database does not answer.
    """
    from database.connection import open_database as connect
    from database.migrations import migrate
    from jargon_db.migrations import DICTIONARY
    from library.migrations import LIBRARY

    make_data_folder(settings)
    engine = connect(settings.effective_database_url)
    try:
        migrate(engine, LIBRARY)
        migrate(engine, DICTIONARY)
        yield engine
    finally:
        engine.dispose()


def make_data_folder(settings: Settings) -> None:
    """Create the data folder. Raises ``ConfigurationError`` if it cannot be created, or is not writable."""
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"the data folder {settings.data_dir} cannot be created ({error}): set GOLDEN_DATA_DIR to a different one"
        ) from error
    if not os.access(settings.data_dir, os.W_OK | os.X_OK):
        raise ConfigurationError(
            f"the data folder {settings.data_dir} is not writable: set GOLDEN_DATA_DIR to a different one"
        )


@contextmanager
def open_dictionary(settings: Settings) -> "Iterator[JargonStore]":
    """Open the dictionary alone: no model is loaded."""
    from jargon_db.store import JargonStore

    with open_database(settings) as engine:
        yield JargonStore(engine, who=settings.effective_user, keep_questions=settings.keep_questions)


@contextmanager
def open_library(settings: Settings) -> "Iterator[LibraryStore]":
    """Open the library alone: no model is loaded."""
    from library.store import LibraryStore

    with open_database(settings) as engine:
        yield LibraryStore(engine)


@contextmanager
def open_keys(settings: Settings) -> "Iterator[KeyStore]":
    """Open the API keys alone: no model is loaded."""
    from library.keys import KeyStore

    with open_database(settings) as engine:
        yield KeyStore(engine)


def build_embedder(settings: Settings) -> "Embedder":
    """Return the configured embedding model, with a cache in front of it; its weights are loaded when first used."""
    from tools.embedding.cached import CachedEmbedder

    if settings.embedding_model:
        from tools.embedding.sentence import SentenceTransformerEmbedder

        return CachedEmbedder(SentenceTransformerEmbedder(settings.embedding_model))
    from tools.cores import usable_cores
    from tools.embedding.onnx import OnnxEmbedder
    from tools.embedding.weights import find_default_model

    return CachedEmbedder(OnnxEmbedder(find_default_model(), cache_folder(), threads=usable_cores()))


def build_vector_index(settings: Settings, store: "LibraryStore", embedder_name: str, *, exact: bool) -> "VectorIndex":
    """Return Chroma with the exact index as its fallback, or the exact index alone."""
    from tools.search.exact import ExactVectorIndex

    exact_index = ExactVectorIndex(store, embedder_name)
    if exact or settings.dense_index == "exact":
        return exact_index
    from tools.search.fallback import FallbackVectorIndex

    return FallbackVectorIndex(build_chroma_index(settings, store, embedder_name), exact_index)


def build_chroma_index(settings: Settings, store: "LibraryStore", embedder_name: str) -> "VectorIndex":
    """Return the index on the Chroma server that the settings name, or else in Chroma's folder."""
    if settings.chroma_url:
        from tools.search.chroma_server import ChromaServerIndex

        lock = settings.data_dir / "chroma-server.lock"
        return ChromaServerIndex(settings.chroma_url, store, embedder_name, lock_file=lock)
    from tools.search.chroma import ChromaVectorIndex

    return ChromaVectorIndex(chroma_folder(settings), store, embedder_name)


def chroma_folder(settings: Settings) -> Path:
    """Return Chroma's folder."""
    return settings.data_dir / "chroma"


async def bring_up_indexes(settings: Settings, store: "LibraryStore", embedder_name: str) -> None:
    """Synchronise Chroma's folder with SQL after a command has changed it.

    The folder is skipped if no server has created it yet, or while a server owns it: that server sees the change at its
    next question. If building fails here, it is tried again when the index is opened.
    """
    if has_chroma(settings):
        index = build_chroma_index(settings, store, embedder_name)
        with suppress(Conflict, Unavailable):
            await index.synchronise()
        await index.close()


def has_chroma(settings: Settings) -> bool:
    """Return whether a server has created Chroma's folder."""
    return settings.dense_index == "chroma" and not settings.chroma_url and chroma_folder(settings).exists()


async def rebuild_indexes(settings: Settings, store: "LibraryStore", embedder_name: str) -> None:
    """Drop the derived indexes, including the lexical one, and build them again from the chunks and vectors in SQL.

    A Chroma server's collection is compared with SQL and repaired each time a server starts.

    Raises:
        Conflict: another process (the server) owns Chroma's folder.
    """
    from library.lexical_search import rebuild_lexical_index

    embedded = settings.dense_index == "chroma" and not settings.chroma_url
    if embedded:
        chroma = build_chroma_index(settings, store, embedder_name)
        # Opens the folder, even a damaged one, or raises Conflict while another process has it.
        with suppress(Unavailable):
            await chroma.fingerprint()
        await chroma.close()
    await asyncio.to_thread(rebuild_lexical_index, store.engine)
    if embedded:
        shutil.rmtree(chroma_folder(settings), ignore_errors=True)
        await chroma.synchronise()
        await chroma.close()
