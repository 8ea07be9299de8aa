"""How far an ingestion says it is."""

from ingestion.runs.meter import Meter


def test_work_is_measured_in_bytes_and_what_needs_no_reading_is_no_work() -> None:
    meter = Meter(4)
    assert meter.progress("finding", "").total is None
    meter.expect({"/a.pdf": 600, "/b.txt": 400, "/c.txt": 50})
    begun = meter.progress("reading", "/a.pdf")
    assert (begun.done, begun.total, begun.seconds_left) == (0, 1_050, None)
    assert meter.hear("/a.pdf", 2, 4)
    assert not meter.hear("/a.pdf", 2, 4)
    half = meter.progress("reading", "/a.pdf")
    assert (half.done, half.pages, half.current_pages, half.current_total) == (300, 2, 2, 4)
    meter.finish("/c.txt", 0, was_read=False)
    meter.finish("/elsewhere.txt", 0, was_read=False)
    meter.finish("/a.pdf", 4, was_read=True)
    later = meter.progress("reading", "/b.txt")
    assert (later.files_done, later.done, later.total, later.pages) == (3, 600, 1_000, 4)
