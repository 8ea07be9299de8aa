import multiprocessing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

import jargon_db.migrations
from contracts.errors import ConfigurationError, Unavailable
from library.migrations import VERSION_TABLE
from library.migrations.scope import scope_of
from library.models import metadata
from library.session import migrate, open_database
from library.store import LibraryStore


def test_up_from_nothing_again_down_and_up(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine)
    migrate(engine)
    assert LibraryStore(engine).version() == 0
    migrate(engine, "base")
    assert set(inspect(engine).get_table_names()) == {VERSION_TABLE}
    migrate(engine)
    assert LibraryStore(engine).documents() == ()
    engine.dispose()


def test_the_models_are_what_the_migrations_make(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine)
    jargon_db.migrations.migrate(engine)
    with engine.connect() as connection:
        options = {"include_object": scope_of(engine.name), "compare_type": True, "version_table": VERSION_TABLE}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def _start(url: str, barrier: object) -> None:
    engine = open_database(url)
    barrier.wait()  # type: ignore[attr-defined]
    migrate(engine)
    jargon_db.migrations.migrate(engine)
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


def test_a_database_of_a_later_version_is_refused(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = 'library_9999'"))
    with pytest.raises(ConfigurationError, match="library_9999"):
        migrate(engine)
    engine.dispose()


def test_a_database_without_tables_says_what_to_do(database_url: str) -> None:
    with pytest.raises(ConfigurationError, match="migrations"):
        LibraryStore(open_database(database_url)).version()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "golden.db"
    path.write_bytes(b"This is a text, and a long one. " * 100)
    with pytest.raises(ConfigurationError, match="not a"):
        migrate(open_database(f"sqlite:///{path}"))


@pytest.mark.parametrize("url", ["", "nonsense", "sqlite://", "sqlite:///:memory:", "mysql://host/name"])
def test_an_address_that_cannot_be_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError):
        open_database(url)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigurationError, match="file"):
        open_database(f"sqlite:///{tmp_path}/file/golden.db")


@pytest.mark.postgres
def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="Try again"):
        migrate(open_database(f"postgresql://golden@/absent?host={tmp_path}"))


def test_a_password_is_in_no_error(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as raised:
        migrate(open_database("postgresql://golden:s3cret@127.0.0.1:1/absent"))
    assert "s3cret" not in str(raised.value)


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/100%25 Ünïcode folder/golden.db")
    migrate(engine)
    assert LibraryStore(engine).version() == 0
