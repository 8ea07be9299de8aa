"""``golden-lab train experiment`` from its files to its report, over a real server with models by name."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.responses import Response, StreamingResponse
from typer.testing import CliRunner, Result

from contracts.errors import InvalidInput
from golden_lab.cli.training.app import app
from lab.tests.experiments.samples import THREE_ARMS, experiment, write_questions
from tests.golden_retriever.chat_server import ChatServer, chatting
from tests.tools.chat.server import chunks


@dataclass
class Models(ChatServer):
    """A server whose house model says something beside the point, and whose other model copies what it is given."""

    def reply(self, body: dict[str, Any]) -> Response:
        words = "\n".join(each["content"] for each in body["messages"])
        copied = re.search(r"Rail \d+ is at \d+ V\.", words)
        reply = copied[0] if copied and body["model"] == "another-model" else "Fishermen painted the harbour green."
        return StreamingResponse(chunks(body["model"], [reply]), media_type="text/event-stream")


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.delenv("GOLDEN_LLM", raising=False)
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    with chatting(Models()) as served:
        yield served


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["experiment", *arguments])


def test_a_shipped_experiment_is_printed_to_be_copied() -> None:
    assert "passage-based-qa" in run().stdout
    assert run("passage-based-qa", "--show").stdout.startswith('name = "passage-based-qa"\n')


def test_two_models_of_a_server_are_compared_and_nothing_is_asked_twice(tmp_path: Path, models: ChatServer) -> None:
    own = experiment(tmp_path, THREE_ARMS.replace('model = "adapter"', 'model = "another-model"')).path
    cases, out = write_questions(tmp_path / "cases.jsonl", 12), tmp_path / "out"
    command = f"{own} --cases {cases} --out {out} --server {models.address}#house-model".split()
    missing = run(*command, "--model", "memory=nobody").exception
    assert isinstance(missing, InvalidInput)
    assert "does not have 'nobody' of the arm memory" in str(missing)
    command += ["--model", "memory=house-model"]
    result = run(*command)
    assert result.exit_code == 0, result.output
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert report["differences"][0]["difference"]["low"] > 0
    assert [each["model"] for each in report["counts"]] == ["house-model", "another-model", "house-model"]
    assert "Differences" in result.stdout
    assert {path.name for path in out.iterdir()} == {"report.json", "report.md", "answers", "scores"}
    assert len(models.requests) == 36
    assert {body["temperature"] for body in models.requests} == {0}
    assert run(*command, "--arm", "control").exit_code == 0
    assert [each["arm"] for each in json.loads((out / "report.json").read_text())["counts"]] == ["control"]
    assert len(models.requests) == 36
