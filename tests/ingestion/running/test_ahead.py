"""How much of a folder is in flight at once, in what order it is stored, and what overlaps."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from ingestion.files.finding import FoundFile
from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from ingestion.reports import Event, FileReport
from ingestion.running.ahead import Ahead
from ingestion.workers.pool import HearPages, ReaderPool
from ingestion.workers.tasks import ReadFile, read_file

MakePipeline = Callable[..., IngestionPipeline]


def found(name: str, size_bytes: int) -> FoundFile:
    return FoundFile(path=Path("/shelf") / name, size_bytes=size_bytes)


async def in_flight(sizes: Sequence[int], *, most_files: int, most_bytes: int) -> list[list[str]]:
    """Return the names of the files in flight at each turn, the one in turn first."""
    flying: list[str] = []

    async def prepare(file: FoundFile) -> str:
        flying.append(file.path.name)
        return file.path.name

    ahead = Ahead(
        [found(str(number), size) for number, size in enumerate(sizes)],
        prepare,
        most_files=most_files,
        most_bytes=most_bytes,
    )
    seen = []
    for file, preparing in ahead:
        assert await preparing == file.path.name
        await asyncio.sleep(0)
        seen.append(list(flying))
        flying.remove(file.path.name)
    await ahead.close()
    return seen


async def test_so_many_files_are_in_flight_and_no_more() -> None:
    seen = await in_flight([1] * 10_000, most_files=6, most_bytes=1_000)
    assert [turn[0] for turn in seen] == [str(number) for number in range(10_000)]
    assert {len(turn) for turn in seen[:-6]} == {6}


async def test_large_files_wait_until_those_before_them_are_stored() -> None:
    seen = await in_flight([10, 90, 500, 20, 30, 60], most_files=4, most_bytes=100)
    assert seen == [["0", "1"], ["1"], ["2"], ["3", "4"], ["4", "5"], ["5"]]


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

    async def count_pages(self, paths: Sequence[Path]) -> tuple[int | None, ...]:
        return (None,) * len(paths)

    def close(self) -> None:
        pass

    def hear(self, event: Event) -> None:
        self.in_flight -= isinstance(event, FileReport)


async def test_a_folder_is_stored_in_order_with_few_files_in_memory(
    make_pipeline: MakePipeline, tmp_path: Path
) -> None:
    for number in range(60):
        (tmp_path / f"note {number:03}.txt").write_text(f"Pump {number} is greased every {number + 2} days.\n")
    readers = CountingReaders()
    report = await make_pipeline(open_readers=lambda: readers).ingest([tmp_path / "."], on_event=readers.hear)
    names = [Path(file.path).name for file in report.files if file.status == "ingested"]
    assert names == [f"note {number:03}.txt" for number in range(60)]
    assert 2 <= readers.most <= 6
