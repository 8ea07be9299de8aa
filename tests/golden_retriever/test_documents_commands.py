"""``golden ingest`` and ``golden documents``, as a person and as a program use them."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from typer.testing import CliRunner, Result

from contracts.documents import DocumentReport, PoorPage
from golden_retriever.cli import app
from golden_retriever.cli.progress import BarWatch, shown, whole_line
from golden_retriever.settings import Settings
from golden_retriever.wiring import open_library
from golden_retriever.wiring.library_checks import report_library
from ingestion.reports import Progress
from library.values import Reading
from tests.library.samples import chunk_of, document_of, unit_vectors


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands") / "documents"
    folder.mkdir()
    (folder / "lamps.md").write_text("# Lamps\n\nThe Gangway Lamp Unit (GLU) burns for 77 days.\n")
    (folder / "lamps again.md").write_text("# Lamps\n\nThe Gangway Lamp Unit (GLU) burns for 77 days.\n")
    (folder / "void\nfile.txt").write_bytes(b"")
    canvas = Canvas(str(folder / "pumps.pdf"), pagesize=A4)
    for line in ("The ballast pump runs at 900 rpm.", "Valves are greased in May.", "Call the mate when it rains."):
        canvas.drawString(70, 500, line)
        canvas.showPage()
    canvas.save()
    return folder


@pytest.fixture(autouse=True)
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(folder.parent / "data"))
    return folder.parent / "data"


@pytest.fixture(scope="module")
def ingested(folder: Path) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDEN_DATA_DIR", str(folder.parent / "data"))
        return run("ingest", folder, "--json")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def loaded(*arguments: str | Path) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_program_reads_a_line_for_each_event(ingested: Result) -> None:
    assert ingested.exit_code == 0, ingested.output
    events = [json.loads(line) for line in ingested.stdout.splitlines()]
    assert {each["event"] for each in events} == {"progress", "file", "done"}
    told = {Path(each["path"]).name: each for each in events if each["event"] == "file"}
    assert {name: each["status"] for name, each in told.items()} == {
        "lamps again.md": "ingested",
        "lamps.md": "duplicate",
        "pumps.pdf": "ingested",
        "void\nfile.txt": "failed",
    }
    assert told["pumps.pdf"]["pages"] == 3
    assert events[-1]["counts"] == {"ingested": 2, "duplicate": 1, "failed": 1}
    last = [each for each in events if each["event"] == "progress"][-1]
    assert (last["phase"], last["files_done"], last["seconds_left"]) == ("done", 4, 0.0)


def test_a_person_reads_plain_lines_on_a_pipe(ingested: Result, folder: Path) -> None:
    again = run("ingest", folder, "--check-content")
    lines = again.stderr.splitlines()
    assert lines[-1] == "1 duplicate, 1 failed, 2 unchanged"
    assert any(re.match(r"failed +.*void\\nfile.txt: it is empty", line) for line in lines), lines


@pytest.mark.usefixtures("ingested")
def test_documents_are_listed_by_state(folder: Path) -> None:
    states = {Path(each["path"]).name: each["state"] for each in loaded("documents", "list")}
    assert states == {
        "lamps again.md": "ready",
        "lamps.md": "duplicate",
        "pumps.pdf": "ready",
        "void\nfile.txt": "failed",
    }
    plain = run("documents", "list", "--state", "failed").stdout
    assert "void\\nfile.txt: it is empty (0 bytes)" in plain
    assert plain.count("\n") == 1
    refused = run("documents", "list", "--state", "lost")
    assert refused.exit_code == 2


@pytest.mark.usefixtures("ingested")
def test_a_document_is_shown_with_its_history_and_report(folder: Path) -> None:
    shown_values = loaded("documents", "show", folder / "pumps.pdf")
    assert (shown_values["state"], shown_values["pages"], shown_values["answers"]) == ("ready", 3, True)
    (entry,) = shown_values["history"]
    assert entry["report"]["pages"] == 3
    assert entry["report"]["phases"].keys() == {"reading", "enriching", "embedding", "storing"}
    plain = run("documents", "show", shown_values["id"]).stdout
    assert "3 pages, 0 by OCR" in plain
    missing = run("documents", "show", "nothing.pdf")
    assert missing.exit_code == 1
    assert "no document nothing.pdf" in str(missing.exception)


@pytest.mark.usefixtures("ingested")
def test_the_report_sums_what_was_read_and_names_what_failed() -> None:
    report = loaded("documents", "report")
    assert report["states"] == {"ready": 2, "duplicate": 1, "failed": 1}
    assert report["sums"]["pages"] == 4
    assert report["sums"]["mined_terms"] == 1
    assert [(each["state"], each["answers"]) for each in report["files"]] == [("duplicate", False), ("failed", False)]


@pytest.mark.usefixtures("ingested")
def test_a_deleted_document_is_proved_gone_and_its_terms_forgotten(folder: Path) -> None:
    drafts = loaded("jargon", "list", "--state", "draft")
    assert [each["term"] for each in drafts] == ["GLU"]
    proof = loaded("documents", "delete", folder / "lamps again.md")
    assert (proof["gone"], proof["problems"], proof["removed"]["vectors"]) == (True, [], 2)
    # What was its duplicate would bring the deleted text back: whoever deletes is told.
    assert proof["copies"] == [{"path": str(folder / "lamps.md"), "answers": False}]
    assert loaded("jargon", "list", "--state", "draft") == []
    assert run("documents", "verify").exit_code == 0
    twice = run("documents", "delete", folder / "lamps again.md")
    assert twice.exit_code == 1
    assert "nothing to do" in str(twice.exception)
    assert run("documents", "delete", folder / "void\nfile.txt").exit_code == 1


def test_poor_pages_come_with_their_pictures(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "faint.pdf"), pagesize=A4)
    for page in range(2):
        canvas.drawString(70, 760, f"Page {page}")
        canvas.showPage()
    canvas.save()
    with open_library(Settings(data_dir=tmp_path / "data")) as store:
        for name in ("faint.pdf", "gone.pdf"):
            document = replace(document_of(name), path=str(tmp_path / name))
            chunk = chunk_of(document, "passage", 0, "text")
            report = DocumentReport(pages=2, poor_pages=(PoorPage(page=2, reason="faint", confidence=0.2),))
            store.replace_document(document, [chunk], unit_vectors(1), embedder="m", reading=Reading(report=report))
        found = report_library(store, pictures=tmp_path / "pictures")
    faint, gone = (each["poor_pages"][0] for each in found["files"])
    assert (faint["page"], faint["reason"]) == (2, "faint")
    with Image.open(faint["picture"]) as picture:
        assert picture.format == "PNG"
    assert gone["picture"] == ""
    assert gone["why_no_picture"]


def test_the_time_left_is_told_when_it_is_known() -> None:
    begun = Progress(phase="reading", files_done=1, files_total=9, unit="bytes", done=1_000, total=9_000)
    assert whole_line(begun).endswith("time left unknown")
    known = Progress(
        phase="reading",
        files_done=1,
        files_total=9,
        pages=5,
        unit="pages",
        done=5,
        total=50,
        pages_per_s=2.5,
        seconds_left=75.2,
    )
    assert whole_line(known) == "5 of 50 pages, 2.5 pages/s, 0:01:15 left"


def test_a_bar_for_the_whole_and_one_for_the_file() -> None:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TextColumn

    console = Console(record=True, width=120, force_terminal=True)
    with Bar(TextColumn("{task.description}"), TextColumn("{task.fields[told]}"), console=console) as bar:
        watch = BarWatch(bar)
        watch.hear(
            Progress(
                phase="reading", files_done=1, files_total=2, current="/x/a\nb.pdf", current_pages=3, current_total=7,
                unit="pages", done=3, total=10,
            )
        )  # fmt: skip
        descriptions = [task.description for task in bar.tasks]
        told = [task.fields["told"] for task in bar.tasks]
    assert descriptions == ["1/2 files", "reading a\\nb.pdf"]
    assert told == ["3 of 10 pages, time left unknown", "3/7 pages"]
    assert shown("a\x1b[31m\udcff") == "a\\x1b[31m\\udcff"
