"""How far an ingestion says it is, and what can be counted before it is read."""

import zipfile
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from ingestion.files.page_counts import count_pages, is_counted
from ingestion.limits import IngestionLimits
from ingestion.runs.meter import Meter
from ingestion.workers.processes import ProcessReaderPool


def test_work_is_measured_in_bytes_until_every_page_is_counted() -> None:
    meter = Meter(3)
    assert meter.progress("finding", "").total is None
    meter.expect({"/a.pdf": 600, "/b.pdf": 400})
    begun = meter.progress("reading", "/a.pdf")
    assert (begun.unit, begun.done, begun.total, begun.seconds_left) == ("bytes", 0, 1_000, None)
    meter.hear("/a.pdf", 2, 4)
    half = meter.progress("reading", "/a.pdf")
    assert (half.unit, half.done, half.pages, half.current_pages, half.current_total) == ("bytes", 300, 2, 2, 4)
    meter.count({"/a.pdf": 4}, complete=False)
    assert meter.progress("reading", "").unit == "bytes"
    meter.count({"/b.pdf": 6}, complete=True)
    counted = meter.progress("reading", "/b.pdf")
    assert (counted.unit, counted.done, counted.total, counted.current_total) == ("pages", 2, 10, 6)
    meter.finish("/a.pdf", 4, was_read=True)
    meter.finish("/b.pdf", 6, was_read=True)
    over = meter.progress("done", "")
    assert (over.files_done, over.done, over.total, over.seconds_left) == (2, 10, 10, 0.0)


def test_what_needs_no_reading_is_no_work() -> None:
    meter = Meter(3)
    meter.expect({"/a.pdf": 600, "/b.txt": 400})
    meter.finish("/a.pdf", 0, was_read=False)
    meter.finish("/elsewhere.txt", 0, was_read=False)
    progress = meter.progress("reading", "/b.txt")
    assert (progress.files_done, progress.done, progress.total) == (2, 0, 400)


async def test_pages_are_counted_without_reading_them(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "three.pdf"))
    for _ in range(3):
        canvas.showPage()
    canvas.save()
    with zipfile.ZipFile(tmp_path / "two.pptx", "w") as archive:
        for name in ("ppt/slides/slide1.xml", "ppt/slides/slide2.xml", "ppt/slides/_rels/slide1.xml.rels"):
            archive.writestr(name, "<x/>")
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.7 torn")
    (tmp_path / "no.xlsx").write_bytes(b"PK")
    (tmp_path / "plain.txt").write_text("text")
    paths = [tmp_path / name for name in ("three.pdf", "two.pptx", "torn.pdf", "no.xlsx", "plain.txt", "absent.pdf")]
    assert [is_counted(path) for path in paths] == [True, True, True, True, False, True]
    expected = (3, 2, None, None, None, None)
    assert tuple(count_pages(path) for path in paths) == expected
    pool = ProcessReaderPool(1, IngestionLimits(), None)
    try:
        assert await pool.count_pages(paths) == expected
    finally:
        pool.close()
