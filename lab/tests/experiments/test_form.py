"""The included experiments, errors in others, their cases, and ``golden-lab train experiment``."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.responses import Response

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab.cli.training.app import app
from golden_lab.experiments.cases import read_cases
from golden_lab.experiments.form import Experiment
from lab.tests.benchmarks.annotated_sets import write_rows
from lab.tests.experiments.samples import THREE_ARMS, condition_row, experiment, write_questions
from tests.golden_retriever.chat_server import ChatServer, chatting
from tests.golden_retriever.commands import Commands


def test_shipped_experiments_are_consistent() -> None:
    assert Experiment.names() == ("passage-based-qa", "retrieval-conditions")
    passages, conditions = map(Experiment.find, Experiment.names())
    assert [(arm.name, arm.context) for arm in passages.arms] == [
        ("control", "gold"), ("treatment-1", "gold"), ("treatment-2", "retrieved"),
    ]  # fmt: skip
    for arm in passages.arms:
        assert passages.prompt_of(arm).variables == {"passage", "question"}
    assert [arm.context for arm in conditions.arms] == ["given"] * 6


def test_invalid_experiment_is_refused_with_the_reason(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for old, new, words in [
        ('name = "tuned"', 'name = "control"', "two arms have the same name"),
        ('"memory", "tuned"', '"memory", "nobody"', "memory and nobody are not two different arms"),
        ('context = "gold"', 'context = "given"', "is required for conditions"),
        ('model = "base"', 'model = "embedded"', "a prompt is required, except"),
    ]:
        with subtests.test(old=old), pytest.raises(ConfigurationError, match=words):
            experiment(tmp_path, THREE_ARMS.replace(old, new, 1))


def test_model_of_an_arm_can_be_replaced(tmp_path: Path) -> None:
    found = experiment(tmp_path).with_models({"tuned": "other", "control": "embedded"})
    assert [(arm.model, arm.prompt) for arm in found.arms] == [
        ("embedded", ""), ("other", "prompt.toml"), ("adapter", "bare.toml"),
    ]  # fmt: skip
    assert found.path == tmp_path / "own.toml"
    with pytest.raises(InvalidInput, match="the arms are control, tuned, memory"):
        found.with_models({"nobody": "x"})
    with pytest.raises(InvalidInput, match="no prompt for a language model"):
        found.with_models({"control": "x"})


def test_subsample_keeps_every_condition_of_the_drawn_cases(tmp_path: Path) -> None:
    found = Experiment.find("retrieval-conditions")
    rows = [condition_row(f"t{at}", condition, "a") for at in range(6) for condition in ("none", "noisy")]
    path = write_rows(tmp_path / "test.jsonl", rows)
    cases = read_cases(found, path, subsample=2, seed=3)
    assert len(cases) == 4
    assert len({case.id for case in cases}) == 2
    assert cases == read_cases(found, path, subsample=2, seed=3)
    assert cases[0].messages[0].content.startswith("none t")
    assert cases[0].key.endswith(" / none")


class Models(ChatServer):
    """A server with a house model that answers off topic, and another model that copies its input."""

    def reply(self, body: dict[str, Any]) -> Response:
        words = "\n".join(each["content"] for each in body["messages"])
        copied = re.search(r"Rail \d+ is at \d+ V\.", words)
        reply = copied[0] if copied and body["model"] == "another-model" else "Fishermen painted the harbour green."
        return self.completed(body, reply)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.delenv("GOLDEN_LLM", raising=False)
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    with chatting(Models()) as served:
        yield served


EXPERIMENT = Commands("experiment", app)


def test_a_shipped_experiment_is_printed_to_be_copied() -> None:
    assert "passage-based-qa" in EXPERIMENT.output()
    assert EXPERIMENT.output("passage-based-qa", "--show").startswith('name = "passage-based-qa"\n')


def test_two_models_of_a_server_are_compared_without_repeated_requests(tmp_path: Path, models: ChatServer) -> None:
    own = experiment(tmp_path, THREE_ARMS.replace('model = "adapter"', 'model = "another-model"')).path
    cases, out = write_questions(tmp_path / "cases.jsonl", 12), tmp_path / "out"
    command = f"{own} --cases {cases} --out {out} --server {models.address}#house-model".split()
    missing = EXPERIMENT.fails(InvalidInput, *command, "--model", "memory=nobody")
    assert "does not have 'nobody' of the arm memory" in missing
    command += ["--model", "memory=house-model"]
    output = EXPERIMENT.output(*command)
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert report["differences"][0]["difference"]["low"] > 0
    assert [each["model"] for each in report["counts"]] == ["house-model", "another-model", "house-model"]
    assert "Differences" in output
    assert {path.name for path in out.iterdir()} == {"report.json", "report.md", "answers", "scores"}
    assert len(models.requests) == 36
    assert {body["temperature"] for body in models.requests} == {0}
    EXPERIMENT.succeeds(*command, "--arm", "control")
    assert [each["arm"] for each in json.loads((out / "report.json").read_text())["counts"]] == ["control"]
    assert len(models.requests) == 36
