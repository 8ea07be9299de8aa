import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, inspect, text

from contracts.errors import ConfigurationError
from database.connection import open_database
from database.migrating import MigrationScope, migrate
from database.session import writing
from jargon_db import models as jargon_models
from jargon_db.migrations import DICTIONARY
from library.migrations import LIBRARY
from library.models import metadata
from library.store import LibraryStore


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    """Begin with nothing: these tests are about how the tables come."""
    return ()


def test_up_from_nothing_again_down_and_up(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine, LIBRARY)
    migrate(engine, LIBRARY)
    assert LibraryStore(engine).version() == 0
    migrate(engine, LIBRARY, "base")
    assert set(inspect(engine).get_table_names()) == {LIBRARY.version_table}
    migrate(engine, LIBRARY)
    assert LibraryStore(engine).documents() == ()
    engine.dispose()


@pytest.mark.parametrize(
    ("scope", "models"), [(LIBRARY, metadata), (DICTIONARY, jargon_models.metadata)], ids=["library", "dictionary"]
)
def test_the_models_are_what_the_migrations_make(database_url: str, scope: MigrationScope, models: MetaData) -> None:
    engine = open_database(database_url)
    migrate(engine, LIBRARY)
    migrate(engine, DICTIONARY)
    with engine.connect() as connection:
        options = {
            "include_object": scope.included(engine.name),
            "compare_type": True,
            "version_table": scope.version_table,
        }
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, models) == []
    engine.dispose()


def _start(url: str, barrier: object) -> None:
    engine = open_database(url)
    barrier.wait()  # type: ignore[attr-defined]
    migrate(engine, LIBRARY)
    migrate(engine, DICTIONARY)
    assert LibraryStore(engine).version() == 0


def test_processes_that_start_at_once_migrate_once(database_url: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(3)
    processes = [spawn.Process(target=_start, args=(database_url, barrier)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]


@pytest.mark.parametrize("scope", [LIBRARY, DICTIONARY], ids=lambda scope: scope.part)
def test_a_database_that_has_its_tables_waits_for_nobody_who_writes(tmp_path: Path, scope: MigrationScope) -> None:
    engine, other = (open_database(f"sqlite:///{tmp_path}/golden.db") for _ in range(2))
    migrate(engine, scope)
    with writing(other), ThreadPoolExecutor(1) as threads:
        done = threads.submit(migrate, engine, scope)
        assert done.result(timeout=30) is None
    engine.dispose()
    other.dispose()


@pytest.mark.parametrize("scope", [LIBRARY, DICTIONARY], ids=lambda scope: scope.part)
def test_a_database_of_a_later_version_is_refused(database_url: str, scope: MigrationScope) -> None:
    engine = open_database(database_url)
    migrate(engine, scope)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {scope.version_table} SET version_num = 'later_9999'"))
    with pytest.raises(ConfigurationError, match="later_9999"):
        migrate(engine, scope)
    engine.dispose()


def test_a_database_without_tables_says_what_to_do(database_url: str) -> None:
    with pytest.raises(ConfigurationError, match="migrations"):
        LibraryStore(open_database(database_url)).version()


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/100%25 Ünïcode folder/golden.db")
    migrate(engine, LIBRARY)
    assert LibraryStore(engine).version() == 0


def test_documents_of_the_first_version_get_a_record(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine, LIBRARY, "library_0001")
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO documents (id, name, path, media_type, content_hash, title, pages, size_bytes, "
                "access_group) VALUES ('d', 'a.txt', '/a.txt', 'text/plain', 'h', '', 1, 9, 'crew')"
            )
        )
    migrate(engine, LIBRARY)
    store = LibraryStore(engine)
    record = store.ledger.record("d")
    assert record is not None
    assert (record.path, record.group, record.state, record.answers) == ("/a.txt", "crew", "ready", True)
    assert record.recipe == "", "the next ingestion reads it again"
    assert store.ledger.mined_from("d") == ()
    assert store.ledger.history("d") == ()
    migrate(engine, LIBRARY, "-1")
    migrate(engine, LIBRARY)
    assert [document.id for document in store.documents()] == ["d"]
    engine.dispose()
