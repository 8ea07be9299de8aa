"""Pages without end and memory without end: each is given up, and what stands beside it is read."""

import time
from pathlib import Path

import pytest

from ingestion.bounds import time_limit
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from ingestion.workers.processes import ProcessReaderPool
from tests.ingestion.hostile.pdfs import letters_without_end, one_page, packed


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            time.sleep(0.01)
        except Exception:
            continue  # as a library that catches everything does


def test_a_block_that_does_not_end_is_interrupted_though_it_catches_every_error() -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError, match=r"longer than 0\.2 s"), time_limit(0.2):
        spin(30)
    assert time.monotonic() - started < 15
    with time_limit(0.3):
        pass
    spin(0.5)  # no alarm is left


def test_a_page_without_end_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "endless.pdf"
    letters_without_end(path)
    (page,) = reader_for(path).read(path, IngestionLimits(page_s=1.0), None)
    assert page.blocks == ()
    assert page.warnings == (
        "page 1 was given up: it took longer than 1 s; print the file to a new PDF and ingest that",
    )


@pytest.mark.slow
async def test_a_page_that_fills_the_memory_is_a_warning_and_the_worker_goes_on(tmp_path: Path) -> None:
    path, good = tmp_path / "bomb.pdf", tmp_path / "good.txt"
    path.write_bytes(one_page(packed(b" " * (400 * 2**20))))
    good.write_text("The winch is greased every 12 days.")
    pool = ProcessReaderPool(1, IngestionLimits(worker_bytes=500 * 2**20), None)
    try:
        read = await pool.read(path)
        assert read.pages[0].warnings == ("page 1 was left out: there is not enough memory to read it",)
        assert (await pool.read(good)).pages[0].blocks[0].text == "The winch is greased every 12 days."
    finally:
        pool.close()
