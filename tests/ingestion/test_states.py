"""What becomes of files that move, repeat, change, vanish or fail: over real files and a real SQLite library."""

import asyncio
import os
import sqlite3
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import event

from contracts.errors import Unavailable
from contracts.text import Document
from database.migrations import migrate
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.ledger import IngestionLedger
from library.store import LibraryStore
from tests.hashing_embedder import HashingEmbedder
from tests.ingestion.reading_files import InlineReaders, MakePipeline, statuses

PUMPS = "# Pumps\n\nThe Bilge Pump Controller (BPC) runs hourly.\n"
EMBEDDER = HashingEmbedder().name


class Ship:
    """A folder with two files, its library, and a pipeline that reads files in this process."""

    def __init__(self, make_pipeline: MakePipeline, store: LibraryStore, folder: Path) -> None:
        self.make_pipeline, self.store, self.folder = make_pipeline, store, folder
        self.readers = InlineReaders()
        self.pipeline = make_pipeline(open_readers=lambda: self.readers)
        folder.mkdir()
        self.write("pumps.md", PUMPS)
        self.write("rope.txt", "The rope is long.\n")

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def write_at_the_same_time(self, name: str, text: str) -> Path:
        """Change the file, but not its size nor its time of change."""
        stamp = (self.folder / name).stat()
        path = self.write(name, text)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        return path

    def age_files(self) -> None:
        """Let every file be old enough for its time of change to be trusted."""
        an_hour_ago = time.time() - 3_600
        for path in self.folder.iterdir():
            os.utime(path, (an_hour_ago, an_hour_ago))

    async def ingest(self, *names: str, **options: Any) -> dict[str, str]:
        """Ingest the folder, or these files in it; return what became of each file, by its name."""
        paths = [self.folder / name for name in names] or [self.folder]
        return statuses(await self.pipeline.ingest(paths, **options))

    def document(self, name: str) -> Document | None:
        return self.store.document_at(str(self.folder / name))

    def passages(self, word: str) -> list[str]:
        """Return the text of each passage with ``word`` that can be found, in order."""
        chunks = self.store.chunks(self.store.searchable_ids(embedder=EMBEDDER)).values()
        return sorted(chunk.text for chunk in chunks if chunk.kind == "passage" and word in chunk.text)


@pytest.fixture
def ship(make_pipeline: MakePipeline, store: LibraryStore, tmp_path: Path) -> Ship:
    return Ship(make_pipeline, store, tmp_path / "documents")


async def test_moved_file_keeps_its_document_without_embedding_again(ship: Ship) -> None:
    await ship.ingest()
    before, store = ship.document("pumps.md"), ship.store
    ids = store.searchable_ids(embedder=EMBEDDER)
    vectors = store.vectors(ids)
    (ship.folder / "deep").mkdir()
    moved = (ship.folder / "pumps.md").rename(ship.folder / "deep" / "all pumps.md")
    ship.readers.read_paths.clear()
    assert await ship.ingest(prune=True) == {"all pumps.md": "moved", "rope.txt": "unchanged"}
    assert ship.readers.read_paths == []
    after = store.document(before.id)
    assert after == replace(before, path=str(moved), name="all pumps.md")
    assert store.searchable_ids(embedder=EMBEDDER) == ids
    np.testing.assert_array_equal(store.vectors(ids), vectors)
    assert [entry.outcome for entry in store.ledger.history(before.id)] == ["ready", "moved"]
    ship.write("pumps.md", "# New\n\nAnother text at the old place.\n")
    assert (await ship.ingest())["pumps.md"] == "ingested"
    assert ship.document("pumps.md").id != before.id
    assert store.document(before.id) == after


async def test_files_read_by_a_killed_run_come_last_in_the_next_run(ship: Ship) -> None:
    killed = str(ship.folder / "pumps.md")
    ship.store.ledger.begin(ship.store.ledger.id_for(killed), killed, "everyone")
    await ship.ingest()
    assert [path.name for path in ship.readers.read_paths] == ["rope.txt", "pumps.md"]


