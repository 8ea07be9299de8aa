"""The pipeline over real files, a real SQLite library and real worker processes."""

import asyncio
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import UnreadableFile
from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.reports import Event, FileReport, Progress
from ingestion.workers.pool import HearPages
from ingestion.workers.processes import ProcessReaderPool
from ingestion.workers.tasks import ReadFile
from library.store import LibraryStore
from tests.hashing_embedder import HashingEmbedder
from tests.ingestion.reading_files import InlineReaders, MakePipeline, statuses
from tests.ingestion.samples import write_manual
from tools.search.chroma import ChromaVectorIndex


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    (folder / "deep").mkdir(parents=True)
    (folder / "guide.md").write_text("# Guide\n\nThe Bypass Flow Controller (BFC) opens slowly.\n\n# Care\n\nOil it.\n")
    (folder / "deep" / "notes.txt").write_text("Valves are greased in May.\n")
    write_manual(folder / "manual.pdf")
    return folder


async def test_folder_is_ingested_with_progress(make_pipeline: MakePipeline, store: LibraryStore, folder: Path) -> None:
    events: list[Event] = []
    report = await make_pipeline(workers=2).ingest([folder], group="staff", on_event=events.append)
    assert statuses(report) == {"notes.txt": "ingested", "guide.md": "ingested", "manual.pdf": "ingested"}
    assert sorted(each.pages for each in report.files) == [1, 1, 3]
    documents = {document.name: document for document in store.documents()}
    assert (documents["manual.pdf"].title, documents["manual.pdf"].pages) == ("Cooling manual", 3)
    assert documents["guide.md"].media_type == "text/markdown"
    assert {document.group for document in documents.values()} == {"staff"}
    ids = store.searchable_ids(embedder=HashingEmbedder().name)
    chunks = store.chunks(ids)
    assert {chunk.kind for chunk in chunks.values()} == {"passage", "summary"}
    summary = next(chunk for chunk in chunks.values() if chunk.kind == "summary" and "humming" in chunk.text.lower())
    summarised = store.summarised_passages([summary.id])[summary.id]
    assert any("humming pump" in chunks[each].text and chunks[each].page == 3 for each in summarised)
    assert store.vectors(ids).shape == (len(ids), HashingEmbedder().dimensions)
    assert [each for each in events if isinstance(each, FileReport)] == report.files
    seen = [each for each in events if isinstance(each, Progress)]
    assert (seen[0].phase, seen[-1].phase) == ("finding", "done")
    assert (seen[-1].files_done, seen[-1].files_total, seen[-1].pages) == (3, 3, 5)
    assert {"reading", "enriching", "embedding", "storing"} <= {each.phase for each in seen}
    done = [each.files_done for each in seen]
    assert done == sorted(done)


async def test_part_heading_is_not_the_title(make_pipeline: MakePipeline, store: LibraryStore, tmp_path: Path) -> None:
    for name, heading in (
        ("lamp_manual", "Usage: lamp [-v]"),
        ("hall plan", "Table of contents"),
        ("bulbs", "Usage of"),
    ):
        (tmp_path / f"{name}.txt").write_text(f"{heading}\n{'=' * len(heading)}\n\nThe yard has nine lamps.\n")
    (tmp_path / "lamp_questions.txt").write_text(
        "Q: How many lamps are there?\nA: Nine.\n\nQ: Who cleans them?\nA: Ann.\n"
    )
    (tmp_path / "bus.txt").write_text("The lamps share a bus.\n\n1. METHODS\n\nLight and dim.\n\n2. SIGNALS\n\nOut.\n")
    (tmp_path / "poles.txt").write_text("Introduction\n============\n\nThe poles are of wood.\n")
    late = "".join(f"Pole {n} is at gate {n}.\n\n" for n in range(12))
    (tmp_path / "gates.txt").write_text(f"{late}Repairs\n-------\nAsk Ann.\n")
    (tmp_path / "wires.md").write_text("Wires for lamps.\n\n## Install\n\nPull.\n\n## Remove\n\nPull harder.\n")
    (tmp_path / "knobs.md").write_text("## Knobs\n\nThey turn.\n\n## Sizes\n\nSmall.\n")
    await make_pipeline().ingest([tmp_path])
    titles = {"lamp manual", "hall plan", "Usage of", "lamp questions", "bus", "poles", "gates", "wires", "Knobs"}
    assert {document.title for document in store.documents()} == titles


async def test_reports_skipped_and_unread_files(make_pipeline: MakePipeline, store: LibraryStore, folder: Path) -> None:
    (folder / ".secret.txt").write_text("hidden")
    (folder / "tool.exe").write_bytes(b"MZ")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "blank.txt").write_text(" \n - \n")
    (folder / "binary.md").write_bytes(bytes(range(256)))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    report = await make_pipeline().ingest([folder, folder / "missing.pdf"])
    by_name = {Path(file.path).name: file for file in report.files}
    reasons = {
        "empty.txt": "0 bytes", "blank.txt": "no readable text", "binary.md": "binary", "broken.pdf": "",
        "missing.pdf": "no such file",
    }  # fmt: skip
    assert statuses(report) == {
        **dict.fromkeys((".secret.txt", "tool.exe"), "skipped"), **dict.fromkeys(reasons, "failed"),
        **dict.fromkeys(("notes.txt", "guide.md", "manual.pdf"), "ingested"),
    }  # fmt: skip
    assert [name for name, reason in reasons.items() if reason not in by_name[name].reason] == []
    assert len(store.documents()) == 3


