"""Documents and ``golden doctor`` from the command line: what is broken by hand is found and can be mended."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from typer.testing import Result

from golden_retriever.settings import Settings
from golden_retriever.wiring import open_library
from golden_retriever.wiring.indexes import chroma_folder, rebuild_indexes
from golden_retriever.wiring.library_checks import verify_indexes
from library.store import LibraryStore
from tests.golden_retriever.chat_server import VllmServer, chatting
from tests.golden_retriever.commands import Commands
from tests.library.samples import chunk_of, document_of
from tools.search.chroma import ChromaVectorIndex

run = Commands().invoke


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = tmp_path_factory.mktemp("commands") / "documents"
    documents.mkdir()
    (documents / "lamps.md").write_text("# Lamps\n\nThe Gangway Lamp Unit (GLU) burns for 77 days.\n")
    (documents / "lamps again.md").write_text("# Lamps\n\nThe Gangway Lamp Unit (GLU) burns for 77 days.\n")
    (documents / "void\nfile.txt").write_bytes(b"")
    canvas = Canvas(str(documents / "pumps.pdf"), pagesize=A4)
    for line in ("The ballast pump runs at 900 rpm.", "Valves are greased in May.", "Call the mate when it rains."):
        canvas.drawString(70, 500, line)
        canvas.showPage()
    canvas.save()
    # They count as unchanged by their times.
    for path in documents.iterdir():
        os.utime(path, (1e9, 1e9))
    return documents


@pytest.fixture(scope="module")
def ingested(documents: Path) -> Iterator[Result]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDEN_DATA_DIR", str(documents.parent / "data"))
        yield run("ingest", documents)


def loaded(*arguments: str | Path) -> Any:
    return json.loads(Commands().output(*arguments, "--json"))


def test_plain_output_is_readable_and_documents_are_listed_by_state(ingested: Result, documents: Path) -> None:
    again = run("ingest", documents)
    lines = again.stderr.splitlines()
    assert lines[-1] == "1 failed, 3 unchanged"
    assert any(re.match(r"failed +.*void\\nfile.txt: it is empty", line) for line in lines), lines
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
def test_a_document_is_shown_with_its_history_and_report(documents: Path) -> None:
    (record,) = [each for each in loaded("documents", "list") if each["path"] == str(documents / "pumps.pdf")]
    assert (record["state"], record["pages"], record["answers"]) == ("ready", 3, True)
    assert run("documents", "show", documents / "pumps.pdf").stdout == (
        output := run("documents", "show", record["id"]).stdout
    )
    assert "3 pages, 0 by OCR" in output
    assert re.search(r"history\n +\S+ \S+  ready +content", output), output
    missing = run("documents", "show", "nothing.pdf")
    assert missing.exit_code == 1
    assert "no document nothing.pdf" in str(missing.exception)


@pytest.mark.usefixtures("ingested")
def test_a_deleted_document_is_proved_gone_and_its_terms_forgotten(documents: Path) -> None:
    published = run("jargon", "list")
    assert published.stdout == ""
    assert "golden jargon list --state draft" in published.stderr
    assert "GLU = Gangway Lamp Unit" in run("jargon", "list", "--state", "draft").stdout
    proof = run("documents", "delete", documents / "lamps again.md")
    assert (proof.exit_code, proof.stdout.splitlines()[0][-9:]) == (0, "2 vectors")
    assert "none is found" in proof.stdout
    # Its duplicate would bring the deleted text back, which the output says.
    assert f"but {documents / 'lamps.md'} has the same content, and will be read at the next ingestion" in proof.stdout
    assert run("jargon", "list", "--state", "draft").stdout == ""
    assert run("doctor").exit_code == 0
    twice = run("documents", "delete", documents / "lamps again.md")
    assert twice.exit_code == 1
    assert "nothing to do" in str(twice.exception)
    assert run("documents", "delete", documents / "void\nfile.txt").exit_code == 1


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "pumps.md").write_text("# Pumps\n\nThe bilge pump is exchanged every 400 hours.\n", encoding="utf-8")
    Commands().succeeds("ingest", "pumps.md")
    return folder


def findings(result: Result) -> dict[str, tuple[str, str]]:
    """Return the state of each part, and all that is said of it."""
    return {
        each["part"]: (each["state"], " ".join([each["found"], *each["details"], each["mend"]]))
        for each in json.loads(result.stdout)
    }


def test_doctor_passes_for_a_healthy_installation(folder: Path) -> None:
    lines = Commands().output("doctor").splitlines()
    assert all(line.startswith("ok ") for line in lines), lines


def test_doctor_names_each_fault_with_its_remedy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "void.txt").write_bytes(b"")
    run("ingest", "void.txt")
    with open_library(Settings(data_dir=folder / "data")) as store, store.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM vectors")
    monkeypatch.setenv("GOLDEN_OCR_LANGUAGE", "xxx")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: shutil._ntuple_diskusage(10**12, 10**12, 10**9))
    with chatting(VllmServer()) as server:
        monkeypatch.setenv("GOLDEN_LLM", server.address)
        monkeypatch.setenv("GOLDEN_ENGINES", "certainty=adapter")
        result = run("doctor", "--json")
    assert result.exit_code == 1
    found = findings(result)
    states = {part: state for part, (state, _) in found.items()}
    assert states == {
        "data folder": "ok",
        "disk": "warning",
        "database": "ok",
        "embedding model": "ok",
        "indexes": "fault",
        "documents": "warning",
        "OCR": "warning",
        "language model": "fault",
    }
    for part, words in {
        "disk": "GOLDEN_DATA_DIR",
        "indexes": "golden documents rebuild",
        "documents": "golden documents list --state failed",
        "OCR": "apt-get install tesseract-ocr-",
        "language model": "marked",
    }.items():
        assert words in found[part][1]
    assert "chunks have no vector" in found["indexes"][1]


def test_doctor_reports_a_damaged_database_and_checks_the_rest(folder: Path) -> None:
    with (folder / "data" / "golden.db").open("r+b") as file:
        file.seek(8_192)
        file.write(b"\xff" * 40_000)
    result = run("doctor", "--json")
    assert result.exit_code == 1
    found = findings(result)
    assert found["database"][0] == "fault"
    assert found["OCR"][0] == "ok"


MODEL = "test-model"


def fill(store: LibraryStore) -> None:
    for name in "ab":
        document = document_of(f"{name}.txt")
        chunks = [chunk_of(document, "passage", number, f"pump {name} {number}") for number in range(3)]
        vectors = np.random.default_rng(ord(name)).normal(size=(3, 4)).astype(np.float32)
        store.replace_document(document, chunks, vectors, embedder=MODEL)


async def verified(settings: Settings) -> list[str]:
    with open_library(settings) as store:
        return await verify_indexes(settings, store, MODEL)


GHOST = {"ids": ["ghost"], "embeddings": [[1.0, 0.0, 0.0, 0.0]], "metadatas": [{"group": "everyone"}]}
WRONG_GROUP = {"metadatas": [{"group": "board"}]}


@pytest.mark.parametrize(("change", "arguments"), [("add", GHOST), ("delete", {}), ("update", WRONG_GROUP)])
async def test_doctor_repairs_each_fault_in_chroma(tmp_path: Path, change: str, arguments: dict[str, Any]) -> None:
    import chromadb

    settings = Settings(data_dir=tmp_path)
    with open_library(settings) as store:
        fill(store)
        index = ChromaVectorIndex(chroma_folder(settings), store, MODEL)
        await index.synchronise()
        await index.close()
        chunk = store.searchable_ids(embedder=MODEL)[0]
    assert await verified(settings) == []
    (place,) = (file.parent for file in chroma_folder(settings).rglob("chroma.sqlite3"))
    client = chromadb.PersistentClient(str(place))
    getattr(client.get_collection("chunks"), change)(**{"ids": [chunk], **arguments})
    client.close()
    (fault,) = await verified(settings)
    assert fault.startswith("Chroma ")
    with open_library(settings) as store:
        await rebuild_indexes(settings, store, MODEL)
    assert await verified(settings) == []
