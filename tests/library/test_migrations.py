import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect, text

from contracts.errors import ConfigurationError
from database.connection import open_database
from database.migrations import MigrationScope, migrate
from database.transactions import writing
from jargon_db.migrations import DICTIONARY
from library.migrations import LIBRARY
from library.store import LibraryStore


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


BACK_TO_THE_FIRST = (
    "DROP TABLE ingestion_events",
    "DROP TABLE ingestion_jobs",
    "DROP TABLE suggested_questions",
    "DROP INDEX ix_turns_asker_groups",
    "ALTER TABLE turns RENAME COLUMN channel TO face",
    "ALTER TABLE turns RENAME COLUMN asker_groups TO reach",
    "ALTER TABLE review_cases RENAME COLUMN asker_groups TO reach",
    'ALTER TABLE case_runs RENAME COLUMN "groups" TO reach',
    "CREATE INDEX ix_turns_reach ON turns (reach)",
    f"UPDATE {LIBRARY.version_table} SET version_num = 'library_0006'",
)


def _layout(engine: Engine) -> dict[str, object]:
    found = inspect(engine)
    return {
        table: (
            [(each["name"], str(each["type"])) for each in found.get_columns(table)],
            sorted(str(each["name"]) for each in found.get_indexes(table)),
        )
        for table in found.get_table_names()
    }


def test_a_library_of_the_first_version_is_brought_up_to_date(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine, LIBRARY)
    newest = _layout(engine)
    with engine.begin() as connection:
        for statement in BACK_TO_THE_FIRST:
            connection.execute(text(statement))
    migrate(engine, LIBRARY)
    assert _layout(engine) == newest
    engine.dispose()


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/100%25 Ünïcode folder/golden.db")
    migrate(engine, LIBRARY)
    assert LibraryStore(engine).version() == 0
