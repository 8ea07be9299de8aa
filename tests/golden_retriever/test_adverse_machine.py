"""A machine that is no help: no Tesseract, no space left, two commands at once, killed ingestions and torn indexes."""

import json
import os
import random
import resource
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.golden_retriever.served import ROOT, ServerProcess, environment_for, golden, serving

pytestmark = pytest.mark.slow

GOOD = "The bilge alarm is tested every 5 days."


@pytest.fixture
def valves(tmp_path: Path) -> Path:
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(4):
        lines = "\n\n".join(f"Valve {number}.{line} opens at {line} bar." for line in range(30))
        (documents / f"valves-{number}.txt").write_text(lines, encoding="utf-8")
    (documents / "good.txt").write_text(GOOD, encoding="utf-8")
    return tmp_path


def draw_scan(path: Path) -> None:
    image = Image.new("L", (1200, 400), 255)
    ImageDraw.Draw(image).text((60, 120), "The capstan is oiled weekly.", fill=0, font=ImageFont.load_default(size=60))
    image.save(path, resolution=150)


def held(valves: Path, data: Path) -> list[dict[str, Any]]:
    listed = golden("documents", "list", "--json", environment=environment_for(data), valves=valves)
    documents = [{**each, "changed_at": ""} for each in json.loads(listed.stdout)]
    return sorted(documents, key=lambda each: str(each["path"]))


def test_with_a_broken_tesseract_the_scans_are_named_and_the_rest_is_read(valves: Path) -> None:
    draw_scan(valves / "documents" / "scan.png")
    draw_scan(valves / "documents" / "scan.pdf")
    program = valves / "programs" / "tesseract"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'cannot load libtesseract.so' >&2\nexit 127\n")
    program.chmod(0o755)
    environment = {**environment_for(valves / "data"), "PATH": f"{program.parent}:{os.environ['PATH']}"}
    result = golden("ingest", "documents", "--json", environment=environment, valves=valves)
    assert result.returncode == 0, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    files = {Path(event["path"]).name: event for event in events if event["event"] == "file"}
    assert files["good.txt"]["status"] == "ingested"
    for name in ("scan.png", "scan.pdf"):
        assert files[name]["status"] == "failed"
        message = f"{files[name]['reason']} {' '.join(files[name]['warnings'])}"
        assert "tesseract is broken" in message
        assert "cannot load libtesseract.so" in message


def test_a_disk_that_fills_up_is_a_line_and_the_next_run_goes_on(valves: Path) -> None:
    environment = environment_for(valves / "data")
    assert golden("ingest", "documents/good.txt", environment=environment, valves=valves).returncode == 0
    size_bytes = max(each.stat().st_size for each in (valves / "data").glob("golden.db"))

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes + 40_000, resource.RLIM_INFINITY))

    big = valves / "documents" / "big.txt"
    big.write_text("\n\n".join(f"Pump {line} stands in hold {line % 7}." for line in range(900)), encoding="utf-8")
    full = golden("ingest", "documents", environment=environment, valves=valves, before=fill)
    assert full.returncode == 1
    assert any(word in full.stderr for word in ("full", "space", "disk")), full.stderr
    asked = golden("ask", "How often is the bilge alarm tested?", environment=environment, valves=valves)
    assert "every 5 days" in asked.stdout
    assert golden("ingest", "documents", environment=environment, valves=valves).returncode == 0
    assert len(held(valves, valves / "data")) == 6
    assert golden("doctor", environment=environment, valves=valves).returncode == 0


def test_two_ingestions_at_once_end_like_one(valves: Path) -> None:
    environment = environment_for(valves / "data")
    ingest = partial(golden, "ingest", "documents", environment=environment, valves=valves)
    with ThreadPoolExecutor() as threads:
        for each in [threads.submit(ingest) for _ in range(2)]:
            assert each.result().returncode == 0, each.result().stderr
    golden("ingest", "documents", environment=environment_for(valves / "alone"), valves=valves)
    alone = held(valves, valves / "alone")
    assert len(alone) == 5
    assert held(valves, valves / "data") == alone
    assert golden("doctor", environment=environment, valves=valves).returncode == 0


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
