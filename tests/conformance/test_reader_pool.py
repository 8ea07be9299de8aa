"""What every pool of readers does: the same pages as one process reads, whatever becomes of its workers."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from reportlab.platypus import Table

from contracts.errors import UnreadableFile
from ingestion.files.archives import local_copy
from ingestion.limits import IngestionLimits
from ingestion.workers.pool import ReaderPool
from ingestion.workers.processes import ProcessReaderPool
from ingestion.workers.tasks import read_file
from tests.ingestion.readers.reading import DEADLY_PX, HANGING_PX, SLOW_PX, WidthOcr, write_stack, zipped
from tests.ingestion.samples import GRID, PROSE, Sheet, build_pdf, draw_page, paragraph
from tools.ocr import OcrEngine

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

LIMITS = IngestionLimits(page_s=3.0)
# Ray's own processes use some of the cores as well.
RAY_LIMITS = IngestionLimits(page_s=5.0)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a line for each image that was read: the process and the width."""
    return tmp_path_factory.mktemp("log") / "log.txt"


def open_local(ocr: OcrEngine) -> Iterator[ReaderPool]:
    pool = ProcessReaderPool(2, LIMITS, ocr)
    yield pool
    pool.close()


def open_on_ray(ocr: OcrEngine) -> Iterator[ReaderPool]:
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from ingestion.workers.cluster import RayReaderPool

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=2**27)
        pool = RayReaderPool("", RAY_LIMITS, ocr)
        yield pool
        pool.close()
    finally:
        ray.shutdown()


