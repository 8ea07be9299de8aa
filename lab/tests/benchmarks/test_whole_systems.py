"""Flows, quizzes and compared systems, on sets that the tests write in the formats of the public ones."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from golden_lab.benchmarks import flows, multiple_choice
from golden_lab.benchmarks.flows import RESPONSES
from golden_lab.benchmarks.multiple_choice import ACCURACY, CHANCE, GAIN_OVER_RAG, PLAIN, TELEQNA, score
from golden_lab.benchmarks.systems import benchmarks
from golden_lab.engine import Engine
from golden_lab.results import Outcome
from golden_lab.run import Run
from golden_lab.splits import half
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.measures import CITED, FAITHFULNESS, JAFS, REFUSED, RIGHT
from lab.tests.benchmarks.annotated_sets import measured, write_rows
from lab.tests.systems.plant_library import CYCLE, KEYS, PAGES, UNKNOWN

FLOWS = ("none", "rewrite", "answerability", "rewrite and answerability")
PASSAGES = {
    "canteen-0-9": "The canteen of the Leiden plant opens at 7:30 and closes at 14:00. On Fridays it serves fish.",
    "keys-0-9": "A new colleague gets a locker key from the front desk. Lost keys cost 40 euros.",
}
SCORED = next(name for name in map(str, range(99)) if half("mtrag/tasks.jsonl.gz", name) == "score")
FITTED = next(name for name in map(str, range(99)) if half("mtrag/tasks.jsonl.gz", name) == "fit")


def task(turn: int, texts: Sequence[str], answerability: str, conversation: str = SCORED) -> dict[str, Any]:
    speakers = ("user", "agent") * len(texts)
    return {
        "task_id": f"{conversation}<::>{turn}",
        "domain": "govt",
        "input": [{"speaker": speaker, "text": text} for speaker, text in zip(speakers, texts, strict=False)],
        "answerability": answerability,
        "target": "the reference",
    }


@pytest.fixture
def flows_run(tmp_path: Path) -> Run:
    folder = tmp_path / "data" / "mtrag" / "retrieval" / "govt"
    opening = ("When does the canteen of the Leiden plant open?", "The canteen of the Leiden plant opens at 7:30.")
    rows = [
        task(1, opening[:1], "ANSWERABLE"),
        task(2, [*opening, "And when does it close?"], "PARTIAL"),
        task(3, [*opening, "Who won the marathon of Boston?"], "UNANSWERABLE"),
        task(4, [*opening, "Thanks!"], "CONVERSATIONAL"),
        task(1, opening[:1], "ANSWERABLE", FITTED),
    ]
    write_rows(tmp_path / "data" / "mtrag" / "tasks.jsonl.gz", rows)
    write_rows(folder / "corpus_pooled.jsonl.gz", [{"_id": id, "text": text} for id, text in PASSAGES.items()])
    asked = [{"_id": rows[0]["task_id"], "text": f"|user|: {opening[0]}"}]
    write_rows(folder / "rewrite.jsonl", asked)
    write_rows(folder / "lastturn.jsonl", asked)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{asked[0]['_id']}\tcanteen-0-9\t1\n")
    return Run(data=tmp_path / "data", work=tmp_path / "work")


async def test_rewriting_improves_search_and_the_gate_declines(shipped_engine: Engine, flows_run: Run) -> None:
    benchmark = flows.benchmarks()[0]
    cases = benchmark.load(flows_run)
    assert [case.id.split("<::>")[1] for case in cases.cases] == ["1", "2", "3"]
    assert [case.answerable for case in cases.cases] == [True, True, False]
    outcomes = await measured(benchmark, shipped_engine, flows_run)
    assert outcomes[0].values["none"] == {"answered": 1.0, FAITHFULNESS: 1.0, JAFS: 1.0}
    assert "14:00" in outcomes[1].trace["rewrite"]
    assert outcomes[2].values["rewrite and answerability"] == {"answered": 0.0, FAITHFULNESS: None, JAFS: 1.0}
    assert outcomes[2].values["none"][JAFS] == 1.0 - outcomes[2].values["none"]["answered"]
    assert outcomes[2].loss == 0.0


def test_scores_match_values_computed_by_hand(flows_run: Run) -> None:
    def outcome(number: int, answerable: bool, answered: bool, faithfulness: float | None) -> Outcome:
        joint = (faithfulness or 0.0) if answered and answerable else float(answered == answerable)
        numbers = {"answered": float(answered), FAITHFULNESS: faithfulness, JAFS: joint}
        values = {"answerable": float(answerable), "group": str(number % 3), **dict.fromkeys(FLOWS, numbers)}
        return Outcome(id=str(number), values=values)

    answers = [(True, True, 1.0), (True, True, 0.5), (True, True, None), (True, False, None), (False, False, None)]
    answers += [(False, True, None)]
    outcomes = [outcome(number, *answer) for number, answer in enumerate(answers)]
    scores = {(each.system, each.metric): each for each in flows.benchmarks()[0].score(outcomes, 7)}
    # Answerable: 3 of 4 found, precision 3 of 4; unanswerable: 1 of 2 found, precision 1 of 2.
    assert scores["none", "F1 answerable"].value == pytest.approx(0.75)
    assert scores["none", "F1 unanswerable"].value == pytest.approx(0.5)
    assert scores["none", RESPONSES].value == 3
    assert scores["none", FAITHFULNESS].value == pytest.approx(0.75)
    assert scores["none", FAITHFULNESS].n == 2
    assert scores["none", JAFS].value == pytest.approx(2.5 / 6)


FACTS = {
    "Which company built the first mast of Dalby?": ("Nordtel", "Nordtel built the first mast of Dalby in 1987."),
    "How many antennas does the mast of Dalby carry?": ("twelve", "The mast of Dalby carries twelve antennas."),
}
# This is in the half that is reserved for fitting, so it is not asked.
FITTED_QUESTION = "How many antennas does the mast of Falun carry?"


@pytest.fixture
def quiz_run(tmp_path: Path) -> Run:
    data = tmp_path / "data"
    facts = {**FACTS, FITTED_QUESTION: ("six", "Six.")}
    rows = [
        {
            "id": f"question {number}",
            "question": question,
            "options": ["Sudkom", "forty", answer],
            "answer_idx": 2,
            "explanation": explanation,
            "category": "Lexicon" if number else "Standards overview",
        }
        for number, (question, (answer, explanation)) in enumerate(facts.items())
    ]
    write_rows(data / TELEQNA, rows)
    return Run(data=data, work=tmp_path / "work")


async def test_an_open_book_quiz_is_answered_from_its_explanations(shipped_engine: Engine, quiz_run: Run) -> None:
    (quiz,) = multiple_choice.benchmarks()
    outcomes = await measured(quiz, shipped_engine, quiz_run)
    scores = quiz.score(outcomes, 7)
    values = {(each.system, each.subset): each.value for each in scores if each.metric == ACCURACY}
    assert values[WHOLE, ""] == values[PLAIN, ""] == values[WHOLE, "Lexicon"] == 1.0
    assert values["no retrieval (declines)", ""] == 0.0
    assert values[CHANCE, ""] == pytest.approx(1 / 3)
    assert all(outcome.loss == 0.0 for outcome in outcomes)
    assert outcomes[0].trace["gold"] == "c) Nordtel"
    assert [outcome.id for outcome in outcomes] == ["question 0", "question 1"]
    assert "open book" in quiz.load(quiz_run).note
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


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    folder = tmp_path / "examples"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "plant.txt").write_text("\n\n".join(PAGES))
    (folder / "dictionary.csv").write_text("term,extended_name,context\nEBR,Evaporation Bed Reactor,Process\n")
    (folder / "contexts.csv").write_text("name,description\nProcess,Drying of vaccines\n")
    quiz = (KEYS, CYCLE.model_copy(update={"page": 1}), UNKNOWN)
    write_rows(folder / "quiz.jsonl", (each.model_dump(exclude_defaults=True) for each in quiz))
    return folder


async def test_every_system_gets_every_example_question(examples: Path, shipped_engine: Engine, tmp_path: Path) -> None:
    (benchmark,) = benchmarks(examples)
    run = Run(data=tmp_path, work=tmp_path / "work")
    outcomes = await measured(benchmark, shipped_engine, run)
    values = outcomes[0].values
    assert len(values) == 1 + 9
    assert values[WHOLE][RIGHT] == values[WHOLE][CITED] == 1.0
    assert values[WHOLE][REFUSED] is None
    assert outcomes[2].values[WHOLE][REFUSED] == outcomes[2].values[WHOLE][JAFS] == 1.0
    assert outcomes[2].loss == 0.0
    assert "40 euros" in outcomes[0].trace[WHOLE]
    json.dumps([dict(outcome.values) for outcome in outcomes])
    scores = {(each.system, each.metric): each.value for each in benchmark.score(outcomes, 7)}
    assert scores[WHOLE, RIGHT] == 1.0
    assert scores["plain RAG", "right, difference to Golden Retriever"] == pytest.approx(scores["plain RAG", RIGHT] - 1)
    assert 0 < scores["without jargon", "right, p of the difference (Holm)"] <= 1
