"""The database of documents, dictionary, conversations and keys."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings

if TYPE_CHECKING:
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