async def test_file_with_the_same_content_is_reported_as_duplicate(ship: Ship) -> None:
    copy = ship.write("rope copy.txt", "The rope is long.\n")
    assert await ship.ingest() == {"pumps.md": "ingested", "rope copy.txt": "ingested", "rope.txt": "duplicate"}
    assert ship.passages("rope") == ["The rope is long."]
    (record,) = ship.store.ledger.records(state="duplicate")
    assert record.reason == f"the same content as {copy}"
    assert (await ship.ingest())["rope.txt"] in ("unchanged", "duplicate")
    assert len(ship.store.ledger.history(record.document_id)) == 1
    secret = await ship.ingest("rope.txt", group="board")
    assert secret == {"rope.txt": "ingested"}, "readers of another group need a document of their own"


async def test_duplicate_is_ingested_if_the_other_file_changes_group(ship: Ship) -> None:
    ship.write("rope copy.txt", "The rope is long.\n")
    ship.age_files()
    await ship.ingest()
    await ship.ingest("rope copy.txt", group="board")
    assert await ship.ingest("rope.txt") == {"rope.txt": "ingested"}


@pytest.mark.parametrize("change", ["gone", "changed"])
async def test_duplicate_is_used_when_the_other_file_is_gone(ship: Ship, change: str) -> None:
    for name in ("a rope.txt", "z rope.txt"):
        ship.write(name, "The rope is long.\n")
    await ship.ingest()
    assert ship.document("a rope.txt")
    if change == "gone":
        (ship.folder / "a rope.txt").unlink()
    else:
        ship.write("a rope.txt", "The chain is short.\n")
    await ship.ingest(prune=True)
    holding = {Path(document.path).name for document in ship.store.documents()}
    assert "rope.txt" in holding
    assert ("a rope.txt" in holding) == (change == "changed")
    assert ship.passages("rope") == ["The rope is long."]
    assert [Path(each.path).name for each in ship.store.ledger.records(state="duplicate")] == ["z rope.txt"]


async def test_unchanged_files_are_detected_by_size_and_time(ship: Ship) -> None:
    await ship.ingest()
    ship.write_at_the_same_time("rope.txt", "The rope is blue.\n")
    assert (await ship.ingest())["rope.txt"] == "ingested", "a change within the tick of the clock is noticed"
    ship.age_files()
    await ship.ingest()
    path, version = ship.write_at_the_same_time("rope.txt", "The rope is weak.\n"), ship.store.version()
    assert (await ship.ingest())["rope.txt"] == "unchanged"
    assert ship.store.version() == version
    os.utime(path)
    assert (await ship.ingest())["rope.txt"] == "ingested"
    os.utime(path)
    assert (await ship.ingest())["rope.txt"] == "unchanged", "the time differs, but not the content"
    assert ship.passages("weak")


async def test_change_of_group_needs_no_reading(ship: Ship) -> None:
    await ship.ingest()
    ship.readers.read_paths.clear()
    assert set((await ship.ingest(group="crew")).values()) == {"regrouped"}
    assert ship.readers.read_paths == []
    assert set(ship.store.searchable_groups(embedder=EMBEDDER).values()) == {"crew"}


async def test_a_file_that_changes_while_it_is_read_is_reported_and_its_last_version_stays(ship: Ship) -> None:
    await ship.ingest()
    path = ship.write("rope.txt", "The rope moves.\n")
    changing = InlineReaders(lambda path: path.write_text(path.read_text() + "And moves.\n") and None)
    (failed,) = (await ship.make_pipeline(open_readers=lambda: changing).ingest([ship.folder])).failed
    assert "changed while it was read" in failed.reason
    assert ship.passages("rope") == ["The rope is long."]
    record = ship.store.ledger.record_at(str(path))
    assert (record.state, record.answers) == ("failed", True)
    assert (await ship.ingest())["rope.txt"] == "ingested"
    assert ship.store.ledger.records(state="failed") == ()


