"""What the arms are asked, read from three kinds of files."""

import json
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.experiments.cases import read_cases
from golden_lab.experiments.form import Experiment, find_experiment
from lab.tests.experiments.making import conditions_file, engine_with, experiment, write_questions
from lab.tests.systems.plant import open_plant


def line(name: str, condition: str, *chunks: str) -> dict[str, object]:
    return {
        "id": name, "source": "d", "condition": condition, "query": f"What of {name}?", "chunks": chunks,
        "relevant": [True] * len(chunks), "reference": "It is.",
        "messages": [{"role": "user", "content": f"Asked of {name}, {condition}"}],
    }  # fmt: skip


def test_passages_with_their_questions(tmp_path: Path) -> None:
    cases = read_cases(experiment(tmp_path), write_questions(tmp_path / "q.jsonl", 2))
    assert [(case.key, case.question, case.reference) for case in cases.cases] == [
        ("q0", "Which is rail 0?", "0 V"), ("q1", "Which is rail 1?", "1 V"),
    ]  # fmt: skip
    assert [each.text for each in cases.cases[1].passages] == ["Rail 1 is at 1 V."]
    assert cases.conditions == ("",)
    assert len(cases.sha256) == 64


def test_a_subsample_keeps_every_condition_of_what_it_draws(tmp_path: Path) -> None:
    found = find_experiment("retrieval-conditions")
    rows = [line(f"t{at}", condition, "a") for at in range(6) for condition in ("none", "noisy")]
    path = conditions_file(tmp_path / "test.jsonl", rows)
    cases = read_cases(found, path, subsample=2, seed=3)
    assert len(cases.cases) == 4
    assert len({case.id for case in cases.cases}) == 2
    assert cases.notes == ("2 of 6 questions, drawn by seed 3",)
    assert cases == read_cases(found, path, subsample=2, seed=3)
    assert cases.cases[0].messages[0].content.startswith("Asked of t")
    assert cases.cases[0].key.endswith(" / none")


async def test_a_quiz_brings_the_passages_of_its_pages(tmp_path: Path) -> None:
    quiz = tmp_path / "quiz.jsonl"
    row = {"id": "keys", "question": "What does a lost key cost?", "kind": "open", "expect": "answered",
           "answer": "40 euros", "document": "plant.pdf", "page": 1}  # fmt: skip
    others = [
        {**row, "id": "later", "history": ["Before?"]},
        {**row, "id": "elsewhere", "document": "other.pdf"},
        {**row, "id": "unknown", "expect": "unknown_term", "document": None},
    ]
    quiz.write_text("".join(json.dumps(each) + "\n" for each in (row, *others)))
    own = experiment(tmp_path)
    asked = Experiment.model_validate({**own.model_dump(), "cases": {"form": "quiz"}})
    with pytest.raises(InvalidInput, match="none is open"):
        read_cases(asked, quiz)
    async with open_plant(tmp_path, engine_with()) as bench:
        cases = read_cases(asked, quiz, store=bench.parts.store)
    (case,) = cases.cases
    assert "Lost keys cost 40 euros." in case.passages[0].text
    assert len(cases.notes) == 3
    assert "1 question with earlier turns left out" in cases.notes


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([line("t", "none"), line("t", "none")], "t / none stands twice"),
        ([{**line("t", "none"), "messages": []}], "line 1: messages"),
        ([], "holds no case"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, rows: list[dict[str, object]], said: str) -> None:
    path = conditions_file(tmp_path / "test.jsonl", rows)
    with pytest.raises(InvalidInput, match=said):
        read_cases(find_experiment("retrieval-conditions"), path)
