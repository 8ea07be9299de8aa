"""A run that is called off, once or again while it ends: workers end, marks go, nothing unpacked stays."""

import asyncio
import math
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ingestion.files.archives import local_copy
from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from ingestion.workers import pool as worker_pool
from ingestion.workers.pool import HearPages, ReaderPool
from ingestion.workers.processes import ProcessReaderPool
from ingestion.workers.tasks import ReadFile
from library.store import LibraryStore

MakePipeline = Callable[..., IngestionPipeline]


class StubbornReaders(ReaderPool):
    """Never reads anything to its end, and takes its time to stop reading of the rope."""

    def __init__(self) -> None:
        self.reading = asyncio.Event()
        self.stopping = asyncio.Event()
        self.may_stop = asyncio.Event()
        self.is_closed = False

    workers = 1

    async def read(self, path: Path, hear: HearPages | None = None, *, task_s: float = math.inf) -> ReadFile:
        if path.stem == "rope":
            self.reading.set()
        try:
            await asyncio.Event().wait()
        finally:
            if path.stem == "rope":
                self.stopping.set()
                await self.may_stop.wait()
        raise AssertionError("nothing wakes it but a cancellation")

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name in ("hatch", "rope"):
        (folder / f"{name}.txt").write_text(f"The {name} is old.\n")
    return folder


async def test_a_run_that_is_called_off_twice_ends_its_workers_and_leaves_no_file_being_read(
    make_pipeline: MakePipeline, store: LibraryStore, folder: Path
) -> None:
    readers = StubbornReaders()
    run = asyncio.create_task(make_pipeline(open_readers=lambda: readers).ingest([folder]))
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

    class SlowCopy:
        """The real copy, made after a while."""

        def __init__(self, path: Path, limits: IngestionLimits) -> None:
            self._copy = local_copy(path, limits)

        def __enter__(self) -> Path:
            unpacking.set()
            time.sleep(0.2)
            copies.append(self._copy.__enter__())
            return copies[0]

        def __exit__(self, *error: object) -> None:
            self._copy.__exit__(None, None, None)

    monkeypatch.setattr(worker_pool, "local_copy", SlowCopy)
    pool = ProcessReaderPool(1, IngestionLimits(), None)
    reading = asyncio.create_task(pool.read(tmp_path / "hold.zip!" / "rope.txt"))
    assert await asyncio.to_thread(unpacking.wait, 20)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert [copy.exists() for copy in copies] == [False]
    pool.close()
