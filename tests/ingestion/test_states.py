"""What becomes of files that move, repeat, change, vanish or fail: over real files and a real SQLite library."""

import asyncio
import os
import sqlite3
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event

from contracts.errors import Unavailable
from database.migrations import migrate
from ingestion.pipeline import IngestionPipeline
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.ledger import IngestionLedger
from library.store import LibraryStore
from tests.hashing_embedder import HashingEmbedder
from tests.ingestion.reading_files import InlineReaders, MakePipeline, statuses

PUMPS = "# Pumps\n\nThe Bilge Pump Controller (BPC) runs hourly.\n"


@pytest.fixture
def readers() -> InlineReaders:
    return InlineReaders()


@pytest.fixture
def pipeline(make_pipeline: MakePipeline, readers: InlineReaders) -> IngestionPipeline:
    return make_pipeline(open_readers=lambda: readers)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "pumps.md").write_text(PUMPS)
    (folder / "rope.txt").write_text("The rope is long.\n")
    return folder


def age_files(folder: Path) -> None:
    """Let every file be old enough for its time of change to be trusted."""
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (time.time() - 3_600, time.time() - 3_600))


def passages(store: LibraryStore) -> list[str]:
    """Return the text of each passage that can be found, in order."""
    chunks = store.chunks(store.searchable_ids(embedder=HashingEmbedder().name))
    return sorted(chunk.text for chunk in chunks.values() if chunk.kind == "passage")


async def test_a_moved_file_keeps_its_document_and_nothing_is_embedded_again(
    pipeline: IngestionPipeline, readers: InlineReaders, store: LibraryStore, folder: Path
) -> None:
    await pipeline.ingest([folder])
    before = store.document_at(str(folder / "pumps.md"))
    ids = store.searchable_ids(embedder=HashingEmbedder().name)
    vectors = store.vectors(ids)
    (folder / "deep").mkdir()
    (folder / "pumps.md").rename(folder / "deep" / "all pumps.md")
    readers.read_paths.clear()
    report = await pipeline.ingest([folder], prune=True)
    assert statuses(report) == {"all pumps.md": "moved", "rope.txt": "unchanged"}
    assert readers.read_paths == []
    after = store.document(before.id)
    assert after == replace(before, path=str(folder / "deep" / "all pumps.md"), name="all pumps.md")
    assert store.searchable_ids(embedder=HashingEmbedder().name) == ids
    np.testing.assert_array_equal(store.vectors(ids), vectors)
    assert [entry.outcome for entry in store.ledger.history(before.id)] == ["ready", "moved"]
    (folder / "pumps.md").write_text("# New\n\nAnother text at the old place.\n")
    assert statuses(await pipeline.ingest([folder]))["pumps.md"] == "ingested"
    other = store.document_at(str(folder / "pumps.md"))
    assert other.id != before.id
    assert store.document(before.id) == after


async def test_what_a_killed_run_was_reading_comes_last_in_the_next_one(
    pipeline: IngestionPipeline, readers: InlineReaders, store: LibraryStore, folder: Path
) -> None:
    killed = str(folder / "pumps.md")
    store.ledger.begin(store.ledger.id_for(killed), killed, "everyone")
    await pipeline.ingest([folder])
    assert [path.name for path in readers.read_paths] == ["rope.txt", "pumps.md"]


async def test_a_file_of_the_same_content_is_said_to_be_a_duplicate(
    pipeline: IngestionPipeline, store: LibraryStore, folder: Path
) -> None:
    (folder / "rope copy.txt").write_text("The rope is long.\n")
    report = await pipeline.ingest([folder])
    assert statuses(report) == {"pumps.md": "ingested", "rope copy.txt": "ingested", "rope.txt": "duplicate"}
    assert [text for text in passages(store) if "rope" in text] == ["The rope is long."]
    (record,) = store.ledger.records(state="duplicate")
    assert record.reason == f"the same content as {folder / 'rope copy.txt'}"
    again = await pipeline.ingest([folder])
    assert statuses(again)["rope.txt"] in ("unchanged", "duplicate")
    assert len(store.ledger.history(record.document_id)) == 1
    secret = await pipeline.ingest([folder / "rope.txt"], group="board")
    assert statuses(secret) == {"rope.txt": "ingested"}, "readers of another group need a document of their own"


