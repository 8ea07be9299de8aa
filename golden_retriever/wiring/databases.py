"""The databases: documents and dictionary in one, conversations in another."""

import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import ConfigurationError, GoldenError, Unavailable
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from sqlalchemy import Engine

    from jargon_db.store import JargonStore
    from library.keys import KeyStore
    from library.store import LibraryStore


@contextmanager
def open_database(settings: Settings) -> "Iterator[Engine]":
    """Open the database, its schema up to date; close it at the end.

    Raises:
        ConfigurationError: the data folder or the database cannot be used.
        Unavailable: the database does not answer.
    """
    from database.connection import open_database as connect
    from database.migrating import migrate
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
    """Create the data folder.

    Raises:
        ConfigurationError: it cannot be made, or not be written to.
    """
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"the data folder {settings.data_dir} cannot be made ({error}): set GOLDEN_DATA_DIR to another"
        ) from error
    if not os.access(settings.data_dir, os.W_OK | os.X_OK):
        raise ConfigurationError(
            f"the data folder {settings.data_dir} may not be written to: set GOLDEN_DATA_DIR to another"
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


@asynccontextmanager
async def open_conversations(settings: Settings) -> "AsyncIterator[BaseCheckpointSaver[Any]]":
    """Open what keeps the conversations: SQLite in the data folder, or PostgreSQL when the database is one.

    Where questions are not kept, it is this process's memory.

    What goes wrong with the SQLite file while the block runs is raised from it in the same words.

    Raises:
        ConfigurationError: PostgreSQL is configured, but its saver is not installed; or the file is damaged.
        Unavailable: the file cannot be opened or written just now.
    """
    if not settings.keep_questions:
        from agent.passing_memory import PassingSaver

        yield PassingSaver()
        return
    if settings.database_url.startswith("postgresql"):
        try:
            from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        except ImportError as error:
            raise ConfigurationError(
                "PostgreSQL needs its extra: pip install 'golden-retriever-bot[postgres]'"
            ) from error
        address = settings.database_url.replace("postgresql+psycopg://", "postgresql://", 1)
        async with AsyncPostgresSaver.from_conn_string(address) as saver:
            await saver.setup()
            yield saver
        return
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    path = settings.data_dir / "conversations.db"
    try:
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            yield saver
    except sqlite3.DatabaseError as error:
        # SQLAlchemy has classes of its own for the other database: a bare error of SQLite's is this one's.
        raise _explained(path, error) from error


def _explained(path: Path, error: sqlite3.DatabaseError) -> GoldenError:
    if isinstance(error, sqlite3.OperationalError):
        return Unavailable(f"The conversations in {path} cannot be used just now: {error}. Try again later.")
    return ConfigurationError(
        f"The conversations in {path} are damaged ({error}). Restore the file, or remove it: they then begin anew."
    )
