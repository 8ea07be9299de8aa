"""A trained encoder is measured against the same judgement without it, on halves that nothing learnt from."""

import json
from pathlib import Path

import pytest

from evaluation.run import Run
from evaluation.statistics.intervals import Interval
from golden_lab.encoders.measuring import Compared, EncoderReport, Spent, measure_encoder
from golden_lab.encoders.report import report_as_json, report_as_markdown
from golden_lab.wiring.measuring import build_encoder_engines
from golden_retriever.settings import Settings
from lab.tests.benchmarks import annotated_sets as sets
from tests.golden_retriever.wiring.test_encoders import write_calibration
from tests.tools.encoder.made_weights import write_weights


def _compared(benchmark: str, low: float, high: float) -> Compared:
    spent = Spent(wall_ms=1.0, cpu_ms=2.0)
    return Compared(
        judgement="answerability",
        benchmark=benchmark,
        metric="weighted F1",
        cases=10,
        groups=5,
        before=0.5,
        after=0.6,
        difference=Interval(value=(low + high) / 2, low=low, high=high),
        spent_before=spent,
        spent_after=spent,
        published="weighted F1 0.750",
    )


def _report(*compared: Compared) -> EncoderReport:
    return EncoderReport(encoder="made@0", embedder="e", bytes=1_500_000, seed=7, compared=compared)


@pytest.mark.parametrize(
    ("differences", "better"),
    [
        ([(0.01, 0.2)], True),
        ([(-0.01, 0.2)], False),
        ([(0.01, 0.2), (-0.3, 0.1)], True),
        ([(0.01, 0.2), (-0.3, -0.1)], False),
    ],
)
def test_better_is_more_than_the_interval_and_nowhere_worse(
    differences: list[tuple[float, float]], better: bool
) -> None:
    report = _report(*(_compared(f"b{at}", *each) for at, each in enumerate(differences)))
    assert report.is_better("answerability") is better
    assert json.loads(report_as_json(report))["better"] == (["answerability"] if better else [])
    said = report_as_markdown(report)
    assert "1.5 MB" in said
    assert ("answerability: better" in said) is better
    assert "weighted F1 0.750" in said


async def test_both_are_asked_about_the_same_questions(tmp_path: Path) -> None:
    sets.write_mtrag(tmp_path)
    weights = write_calibration(write_weights(tmp_path / "weights"))
    run = Run(data=tmp_path, work=tmp_path)
    before, after, name = build_encoder_engines(Settings(), weights, tmp_path)
    seen = []
    report = await measure_encoder(
        before, after, run, weights, name, only=["context_relevance"], on_progress=seen.append
    )
    (compared,) = report.compared
    assert (compared.benchmark, compared.cases) == ("relevance-mtrag", 3)
    assert 0 <= compared.before <= 1
    assert compared.difference.value == pytest.approx(compared.after - compared.before)
    assert compared.spent_after.cpu_ms > 0
    assert report.encoder == name
    assert name.startswith("made@")
    assert report.bytes > 1_000
    assert (seen[-1].done, seen[-1].cases) == (3, 3)
    few = await measure_encoder(before, after, run, weights, name, only=["context_relevance"], most=1)
    assert few.compared[0].cases == 1