async def test_a_duplicate_is_read_itself_once_the_other_file_is_for_another_group(
    pipeline: IngestionPipeline, folder: Path
) -> None:
    (folder / "rope copy.txt").write_text("The rope is long.\n")
    age_files(folder)
    await pipeline.ingest([folder])
    await pipeline.ingest([folder / "rope copy.txt"], group="board")
    assert statuses(await pipeline.ingest([folder / "rope.txt"])) == {"rope.txt": "ingested"}


@pytest.mark.parametrize("change", ["gone", "changed"])
async def test_a_duplicate_answers_when_the_other_file_does_so_no_longer(
    pipeline: IngestionPipeline, store: LibraryStore, folder: Path, change: str
) -> None:
    (folder / "a rope.txt").write_text("The rope is long.\n")
    (folder / "z rope.txt").write_text("The rope is long.\n")
    await pipeline.ingest([folder])
    assert store.document_at(str(folder / "a rope.txt")) is not None
    if change == "gone":
        (folder / "a rope.txt").unlink()
    else:
        (folder / "a rope.txt").write_text("The chain is short.\n")
    await pipeline.ingest([folder], prune=True)
    holding = {Path(document.path).name for document in store.documents()}
    assert "rope.txt" in holding
    assert ("a rope.txt" in holding) == (change == "changed")
    assert [text for text in passages(store) if "rope" in text] == ["The rope is long."]
    assert [Path(each.path).name for each in store.ledger.records(state="duplicate")] == ["z rope.txt"]


