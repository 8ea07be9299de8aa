"""What the arms are asked, read from two kinds of files."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.experiments.cases import conditions_of, read_cases
from golden_lab.experiments.form import Experiment
from lab.tests.experiments.samples import conditions_file, experiment, write_questions


def line(name: str, condition: str, *chunks: str) -> dict[str, object]:
    return {
        "id": name, "source": "d", "condition": condition, "query": f"What of {name}?", "chunks": chunks,
        "relevant": [True] * len(chunks), "reference": "It is.",
        "messages": [{"role": "user", "content": f"Asked of {name}, {condition}"}],
    }  # fmt: skip


def test_passages_with_their_questions(tmp_path: Path) -> None:
    cases = read_cases(experiment(tmp_path), write_questions(tmp_path / "q.jsonl", 2))
    assert [(case.key, case.question, case.reference) for case in cases] == [
        ("q0", "Which is rail 0?", "0 V"), ("q1", "Which is rail 1?", "1 V"),
    ]  # fmt: skip
    assert [each.text for each in cases[1].passages] == ["Rail 1 is at 1 V."]
    assert conditions_of(cases) == ("",)


def test_a_subsample_keeps_every_condition_of_what_it_draws(tmp_path: Path) -> None:
    found = Experiment.find("retrieval-conditions")
    rows = [line(f"t{at}", condition, "a") for at in range(6) for condition in ("none", "noisy")]
    path = conditions_file(tmp_path / "test.jsonl", rows)
    cases = read_cases(found, path, subsample=2, seed=3)
    assert len(cases) == 4
    assert len({case.id for case in cases}) == 2
    assert cases == read_cases(found, path, subsample=2, seed=3)
    assert cases[0].messages[0].content.startswith("Asked of t")
    assert cases[0].key.endswith(" / none")


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
        read_cases(Experiment.find("retrieval-conditions"), path)
