"""Questions about many passages: one each, none twice, each kept at once, and no passage asked about a second time."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from contracts.errors import ChatUnavailable, InvalidInput, MalformedReply
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage, Span
from contracts.verdicts import AnswerabilityVerdict, WrittenQuestion, WrittenQuestions
from golden_lab.training.data.questions import read_passage_questions, write_questions
from tests.conformance.reading_cases import make_passage
from tests.hashing_embedder import HashingEmbedder

TEXT = "The supply voltage of the main controller of the pump P-{}X is {} volts."
PASSAGES = [make_passage(TEXT.format(at, at + 10), number=at) for at in range(12)]


class Writer:
    """Asks for the voltage; fails where it is told to."""

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
    """Finds every question answered but those about colours and about the pump P-9X."""

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        wrong = "colour" in question.text or "P-9X" in question.text
        return AnswerabilityVerdict(
            probability=0.1 if wrong else 0.9, missing=(), provenance=Provenance(implementation="embedded")
        )


async def write(out: Path, writer: Writer, *, count: int = 0) -> tuple[int, Mapping[str, int]]:
    names = {PASSAGES[0].chunk.document_id: "pumps.md"}
    return await write_questions(PASSAGES, out, writer, Judge(), HashingEmbedder(), names=names, count=count)


async def test_each_passage_makes_its_first_answered_question(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    made, passed_over = await write(out, Writer(same=(4,), unreadable=7))
    rows = read_passage_questions(out)
    assert made == len(rows) == 9
    third = next(each for each in rows if each.source.chunk == "chunk3")
    assert (third.question, third.answer) == ("At how many volts does the pump P-3X run?", "13 volts")
    assert (third.model, third.answerability, third.source.document) == ("house-model", 0.9, "pumps.md")
    assert third.passage == PASSAGES[3].text
    assert {why.split()[-1]: times for why, times in passed_over.items()} == {"judgement": 12, "others": 1, "read": 1}


async def test_what_was_written_stays_and_is_not_asked_again(tmp_path: Path) -> None:
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


async def test_a_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "notes.jsonl"
    for text in ("my notes\n", "my notes"):
        out.write_text(text, "utf-8")
        with pytest.raises(InvalidInput, match="no file of questions"):
            await write(out, Writer())
        assert out.read_text("utf-8") == text
