"""A machine that is no help: no Tesseract, no space left, two commands at once, killed ingestions and torn indexes."""

import json
import os
import random
import re
import resource
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.golden_retriever.commands import output_on
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


def held(data: Path) -> list[dict[str, Any]]:
    documents = [{**each, "changed_at": ""} for each in json.loads(output_on(data, "documents", "list", "--json"))]
    return sorted(documents, key=lambda each: str(each["path"]))


def test_broken_tesseract_only_fails_scans(valves: Path) -> None:
    draw_scan(valves / "documents" / "scan.png")
    draw_scan(valves / "documents" / "scan.pdf")
    program = valves / "programs" / "tesseract"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'cannot load libtesseract.so' >&2\nexit 127\n")
    program.chmod(0o755)
    environment = {**environment_for(valves / "data"), "PATH": f"{program.parent}:{os.environ['PATH']}"}
    result = golden("ingest", "documents", environment=environment, folder=valves)
    assert result.returncode == 0, result.stderr
    assert re.search(r"^read +documents/good.txt", result.stderr, re.MULTILINE)
    for name in ("scan.png", "scan.pdf"):
        assert re.search(rf"^failed +documents/{name}: ", result.stderr, re.MULTILINE), result.stderr
    assert result.stderr.count("tesseract is broken") >= 2
    assert result.stderr.count("cannot load libtesseract.so") >= 2


def test_full_disk_is_reported_in_one_line_and_the_next_run_continues(valves: Path) -> None:
    data, documents = valves / "data", valves / "documents"
    output_on(data, "ingest", documents / "good.txt")
    size_bytes = (data / "golden.db").stat().st_size

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes + 40_000, resource.RLIM_INFINITY))

    lines = "\n\n".join(f"Pump {line} stands in hold {line % 7}." for line in range(900))
    (documents / "big.txt").write_text(lines, encoding="utf-8")
    full = golden("ingest", documents, environment=environment_for(data), folder=valves, before=fill)
    assert full.returncode == 1
    assert any(word in full.stderr for word in ("full", "space", "disk")), full.stderr
    assert "every 5 days" in output_on(data, "ask", "How often is the bilge alarm tested?")
    output_on(data, "ingest", documents)
    assert len(held(data)) == 6
    output_on(data, "doctor")


def test_two_concurrent_ingestions_have_the_result_of_one(valves: Path) -> None:
    data, documents = valves / "data", valves / "documents"
    ingest = partial(golden, "ingest", documents, environment=environment_for(data), folder=valves)
    with ThreadPoolExecutor() as threads:
        for each in [threads.submit(ingest) for _ in range(2)]:
            assert each.result().returncode == 0, each.result().stderr
    output_on(valves / "alone", "ingest", documents)
    alone = held(valves / "alone")
    assert len(alone) == 5
    assert held(data) == alone
    output_on(data, "doctor")


QUESTION = "How often is the bilge pump exchanged?"
FACT = "The bilge pump is exchanged every 400 hours."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
    assert files, "Chroma has written no file, so nothing was damaged"
    return files


@pytest.fixture(scope="module")
def served_once(folder: Path) -> Path:
    """A data folder in which Chroma holds what SQL holds."""
    data = folder / "served-once"
    output_on(data, "ingest", folder / "documents")
    settled(folder, data)
    return data


@pytest.fixture
def data(served_once: Path, tmp_path: Path) -> Path:
    """A data folder of the test's own, like ``served_once``."""
    copied = tmp_path / "data"
    shutil.copytree(served_once, copied)
    return copied


def test_damaged_index_is_rebuilt_at_the_next_start(folder: Path, data: Path) -> None:
    for file in files_of(data / "chroma"):
        os.truncate(file, file.stat().st_size // 2)
    settled(folder, data)
    output_on(data, "doctor")


def test_damaged_index_is_reported_and_repaired_by_command(folder: Path, data: Path) -> None:
    for file in files_of(data / "chroma"):
        file.write_bytes(random.Random(file.name).randbytes(file.stat().st_size))
    report = golden("doctor", environment=environment_for(data), folder=folder)
    assert report.returncode == 1
    assert "Chroma" in report.stdout
    assert "golden documents rebuild" in report.stdout
    output_on(data, "documents", "rebuild")
    output_on(data, "doctor")


def test_index_deleted_under_a_running_server_that_is_then_killed(folder: Path, data: Path) -> None:
    server = ServerProcess(["--no-ui"], folder, environment_for(data))
    answers(server)
    shutil.rmtree(data / "chroma")
    for _ in range(3):
        answers(server)
    server.process.kill()
    output, _ = server.process.communicate(timeout=30)
    assert "Traceback" not in output, output
    settled(folder, data)
    output_on(data, "doctor")


def test_commands_can_ask_and_ingest_while_the_server_runs(folder: Path, data: Path, tmp_path: Path) -> None:
    (tmp_path / "late.txt").write_text("The gangway lamp is replaced every 77 days.", encoding="utf-8")
    with serving(folder, environment_for(data)) as served:
        answers(served)
        assert "Another process" in output_on(data, "doctor")
        output_on(data, "ingest", tmp_path / "late.txt")
        reply = served.ask("How often is the gangway lamp replaced?").json()["choices"][0]["message"]
        assert "77 days" in reply["content"]
    output_on(data, "doctor")


def test_library_survives_a_kill_at_any_statement_and_the_next_run_completes_it(tmp_path: Path) -> None:
    # In a process of its own: it forks, which a process with threads must not do. Kill at one in 151 of about six
    # hundred statements: a prime number, so that statements of all kinds are hit.
    program = (sys.executable, "-m", "tests.golden_retriever.killing")
    environment = environment_for(tmp_path / "data")
    result = golden(tmp_path / "kills", "151", environment=environment, folder=ROOT, timeout_s=900, program=program)
    assert result.returncode == 0, result.stderr[-3_000:]
    assert int(result.stdout.split()[0]) >= 2
