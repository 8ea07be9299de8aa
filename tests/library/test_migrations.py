import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from contracts.errors import ConfigurationError
from database.connection import open_database
from database.migrations import MigrationScope, migrate
from database.transactions import writing
from jargon_db.migrations import DICTIONARY
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.library.samples import chunk_of, document_of, unit_vectors


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    """Begin with nothing: these tests are about how the tables come."""
    return ()


def _start(url: str, barrier: object) -> None:
    engine = open_database(url)
    barrier.wait()  # type: ignore[attr-defined]
    migrate(engine, LIBRARY)
    migrate(engine, DICTIONARY)
    assert LibraryStore(engine).version() == 0


def test_concurrently_started_processes_migrate_once(database_url: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(3)
    processes = [spawn.Process(target=_start, args=(database_url, barrier)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]


@pytest.mark.parametrize("scope", [LIBRARY, DICTIONARY], ids=lambda scope: scope.part)
def test_start_with_existing_tables_does_not_wait_for_writers(tmp_path: Path, scope: MigrationScope) -> None:
    engine, other = (open_database(f"sqlite:///{tmp_path}/golden.db") for _ in range(2))
    migrate(engine, scope)
    with writing(other), ThreadPoolExecutor(1) as threads:
        done = threads.submit(migrate, engine, scope)
        assert done.result(timeout=30) is None
    engine.dispose()
    other.dispose()


@pytest.mark.parametrize("scope", [LIBRARY, DICTIONARY], ids=lambda scope: scope.part)
def test_a_database_of_a_later_version_is_refused(engine: Engine, scope: MigrationScope) -> None:
    migrate(engine, scope)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {scope.version_table} SET version_num = 'later_9999'"))
    with pytest.raises(ConfigurationError, match="later_9999"):
        migrate(engine, scope)


def test_process_is_told_if_a_newer_version_has_changed_a_table(engine: Engine) -> None:
    migrate(engine, LIBRARY)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE documents RENAME COLUMN title TO heading"))
    with pytest.raises(ConfigurationError, match="newer version"):
        LibraryStore(engine).documents()


def test_tables_of_the_first_version_are_migrated(engine: Engine) -> None:
    migrate(engine, LIBRARY)
    document = document_of("a.txt")
    chunk = chunk_of(document, "passage", 0, "part")
    LibraryStore(engine).replace_document(document, [chunk], unit_vectors(1), embedder="model")
    with engine.begin() as connection:
        chunks = [("chunks", "headings"), ("chunks", "code")]
        for table, column in [*chunks, ("turns", "asked_documents"), ("ingestion_jobs", "watch")]:
            connection.execute(text(f"ALTER TABLE {table} DROP COLUMN {column}"))
        connection.execute(text(f"UPDATE {LIBRARY.version_table} SET version_num = 'library_0009'"))
    for _ in range(2):
        migrate(engine, LIBRARY)
    assert LibraryStore(engine).document_chunks(document.id) == (chunk,)


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/100%25 Ünïcode folder/golden.db")
    migrate(engine, LIBRARY)
    assert LibraryStore(engine).version() == 0
