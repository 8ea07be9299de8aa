"""Quizzes with options, on sets that the test writes in the formats of the public ones."""

import json
from pathlib import Path

import pytest

from golden_lab.benchmarks.multiple_choice import (
    ACCURACY,
    CHANCE,
    GAIN_OVER_RAG,
    PLAIN,
    TELEQNA,
    benchmarks,
    score,
)
from golden_lab.engine import Engine
from golden_lab.results import Outcome
from golden_lab.run import Run
from golden_lab.systems.golden import WHOLE
from lab.tests.benchmarks.measure import measured, write_rows

FACTS = {
    "Which company built the first mast of Dalby?": ("Nordtel", "Nordtel built the first mast of Dalby in 1987."),
    "How many antennas does the mast of Dalby carry?": ("twelve", "The mast of Dalby carries twelve antennas."),
}
# Lies in the half that fits may use: it is not asked.
FITTED = "How many antennas does the mast of Falun carry?"


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
    return Run(data=data, work=tmp_path / "work")


async def test_an_open_book_quiz_is_answered_from_its_explanations(shipped_engine: Engine, run: Run) -> None:
    (quiz,) = benchmarks()
    outcomes = await measured(quiz, shipped_engine, run)
    scores = quiz.score(outcomes, 7)
    values = {(each.system, each.subset): each.value for each in scores if each.metric == ACCURACY}
    assert values[WHOLE, ""] == values[PLAIN, ""] == values[WHOLE, "Lexicon"] == 1.0
    assert values["no retrieval (declines)", ""] == 0.0
    assert values[CHANCE, ""] == pytest.approx(1 / 3)
    assert all(outcome.loss == 0.0 for outcome in outcomes)
    assert outcomes[0].trace["gold"] == "c) Nordtel"
    assert [outcome.id for outcome in outcomes] == ["question 0", "question 1"]
    assert "open book" in quiz.load(run).note
    json.dumps([dict(outcome.values) for outcome in outcomes])


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
