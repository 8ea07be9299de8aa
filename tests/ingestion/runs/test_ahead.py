"""How much of a folder is in flight at once, and how files go on beside slow and large ones."""

import asyncio
import math
from pathlib import Path

import pytest

from ingestion.limits import IngestionLimits
from ingestion.reports import Event, FileReport
from ingestion.workers.pool import HearPages, ReaderPool, SlowFile
from ingestion.workers.processes import ProcessReaderPool
from ingestion.workers.tasks import ReadFile, read_file
from tests.ingestion.engines import HANGING_PX, WidthOcr, write_stack
from tests.ingestion.hostile.pdfs import nested_forms
from tests.ingestion.reading_files import MakePipeline


class CountingReaders(ReaderPool):
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

    def close(self) -> None:
        pass

    def hear(self, event: Event) -> None:
        self.in_flight -= isinstance(event, FileReport)


async def test_a_folder_is_stored_with_few_files_in_memory(make_pipeline: MakePipeline, tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"note {number:03}.txt").write_text(f"Pump {number} is greased every {number + 2} days.\n")
    readers = CountingReaders()
    report = await make_pipeline(open_readers=lambda: readers).ingest([tmp_path / "."], on_event=readers.hear)
    assert report.count("ingested") == 60
    assert 2 <= readers.most <= 6


async def test_slow_files_are_read_behind_the_others(make_pipeline: MakePipeline, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name in ("a slow mill", "a slow saw", *(f"note {number}" for number in range(10))):
        (folder / f"{name}.txt").write_text(f"The {name} is old.\n")
    report = await make_pipeline(open_readers=CountingReaders).ingest([folder])
    assert report.count("ingested") == 12
    assert all(Path(file.path).name.startswith("note") for file in report.files[:5])
    write_stack(tmp_path / "a.tif", [HANGING_PX])
    pool = ProcessReaderPool(1, IngestionLimits(), WidthOcr())
    with pytest.raises(SlowFile):
        await pool.read(tmp_path / "a.tif", task_s=3.0)
    pool.close()


async def test_a_slow_file_and_a_large_one_hold_up_no_other(make_pipeline: MakePipeline, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    nested_forms(folder / "a nested.pdf", levels=10)
    # Too large to be under way beside others; it holds nothing but NULs.
    with (folder / "b large.txt").open("wb") as large:
        large.truncate(100 * 1024 * 1024)
    for number in range(12):
        (folder / f"note {number:03}.txt").write_text(f"Pump {number} is greased every {number + 2} days.\n")
    limits = IngestionLimits(page_s=4.0)
    report = await make_pipeline(limits=limits, workers=2).ingest([folder])
    *notes, nested, large_one = report.files
    assert [file.status for file in notes] == ["ingested"] * 12
    given_up = "page 1 was given up: it took longer than 4 s; print the file to a new PDF and ingest that"
    assert given_up in nested.reason
    assert Path(large_one.path).name == "b large.txt"
