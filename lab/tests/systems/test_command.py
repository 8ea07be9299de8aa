"""``golden-lab systems`` over a library of a few sentences."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from golden_lab.cli import app
from golden_retriever.cli import app as golden


@pytest.fixture
def quiz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDEN_WORKERS", "1")
    place: dict[str, object] = {"document": "plant.txt", "page": 1}
    rows: list[dict[str, object]] = [
        {"id": "key", "question": "What does a lost key cost?", "expect": "answered", "answer": "40 euros", **place},
        {"id": "new", "question": "What is the ZQX of the plant?", "expect": "unknown_term"},
    ]
    path = tmp_path / "quiz.jsonl"
    path.write_text("\n".join(json.dumps({"kind": "open", **row}) for row in rows))
    return path


def test_systems_are_compared_over_the_current_library(quiz: Path) -> None:
    runner = CliRunner()
    document = quiz.parent / "plant.txt"
    document.write_text("A new colleague gets a locker key from the front desk. Lost keys cost 40 euros.\n")
    assert runner.invoke(golden, ["ingest", str(document)]).exit_code == 0
    chosen = ["--only", "plain RAG", "--only", "without jargon", "--engine", "embedded"]
    result = runner.invoke(app, ["systems", str(quiz), *chosen, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    right = {score["system"]: score["value"] for score in found["scores"] if score["metric"] == "right"}
    assert right["Golden Retriever"] == 1.0
    assert set(right) == {"plain RAG", "Golden Retriever", "without jargon"}
    assert [each["id"] for each in found["questions"]] == ["key", "new"]
    queue = runner.invoke(golden, ["jargon", "queue"])
    assert queue.exit_code == 0
    assert "ZQX" not in queue.output
