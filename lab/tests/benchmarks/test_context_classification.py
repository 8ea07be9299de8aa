"""Questions on guides as contexts, on pages that the test writes."""

from pathlib import Path

import pytest

from golden_lab.benchmarks.base import CaseSet
from golden_lab.benchmarks.context_classification import (
    WITH_CORRECTIONS,
    WITH_EXAMPLES,
    WITHOUT_EXAMPLES,
    benchmarks,
    score,
)
from golden_lab.datasets.guides import described_guides, draw_cases
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.splits import half
from lab.tests.benchmarks.measure import value, write_rows

SUBJECTS = {
    "amazon-sqs-developer-guide": "message",
    "aws-kms-developer-guide": "encryption",
    "amazon-athena-user-guide": "partition",
    "aws-step-functions-developer-guide": "transition",
    "amazon-rds-user-guide": "replica",
    "amazon-s3-developer-guide": "bucket",
    "iam-user-guide": "password",
}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    pages = [
        {"guide": guide, "title": f"How {subject} number {number} works", "id": f"{guide}/{number}"}
        for guide, subject in SUBJECTS.items()
        for number in range(12)
    ]
    pages += [{"guide": guide, "title": "What is new this year"} for guide in ("aws-kms-developer-guide", "some-guide")]
    pages += [{"guide": "amazon-sqs-developer-guide", "title": "How to begin with SQS"}]
    write_rows(tmp_path / "awsdocs" / "corpus_full.jsonl.gz", pages)
    asked = {
        "question": "May a message be lost?",
        "doc_id": "documents/amazon-sqs-developer-guide/doc_source/a.md",
    }
    write_rows(tmp_path / "awsdocs" / "qa.jsonl", [asked])
    write_rows(tmp_path / "eda_corpus" / "qa.jsonl", ({"question": f"Which net is {n}?"} for n in range(20)))
    write_rows(tmp_path / "teleqna" / "teleqna.jsonl.gz", ({"question": f"Which band is {n}?"} for n in range(20)))
    return Run(data=tmp_path, work=tmp_path)


def test_cases_are_drawn_from_one_half(run: Run) -> None:
    cases = draw_cases(run.data, "score", drawings=3, seed=1)
    names = {described_guides()[guide].name for guide in SUBJECTS if half("awsdocs-guides", guide) == "score"}
    assert len(names) == 4
    assert {context.name for case in cases for context in case.contexts} <= names
    for case in cases:
        assert case.truth in ("", *(context.name for context in case.contexts))
        assert all(len(context.examples) == 3 and case.question not in context.examples for context in case.contexts)
        assert not any(context.examples for context in case.without_examples)
        assert "new this year" not in case.question
        assert "SQS" not in case.question
    assert {case.kind for case in cases} == {"question", "title", "title elsewhere", "EDA-Corpus", "TeleQnA"}
    assert draw_cases(run.data, "score", drawings=3, seed=1) == cases
    fitted = {case.question for case in draw_cases(run.data, "fit", drawings=3, seed=1)}
    assert fitted
    assert fitted.isdisjoint(case.question for case in cases)


async def test_every_system_is_measured(engine: Engine, run: Run) -> None:
    (benchmark,) = benchmarks()
    cases = draw_cases(run.data, "score", drawings=2, seed=run.seed)
    async with benchmark.prepare(CaseSet(cases=cases), engine, run) as measure:
        outcomes = [await measure(case) for case in cases]
    scores = score(outcomes, run.seed)
    assert {each.subset for each in scores if each.system == WITH_EXAMPLES} >= {"", "title", "TeleQnA"}
    assert value(scores, "accuracy", system=WITHOUT_EXAMPLES) >= 0.0
    assert value(scores, "accuracy", system=WITH_CORRECTIONS) >= value(scores, "accuracy", system=WITH_EXAMPLES) - 0.1
    first = outcomes[0]
    assert first.trace["question"]
    assert "none of these" in first.trace["probabilities"]
