"""``golden-lab train data``, ``conditions`` and ``examples`` over a small library, with and without a chat server."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.responses import Response

from contracts.errors import InvalidInput
from contracts.text import Chunk, Document
from golden_lab.cli import app
from golden_lab.json_lines import read_forms
from golden_lab.training.data.conditions import ConditionedLine
from golden_lab.training.data.examples import read_examples
from golden_lab.training.data.questions import read_passage_questions
from golden_retriever.settings import load_settings
from golden_retriever.wiring.indexes import open_library
from tests.golden_retriever.chat_server import ChatServer, chatting
from tests.golden_retriever.commands import Commands
from tests.tools.chat.server import completion

invoke, succeeds = Commands(program=app).invoke, Commands(program=app).succeeds

MACHINES = {"pump": 48, "crane": 36, "press": 60, "oven": 24, "fan": 12, "drill": 90}


@dataclass
class AskingServer(ChatServer):
    """Asks for the voltage or the care that a passage states."""

    def reply(self, body: dict[str, Any]) -> Response:
        text = body["messages"][-1]["content"]
        patterns = {
            "What is the supply voltage of the {} controller?": r"supply voltage of the (\w+) controller is (\d+ V)",
            "How often is the {} bearing greased?": r"The (\w+) bearing is greased (every \d+ hours)",
        }
        asked = [
            {"question": question.format(match[1]), "answer": match[2]}
            for question, pattern in patterns.items()
            if (match := re.search(pattern, text))
        ]
        return completion(body["model"], json.dumps({"questions": asked}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A library of a few short documents, each of two passages."""
    place = tmp_path_factory.mktemp("training-data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDEN_DATA_DIR", str(place / "data"))
        with open_library(load_settings()) as store:
            for name, volts in (*MACHINES.items(), ("vault", 7)):
                book = Document(
                    id=f"id-{name}", name=f"{name}.md", path=f"/documents/{name}.md", media_type="text/markdown",
                    content_hash="0", title=name, pages=1, group="hr" if name == "vault" else "everyone",
                )  # fmt: skip
                supply = f"The supply voltage of the {name} controller is {volts} V, and the {name} needs no other."
                care = f"The {name} bearing is greased every {volts * 10} hours, while the {name} itself stands still."
                section, *passages = (
                    Chunk(id=f"{name}-{at}", document_id=book.id, kind="passage" if at else "section", ordinal=at,
                          text=f"{text} It says so on the {name} door.", page=1, last_page=1)
                    for at, text in enumerate((supply + care, supply, care))
                )  # fmt: skip
                chunks = [section, *(replace(each, section_id=section.id) for each in passages)]
                store.replace_document(book, chunks, np.eye(2, dtype=np.float32), embedder="none")
        yield place


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[AskingServer]:
    with chatting(AskingServer()) as server:
        assert isinstance(server, AskingServer)
        for name, value in {"LLM": f"{server.address}#house-model", "LLM_RETRIES": "0",
                            "ENGINES": "answerability=embedded"}.items():  # fmt: skip
            monkeypatch.setenv(f"GOLDEN_{name}", value)
        yield server


def test_questions_have_answers_and_their_place_and_are_asked_once(folder: Path, chat: AskingServer) -> None:
    out = folder / "data.jsonl"
    command = ("train", "data", out, "--at-once", "2", "--threshold", "0.1")
    succeeds(*command, "--count", "5")
    kept = read_passage_questions(out)
    assert len(kept) == 5
    assert "data.jsonl: 12 questions" in succeeds(*command).stdout
    rows = read_passage_questions(out)
    assert rows[:5] == kept
    assert {each.source.document for each in rows} == {f"{name}.md" for name in MACHINES}
    for each in rows:
        assert each.source.document.removesuffix(".md") in each.question
        assert each.answer in each.passage
        assert (each.model, bool(each.source.chunk)) == ("house-model", True)


def test_what_not_everybody_may_read_is_taken_when_it_is_named(folder: Path, chat: AskingServer) -> None:
    out = folder / "groups.jsonl"
    command = ("train", "data", out, "--threshold", "0.1", "--document", "vault.md")
    refused = invoke(*command).exception
    assert isinstance(refused, InvalidInput)
    assert "--group" in str(refused)
    succeeds(*command, "--group", "hr")
    assert {each.source.document for each in read_passage_questions(out)} == {"vault.md"}


def test_conditions_and_examples_are_made_of_it(folder: Path, chat: AskingServer) -> None:
    data, out = folder / "asked.jsonl", folder / "conditions"
    succeeds("train", "data", data, "--threshold", "0.1")
    output = succeeds("train", "conditions", data, out, "--test", "4", "--variant", "raft").stdout
    assert "6 questions to train on, 6 held out" in output
    lines = tuple(read_forms(out / "test.jsonl", ConditionedLine))
    assert len(lines) == 24
    assert {each.condition for each in read_examples(out / "train-raft.jsonl")} == {"noisy", "irrelevant"}
    assert not (out / "train-pa-rag.jsonl").exists()
    statistics = json.loads((out / "statistics.json").read_text("utf-8"))
    assert statistics["tokens"]["relevant"] > 20
    examples = folder / "examples.jsonl"
    succeeds("train", "examples", data, examples)
    rows = read_examples(examples)
    assert [each.id for each in rows] == [each.id for each in read_passage_questions(data)]
    for row, source in zip(rows, read_passage_questions(data), strict=True):
        assert source.passage in row.messages[-1].content
        assert row.messages[-1].content.endswith(f"Question: {source.question}")
        assert row.completion == source.answer
