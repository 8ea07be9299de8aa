"""Runs over many files: how far they are, how files go on beside slow ones, and what is left when one is called off."""

import asyncio
import gc
import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Unavailable
from ingestion.files.archives import local_copy
from ingestion.limits import IngestionLimits
from ingestion.reports import Event, FileReport
from ingestion.runs.progress_estimate import ProgressEstimate
from ingestion.workers import pool as worker_pool
from ingestion.workers.cluster import RayReaderPool
from ingestion.workers.pool import HearPages, SlowFile
from ingestion.workers.processes import ProcessReaderPool
from ingestion.workers.tasks import ReadFile, read_file
from library.store import LibraryStore
from tests.ingestion.hostile.files import nested_forms
from tests.ingestion.readers.reading import HANGING_PX, WidthOcr, write_stack, zipped
from tests.ingestion.reading_files import InlineReaders, MakePipeline


def write_notes(folder: Path, count: int) -> Path:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"note {number:03}.txt").write_text(f"Pump {number} is greased every {number + 2} days.\n")
    return folder


class CountingReaders(InlineReaders):
    """Reads files in this process, later ones sooner, slow ones only if they may take their time.

    Counts what is read and not yet told to be done.
    """

    workers = 2

    def __init__(self) -> None:
        self.in_flight = 0
        self.most = 0
        self._pause_s = 0.02

    async def read(self, path: Path, hear: HearPages | None = None, *, task_s: float = math.inf) -> ReadFile:
        if path.stem.startswith("a slow") and task_s < math.inf:
            raise SlowFile
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        self._pause_s = max(0.0, self._pause_s - 0.001)
        await asyncio.sleep(self._pause_s)
        return read_file(path, IngestionLimits(), None)

    def hear(self, event: Event) -> None:
        self.in_flight -= isinstance(event, FileReport)


async def test_ingestion_of_a_folder_keeps_few_files_in_memory(make_pipeline: MakePipeline, tmp_path: Path) -> None:
    write_notes(tmp_path, 60)
    readers = CountingReaders()
    report = await make_pipeline(open_readers=lambda: readers).ingest([tmp_path / "."], on_event=readers.hear)
    assert report.count("ingested") == 60
    assert 2 <= readers.most <= 6


async def test_slow_files_are_read_after_the_others(make_pipeline: MakePipeline, tmp_path: Path) -> None:
    folder = write_notes(tmp_path / "documents", 10)
    for name in ("mill", "saw"):
        (folder / f"a slow {name}.txt").write_text(f"The slow {name} is old.\n")
    report = await make_pipeline(open_readers=CountingReaders).ingest([folder])
    assert report.count("ingested") == 12
    assert all(Path(file.path).name.startswith("note") for file in report.files[:5])
    write_stack(tmp_path / "a.tif", [HANGING_PX])
    pool = ProcessReaderPool(1, IngestionLimits(), WidthOcr())
    with pytest.raises(SlowFile):
        await pool.read(tmp_path / "a.tif", task_s=3.0)
    pool.close()


async def test_slow_and_large_files_do_not_hold_up_others(make_pipeline: MakePipeline, tmp_path: Path) -> None:
    folder = write_notes(tmp_path / "documents", 12)
    (folder / "a nested.pdf").write_bytes(nested_forms(levels=10))
    # Too large to be processed together with others; it contains only NUL bytes.
    with (folder / "b large.txt").open("wb") as large:
        large.truncate(100 * 1024 * 1024)
    limits = IngestionLimits(page_s=4.0)
    report = await make_pipeline(limits=limits, workers=2).ingest([folder])
    *notes, nested, large_one = report.files
    assert [file.status for file in notes] == ["ingested"] * 12
    given_up = "page 1 was abandoned: it took longer than 4 s; print the file to a new PDF and ingest that"
    assert given_up in nested.reason
    assert Path(large_one.path).name == "b large.txt"


