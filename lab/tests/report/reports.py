"""Reports made by hand, for the tests of what is written of them."""

from dataclasses import replace
from typing import Any

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
