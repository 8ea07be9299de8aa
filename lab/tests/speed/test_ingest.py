"""Comparisons of ingestion: their sums, the report, the memory of a process and its children."""

import json
import os
import sys
from pathlib import Path

import pytest

from contracts.errors import Unavailable
from golden_lab.speed.ingest import IngestSpeed, SideBySide, WholeRun
from golden_lab.speed.ingest_engines import Turn
from golden_lab.speed.ingest_report import ingest_as_json, render_ingest
from golden_lab.speed.process_tree import TreeMemory, run_watched


def turn(done: int, wall_s: float, cpu_s: float = 1.0) -> Turn:
    return Turn(done=done, wall_s=wall_s, cpu_s=cpu_s)


def speed(*comparisons: SideBySide, whole: tuple[WholeRun, ...] = ()) -> IngestSpeed:
    return IngestSpeed(
        revision="abc",
        machine="2 cores",
        load_average=None,
        seed=0,
        pages=24,
        scans=0,
        rounds=3,
        workers=2,
        comparisons=comparisons,
        whole=whole,
    )


# Rounds of 24 pages each: 8, 6 and 12 pages a second of ours beside 8, 8 and 10 of the bare engine.
READING = SideBySide(
    name="born-digital",
    unit="pages",
    ours=(turn(24, 3.0, 4.0), turn(24, 4.0, 4.0), turn(24, 2.0, 3.0)),
    bare=(turn(24, 3.0, 2.0), turn(24, 3.0, 2.0), turn(24, 2.4, 3.0)),
)


def test_the_ratio_is_the_median_of_the_rounds_own_ratios() -> None:
    assert READING.ratios == pytest.approx((1.0, 0.75, 1.2))
    assert READING.ratio == pytest.approx(1.0)
    assert READING.cpu_ratio == pytest.approx(0.5)
    assert READING.per_s(READING.ours) == pytest.approx(8.0)
    assert READING.met


def test_a_ratio_below_the_target_misses_it_and_without_a_target_nothing_is_promised() -> None:
    slow = SideBySide(name="OCR", unit="pages", ours=(turn(8, 10.0),), bare=(turn(8, 8.0),))
    free = SideBySide(name="with summaries", unit="chunks", ours=(turn(8, 10.0),), bare=(turn(8, 4.0),), target=None)
    assert (slow.met, free.met) == (False, None)
    text = render_ingest(speed(READING, slow, free))
    assert "1.00 (0.75 to 1.20)" in text
    assert "met     born-digital, pages a second: 1.00 ×, at least 0.85 ×" in text
    assert "MISSED  OCR, pages a second: 0.80 ×, at least 0.85 ×" in text
    assert "with summaries, chunks a second:" not in text


def test_the_report_tells_phases_and_memory_of_whole_runs() -> None:
    memory = TreeMemory(parent_mb=410.4, largest_child_mb=150.0, together_mb=700.0)
    phases = (("reading", 7.5), ("embedding", 4.0))
    run = WholeRun(workers=2, pages=30, seconds=12.0, phases=phases, memory=memory)
    measured = speed(READING, whole=(run,))
    text = render_ingest(measured)
    assert "2.50" in text
    assert "410" in text
    values = json.loads(json.dumps(ingest_as_json(measured)))
    assert values["whole"][0]["phases_s"] == {"reading": 7.5, "embedding": 4.0}
    assert values["whole"][0]["pages_per_s"] == 2.5
    assert values["whole"][0]["memory"]["together_mb"] == 700.0
    assert values["comparisons"][0]["met"] is True


def test_the_fastest_path_is_held_against_its_own_engine_and_named_where_it_is_not_installed() -> None:
    passages = SideBySide(name="passages", unit="chunks", ours=(turn(90, 3.0),), bare=(turn(90, 2.7),))
    fast = SideBySide(name="fastest path", unit="chunks", ours=(turn(90, 1.5),), bare=(turn(90, 1.0),))
    measured = render_ingest(speed(passages, fast))
    assert "passages with GOLDEN_EMBEDDING_RUNTIME=openvino, 2.00 × as many; bare 2.70 ×" in measured
    assert "MISSED  fastest path, chunks a second: 0.67 ×, at least 0.85 ×" in measured
    named = render_ingest(speed(passages))
    assert "OpenVINO in bf16, not installed" in named
    assert "MISSED" not in named


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_the_memory_of_a_process_and_of_what_it_started_is_seen(tmp_path: Path) -> None:
    child = "b = bytearray(60_000_000); import time; time.sleep(1.0)"
    code = f"import subprocess, sys; print('said'); subprocess.run([sys.executable, '-c', {child!r}])"
    printed, memory = run_watched([sys.executable, "-c", code], os.environ, tmp_path, timeout_s=60)
    assert printed == "said\n"
    assert memory is not None
    assert memory.largest_child_mb > 60.0
    assert memory.parent_mb < memory.largest_child_mb
    assert memory.together_mb > memory.largest_child_mb


def test_a_command_that_fails_is_told_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no such thing"):
        run_watched([sys.executable, "-c", "raise SystemExit('no such thing')"], os.environ, tmp_path, timeout_s=60)
