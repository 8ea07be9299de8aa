"""Two reports compared: what counts as a change, and what shuts the gate."""

from dataclasses import replace

import pytest

from golden_lab.report.comparison import check_gate, compare
from lab.tests.report.reports import report, result, score, with_cases


def cases(right: int, of: int = 100) -> dict[str, float]:
    return {f"c{at}": float(at < right) for at in range(of)}


def test_a_fall_within_the_interval_leaves_the_gate_open() -> None:
    baseline = report(result(score(0.80)))
    assert check_gate(report(result(score(0.75))), baseline) == ()
    (failure,) = check_gate(report(result(score(0.749))), baseline)
    assert failure == "claims · F1: 0.8 → 0.749, worse (by the interval)"


def test_the_same_cases_are_compared_in_pairs() -> None:
    # Eight questions fall and none rises: far within either interval, and no chance.
    baseline = report(with_cases(result(score(0.80, 0.08)), cases(80)))
    now = report(with_cases(result(score(0.72, 0.09)), cases(72)))
    (failure,) = check_gate(now, baseline)
    assert failure == "claims · F1: 0.8 → 0.72, worse (paired over 100 cases)"
    unpaired = report(result(score(0.72, 0.09)))
    assert check_gate(unpaired, baseline) == ()
    # One question more or less is chance, even from an interval without width.
    assert (
        check_gate(
            report(with_cases(result(score(0.99, 0.0)), cases(99))),
            report(with_cases(result(score(1.0, 0.0)), cases(100))),
        )
        == ()
    )


def test_what_is_missing_or_failed_is_named() -> None:
    baseline = report(result(score(0.8), score(0.5, subset="law")), result(score(0.8), name="other"))
    now = report(result(score(0.8)))
    assert list(check_gate(now, baseline)) == [
        "claims · F1 law: is in the baseline and was not scored",
        "other: is in the baseline and was not measured",
    ]
    failed = report(replace(baseline.benchmarks[0], status="failed", reason="no data"), baseline.benchmarks[1])
    assert list(check_gate(failed, baseline)) == ["claims: failed: no data"]
    assert check_gate(now, baseline, only=["oth*"])[0].startswith("other: ")
    assert check_gate(baseline, failed) == ()


def test_other_cases_are_not_compared_in_silence() -> None:
    baseline = report(result(score(0.8)))
    now = report(result(score(0.8), case_digest="others", cases=90), seed=8, full=True)
    (failure,) = check_gate(now, baseline)
    assert failure == (
        "claims: cannot be compared, it was measured on other cases (90 cases of seed 8, 100 of seed 7 in the baseline)"
    )
    (difference,) = compare(now, baseline)
    assert (difference.verdict, difference.how) == ("not compared", "measured on other cases")


def test_changes_count_beyond_half_the_width_of_the_earlier_interval(subtests: pytest.Subtests) -> None:
    for before, now, higher_is_better, verdict in [
        (0.5, 0.7, True, "better"),
        (0.7, 0.5, True, "worse"),
        (0.7, 0.5, False, "better"),
        (0.5, 0.54, True, "same"),
        (0.5, 0.5, True, "same"),
    ]:
        with subtests.test(before=before, now=now):
            (difference,) = compare(
                report(result(score(now, higher_is_better=higher_is_better))),
                report(result(score(before, higher_is_better=higher_is_better))),
            )
            assert (difference.verdict, difference.how) == (verdict, "by the interval")
            assert difference.change == pytest.approx(now - before)
            assert difference.low is None