async def test_unread_file_has_a_record_until_it_is_read_or_gone(ship: Ship) -> None:
    ship.write("void.txt", "")
    torn, ledger = ship.write("torn.pdf", "%PDF-1.7 torn"), ship.store.ledger
    for _ in range(2):
        await ship.ingest()
        records = {Path(each.path).name: each for each in ledger.records(state="failed")}
        assert records.keys() == {"void.txt", "torn.pdf"}
        assert "0 bytes" in records["void.txt"].reason
        assert not records["void.txt"].answers
        assert len(ledger.history(records["void.txt"].document_id)) == 1, "the same failure is recorded once"
    ship.write("void.txt", "The void is filled.\n")
    torn.unlink()
    await ship.ingest()
    assert ledger.records(state="failed") == ()
    outcomes = [each.outcome for each in ledger.history(records["void.txt"].document_id)]
    assert outcomes == ["failed", "ready"]
    assert ledger.history(records["torn.pdf"].document_id) == ()


async def test_mined_terms_follow_the_document(ship: Ship) -> None:
    migrate(ship.store.engine, DICTIONARY)
    jargon = JargonStore(ship.store.engine)
    ship.pipeline = ship.make_pipeline(
        candidates=jargon.add_candidates, forget=jargon.forget_document, open_readers=InlineReaders
    )

    async def drafts() -> list[tuple[str, list[str]]]:
        await ship.ingest()
        found = [(each.sense.term, [evidence.document for evidence in each.evidence]) for each in jargon.candidates()]
        return sorted(found)

    ship.write("sub/pumps.md", "# More\n\nThe Main Engine Room (MER) is hot.\n")
    assert await drafts() == [("BPC", ["pumps.md"]), ("MER", ["pumps.md"])]
    moved = (ship.folder / "pumps.md").rename(ship.folder / "all.md")
    assert await drafts() == [("BPC", ["all.md"]), ("MER", ["pumps.md"])]
    moved.write_text("# Pumps\n\nThe Ballast Pump Drive (BPD) hums.\n")
    assert await drafts() == [("BPD", ["all.md"]), ("MER", ["pumps.md"])]
    back = moved.rename(ship.folder / "pumps.md")
    await ship.ingest()
    await ship.pipeline.remove(ship.document("pumps.md").id)
    back.unlink()
    assert await drafts() == [("MER", ["pumps.md"])], "terms of a document with the same name are kept"


async def test_interrupted_ingestion_is_consistent_and_reports_what_was_stored(ship: Ship) -> None:
    for number in range(20):
        ship.write(f"valve {number:02}.txt", f"Valve {number} opens.\n")
    ingested: list[object] = []
    enough = asyncio.Event()

    def on_event(each: object) -> None:
        if getattr(each, "status", "") == "ingested":
            ingested.append(each)
        if len(ingested) == 5:
            enough.set()

    work = asyncio.create_task(ship.ingest(on_event=on_event))
    await enough.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    stored = len(ship.store.documents())
    assert stored == len(ingested) < 22
    assert ship.store.ledger.records(state="reading") == ()
    assert list((await ship.ingest()).values()).count("ingested") == 22 - stored


async def test_mark_written_during_cancellation_is_removed(ship: Ship, monkeypatch: pytest.MonkeyPatch) -> None:
    noting, note = threading.Event(), IngestionLedger.begin

    def begin_slowly(ledger: IngestionLedger, document_id: str, path: str, group: str) -> None:
        noting.set()
        time.sleep(0.3)
        note(ledger, document_id, path, group)

    monkeypatch.setattr(IngestionLedger, "begin", begin_slowly)
    work = asyncio.create_task(ship.ingest())
    assert await asyncio.to_thread(noting.wait, 20)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    await asyncio.sleep(0.4)
    assert ship.store.ledger.records(state="reading") == ()


async def test_locked_database_is_waited_for_and_then_reported(ship: Ship) -> None:
    engine = ship.store.engine
    holder = sqlite3.connect(str(engine.url.database), check_same_thread=False, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    threading.Timer(0.5, lambda: holder.execute("ROLLBACK")).start()
    assert set((await ship.ingest()).values()) == {"ingested"}
    holder.execute("BEGIN IMMEDIATE")
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout=50"))
    engine.dispose()
    ship.write("late.txt", "The lamp is lit.\n")
    with pytest.raises(Unavailable, match="is locked"):
        await ship.ingest()
    holder.execute("ROLLBACK")
    holder.close()
    assert (await ship.ingest())["late.txt"] == "ingested"
