"""Killed ingestions and torn indexes: the library comes out of them as if nothing had been."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.golden_retriever.served import ROOT, ServerProcess, environment_for, golden, serving

pytestmark = pytest.mark.slow

QUESTION = "How often is the bilge pump exchanged?"
FACT = "The bilge pump is exchanged every 400 hours."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a PDF of two pages and text files."""
    folder = tmp_path_factory.mktemp("kills")
    documents = folder / "documents"
    documents.mkdir()
    canvas = Canvas(str(documents / "pumps.pdf"), pagesize=A4)
    for page in ("The ballast pump runs at 900 rpm.", FACT):
        canvas.drawString(70, 760, page)
        canvas.showPage()
    canvas.save()
    for number in range(3):
        lines = [f"Valve {number}{line} opens at {line + 3} bar." for line in range(40)]
        (documents / f"valves-{number}.txt").write_text("\n\n".join(lines), encoding="utf-8")
    return folder


def ingest(folder: Path, data: Path) -> None:
    result = golden("ingest", "documents", environment=environment_for(data), folder=folder)
    assert result.returncode == 0, result.stderr


def verify(folder: Path, data: Path) -> None:
    result = golden("doctor", environment=environment_for(data), folder=folder)
    assert result.returncode == 0, result.stdout + result.stderr


def answers(served: ServerProcess) -> None:
    reply = served.ask(QUESTION)
    assert reply.status_code == 200, reply.text
    message = reply.json()["choices"][0]["message"]
    assert message["content"].startswith("The bilge pump is exchanged every 400 hours [1].")
    assert message["golden"]["citations"][0]["page"] == 2


def settled(folder: Path, data: Path) -> None:
    """Serve for as long as Chroma needs to hold what SQL holds."""
    with serving(folder, environment_for(data)) as served:
        answers(served)


def files_of(chroma: Path) -> list[Path]:
    files = [file for file in chroma.rglob("*") if file.is_file()]
    assert files, "Chroma has written nothing: the test tears nothing"
    return files


@pytest.fixture(scope="module")
def served_once(folder: Path) -> Path:
    """A data folder in which Chroma holds what SQL holds."""
    data = folder / "served-once"
    ingest(folder, data)
    settled(folder, data)
    verify(folder, data)
    return data


@pytest.fixture
def data(served_once: Path, tmp_path: Path) -> Path:
    """A data folder of the test's own, like ``served_once``."""
    copied = tmp_path / "data"
    shutil.copytree(served_once, copied)
    return copied


def test_a_torn_index_is_built_again_at_the_next_start(folder: Path, data: Path) -> None:
    for file in files_of(data / "chroma"):
        os.truncate(file, file.stat().st_size // 2)
    settled(folder, data)
    verify(folder, data)


def test_a_torn_index_is_told_and_mended_by_hand(folder: Path, data: Path) -> None:
    for file in files_of(data / "chroma"):
        file.write_bytes(random.Random(file.name).randbytes(file.stat().st_size))
    environment = environment_for(data)
    report = golden("doctor", environment=environment, folder=folder)
    assert report.returncode == 1
    assert "Chroma" in report.stdout
    assert "golden documents rebuild" in report.stdout
    assert golden("documents", "rebuild", environment=environment, folder=folder).returncode == 0
    verify(folder, data)


def test_what_a_command_deletes_is_gone_from_every_index(folder: Path, data: Path) -> None:
    environment = environment_for(data)
    deleted = golden("documents", "delete", "documents/pumps.pdf", environment=environment, folder=folder)
    assert deleted.returncode == 0, deleted.stderr
    verify(folder, data)


def test_an_index_deleted_below_a_running_server_that_is_then_killed(folder: Path, data: Path) -> None:
    server = ServerProcess(["--no-ui"], folder, environment_for(data))
    answers(server)
    shutil.rmtree(data / "chroma")
    for _ in range(3):
        answers(server)
    server.process.kill()
    output, _ = server.process.communicate(timeout=30)
    assert "Traceback" not in output, output
    settled(folder, data)
    verify(folder, data)


def test_while_the_server_runs_others_ask_and_ingest(folder: Path, data: Path, tmp_path: Path) -> None:
    environment = environment_for(data)
    (tmp_path / "late.txt").write_text("The gangway lamp is replaced every 77 days.", encoding="utf-8")
    with serving(folder, environment) as served:
        answers(served)
        refused = golden("doctor", environment=environment, folder=folder)
        assert refused.returncode == 0
        assert "Another process" in refused.stdout
        assert golden("ingest", "late.txt", environment=environment, folder=tmp_path).returncode == 0
        reply = served.ask("How often is the gangway lamp replaced?").json()["choices"][0]["message"]
        assert "77 days" in reply["content"]
    verify(folder, data)


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
