"""How much of a folder is in flight at once, and how files go on beside slow and large ones."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from ingestion.reports import Event, FileReport
from ingestion.workers.pool import HearPages, ReaderPool
from ingestion.workers.tasks import ReadFile, read_file
from tests.ingestion.hostile.pdfs import nested_forms

MakePipeline = Callable[..., IngestionPipeline]


class CountingReaders(ReaderPool):
    """Reads files in this process, later ones sooner; counts what is read and not yet told to be done."""

    workers = 2

    def __init__(self) -> None:
        self.in_flight = 0
        self.most = 0
        self._pause_s = 0.02

    async def read(self, path: Path, hear: HearPages | None = None) -> ReadFile:
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
    assert "page 1 was given up: it took longer than 4 s" in nested.reason
    assert Path(large_one.path).name == "b large.txt"