async def test_size_and_time_tell_what_is_unchanged_and_the_content_if_asked(
    pipeline: IngestionPipeline, store: LibraryStore, folder: Path
) -> None:
    age_files(folder)
    await pipeline.ingest([folder])
    path = folder / "rope.txt"
    stamp = path.stat()
    path.write_text("The rope is weak.\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert statuses(await pipeline.ingest([folder]))["rope.txt"] == "unchanged"
    assert statuses(await pipeline.ingest([folder], check_content=True))["rope.txt"] == "ingested"
    os.utime(path)
    assert statuses(await pipeline.ingest([folder]))["rope.txt"] == "unchanged", "another time, the same content"
    assert any("weak" in text for text in passages(store))


async def test_a_change_within_the_tick_of_the_clock_is_noticed(pipeline: IngestionPipeline, folder: Path) -> None:
    path = folder / "rope.txt"
    await pipeline.ingest([folder])
    stamp = path.stat()
    path.write_text("The rope is weak.\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert statuses(await pipeline.ingest([folder]))["rope.txt"] == "ingested"


async def test_another_group_costs_no_reading(
    pipeline: IngestionPipeline, readers: InlineReaders, store: LibraryStore, folder: Path
) -> None:
    await pipeline.ingest([folder])
    readers.read_paths.clear()
    report = await pipeline.ingest([folder], group="crew")
    assert set(statuses(report).values()) == {"regrouped"}
    assert readers.read_paths == []
    assert set(store.searchable_groups(embedder=HashingEmbedder().name).values()) == {"crew"}


async def test_a_file_that_changes_while_it_is_read_is_reported_and_its_last_version_stays(
    make_pipeline: MakePipeline, pipeline: IngestionPipeline, store: LibraryStore, folder: Path
) -> None:
    await pipeline.ingest([folder])
    (folder / "rope.txt").write_text("The rope moves.\n")
    changing = InlineReaders(lambda path: path.write_text(path.read_text() + "And moves.\n") and None)
    report = await make_pipeline(open_readers=lambda: changing).ingest([folder])
    (failed,) = report.failed
    assert "changed while it was read" in failed.reason
    assert [text for text in passages(store) if "rope" in text] == ["The rope is long."]
    record = store.ledger.record_at(str(folder / "rope.txt"))
    assert (record.state, record.answers) == ("failed", True)
    assert statuses(await pipeline.ingest([folder]))["rope.txt"] == "ingested"
    assert store.ledger.records(state="failed") == ()


async def test_a_file_that_never_was_read_has_a_record_until_it_is_read_or_gone(
    pipeline: IngestionPipeline, store: LibraryStore, folder: Path
) -> None:
    (folder / "void.txt").write_bytes(b"")
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7 torn")
    for _ in range(2):
        await pipeline.ingest([folder])
        records = {Path(each.path).name: each for each in store.ledger.records(state="failed")}
        assert records.keys() == {"void.txt", "torn.pdf"}
        assert "0 bytes" in records["void.txt"].reason
        assert not records["void.txt"].answers
        assert len(store.ledger.history(records["void.txt"].document_id)) == 1, "the same failure is noted once"
    (folder / "void.txt").write_text("The void is filled.\n")
    (folder / "torn.pdf").unlink()
    await pipeline.ingest([folder])
    assert store.ledger.records(state="failed") == ()
    outcomes = [each.outcome for each in store.ledger.history(records["void.txt"].document_id)]
    assert outcomes == ["failed", "ready"]
    assert store.ledger.history(records["torn.pdf"].document_id) == ()


async def test_what_is_mined_follows_the_document(
    make_pipeline: MakePipeline, store: LibraryStore, folder: Path
) -> None:
    migrate(store.engine, DICTIONARY)
    jargon = JargonStore(store.engine)

    def drafts() -> list[tuple[str, list[str]]]:
        found = [(each.sense.term, [evidence.document for evidence in each.evidence]) for each in jargon.candidates()]
        return sorted(found)

    pipeline = make_pipeline(
        candidates=jargon.add_candidates, forget=jargon.forget_document, open_readers=InlineReaders
    )
    (folder / "sub").mkdir()
    (folder / "sub" / "pumps.md").write_text("# More\n\nThe Main Engine Room (MER) is hot.\n")
    await pipeline.ingest([folder])
    assert drafts() == [("BPC", ["pumps.md"]), ("MER", ["pumps.md"])]
    (folder / "pumps.md").rename(folder / "all.md")
    await pipeline.ingest([folder])
    assert drafts() == [("BPC", ["all.md"]), ("MER", ["pumps.md"])]
    (folder / "all.md").write_text("# Pumps\n\nThe Ballast Pump Drive (BPD) hums.\n")
    await pipeline.ingest([folder])
    assert drafts() == [("BPD", ["all.md"]), ("MER", ["pumps.md"])]
    (folder / "all.md").rename(folder / "pumps.md")
    await pipeline.ingest([folder])
    document = store.document_at(str(folder / "pumps.md"))
    await pipeline.remove(document.id)
    assert drafts() == [("MER", ["pumps.md"])], "a document of the same name keeps what it says"


async def test_interrupted_it_is_whole_and_says_what_was_stored(
    make_pipeline: MakePipeline, store: LibraryStore, folder: Path
) -> None:
    for number in range(20):
        (folder / f"valve {number:02}.txt").write_text(f"Valve {number} opens.\n")
    events: list[object] = []
    enough = asyncio.Event()

    def on_event(each: object) -> None:
        events.append(each)
        if sum(getattr(one, "status", "") == "ingested" for one in events) == 5:
            enough.set()

    pipeline = make_pipeline(open_readers=InlineReaders)
    work = asyncio.create_task(pipeline.ingest([folder], on_event=on_event))
    await enough.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    stored = len(store.documents())
    assert stored == sum(getattr(one, "status", "") == "ingested" for one in events) < 22
    assert store.ledger.records(state="reading") == ()
    report = await pipeline.ingest([folder])
    assert report.count("ingested") == 22 - stored


async def test_a_note_under_way_when_a_run_is_called_off_does_not_outlive_it(
    make_pipeline: MakePipeline, store: LibraryStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noting, note = threading.Event(), IngestionLedger.begin

    def begin_slowly(ledger: IngestionLedger, document_id: str, path: str, group: str) -> None:
        noting.set()
        time.sleep(0.3)
        note(ledger, document_id, path, group)

    monkeypatch.setattr(IngestionLedger, "begin", begin_slowly)
    work = asyncio.create_task(make_pipeline(open_readers=InlineReaders).ingest([folder]))
    assert await asyncio.to_thread(noting.wait, 20)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    await asyncio.sleep(0.4)
    assert store.ledger.records(state="reading") == ()


async def test_a_locked_database_is_waited_for_and_then_told(
    make_pipeline: MakePipeline, store: LibraryStore, folder: Path
) -> None:
    holder = sqlite3.connect(str(store.engine.url.database), check_same_thread=False, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    pipeline = make_pipeline(open_readers=InlineReaders)
    threading.Timer(0.5, lambda: holder.execute("ROLLBACK")).start()
    assert (await pipeline.ingest([folder])).count("ingested") == 2
    holder.execute("BEGIN IMMEDIATE")

    def hurry(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA busy_timeout=50")

    event.listen(store.engine, "connect", hurry)
    store.engine.dispose()
    (folder / "late.txt").write_text("The lamp is lit.\n")
    with pytest.raises(Unavailable, match="locked"):
        await pipeline.ingest([folder])
    holder.execute("ROLLBACK")
    holder.close()
    assert (await pipeline.ingest([folder])).count("ingested") == 1