@pytest.fixture(scope="module", params=[pytest.param(open_local, id="local"), pytest.param(open_on_ray, id="ray")])
def pool(request: pytest.FixtureRequest, log: Path) -> Iterator[ReaderPool]:
    yield from request.param(WidthOcr(log))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a born-digital PDF with running headers and a table over pages, a scan, a mix, and others."""
    rows = [["Pump", "Flow", "Pressure"], *([f"P-{n}", f"{n} l/min", "3 bar"] for n in range(160))]
    story = [paragraph("Cooling manual", "Title"), paragraph(PROSE), Table(rows, style=[GRID])]
    for number in range(1, 4):
        story += [paragraph(f"{number} Hall", "Heading1"), paragraph(PROSE * 6)]
    build_pdf(tmp_path / "digital.pdf", story, "Works manual, internal", "Page {}", title="Manual of pumps")
    for name, kinds in (("scan.pdf", "ssssss"), ("mixed.pdf", "tsttst")):
        sheet = Sheet(tmp_path / name)
        for page, kind in enumerate(kinds, start=1):
            if kind == "s":
                sheet.show(draw_page([f"page {page}"]).reduce(2))
            else:
                sheet.write(70, 27, ["Works manual, internal"], size=12)
                sheet.write(70, 82, [PROSE[:90]] * 20, size=12, lead=15)
            sheet.canvas.showPage()
        sheet.canvas.save()
    write_stack(tmp_path / "stack.tif", [400, 410, 420, 430, 440, 450, 460])
    (tmp_path / "guide.md").write_text("# Guide\n\nThe valve opens slowly.\n")
    (tmp_path / "all.zip").write_bytes(zipped({"deep/digital.pdf": (tmp_path / "digital.pdf").read_bytes()}))
    return tmp_path


async def test_pool_reads_the_same_pages_as_one_process(pool: ReaderPool, folder: Path) -> None:
    names = ("digital.pdf", "scan.pdf", "mixed.pdf", "stack.tif", "guide.md", "all.zip!/deep/digital.pdf")
    heard: list[tuple[int, int | None]] = []
    found = await asyncio.gather(*(pool.read(folder / name, lambda *each: heard.append(each)) for name in names))
    for name, read in zip(names, found, strict=True):
        with local_copy(folder / name, LIMITS) as file:
            alone = read_file(file, LIMITS, WidthOcr())
        assert repr(read.pages) == repr(alone.pages), name
        assert (read.title, read.media_type) == (alone.title, alone.media_type)
    assert found[0].title == "Manual of pumps"
    assert len(found[0].pages) > 4
    assert not any("Works manual" in block.text for page in found[0].pages for block in page.blocks)
    assert [page.ocr_confidence is not None for page in found[2].pages] == [False, True, False, False, True, False]
    assert {(6, 6), (7, 7)} <= set(heard)


async def test_unreadable_file_is_refused(pool: ReaderPool, folder: Path) -> None:
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\nnothing")
    with pytest.raises(UnreadableFile, match=r"torn\.pdf.*not a readable PDF"):
        await pool.read(folder / "torn.pdf")
    with pytest.raises(UnreadableFile, match=r"absent\.md.*cannot be opened"):
        await pool.read(folder / "absent.md")
    assert len((await pool.read(folder / "guide.md")).pages) == 1


async def test_page_that_crashes_or_hangs_does_not_lose_other_pages(pool: ReaderPool, tmp_path: Path) -> None:
    widths = [DEADLY_PX, 401, 402, 403, 404, HANGING_PX, 406]
    write_stack(tmp_path / "stack.tif", widths)
    read = await pool.read(tmp_path / "stack.tif")
    assert [page.number for page in read.pages] == list(range(1, 8))
    assert [bool(page.blocks) for page in read.pages] == [False, True, True, True, True, False, True]
    assert read.pages[4].blocks[0].text == "width404"
    assert "page 1 could not be read: its worker process died" in read.pages[0].warnings[0]
    assert "page 6 was abandoned" in read.pages[5].warnings[0]


async def test_killed_worker_loses_no_pages(pool: ReaderPool, folder: Path, log: Path) -> None:
    widths = [SLOW_PX + number for number in range(40)]
    write_stack(folder / "long.tif", widths)
    before = len(_lines(log))
    reading = asyncio.gather(*(pool.read(folder / name) for name in ("long.tif", "scan.pdf", "guide.md")))
    await _until(lambda: len(_lines(log)) > before + 12)
    os.kill(int(_lines(log)[-1].split()[0]), signal.SIGKILL)
    stack, scan, guide = await reading
    assert [block.text for page in stack.pages for block in page.blocks] == [f"width{width}" for width in widths]
    assert not any(page.warnings for page in (*stack.pages, *scan.pages, *guide.pages))
    readers = {line.split()[0] for line in _lines(log)[before:] if int(line.split()[1]) in widths}
    assert len(readers) >= 2, "several workers read the pages of one file"


async def test_cancelled_reading_frees_its_worker(pool: ReaderPool, tmp_path: Path, log: Path) -> None:
    write_stack(tmp_path / "stack.tif", [HANGING_PX] * 3)
    (tmp_path / "note.txt").write_text("The next file is read.")
    before = len(_lines(log))
    reading = asyncio.create_task(pool.read(tmp_path / "stack.tif"))
    await _until(lambda: len(_lines(log)) > before)
    reading.cancel()
    with suppress(asyncio.CancelledError):
        await reading
    found = await asyncio.gather(*(pool.read(tmp_path / "note.txt") for _ in range(3)))
    assert [len(each.pages) for each in found] == [1, 1, 1]


async def test_file_with_too_many_crashing_pages_is_refused(tmp_path: Path) -> None:
    write_stack(tmp_path / "stack.tif", [DEADLY_PX] * 7)
    pool = ProcessReaderPool(2, LIMITS, WidthOcr())
    with pytest.raises(UnreadableFile, match="3 of its pages crashed the worker process"):
        await pool.read(tmp_path / "stack.tif")
    pool.close()


def _lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


async def _until(happened: Callable[[], bool]) -> None:
    while not happened():  # noqa: ASYNC110 - other processes make it happen
        await asyncio.sleep(0.02)
