"""Fixtures for every test: real databases, SQLite and PostgreSQL."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# No test asserts seconds, Hypothesis's neither: a busy machine is no failure. CI draws the same examples each time.
settings.register_profile("golden", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("golden")


def _programs() -> Path | None:
    """Return the folder of PostgreSQL's programs: the one on the path, else the newest where Debian keeps them."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda each: float(each.parts[-3]))
    return versions[-1].parent if versions else None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Start a PostgreSQL server of our own, reached by a socket only, and yield the folder of its socket."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL's programs (initdb, pg_ctl) are not on this machine: apt-get install postgresql")
    as_user: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="golden-postgres-"))
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
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off -c max_connections=200"
        call("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield str(folder)
        finally:
            call("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Yield the address of a new, empty PostgreSQL database."""
    import psycopg

    name = f"golden_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(host=postgres_server, user="golden", dbname="postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
    yield f"postgresql+psycopg://golden@/{name}?host={postgres_server}"
    with psycopg.connect(host=postgres_server, user="golden", dbname="postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[arg-type]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a new, empty database: the test runs once on SQLite and once on PostgreSQL."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path}/golden.db"
