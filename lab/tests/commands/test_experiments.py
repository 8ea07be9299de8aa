"""``golden-lab train experiment`` from its files to its report, over a real server with models by name."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from typer.testing import CliRunner, Result

from golden_lab.cli.training.app import app
from tests.tools.chat.server import chunks, serving

RAILS = ("1.5 V", "3.3 V", "12 V", "5 V", "1.8 V", "0.9 V", "2.5 V", "48 V", "24 V", "9 V", "1.1 V", "6 V")


@dataclass
class Models:
    """A server whose base model says something beside the point, and whose adapter copies what it is given."""

    url: str = ""
    names: tuple[str, ...] = ("base-8b", "pbqa")
    asked: list[dict[str, Any]] = field(default_factory=list)

    def app(self) -> FastAPI:
        web = FastAPI()

        @web.get("/v1/models")
        async def models() -> dict[str, Any]:
            return {"object": "list", "data": [{"id": name, "object": "model"} for name in self.names]}

        @web.post("/v1/chat/completions")
        async def complete(request: Request) -> StreamingResponse:
            body = await request.json()
            self.asked.append(body)
            words = "\n".join(each["content"] for each in body["messages"])
            copied = re.search(r"The rail \w+ carries [\d.]+ V\.", words)
            reply = "Fishermen painted the harbour green." if body["model"] == "base-8b" or not copied else copied[0]
            return StreamingResponse(chunks(body["model"], [reply]), media_type="text/event-stream")

        return web


@pytest.fixture
def models() -> Iterator[Models]:
    served = Models()
    with serving(served.app()) as address:
        served.url = f"{address}/v1"
        yield served


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GOLDEN_LLM", raising=False)
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    path = tmp_path / "cases.jsonl"
    rows = [
        {"id": f"q{at}", "passage": f"The rail V{at} carries {volts}. It is measured at noon.",
         "question": f"What does the rail V{at} carry?", "answer": volts}
        for at, volts in enumerate(RAILS)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["experiment", *arguments])


def two_arms(folder: Path) -> Path:
    """Write the shipped experiment without the arm that searches, its prompts beside it."""
    shown = run("passage-based-qa", "--show").stdout
    for name in ("one-passage.toml", "passage-question.toml"):
        (folder / name).write_text('version = "1"\ndescription = "d"\nuser = "{passage} {question}"\n')
    head, *arms = re.split(r"(?=\[\[arms\]\]|# Tables|\[\[published\]\])", shown)
    head = re.sub(r"pairs = .*", 'pairs = [["treatment-1", "control"]]', head)
    kept = [part for part in (head, *arms) if "treatment-2" not in part]
    text = re.sub(r'prompt = ".*/([\w-]+\.toml)"', r'prompt = "\1"', "".join(kept))
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_two_models_of_a_server_are_compared_and_nothing_is_asked_twice(
    tmp_path: Path, asked: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, out = two_arms(tmp_path), tmp_path / "out"
    command = f"{own} --cases {asked} --out {out} --server {models.url}#base-8b --model treatment-1=pbqa".split()
    result = run(*command)
    assert result.exit_code == 0, result.output
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert report["differences"][0]["difference"]["low"] > 0
    assert [each["model"] for each in report["counts"]] == ["base-8b", "pbqa"]
    assert "Differences" in result.stdout
    assert {path.name for path in out.iterdir()} == {"report.json", "report.md", "answers", "scores"}
    assert len(models.asked) == 24
    assert {body["temperature"] for body in models.asked} == {0}
    assert run(*command).exit_code == 0
    assert len(models.asked) == 24
    assert run(*command, "--arm", "control").exit_code == 0
    assert [each["arm"] for each in json.loads((out / "report.json").read_text())["counts"]] == ["control"]
    assert len(models.asked) == 24
