"""``golden-lab train data``, ``conditions`` and ``examples`` over a small library, with and without a chat server."""

import asyncio
import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.responses import JSONResponse, Response

from contracts.errors import ChatUnavailable, ConfigurationError, InvalidInput
from contracts.text import Block
from golden_lab.cli import app
from golden_lab.json_lines import read_forms
from golden_lab.training.data.conditions import ConditionedLine
from golden_lab.training.data.examples import read_examples
from golden_lab.training.data.passages import PassageQuestion, read_passage_questions
from golden_retriever.settings import load_settings
from golden_retriever.wiring.indexes import open_library
from lab.tests.programs import LAB, golden_lab
from lab.tests.training.writing.made import chunks_of, document
from tests.golden_retriever.chat_server import ChatServer, chatting
from tests.golden_retriever.commands import Commands
from tests.golden_retriever.served import environment_for, heed_interrupts

invoke, succeeds = Commands(program=app).invoke, Commands(program=app).succeeds

MACHINES = {"pump": 48, "crane": 36, "press": 60, "oven": 24, "fan": 12, "drill": 90}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A library of a few short documents, each of two passages."""
    place = tmp_path_factory.mktemp("training-data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDEN_DATA_DIR", str(place / "data"))
        with open_library(load_settings()) as store:
            for name, volts in (*MACHINES.items(), ("vault", 7)):
                book = document(f"{name}.md", group="hr" if name == "vault" else "everyone")
                chunks = chunks_of(_blocks(name, volts), of=book)
                vectors = np.eye(2, dtype=np.float32)
                assert [each.kind for each in chunks] == ["section", "passage", "passage"]
                store.replace_document(book, chunks, vectors, embedder="none")
        yield place


def _blocks(name: str, volts: int) -> tuple[Block, ...]:
    supply = (
        f"The supply voltage of the {name} controller is {volts} V. The {name} controller retries a start "
        f"{volts // 12 + 1} times. It waits until the {name} has come to rest, tells the {name} record about each, and "
        f"whoever is on duty at the {name} finds them there in the morning."
    )
    care = (
        f"The {name} bearing is greased every {volts * 10} hours. It is cleaned after that with a dry {name} cloth, by "
        f"whoever has greased the {name}, which stands still meanwhile, and the {name} cover stays open so that "
        f"everybody sees why the {name} does not run."
    )
    pairs = (("Supply", supply), ("Care", care))
    return tuple(
        block
        for heading, text in pairs
        for block in (Block(kind="heading", text=heading, level=2), Block(kind="paragraph", text=text))
    )


def made(path: Path, *arguments: object) -> tuple[PassageQuestion, ...]:
    succeeds("train", "data", path, *arguments)
    return read_passage_questions(path)


@pytest.fixture(scope="module")
def data(folder: Path) -> Path:
    made(folder / "data.jsonl", "--engine", "embedded", "--passages", "chunks")
    return folder / "data.jsonl"


def test_each_passage_has_a_question_its_answer_and_where_it_is_from(folder: Path, data: Path) -> None:
    rows = read_passage_questions(data)
    assert len(rows) == len({each.id for each in rows}) == len({each.question for each in rows}) == 2 * len(MACHINES)
    for each in rows:
        name = each.source.document.removesuffix(".md")
        assert name in each.question
        assert re.search(r"\d+ (?:V|times|hours)", each.answer)
        assert each.written_by.implementation == "embedded"
        assert each.written_by.form in ("template", "cloze")
        assert each.answerability >= 0.5
        assert each.source.chunk


def test_what_not_everybody_may_read_is_told_and_taken_when_named(folder: Path) -> None:
    out = folder / "groups.jsonl"
    told = succeeds("train", "data", out, "--engine", "embedded", "--documents", "[vf]a*.md")
    assert "left out, for not everybody may read them (see --group): 1" in told.stderr
    assert {each.source.document for each in read_passage_questions(out)} == {"fan.md"}
    rows = made(out, "--engine", "embedded", "--documents", "[vf]a*.md", "--group", "hr", "--group", "everyone")
    assert {each.source.document for each in rows} == {"fan.md", "vault.md"}


def test_characters_run_over_a_document_and_say_where(folder: Path) -> None:
    rows = made(folder / "characters.jsonl", "--engine", "embedded", "--documents", "[cd]r*.md")
    assert {each.source.document for each in rows} == {"crane.md", "drill.md"}
    assert all(each.source.end - each.source.start == len(each.passage) and not each.source.chunk for each in rows)


def test_the_same_seed_makes_the_same_bytes_and_another_does_not(folder: Path, data: Path) -> None:
    again = folder / "again.jsonl"
    made(again, "--engine", "embedded", "--passages", "chunks")
    assert again.read_bytes() == data.read_bytes()
    other = folder / "other.jsonl"
    made(other, "--engine", "embedded", "--passages", "chunks", "--seed", "5", "--count", "3", "--answers", "short")
    rows = read_passage_questions(other)
    assert len(rows) == 3
    assert all(len(each.answer.split()) <= 3 for each in rows)


def test_a_file_of_somebody_else_and_wrong_words_are_refused(folder: Path) -> None:
    foreign = folder / "notes.jsonl"
    foreign.write_text("my notes\n", "utf-8")
    result = invoke("train", "data", foreign)
    assert isinstance(result.exception, InvalidInput)
    assert foreign.read_text("utf-8") == "my notes\n"
    for option, value in (("--passages", "pages"), ("--answers", "long")):
        assert isinstance(invoke("train", "data", folder / "x.jsonl", option, value).exception, InvalidInput)
    refused = invoke("train", "data", folder / "x.jsonl", "--engine", "llm").exception
    assert isinstance(refused, ConfigurationError)
    assert "GOLDEN_LLM_BASE_URL" in str(refused)


def test_conditions_and_examples_are_made_of_it(folder: Path, data: Path) -> None:
    out = folder / "conditions"
    told = succeeds("train", "conditions", data, out, "--test", "4", "--variant", "raft", "--drop-leaks").stdout
    assert "6 questions to train on, 6 held out" in told
    assert re.search(r"test\s+noisy\s+6\b", told)
    lines = tuple(read_forms(out / "test.jsonl", ConditionedLine))
    assert len(lines) == 24
    assert {each.condition for each in read_examples(out / "train-raft.jsonl")} == {"noisy", "irrelevant"}
    assert not (out / "train-pa-rag.jsonl").exists()
    tokens = json.loads((out / "statistics.json").read_text("utf-8"))
    assert tokens["train"][0]["query"]["mean"] > 5
    examples = folder / "examples.jsonl"
    succeeds("train", "examples", data, examples)
    rows = read_examples(examples)
    assert [each.id for each in rows] == [each.id for each in read_passage_questions(data)]
    for row, source in zip(rows, read_passage_questions(data), strict=True):
        assert source.passage in row.messages[-1].content
        assert row.messages[-1].content.endswith(f"Question: {source.question}")
        assert row.completion == source.answer


@dataclass
class AskingServer(ChatServer):
    """Asks for the voltage that a passage states.

    Behind ``works_for`` requests it is out of order; those behind ``holds_after`` it answers when ``released``.
    """

    works_for: int = 10**6
    holds_after: int = 10**6
    released: threading.Event = field(default_factory=threading.Event)

    async def _reply(self, body: dict[str, Any]) -> Response:
        number = len(self.requests)
        if number > self.holds_after:
            await asyncio.to_thread(self.released.wait, 60)
        if number > self.works_for:
            return JSONResponse({"error": {"message": "out of memory", "type": "server_error"}}, status_code=500)
        text = body["messages"][-1]["content"]
        match = re.search(r"supply voltage of the (\w+) controller is (\d+ V)", text)
        asked = [] if match is None else [{"question": f"How is the {match[1]} controller fed?", "answer": match[2]}]
        message = {"role": "assistant", "content": json.dumps({"questions": asked})}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        head = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
        return JSONResponse({**head, "choices": [choice]})


def test_a_language_model_writes_and_is_asked_nothing_twice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes away in the middle, comes back, and is asked the rest."""
    out = folder / "llm.jsonl"
    command = ("train", "data", out, "--passages", "chunks", "--at-once", "1", "--threshold", "0.1")
    with chatting(AskingServer(works_for=7)) as chat:
        assert isinstance(chat, AskingServer)
        for name, value in {"LLM_BASE_URL": chat.address, "LLM_MODEL": "house-model", "LLM_RETRIES": "0",
                            "ENGINES": "answerability=embedded"}.items():  # fmt: skip
            monkeypatch.setenv(f"GOLDEN_{name}", value)
        refused = invoke(*command)
        assert isinstance(refused.exception, ChatUnavailable)
        assert "What was made is kept; the same command goes on from here." in str(refused.exception)
        kept = read_passage_questions(out)
        assert 0 < len(kept) < len(MACHINES)
        chat.works_for = 10**6
        answered = 7
        before = len(chat.requests)
        succeeds(*command)
        rows = read_passage_questions(out)
        assert rows[: len(kept)] == kept
        assert len(rows) == len(MACHINES)
        assert len(chat.requests) - before == 2 * len(MACHINES) - answered
        assert {(each.written_by.implementation, each.written_by.model, each.written_by.form) for each in rows} == {
            ("llm", "house-model", "free")
        }
        asked = len(chat.requests)
        made(out, *command[3:], "--fresh")
        assert len(chat.requests) == asked + 2 * len(MACHINES)


