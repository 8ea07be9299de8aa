"""The report on own cases: its intervals, its file, and what shuts the gate."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from contracts.errors import InvalidInput
from evaluation.case_report import CaseOutcome, CaseReport, find_falls, read_report, wilson


def report(*right: bool, recall: bool = True) -> CaseReport:
    outcomes = [
        CaseOutcome(
            case_id=f"c{number}", question="?", expected="answered", outcome="answered", differs=(), milliseconds=1.0,
            kind="open" if number % 2 else "table", hits={"right": hit, "recall": recall},
        )
        for number, hit in enumerate(right)
    ]  # fmt: skip
    return CaseReport(
        source="ours.jsonl", engine="embedded", model="m", revision="r", machine="2 cores", begun="", seconds=1.0,
        waiting=0, outcomes=tuple(outcomes),
    )  # fmt: skip


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(0, 300))
def test_wilson_as_scipy(n: int, successes: int) -> None:
    successes = min(successes, n)
    theirs = binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_right_answers_are_scored_by_kind_too() -> None:
    scores = {(each.metric, each.kind): each.value for each in report(True, True, False, True).scores}
    assert scores == {("right", ""): 0.75, ("recall", ""): 1.0, ("right", "open"): 1.0, ("right", "table"): 0.5}


def test_only_a_fall_beyond_chance_shuts_the_gate() -> None:
    all_right = report(*[True] * 20)
    assert find_falls(all_right, all_right) == ()
    assert find_falls(report(*[False] * 3, *[True] * 17), all_right) == ()
    assert find_falls(report(*[False] * 4, *[True] * 16), all_right) == (
        "right: 20 → 16 of 20, worse (4 lost, 0 gained)",
    )
    mixed = report(*[False] * 4, *[True] * 16)
    assert find_falls(report(*[True] * 4, *[False] * 4, *[True] * 12), mixed) == ()
    assert find_falls(report(*[True] * 20, recall=False), all_right)[0].startswith("recall: 20 → 0 of 20")
    (reason,) = find_falls(report(*[True] * 19), all_right)
    assert "other cases were measured (19 cases, 20 in the baseline)" in reason


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    made = report(True, False)
    path.write_text(made.model_dump_json())
    assert read_report(path) == made
    path.write_text('{"benchmarks": []}')
    for wrong in (path, tmp_path / "none.json"):
        with pytest.raises(InvalidInput, match=wrong.name):
            read_report(wrong)
