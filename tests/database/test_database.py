"""Connections, transactions, columns and migrations, on SQLite and PostgreSQL."""

import json
import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Column, Connection, Engine, MetaData, Row, Table, select, text

from contracts.case_runs import CaseResult, RunMeasure
from contracts.documents import DocumentReport, IngestionDetails, PoorPage
from contracts.errors import ConfigurationError, Unavailable
from database.columns import Key, StoredJson, StoredText, UtcTime
from database.connection import open_database
from database.migrations import MigrationScope, migrate
from database.transactions import reading, writing
from jargon_db.migrations import DICTIONARY
from library.migrations import LIBRARY
from library.records.case_runs import CaseRunStore
from library.store import LibraryStore
from tests.library.samples import document_of


def read_one(engine: Engine) -> int:
    with reading(engine) as connection:
        return int(connection.execute(text("SELECT 1")).scalar_one())


def test_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "golden.db"
    path.write_bytes(b"This is a text, and a long one. " * 100)
    with pytest.raises(ConfigurationError, match="not a"):
        read_one(open_database(f"sqlite:///{path}"))


@pytest.mark.parametrize("url", ["", "nonsense", "sqlite://", "sqlite:///:memory:", "mysql://host/name"])
def test_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError):
        open_database(url)


def test_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigurationError, match="file"):
        open_database(f"sqlite:///{tmp_path}/file/golden.db")


@pytest.mark.postgres
def test_unreachable_server_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="Try again"):
        read_one(open_database(f"postgresql://golden@/absent?host={tmp_path}"))


def test_errors_contain_no_password(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as raised:
        read_one(open_database("postgresql://golden:s3cret@127.0.0.1:1/absent"))
    assert "s3cret" not in str(raised.value)


def test_failed_write_is_rolled_back(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE counted (number INTEGER)"))

    def insert_and_fail(connection: Connection) -> None:
        connection.execute(text("INSERT INTO counted VALUES (1)"))
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"), writing(engine) as connection:
        insert_and_fail(connection)
    with reading(engine) as connection:
        assert connection.execute(text("SELECT count(*) FROM counted")).scalar_one() == 0


def test_a_read_transaction_sees_one_state(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE counted (number INTEGER)"))
    with reading(engine) as before:
        assert before.execute(text("SELECT count(*) FROM counted")).scalar_one() == 0
        with writing(engine) as connection:
            connection.execute(text("INSERT INTO counted VALUES (1)"))
        assert before.execute(text("SELECT count(*) FROM counted")).scalar_one() == 0
    with reading(engine) as after:
        assert after.execute(text("SELECT count(*) FROM counted")).scalar_one() == 1


def test_a_missing_table_says_what_to_do(engine: Engine) -> None:
    with pytest.raises(ConfigurationError, match="Run the migrations"), reading(engine) as connection:
        connection.execute(text("SELECT * FROM absent"))


TABLES = MetaData()
THINGS = Table(
    "things",
    TABLES,
    Column("key", Key),
    Column("text", StoredText),
    Column("json", StoredJson),
    Column("time", UtcTime),
)


def stored(engine: Engine, *rows: Mapping[str, object]) -> Sequence[Row[Any]]:
    """Write rows into a new table, and read them back in the order of their keys."""
    with writing(engine) as connection:
        TABLES.create_all(connection)
        connection.execute(THINGS.insert(), [{"text": None, "json": None, "time": None, **row} for row in rows])
    with reading(engine) as connection:
        return connection.execute(select(THINGS).order_by(THINGS.c.key)).all()


def test_characters_that_databases_refuse_are_replaced(engine: Engine) -> None:
    (found,) = stored(engine, {"key": "a\x00", "text": "b\ud800c", "json": ["d\x00", ["e\udfff", 1]]})
    assert (found.key, found.text, found.json) == ("a\ufffd", "b\ufffdc", ["d\ufffd", ["e\ufffd", 1]])


def test_keys_are_ordered_by_code_point(engine: Engine) -> None:
    keys = ["b", "B", "a", "_", "é", "Z"]
    assert [each.key for each in stored(engine, *({"key": key} for key in keys))] == sorted(keys)


def test_times_are_returned_in_utc(engine: Engine) -> None:
    moment = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone(timedelta(hours=2)))
    (found,) = stored(engine, {"key": "a", "time": moment})
    assert found.time == moment
    assert found.time.tzinfo == UTC


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
    report = DocumentReport(pages=2, poor_pages=(PoorPage(page=2, reason="faint"),), seconds=1.5)
    details = IngestionDetails(report=report)
    LibraryStore(engine).replace_document(document, [], np.empty((0, 3)), embedder="model", details=details)
    runs = CaseRunStore(engine)
    run = runs.begin(None, RunMeasure(), who="", cases=1)
    case = CaseResult(case_id="a", question="", expected="", outcome="", differs=(), milliseconds=1.0, answer="It is.")
    runs.add(run.id, case)
    stored = {"pages": 2, "poor_pages": [[2, "faint", None]]}
    with engine.begin() as connection:
        for change in (
            "ALTER TABLE case_results DROP COLUMN documents",
            "CREATE TABLE case_result_documents (run_id TEXT, case_id TEXT, document_id TEXT, access_group TEXT)",
            f"INSERT INTO case_result_documents VALUES ('{run.id}', 'a', 'gone', 'lab')",
            "ALTER TABLE ingestions ADD COLUMN seconds FLOAT NOT NULL DEFAULT 1.5",
            "ALTER TABLE ingestions ADD COLUMN phases TEXT",
            f"UPDATE ingestions SET report = '{json.dumps(stored)}'",
            "ALTER TABLE turn_documents ADD COLUMN cited BOOLEAN",
            "ALTER TABLE case_runs ADD COLUMN stopping BOOLEAN",
            "ALTER TABLE ingestion_jobs ADD COLUMN check_content BOOLEAN",
            f"UPDATE {LIBRARY.version_table} SET version_num = 'library_0014'",
        ):
            connection.exec_driver_sql(change)
    for _ in range(2):
        migrate(engine, LIBRARY)
    assert LibraryStore(engine).ledger.history(document.id)[0].report == report
    (result,) = runs.results(None, run.id)
    assert (result.withheld, result.answer) == ("gone", "")


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/100%25 Ünïcode folder/golden.db")
    migrate(engine, LIBRARY)
    assert LibraryStore(engine).version() == 0