@pytest.mark.slow
def test_an_interrupted_command_keeps_a_whole_file_and_goes_on(folder: Path) -> None:
    """The key that interrupts is pressed while the server is still asked for most passages."""
    out = folder / "interrupted.jsonl"
    with chatting(AskingServer(holds_after=4)) as chat:
        assert isinstance(chat, AskingServer)
        environment = environment_for(
            folder / "data", llm_base_url=chat.address, llm_model="house-model",
            engines="answerability=embedded",
        )  # fmt: skip
        command = [*LAB, "train", "data", str(out), "--passages", "chunks", "--at-once", "1", "--threshold", "0.1"]
        with subprocess.Popen(
            command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
        ) as process:
            while len(chat.requests) < 5 and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            told = process.communicate(timeout=60)[1]
        chat.released.set()
        assert process.returncode == 130, told
        assert "interrupted; the same command goes on from here" in told
        assert "Traceback" not in told
        kept = read_passage_questions(out)
        asked = len(chat.requests)
        assert asked < 2 * len(MACHINES)
        golden_lab(*command[3:], environment=environment, folder=folder)
        rows = read_passage_questions(out)
        assert rows[: len(kept)] == kept
        assert len(rows) == len(MACHINES)
        # The request that was under way may be asked once more.
        assert len(chat.requests) - 2 * len(MACHINES) in (0, 1)
