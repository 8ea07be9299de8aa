"""Fixtures for every test: real databases, SQLite and PostgreSQL."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from sqlalchemy import Engine

from database.connection import open_database
from database.migrations import MigrationScope
from tests.databases import make_tables, new_sqlite

# No test depends on time, not even Hypothesis's tests: a busy machine is not an error. CI draws the same examples each
# time.
settings.register_profile("golden", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("golden")

_ROOM_FOR_POSTGRES_BYTES = 2 * 1024**3


def _programs() -> Path | None:
    """Return the folder of PostgreSQL's programs: the one on the path, else the newest where Debian keeps them."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda each: float(each.parts[-3]))
    return versions[-1].parent if versions else None


def _memory() -> str | None:
    """Return the folder that is kept in memory, where it has room for a server: a new database is 7 MB of files."""
    folder = "/dev/shm"
    return folder if os.path.isdir(folder) and shutil.disk_usage(folder).free > _ROOM_FOR_POSTGRES_BYTES else None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Start a PostgreSQL server of our own, reached by a socket only, and yield the folder of its socket."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL's programs (initdb, pg_ctl) are not on this machine: apt-get install postgresql")
    as_user: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="golden-postgres-", dir=_memory()))
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root.
        if shutil.which("runuser") is None or subprocess.run(["id", "postgres"], capture_output=True).returncode:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres (or no runuser) to run it as")
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    cluster = folder / "cluster"

    def call(program: str, *arguments: str) -> None:
        command = [*as_user, str(programs / program), "-D", str(cluster), *arguments]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, f"{program} failed: {done.stderr}"

    try:
        call("initdb", "--username=golden", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        configured = {
            "listen_addresses": "''",
            "unix_socket_directories": f"'{folder}'",
            "max_connections": 200,
            # This server's data need not survive a crash.
            "fsync": "off",
            "full_page_writes": "off",
            "wal_level": "minimal",
            "max_wal_senders": 0,
            "max_wal_size": "128MB",
            "autovacuum": "off",
        }
        options = " ".join(f"-c {name}={value}" for name, value in configured.items())
        call("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield str(folder)
        finally:
            call("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _tell_postgres(server: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(host=server, user="golden", dbname="postgres", autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[arg-type]


def _postgres_address(server: str, name: str) -> str:
    return f"postgresql+psycopg://golden@/{name}?host={server}"


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> Callable[[tuple[MigrationScope, ...]], str]:
    """Return what names the database with the empty tables of some scopes, which others are copied from."""
    made: dict[tuple[MigrationScope, ...], str] = {(): "template1"}

    def template(scopes: tuple[MigrationScope, ...]) -> str:
        if scopes not in made:
            name = f"template_{len(made)}"
            _tell_postgres(postgres_server, f"CREATE DATABASE {name}")
            make_tables(_postgres_address(postgres_server, name), *scopes)
            made[scopes] = name
        return made[scopes]

    return template


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    """Return the parts of the program whose tables a new database has: none, where no folder or module says more."""
    return ()


@pytest.fixture
def postgres_url(
    postgres_server: str,
    postgres_template: Callable[[tuple[MigrationScope, ...]], str],
    tables: tuple[MigrationScope, ...],
) -> Iterator[str]:
    """Yield the address of a new PostgreSQL database with ``tables``."""
    name = f"golden_{uuid.uuid4().hex[:12]}"
    _tell_postgres(postgres_server, f"CREATE DATABASE {name} TEMPLATE {postgres_template(tables)}")
    yield _postgres_address(postgres_server, name)
    _tell_postgres(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path, tables: tuple[MigrationScope, ...]) -> str:
    """Return the address of a new database with ``tables``: the test runs once on SQLite and once on PostgreSQL."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return new_sqlite(tmp_path / "golden.db", *tables) if tables else f"sqlite:///{tmp_path}/golden.db"


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """Open the database at ``database_url``, and close it after the test."""
    opened = open_database(database_url)
    yield opened
    opened.dispose()
