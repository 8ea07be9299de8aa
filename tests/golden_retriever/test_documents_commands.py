"""``golden ingest`` and ``golden documents``, as a person and as a program use them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from typer.testing import Result

from tests.golden_retriever.commands import Commands

run = Commands().invoke


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


@pytest.fixture(scope="module")
def ingested(folder: Path) -> Iterator[Result]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDEN_DATA_DIR", str(folder.parent / "data"))
        yield run("ingest", folder, "--json")


def loaded(*arguments: str | Path) -> Any:
    return json.loads(Commands().output(*arguments, "--json"))


def test_a_program_reads_a_line_for_each_event(ingested: Result) -> None:
    assert ingested.exit_code == 0, ingested.output
    events = [json.loads(line) for line in ingested.stdout.splitlines()]
    assert {each["event"] for each in events} == {"file", "done"}
    files = {Path(each["path"]).name: each for each in events if each["event"] == "file"}
    assert {name: each["status"] for name, each in files.items()} == {
        "lamps again.md": "ingested",
        "lamps.md": "duplicate",
        "pumps.pdf": "ingested",
        "void\nfile.txt": "failed",
    }
    assert files["pumps.pdf"]["pages"] == 3
    assert events[-1]["counts"] == {"ingested": 2, "duplicate": 1, "failed": 1}


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
    (record,) = [each for each in loaded("documents", "list") if each["path"] == str(folder / "pumps.pdf")]
    assert (record["state"], record["pages"], record["answers"]) == ("ready", 3, True)
    assert run("documents", "show", folder / "pumps.pdf").stdout == (
        output := run("documents", "show", record["id"]).stdout
    )
    assert "3 pages, 0 by OCR" in output
    assert re.search(r"history\n +\S+ \S+  ready +content", output), output
    missing = run("documents", "show", "nothing.pdf")
    assert missing.exit_code == 1
    assert "no document nothing.pdf" in str(missing.exception)


@pytest.mark.usefixtures("ingested")
def test_a_deleted_document_is_proved_gone_and_its_terms_forgotten(folder: Path) -> None:
    drafts = loaded("jargon", "list", "--state", "draft")
    assert [each["term"] for each in drafts] == ["GLU"]
    proof = run("documents", "delete", folder / "lamps again.md")
    assert (proof.exit_code, proof.stdout.splitlines()[0][-9:]) == (0, "2 vectors")
    assert "none is found any more" in proof.stdout
    # What was its duplicate would bring the deleted text back: whoever deletes is told.
    assert f"but {folder / 'lamps.md'} has the same content, and is read at the next ingestion" in proof.stdout
    assert loaded("jargon", "list", "--state", "draft") == []
    assert run("doctor").exit_code == 0
    twice = run("documents", "delete", folder / "lamps again.md")
    assert twice.exit_code == 1
    assert "nothing to do" in str(twice.exception)
    assert run("documents", "delete", folder / "void\nfile.txt").exit_code == 1
