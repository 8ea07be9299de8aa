"""Ingestion killed at chosen statements; ``python -m tests.golden_retriever.killing FOLDER`` kills it at every one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden_retriever.served import ROOT

pytestmark = pytest.mark.slow

# Of some six hundred statements a few: the stride is prime, so that they are of all kinds.
EVERY = {"sqlite": 151, "postgresql": 307}


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_killed_at_a_statement_the_library_is_whole_and_the_next_run_ends_the_same(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server = [request.getfixturevalue("postgres_server")] if database == "postgresql" else []
    # Its own process: it forks, which a process with threads must not.
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.golden_retriever.killing",
            str(tmp_path / "kills"),
            str(EVERY[database]),
            *server,
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-3_000:]
    kills = int(result.stdout.split()[0])
    assert kills >= 2
