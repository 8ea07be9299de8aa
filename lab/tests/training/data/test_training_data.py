"""Training files, questions about many passages, and ``golden-lab train data``, ``conditions`` and ``examples``."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.responses import Response

from contracts.errors import ChatUnavailable, InvalidInput, MalformedReply
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage, Span
from contracts.verdicts import AnswerabilityVerdict, WrittenQuestion, WrittenQuestions
from golden_lab.cli import app
from golden_lab.json_lines import read_forms
from golden_lab.training.data.conditions import ConditionedLine
from golden_lab.training.data.examples import read_examples
from golden_lab.training.data.questions import read_passage_questions, write_questions
from golden_retriever.settings import load_settings
from golden_retriever.wiring.indexes import open_library
from tests.conformance.reading_cases import make_passage
from tests.golden_retriever.chat_server import ChatServer, chatting
from tests.golden_retriever.commands import Commands
from tests.hashing_embedder import HashingEmbedder
from tests.library.samples import chunk_of, document_of


def test_a_wrong_line_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for line, words in [
        ('{"id": "a", "completion": "x"}', "line 2.*either messages or prompt"),
        ('{"id": "a", "prompt": "p", "completion": ""}', "line 2: completion"),
        ('{"id": "a", "messages": [{"role": "assistant", "content": "p"}], "completion": "x"}', "the user's"),
        ("[1]", "line 2: not a JSON object"),
        ("{", "line 2 cannot be read"),
    ]:
        with subtests.test(line=line):
            path = tmp_path / "train.jsonl"
            path.write_text(f'{{"id": "z", "prompt": "p", "completion": "x"}}\n{line}\n', "utf-8")
            with pytest.raises(InvalidInput, match=words):
                read_examples(path)


PUMP_TEXT = "The supply voltage of the main controller of the pump P-{}X is {} volts."
PASSAGES = [make_passage(PUMP_TEXT.format(at, at + 10), number=at) for at in range(12)]


class Writer:
    """Asks for the voltage; fails for the given passages."""

    def __init__(self, *, unreadable: int = -1, same: Sequence[int] = (), gone_after: int = 100) -> None:
        self.asked: list[str] = []
        self._unreadable, self._same, self._gone_after = unreadable, same, gone_after

    async def write(self, passage: Passage) -> WrittenQuestions:
        if len(self.asked) == self._gone_after:
            raise ChatUnavailable("out of order")
        self.asked.append(passage.chunk.id)
        await asyncio.sleep(0)
        number = passage.chunk.ordinal
        if number == self._unreadable:
            raise MalformedReply("no JSON")
        at = passage.text.index(f"{number + 10} volts")
        name = "P-0X" if number in self._same else f"P-{number}X"
        asked = (f"What is the colour of the pump {name}?", f"At how many volts does the pump {name} run?")
        return WrittenQuestions(
            questions=tuple(
                WrittenQuestion(question=each, answer=f"{number + 10} volts", evidence=Span(at, len(passage.text) - 1))
                for each in asked
            ),
            provenance=Provenance(implementation="llm", model="house-model"),
        )


class Judge:
    """Finds every question answered, except those about colours and the pump P-9X."""

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        wrong = "colour" in question.text or "P-9X" in question.text
        return AnswerabilityVerdict(
            probability=0.1 if wrong else 0.9, missing=(), provenance=Provenance(implementation="embedded")
        )


async def write(out: Path, writer: Writer, *, count: int = 0) -> tuple[int, Mapping[str, int]]:
    names = {PASSAGES[0].chunk.document_id: "pumps.md"}
    return await write_questions(PASSAGES, out, writer, Judge(), HashingEmbedder(), names=names, count=count)


async def test_first_answered_question_of_each_passage_is_used(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    made, passed_over = await write(out, Writer(same=(4,), unreadable=7))
    rows = read_passage_questions(out)
    assert made == len(rows) == 9
    third = next(each for each in rows if each.source.chunk == "chunk3")
    assert (third.question, third.answer) == ("At how many volts does the pump P-3X run?", "13 volts")
    assert (third.model, third.answerability, third.source.document) == ("house-model", 0.9, "pumps.md")
    assert third.passage == PASSAGES[3].text
    assert {why.split()[-1]: times for why, times in passed_over.items()} == {"judgement": 12, "others": 1, "read": 1}


async def test_written_questions_are_kept_and_not_requested_again(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with pytest.raises(ChatUnavailable):
        await write(out, Writer(gone_after=6))
    kept = out.read_bytes()
    written = {each.source.chunk for each in read_passage_questions(out)}
    assert written
    out.write_bytes(kept + b'{"id": "torn')
    writer = Writer()
    assert (await write(out, writer))[0] == 11
    assert out.read_bytes().startswith(kept)
    assert not written & set(writer.asked)


async def test_foreign_file_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "notes.jsonl"
    for text in ("my notes\n", "my notes"):
        out.write_text(text, "utf-8")
        with pytest.raises(InvalidInput, match="not a file of questions"):
            await write(out, Writer())
        assert out.read_text("utf-8") == text


LAB = Commands(program=app)

MACHINES = {"pump": 48, "crane": 36, "press": 60, "oven": 24, "fan": 12, "drill": 90}


class AskingServer(ChatServer):
    """Asks for the voltage or the maintenance that a passage states."""

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
        return self.completed(body, json.dumps({"questions": asked}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A library of a few short documents with two passages each."""
    place = tmp_path_factory.mktemp("training-data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDEN_DATA_DIR", str(place / "data"))
        with open_library(load_settings()) as store:
            for name, volts in (*MACHINES.items(), ("vault", 7)):
                book = document_of(f"{name}.md", group="hr" if name == "vault" else "everyone")
                supply = f"The supply voltage of the {name} controller is {volts} V, and the {name} needs no other."
                care = f"The {name} bearing is greased every {volts * 10} hours, while the {name} itself stands still."
                section, *passages = (
                    chunk_of(book, "passage" if at else "section", at, f"{text} It says so on the {name} door.")
                    for at, text in enumerate((supply + care, supply, care))
                )
                chunks = [section, *(replace(each, section_id=section.id) for each in passages)]
                store.replace_document(book, chunks, np.eye(2, dtype=np.float32), embedder="none")
        yield place


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[AskingServer]:
    with chatting(AskingServer()) as server:
        for name, value in {"LLM": f"{server.address}#house-model", "LLM_RETRIES": "0",
                            "ENGINES": "answerability=embedded"}.items():  # fmt: skip
            monkeypatch.setenv(f"GOLDEN_{name}", value)
        yield server


