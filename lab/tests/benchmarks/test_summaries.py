"""The benchmark of summarisation: documents put back together, keys of equal length, and who is found by them."""

from pathlib import Path

import pytest

from contracts.provenance import Provenance
from contracts.verdicts import Summary
from evaluation.results import Outcome
from golden_lab.benchmarks.summaries import (
    BOTH,
    GAIN,
    OPENING,
    OPENING_OF_BOTH,
    PASSAGES,
    RANDOM,
    SUMMARY,
    TITLE,
    Section,
    benchmarks,
    keys_of,
    sections_of,
)
from golden_lab.datasets.corpora import Collection, CollectionPassage
from golden_lab.run import Run
from golden_lab.wiring.measuring import build_engine
from golden_retriever.settings import Settings
from lab.tests.datasets.test_corpora import write_mtrag
from tools.embedding.hashing import HashingEmbedder

SYSTEMS = (SUMMARY, BOTH, OPENING, RANDOM, OPENING_OF_BOTH, TITLE, PASSAGES)


def collection(*passages: tuple[str, str]) -> Collection:
    return Collection(
        name="some",
        passages=tuple(
            CollectionPassage(id=id_, unit=id_, document=id_.rsplit("-", 2)[0], title="", text=text)
            for id_, text in passages
        ),
        questions=(),
        note="",
    )


def test_passages_are_put_back_together_without_what_they_share() -> None:
    (tea,) = sections_of(collection(("tea-8-20", "Tea\nhot. It is green."), ("tea-0-12", "Tea\nTea is a hot.")))
    # The second passage begins at 8, four characters before the first one ends.
    assert (tea.id, tea.title, tea.text) == ("tea#0", "Tea", "Tea is a hot.\n It is green.")
    assert [each.id for each in tea.passages] == ["tea-0-12", "tea-8-20"]


def test_a_long_document_is_several_sections_and_one_line_is_no_title() -> None:
    long = sections_of(collection(("a-0-9000", "x" * 9_000), ("a-9000-18000", "y" * 9_000), ("b-0-5", "word.")))
    assert [(each.id, each.title, len(each.text)) for each in long] == [
        ("a#0", "", 9_000), ("a#1", "", 9_000), ("b#0", "", 5),
    ]  # fmt: skip


def test_keys_are_as_long_as_what_they_stand_beside() -> None:
    section = Section(id="s", title="Tea", text="One two three. Four five six. Seven eight nine ten.", passages=())
    summary = Summary(text="Four five six.", questions=("What is it?",), provenance=Provenance(implementation="hand"))
    keys = keys_of(section, summary, 1)
    assert keys[SUMMARY] == "Tea\nFour five six."
    assert keys[BOTH] == "Tea\nFour five six.\nWhat is it?"
    assert keys[OPENING] == "Tea\nOne two three."
    assert keys[OPENING_OF_BOTH] == "Tea\nOne two three. Four five six."
    assert keys[TITLE] == "Tea"
    assert len(keys[RANDOM].split()) == 4


async def test_each_question_finds_its_section(tmp_path: Path) -> None:
    write_mtrag(tmp_path / "data")
    (benchmark,), run = benchmarks(), Run(data=tmp_path / "data", work=tmp_path / "work")
    engine = build_engine(Settings.model_validate({}), embedder=HashingEmbedder())
    cases = benchmark.load(run)
    assert cases.cases
    assert all(len(each.relevant) == 1 for each in cases.cases)
    async with benchmark.prepare(cases, engine, run) as measure:
        outcomes = [await measure(case) for case in cases.cases]
    scores = {(each.system, each.metric): each.value for each in benchmark.score(outcomes, run).scores}
    # Each question names its topic, which one section holds; that is all its text, so that every key is the same.
    assert all(scores[system, "Recall@1"] == 1 for system in (SUMMARY, OPENING, PASSAGES))
    assert scores[SUMMARY, GAIN] == 0
    assert (benchmark.about.metric_system, benchmark.about.metric) in scores
    assert all(each.trace[f"place by {PASSAGES}"] == "1" for each in outcomes)


def test_the_gain_is_taken_question_by_question(tmp_path: Path) -> None:
    def outcome(number: int, summary: float, opening: float) -> Outcome:
        rows = {name: {"Recall@1": 0.0, "Recall@5": 1.0, "MRR": opening} for name in SYSTEMS}
        rows[SUMMARY] = {"Recall@1": 0.0, "Recall@5": 1.0, "MRR": summary}
        return Outcome(id=str(number), values={**rows, "group": str(number)})

    outcomes = [outcome(1, 0.5, 0.25), outcome(2, 1.0, 0.5)]
    scores = benchmarks()[0].score(outcomes, Run(data=tmp_path, work=tmp_path)).scores
    found = {(each.system, each.metric): each.value for each in scores}
    assert found[SUMMARY, "MRR"] == 0.75
    assert found[SUMMARY, GAIN] == pytest.approx(0.375)
    assert found[BOTH, GAIN] == 0