class StubbornReaders(InlineReaders):
    """Never reads anything to its end, and takes its time to stop."""

    def __init__(self) -> None:
        self.reading = asyncio.Event()
        self.stopping = asyncio.Event()
        self.may_stop = asyncio.Event()
        self.is_closed = False

    async def read(self, path: Path, hear: HearPages | None = None, *, task_s: float = math.inf) -> ReadFile:
        self.reading.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopping.set()
            await self.may_stop.wait()
        raise AssertionError("only a cancellation ends the wait")

    def close(self) -> None:
        self.is_closed = True


async def test_run_cancelled_twice_ends_its_workers_and_marks(
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


async def test_cancelled_reading_removes_unpacked_member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hold.zip").write_bytes(zipped({"rope.txt": "The rope is long.\n"}))
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


def test_unfinished_work_is_not_reported_when_the_loop_ends() -> None:
    """The worker's end is heard in the loop's very last step: nothing runs after it."""
    heard: list[dict[str, Any]] = []

    async def call_off() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: heard.append(context))
        pool = ProcessReaderPool(1, IngestionLimits(), None)
        await pool.run(os.getpid, None, (), 60.0)
        doing = asyncio.create_task(pool.run(time.sleep, None, (60,), 60.0))
        await asyncio.sleep(0.1)
        doing.cancel()
        await asyncio.wait([doing])
        assert doing.cancelled()
        pool.close()

    asyncio.run(call_off())
    gc.collect()
    assert heard == []


def test_unreachable_cluster_is_reported_at_once() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(Unavailable, match=f"no Ray cluster at {address}.*ray start --head"):
            RayReaderPool(address, IngestionLimits(), None)


def test_work_is_measured_in_bytes_without_unchanged_files() -> None:
    estimate = ProgressEstimate()
    assert estimate.progress("finding", "").total is None
    estimate.expect(4, [("/a.pdf", 600), ("/b.txt", 400), ("/c.txt", 50)])
    begun = estimate.progress("reading", "/a.pdf")
    assert (begun.done, begun.total, begun.seconds_left) == (0, 1_050, None)
    for path, size in (("/a.pdf", 600), ("/c.txt", 50)):
        estimate.begin(path, size)
    assert estimate.record_read("/a.pdf", 2, 4)
    assert not estimate.record_read("/a.pdf", 2, 4)
    read = estimate.progress("reading", "/a.pdf")
    assert read.pages == 2
    assert [(file.path, file.pages, file.total) for file in read.files] == [("/a.pdf", 2, 4)]
    # The file was read in no time, so most of its work is still to come.
    estimate.record_read("/a.pdf", 4, 4)
    estimate.record_embedded("/a.pdf", 60, 80)
    assert estimate.progress("embedding", "/a.pdf").done == pytest.approx(450, abs=10)
    estimate.finish("/c.txt", 0, seconds=None)
    estimate.finish("/elsewhere.txt", 0, seconds=None)
    estimate.finish("/a.pdf", 4, seconds=3.0)
    later = estimate.progress("reading", "/b.txt")
    assert (later.files_done, later.done, later.total, later.pages) == (3, 600, 1_000, 4)


def test_time_left_is_estimated_per_kind_of_file(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    estimate = ProgressEstimate()
    # A scan is a hundred times as large as a text and takes as long.
    files = [(f"/{name}.{kind}", size) for name in "abc" for kind, size in (("txt", 1_000), ("png", 100_000))]
    estimate.expect(6, files)
    for number, (path, size) in enumerate(files[:5]):
        estimate.begin(path, size)
        now += 5.0
        # Progress is also reported before any file is done.
        estimate.record_embedded(path, 1, 2)
        estimate.progress("embedding", path)
        estimate.finish(path, 1, seconds=5.0)
        if number:
            # After one file of each kind is done.
            assert estimate.progress("reading", "").seconds_left == pytest.approx(25.0 - 5.0 * number)
    path, size = files[5]
    estimate.begin(path, size)
    estimate.record_read(path, 1, 1)
    now += 2.5
    estimate.record_embedded(path, 1, 2)
    assert estimate.progress("embedding", "").seconds_left == pytest.approx(2.5, rel=0.1)
