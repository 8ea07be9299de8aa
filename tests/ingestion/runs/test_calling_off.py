"""A run that is called off, once or again while it ends: workers end, marks go, nothing unpacked stays."""

import asyncio
import math
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingestion.files.archives import local_copy
from ingestion.limits import IngestionLimits
from ingestion.workers import pool as worker_pool
from ingestion.workers.pool import HearPages, ReaderPool
from ingestion.workers.processes import ProcessReaderPool
from ingestion.workers.tasks import ReadFile
from library.store import LibraryStore
from tests.ingestion.reading_files import MakePipeline


class StubbornReaders(ReaderPool):
    """Never reads anything to its end, and takes its time to stop."""

    def __init__(self) -> None:
        self.reading = asyncio.Event()
        self.stopping = asyncio.Event()
        self.may_stop = asyncio.Event()
        self.is_closed = False

    workers = 1

    async def read(self, path: Path, hear: HearPages | None = None, *, task_s: float = math.inf) -> ReadFile:
        self.reading.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopping.set()
            await self.may_stop.wait()
        raise AssertionError("nothing wakes it but a cancellation")

    def close(self) -> None:
        self.is_closed = True


async def test_a_run_that_is_called_off_twice_ends_its_workers_and_leaves_no_file_being_read(
    make_pipeline: MakePipeline, store: LibraryStore, tmp_path: Path
) -> None:
    (tmp_path / "rope.txt").write_text("The rope is old.\n")
    readers = StubbornReaders()
    run = asyncio.create_task(make_pipeline(open_readers=lambda: readers).ingest([tmp_path / "rope.txt"]))
    await readers.reading.wait()
    assert store.ledger.records(state="reading")
    run.cancel()
    await readers.stopping.wait()
    run.cancel()
    await asyncio.sleep(0)
    readers.may_stop.set()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert readers.is_closed
    assert store.ledger.records(state="reading") == ()


async def test_a_member_that_was_being_unpacked_when_its_reading_was_called_off_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "hold.zip", "w") as archive:
        archive.writestr("rope.txt", "The rope is long.\n")
    unpacking, copies = threading.Event(), []

    @contextmanager
    def copy_slowly(path: Path, limits: IngestionLimits) -> Iterator[Path]:
        unpacking.set()
        time.sleep(0.2)
        with local_copy(path, limits) as copy:
            copies.append(copy)
            yield copy

    monkeypatch.setattr(worker_pool, "local_copy", copy_slowly)
    pool = ProcessReaderPool(1, IngestionLimits(), None)
    reading = asyncio.create_task(pool.read(tmp_path / "hold.zip!" / "rope.txt"))
    assert await asyncio.to_thread(unpacking.wait, 20)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert [copy.exists() for copy in copies] == [False]
    pool.close()
