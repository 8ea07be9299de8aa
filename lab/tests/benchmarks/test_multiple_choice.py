"""Quizzes with options, on sets that the test writes in the formats of the public ones."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InvalidInput
from evaluation.results import Outcome, Score
from golden_lab.benchmarks.base import Benchmark
from golden_lab.benchmarks.multiple_choice import (
    ACCURACY,
    CHANCE,
    GAIN_OVER_RAG,
    PLAIN,
    benchmarks,
    score,
)
from golden_lab.datasets.quizzes import GLOSSARY, SPECIFICATIONS, TELEQNA, read_glossary
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.systems.golden import WHOLE
from golden_lab.wiring.measuring import build_engine
from golden_retriever.settings import load_settings
from lab.tests.benchmarks.jargon_bench import measured, write_rows

FACTS = {
    "Which company built the first mast of Dalby?": ("Nordtel", "Nordtel built the first mast of Dalby in 1987."),
    "How many antennas does the mast of Dalby carry?": ("twelve", "The mast of Dalby carries twelve antennas."),
}
# Lies in the half that fits may use: it is not asked.
FITTED = "How many antennas does the mast of Falun carry?"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return build_engine(load_settings())


@pytest.fixture
def run(tmp_path: Path) -> Run:
    data = tmp_path / "data"
    write_rows(
        data / TELEQNA,
        [
            {
                "id": f"question {number}",
                "question": question,
                "options": ["Sudkom", "forty", answer],
                "answer_idx": 2,
                "explanation": explanation,
                "category": "Lexicon" if number else "Standards overview",
            }
            for number, (question, (answer, explanation)) in enumerate([*FACTS.items(), (FITTED, ("six", "Six."))])
        ],
    )
    meanings = {
        "ABC": "Alpha Beta Control",
        "DEF": "Delta Echo Frame",
        "GHI": "Gamma Hold Input",
        "JKL": "Jump Key Lock",
    }
    terms = [{"term": term, "meaning": meaning} for term, meaning in meanings.items()]
    other = [{"term": "ABC", "meaning": "Another Bad Case"}, {"term": "word", "meaning": "a plain word"}]
    write_rows(data / GLOSSARY, [*terms, *terms[1:2], *other])
    documents = [
        {"id": "caliptra-spec", "title": "Spec", "context": "x", "text": "# Terms\n\nDEF is Delta Echo Frame."}
    ]
    write_rows(data / SPECIFICATIONS, [*documents, {"id": "y", "title": "Y", "context": "riscv_isa", "text": "No."}])
    return Run(data=data, work=tmp_path / "work")


def quiz(name: str) -> Benchmark[Any]:
    return next(each for each in benchmarks() if each.about.name == name)


async def scored(benchmark: Benchmark[Any], engine: Engine, run: Run) -> tuple[list[Outcome], Sequence[Score]]:
    outcomes = await measured(benchmark, engine, run)
    return outcomes, benchmark.score(outcomes, 7)


async def test_an_open_book_quiz_is_answered_from_its_explanations(engine: Engine, run: Run) -> None:
    outcomes, scores = await scored(quiz("quiz-teleqna"), engine, run)
    values = {(each.system, each.subset): each.value for each in scores if each.metric == ACCURACY}
    assert values[WHOLE, ""] == values[PLAIN, ""] == values[WHOLE, "Lexicon"] == 1.0
    assert values["no retrieval (declines)", ""] == 0.0
    assert values[CHANCE, ""] == pytest.approx(1 / 3)
    assert all(outcome.loss == 0.0 for outcome in outcomes)
    assert outcomes[0].trace["gold"] == "c) Nordtel"
    assert [outcome.id for outcome in outcomes] == ["question 0", "question 1"]
    assert "open book" in quiz("quiz-teleqna").load(run).note
    json.dumps([dict(outcome.values) for outcome in outcomes])


async def test_questions_on_abbreviations_have_other_meanings_as_distractors(engine: Engine, run: Run) -> None:
    cases = read_glossary(run)
    assert [case.id for case in cases] == ["DEF", "GHI", "JKL"]
    first = cases[0]
    assert first.text == "What does DEF stand for?"
    assert first.options[first.right] == "Delta Echo Frame"
    assert sorted(first.options) == ["Delta Echo Frame", "Gamma Hold Input", "Jump Key Lock"]
    assert read_glossary(run) == cases
    outcomes, _ = await scored(quiz("quiz-hwspecs"), engine, run)
    assert outcomes[0].values[WHOLE][ACCURACY] == 1.0


def test_the_gain_is_the_ratio_of_accuracies() -> None:
    def outcome(number: int, plain: float, whole: float) -> Outcome:
        numbers = {PLAIN: plain, WHOLE: whole}
        values = {name: {ACCURACY: value, "answered": 1.0} for name, value in numbers.items()}
        return Outcome(id=str(number), values={"subset": "all", CHANCE: {ACCURACY: 0.25}, **values})

    outcomes = [outcome(number, float(number < 4), float(number < 6)) for number in range(8)]
    scores = {(each.metric, each.system): each for each in score(outcomes, 7)}
    assert scores[GAIN_OVER_RAG, WHOLE].value == pytest.approx(0.5)
    assert scores[ACCURACY, WHOLE].value == 0.75
    assert scores[ACCURACY, CHANCE].value == 0.25


def test_an_answer_that_is_none_of_the_options_is_refused(run: Run) -> None:
    row = {
        "id": "q",
        "question": "What is lost?",
        "options": ["a"],
        "answer_idx": 3,
        "explanation": "e",
        "category": "c",
    }
    write_rows(run.data / TELEQNA, [row])
    with pytest.raises(InvalidInput, match="none of its 1 options"):
        quiz("quiz-teleqna").load(run)