async def test_file_that_takes_too_long_is_abandoned(make_pipeline: MakePipeline, folder: Path) -> None:
    report = await make_pipeline(limits=IngestionLimits(file_s=0.0)).ingest([folder / "manual.pdf"])
    (file,) = report.files
    assert file.status == "failed"
    assert "abandoned" in file.reason


async def test_prune_removes_documents_whose_files_are_gone(
    make_pipeline: MakePipeline, store: LibraryStore, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Elsewhere lies another text.")
    await make_pipeline().ingest([folder, other])
    (folder / "guide.md").unlink()
    other.unlink()
    assert (await make_pipeline().ingest([folder])).count("removed") == 0
    report = await make_pipeline().ingest([folder], prune=True)
    assert [Path(file.path).name for file in report.files if file.status == "removed"] == ["guide.md"]
    assert {document.name for document in store.documents()} == {"notes.txt", "manual.pdf", "other.txt"}


async def test_a_dead_worker_is_replaced_and_a_file_that_kills_two_is_refused(folder: Path) -> None:
    pool = ProcessReaderPool(1, IngestionLimits(), None)
    try:
        assert (await pool.read(folder / "guide.md")).title == ""
        large = folder / "large.txt"
        large.write_text("The quick mill turns. " * 400_000)
        reading = asyncio.create_task(pool.read(large))
        await asyncio.sleep(0.05)
        assert await asyncio.to_thread(_kill_reader)
        assert len((await reading).pages) == 1
        reading = asyncio.create_task(pool.read(large))
        while not reading.done():
            await asyncio.to_thread(_kill_reader)
            await asyncio.sleep(0.01)
        with pytest.raises(UnreadableFile, match="worker process died"):
            await reading
        assert len((await pool.read(folder / "manual.pdf")).pages) == 3
    finally:
        pool.close()


def _kill_reader() -> bool:
    import multiprocessing

    children = multiprocessing.active_children()
    for child in children:
        child.kill()
    return bool(children)


def close(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse to look into ``folder``, as it does for all but root where the rights are missing."""
    scan, stat = os.scandir, Path.stat

    def refuse(path: Any) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    def scan_others(path: Any = ".") -> Any:
        return refuse(path) if Path(path) == folder else scan(path)

    def stat_others(path: Path, **options: Any) -> Any:
        return refuse(path) if folder in path.parents else stat(path, **options)

    monkeypatch.setattr(os, "scandir", scan_others)
    monkeypatch.setattr(Path, "stat", stat_others)


async def test_a_folder_that_cannot_be_opened_is_reported_and_its_documents_stay(
    make_pipeline: MakePipeline, store: LibraryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "documents" / "closed"
    closed.mkdir(parents=True)
    (closed / "pumps.txt").write_text("The pump is off.\n")
    (closed.parent / "rope.txt").write_text("The rope is long.\n")
    assert (await make_pipeline().ingest([closed.parent])).count("ingested") == 2
    with monkeypatch.context() as refusing:
        close(closed, refusing)
        report = await make_pipeline().ingest([closed.parent], prune=True)
    assert [("Permission denied" in file.reason) for file in report.files if file.status == "skipped"] == [True]
    assert report.count("removed") == 0
    assert sorted(document.name for document in store.documents()) == ["pumps.txt", "rope.txt"]
    (closed / "pumps.txt").unlink()
    assert (await make_pipeline().ingest([closed.parent], prune=True)).count("removed") == 1


FIRST = ("The winch is greased every 12 days.", "The hatch opens at noon, and closes at night.")
SECOND = ("The w1nch 1s gr3ased.", FIRST[1])


class FixedReader(InlineReaders):
    """Reads the same paragraphs from whatever file."""

    def __init__(self, paragraphs: Sequence[str]) -> None:
        blocks = tuple(Block(kind="paragraph", text=f"{each} " * 60) for each in paragraphs)
        self._page = Page(number=1, width_pt=595.0, height_pt=842.0, blocks=blocks)

    async def read(self, path: Path, hear: HearPages | None = None, *, task_s: float = math.inf) -> ReadFile:
        return ReadFile((self._page,), "", "text/plain")


async def test_index_has_the_latest_vectors(make_pipeline: MakePipeline, store: LibraryStore, tmp_path: Path) -> None:
    file = tmp_path / "scan.txt"
    file.write_text("the same content all the time")
    index = ChromaVectorIndex(tmp_path / "chroma", store, HashingEmbedder().name)
    ids: list[set[str]] = []
    # Without summaries, then with them: the recipe differs, so every file is read again.
    for paragraphs, summaries in ((FIRST, False), (SECOND, True), (FIRST, False)):
        pipeline = make_pipeline(open_readers=lambda texts=paragraphs: FixedReader(texts), summaries=summaries)
        assert (await pipeline.ingest([file])).count("ingested") == 1
        await index.synchronise()
        searched = store.searchable_ids(embedder=HashingEmbedder().name)
        for chunk_id, vector in zip(searched, store.vectors(searched), strict=True):
            found = {hit.chunk_id: hit.score for hit in index.find(vector, len(searched))}
            assert found[chunk_id] == pytest.approx(1.0, abs=1e-4), store.chunks([chunk_id])[chunk_id].text
        (document,) = store.documents()
        stored = store.document_chunks(document.id)
        assert {chunk.kind for chunk in stored} == {"passage", "section"} | ({"summary"} if summaries else set())
        ids.append({chunk.id for chunk in stored})
    await index.close()
    assert ids[0] == ids[2]
    assert len(ids[0] & ids[1]) < len(ids[0])
