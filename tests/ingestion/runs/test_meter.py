"""How far an ingestion says it is."""

import time

import pytest

from ingestion.runs.meter import Meter


def test_work_is_measured_in_bytes_and_what_needs_no_reading_is_no_work() -> None:
    meter = Meter()
    assert meter.progress("finding", "").total is None
    meter.expect(4, [("/a.pdf", 600), ("/b.txt", 400), ("/c.txt", 50)])
    begun = meter.progress("reading", "/a.pdf")
    assert (begun.done, begun.total, begun.seconds_left) == (0, 1_050, None)
    for path, size in (("/a.pdf", 600), ("/c.txt", 50)):
        meter.begin(path, size)
    assert meter.hear("/a.pdf", 2, 4)
    assert not meter.hear("/a.pdf", 2, 4)
    read = meter.progress("reading", "/a.pdf")
    assert (read.pages, read.current_pages, read.current_total) == (2, 2, 4)
    assert [(file.path, file.pages, file.total) for file in read.files] == [("/a.pdf", 2, 4)]
    # What was read in no time has most of its work before it.
    meter.hear("/a.pdf", 4, 4)
    meter.hear_embedded("/a.pdf", 60, 80)
    assert meter.progress("embedding", "/a.pdf").done == pytest.approx(450, abs=10)
    meter.finish("/c.txt", 0, seconds=None)
    meter.finish("/elsewhere.txt", 0, seconds=None)
    meter.finish("/a.pdf", 4, seconds=3.0)
    later = meter.progress("reading", "/b.txt")
    assert (later.files_done, later.done, later.total, later.pages) == (3, 600, 1_000, 4)


def test_the_time_left_goes_by_what_files_of_the_kind_have_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    meter = Meter()
    # A scan is a hundred times as large as a text, and takes as long.
    files = [(f"/{name}.{kind}", size) for name in "abc" for kind, size in (("txt", 1_000), ("png", 100_000))]
    meter.expect(6, files)
    for number, (path, size) in enumerate(files[:5]):
        meter.begin(path, size)
        now += 5.0
        # Told while no file is done, too.
        meter.hear_embedded(path, 1, 2)
        meter.progress("embedding", path)
        meter.finish(path, 1, seconds=5.0)
        if number:
            # Once one of each kind is done.
            assert meter.progress("reading", "").seconds_left == pytest.approx(25.0 - 5.0 * number)
    path, size = files[5]
    meter.begin(path, size)
    meter.hear(path, 1, 1)
    now += 2.5
    meter.hear_embedded(path, 1, 2)
    assert meter.progress("embedding", "").seconds_left == pytest.approx(2.5, rel=0.1)