def test_questions_have_answers_and_their_place_and_are_asked_once(folder: Path, chat: AskingServer) -> None:
    out = folder / "data.jsonl"
    command = ("train", "data", out, "--at-once", "2", "--threshold", "0.1")
    LAB.succeeds(*command, "--count", "5")
    kept = read_passage_questions(out)
    assert len(kept) == 5
    assert "data.jsonl: 12 questions" in LAB.output(*command)
    rows = read_passage_questions(out)
    assert rows[:5] == kept
    assert {each.source.document for each in rows} == {f"{name}.md" for name in MACHINES}
    for each in rows:
        assert each.source.document.removesuffix(".md") in each.question
        assert each.answer in each.passage
        assert (each.model, bool(each.source.chunk)) == ("house-model", True)


def test_restricted_documents_are_used_only_if_their_group_is_named(folder: Path, chat: AskingServer) -> None:
    out = folder / "groups.jsonl"
    command = ("train", "data", out, "--threshold", "0.1", "--document", "vault.md")
    assert "--group" in LAB.fails(InvalidInput, *command)
    LAB.succeeds(*command, "--group", "hr")
    assert {each.source.document for each in read_passage_questions(out)} == {"vault.md"}


def test_conditions_and_examples_are_made_from_written_questions(folder: Path, chat: AskingServer) -> None:
    data, out = folder / "asked.jsonl", folder / "conditions"
    LAB.succeeds("train", "data", data, "--threshold", "0.1")
    output = LAB.output("train", "conditions", data, out, "--test", "4", "--variant", "raft")
    assert "6 questions to train on, 6 held out" in output
    lines = tuple(read_forms(out / "test.jsonl", ConditionedLine))
    assert len(lines) == 24
    assert {each.condition for each in read_examples(out / "train-raft.jsonl")} == {"noisy", "irrelevant"}
    assert not (out / "train-pa-rag.jsonl").exists()
    statistics = json.loads((out / "statistics.json").read_text("utf-8"))
    assert statistics["tokens"]["relevant"] > 20
    examples = folder / "examples.jsonl"
    LAB.succeeds("train", "examples", data, examples)
    rows = read_examples(examples)
    assert [each.id for each in rows] == [each.id for each in read_passage_questions(data)]
    for row, source in zip(rows, read_passage_questions(data), strict=True):
        assert source.passage in row.messages[-1].content
        assert row.messages[-1].content.endswith(f"Question: {source.question}")
        assert row.completion == source.answer
