"""The benchmarks of answerability: what is asked of the judge, what counts, and what it comes to."""

from dataclasses import replace
from pathlib import Path

import pytest

from golden_lab.benchmarks.answerability import benchmarks
from golden_lab.benchmarks.base import sample_by_kind
from golden_lab.datasets.annotated import squad2_questions
from golden_lab.engine import Engine
from golden_lab.results import Outcome
from golden_lab.run import Run
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.benchmarks.measure import measured


def outcome(number: int, kind: str, *, said: bool, probability: float) -> Outcome:
    truth = kind != "unanswerable"
    values = {"truth": truth, "said": said, "probability": probability, "group": str(number), "kind": kind}
    return Outcome(id=str(number), values=values)


async def test_each_question_is_judged_with_its_own_paragraph(engine: Engine, tmp_path: Path) -> None:
    sets.write_squad2(tmp_path)
    squad2 = benchmarks()[0]
    outcomes = await measured(squad2, engine, Run(data=tmp_path, work=tmp_path))
    assert [each.id for each in outcomes] == ["q0", "q1", "q2", "q3"]
    assert [each.values["truth"] for each in outcomes] == [True, True, False, False]
    # The paragraph gives the length; it knows neither a painter nor 1890.
    assert outcomes[0].values["probability"] > outcomes[2].values["probability"]
    threshold = engine.judges.policy.answerability_threshold
    for each in outcomes:
        probability = each.values["probability"]
        assert each.values["said"] == (probability >= threshold)
        assert each.loss == pytest.approx(abs(probability - float(each.values["truth"])))
        assert each.trace["passage"] == sets.FACT
    assert "1890" in outcomes[2].trace["reason"]


async def test_partly_answerable_counts_as_answerable(engine: Engine, tmp_path: Path) -> None:
    sets.write_mtrag(tmp_path)
    outcomes = await measured(benchmarks()[1], engine, Run(data=tmp_path, work=tmp_path))
    assert [(each.values["kind"], each.values["truth"]) for each in outcomes] == [
        ("answerable", True), ("unanswerable", False), ("partial", True),
    ]  # fmt: skip


def test_each_kind_has_its_share_of_called_answerable() -> None:
    outcomes = [
        outcome(1, "answerable", said=True, probability=0.9),
        outcome(2, "partial", said=False, probability=0.4),
        outcome(3, "unanswerable", said=True, probability=0.6),
    ]
    found = {(each.metric, each.subset): each for each in benchmarks()[1].score(outcomes, 7)}
    assert found["called answerable", "answerable"].value == 1
    assert found["called answerable", "partial"].value == 0
    assert not found["called answerable", "unanswerable"].higher_is_better


def test_a_sample_keeps_so_many_of_each_kind_and_says_so(tmp_path: Path) -> None:
    sets.write_squad2(tmp_path, answerable=6, impossible=3)
    load = sample_by_kind(squad2_questions, {"present": 2})
    run = Run(data=tmp_path, work=tmp_path, seed=5)
    kept = load(run)
    assert [each.kind for each in kept.cases] == ["present"] * 2 + ["adversarial"] * 3
    assert kept.note == "2 of 6 questions “present”, seed 5"
    assert load(run) == kept
    smaller = load(replace(run, largest_sample=1))
    assert [each.kind for each in smaller.cases] == ["present", "adversarial"]
    whole = load(Run(data=tmp_path, work=tmp_path, full=True))
    assert (len(whole.cases), whole.note) == (9, "")
