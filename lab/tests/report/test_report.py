"""The report: its files lose nothing and escape everything; two of them compared, and what shuts the gate."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from contracts.errors import InvalidInput
from golden_lab.report.comparison import check_gate, compare
from golden_lab.report.files import from_json, read_report, to_json, write_report
from golden_lab.report.markdown import escape, to_markdown
from golden_lab.results import About, BenchmarkResult, Figure, Outcome, Published, Report, Score, SplitUse

EVIL = '<img src="http://evil.example/x.png" onerror="alert(1)"> & | *bold* `code`'


def score(value: float, half_width: float = 0.05, **other: Any) -> Score:
    return Score(
        **{"metric": "F1", "value": value, "low": value - half_width, "high": value + half_width, "n": 100} | other
    )


def result(*scores: Score, name: str = "claims", **other: Any) -> BenchmarkResult:
    about = About(
        name=name,
        title=f"Claims {EVIL}",
        intrinsic="faithfulness",
        metric="F1",
        source="Somebody 2024",
        licence="MIT",
        split="dev",
        uses=(SplitUse(file="claims/dev.jsonl", part="score"),),
        published=(
            Published(metric="F1", value=0.7, system="theirs", source="Somebody 2024, table 3", differs=f"test {EVIL}"),
        ),
    )
    made = BenchmarkResult(
        about=about,
        status="scored",
        note=f"100 of 2,000 claims {EVIL}",
        cases=100,
        case_digest="same",
        scores=scores,
        figures=(Figure(title="Bars", svg='<svg xmlns="http://www.w3.org/2000/svg"/>', description=f"Bars {EVIL}"),),
        worst=(Outcome(id="c7", loss=0.9, trace={"claim": EVIL}),),
        seconds=12.5,
    )
    return replace(made, **other)


def report(*results: BenchmarkResult, **other: Any) -> Report:
    made = Report(
        engine="embedded",
        model="small",
        revision="v1-3-gabc",
        seed=7,
        full=False,
        begun="2026-01-02T03:04:05+00:00",
        machine="2 cores, x86_64, Python 3.11.7",
        benchmarks=results,
    )
    return replace(made, **other)


def with_cases(value: BenchmarkResult, cases: dict[str, float]) -> BenchmarkResult:
    return replace(value, per_case=cases, cases=len(cases))


def sample() -> Report:
    failed = replace(result(name="broken"), status="failed", reason=f"no data {EVIL}", scores=(), worst=(), figures=())
    return report(
        result(score(0.8), score(0.6, metric="ECE", higher_is_better=False), per_case={"a": 1.0, "b": 0.6}), failed
    )


def test_json_gives_back_the_same_report() -> None:
    made = sample()
    assert from_json(to_json(made)) == made
    assert json.loads(to_json(made))["schema"] == 1


def test_what_is_no_report_is_refused_by_name(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text, words in [
        ("{", "JSON"),
        ("[]", "is not a report"),
        ('{"schema": 99}', "schema"),
        ('{"schema": 1, "engine": "x"}', "model"),
    ]:
        with subtests.test(text=text):
            (tmp_path / "r.json").write_text(text)
            with pytest.raises(InvalidInput, match=words) as caught:
                read_report(tmp_path / "r.json")
            assert "r.json" in str(caught.value)
    with pytest.raises(InvalidInput, match="is not a file"):
        read_report(tmp_path / "none.json")


def test_the_page_says_it_all_fetches_nothing_and_runs_nothing(tmp_path: Path) -> None:
    paths = write_report(sample(), tmp_path, "embedded", before=report(result(score(0.5)), revision="older"))
    assert [path.suffix for path in paths] == [".json", ".md", ".html"]
    text = paths[2].read_text()
    page = html.fromstring(text)
    references = [value for each in page.iter() for name, value in each.items() if name in ("src", "href")]
    ids = page.xpath("//@id")
    assert all(each.startswith(("#", "data:image/svg+xml;base64,")) for each in references), references
    assert {each[1:] for each in references if each.startswith("#")} <= set(ids)
    assert len(set(ids)) == len(ids)
    assert not page.xpath("//script | //link | //@srcset | //@action | //@*[starts-with(name(), 'on')]")
    assert not re.search(r"url\(|@import", text)
    assert not list(tmp_path.glob("*.part"))
    for words in (
        "v1-3-gabc", "small", "0.800", "0.750 to 0.850", "0.700", "Somebody 2024, table 3", "differs: test", EVIL,
        "c7 (loss 0.90)", "Not measured", "+0.300", "better", "MIT", "dev", "12 s",
    ):  # fmt: skip
        assert words in page.text_content(), words
    assert len(page.xpath("//img")) == 1


def test_markdown_keeps_its_tables_whatever_the_text() -> None:
    made = sample()
    text = to_markdown(made, ())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    for line in rows:
        assert len(re.findall(r"(?<!\\)\|", line)) in (9, 8, 6), line
    assert "<img" not in text.replace("\\<img", "")
    assert "| F1 |  |  | 0.800 | 0.750 to 0.850 | 100 | new |" in text
    assert "| F1 |  | theirs (Somebody 2024, table 3; differs: test" in text
    assert "- broken: no data" in text
    assert escape("a\n|b_c") == r"a \|b\_c"


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
