"""The declared experiments: the shipped ones, what is wrong with others, and the cases that they draw."""

from pathlib import Path

import pytest

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab.experiments.cases import read_cases
from golden_lab.experiments.form import Experiment
from lab.tests.experiments.samples import THREE_ARMS, conditions_file, experiment


def test_the_shipped_experiments_hold_together() -> None:
    assert Experiment.names() == ("passage-based-qa", "retrieval-conditions")
    passages, conditions = map(Experiment.find, Experiment.names())
    assert [(arm.name, arm.context) for arm in passages.arms] == [
        ("control", "gold"), ("treatment-1", "gold"), ("treatment-2", "retrieved"),
    ]  # fmt: skip
    for arm in passages.arms:
        prompt = passages.prompt_of(arm)
        assert prompt is not None
        assert prompt.variables == {"passage", "question"}
    assert [arm.context for arm in conditions.arms] == ["given"] * 6


def test_what_is_wrong_is_said(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for old, new, words in [
        ('name = "tuned"', 'name = "control"', "two have one name"),
        ('"memory", "tuned"', '"memory", "nobody"', "memory and nobody are no two arms"),
        ("[[arms]]", "surprise = 1\n[[arms]]", "surprise"),
        ('context = "gold"', 'context = "given"', "goes with conditions"),
        ('model = "base"', 'model = "embedded"', "a prompt is needed, except"),
    ]:
        with subtests.test(old=old), pytest.raises(ConfigurationError, match=words):
            experiment(tmp_path, THREE_ARMS.replace(old, new, 1))


def test_models_are_exchanged_by_arm(tmp_path: Path) -> None:
    found = experiment(tmp_path).with_models({"tuned": "other", "control": "embedded"})
    assert [(arm.model, arm.prompt) for arm in found.arms] == [
        ("embedded", ""), ("other", "prompt.toml"), ("adapter", "bare.toml"),
    ]  # fmt: skip
    assert found.path == tmp_path / "own.toml"
    with pytest.raises(InvalidInput, match="the arms are control, tuned, memory"):
        found.with_models({"nobody": "x"})
    with pytest.raises(InvalidInput, match="no prompt for a language model"):
        found.with_models({"control": "x"})


def line(name: str, condition: str, *chunks: str) -> dict[str, object]:
    return {
        "id": name, "source": "d", "condition": condition, "query": f"What of {name}?", "chunks": chunks,
        "relevant": [True] * len(chunks), "reference": "It is.",
        "messages": [{"role": "user", "content": f"Asked of {name}, {condition}"}],
    }  # fmt: skip


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
