"""Many passages: one question each, none twice, in an order that holds, and nothing asked a second time."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage, Span
from contracts.verdicts import AnswerabilityVerdict, WrittenQuestion, WrittenQuestions
from golden_lab.training.writing.asking import PassageAsker
from golden_lab.training.writing.checking import ASKED_BEFORE, NOT_ANSWERED, NOTHING_ASKED, UNREADABLE
from golden_lab.training.writing.cutting import SourcePassage
from golden_lab.training.writing.journal import open_journal
from golden_lab.training.writing.making import Making, make_questions
from lab.tests.training.writing.made import source_passage
from tools.asked_before import AskedBefore
from tools.embedding.hashing import HashingEmbedder


def passages(count: int) -> list[SourcePassage]:
    return [source_passage(f"The pump P-{at}X runs at {at + 10} volts.", number=at) for at in range(count)]


class SlowWriter:
    """Asks for the voltage, the earlier passages last; counts who is at it at one time; fails where it is told to."""

    def __init__(self, *, unreadable: int = -1, same: Sequence[int] = ()) -> None:
        self.asked: list[int] = []
        self.at_once = self.most_at_once = 0
        self._unreadable, self._same = unreadable, same

    async def write(self, passage: Passage) -> WrittenQuestions:
        number = passage.chunk.ordinal
        self.asked.append(number)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            for _ in range(20 - number % 20):
                await asyncio.sleep(0)
            if number == self._unreadable:
                raise MalformedReply("no JSON")
        finally:
            self.at_once -= 1
        name = "P-0X" if number in self._same else f"P-{number}X"
        at = passage.text.index("1" if number < 10 else str(number + 10))
        asked = f"At how many volts does the pump {name} run?"
        piece = passage.text[at : passage.text.index(" volts")]
        # The better question is one that nothing can be done with.
        pointing = WrittenQuestion(question="At how many volts does it run?", answer=piece, evidence=Span(at, at + 2))
        good = WrittenQuestion(question=asked, answer=piece, evidence=Span(at, at + len(piece)))
        return WrittenQuestions(
            questions=(pointing, good), provenance=Provenance(implementation="llm", model="m", prompt_version="7")
        )


class CountingJudge:
    """Finds every question answered but those about one pump."""

    def __init__(self, not_answered: str = "") -> None:
        self.asked: Counter[str] = Counter()
        self._not_answered = not_answered

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        self.asked[question.question] += 1
        wrong = bool(self._not_answered) and self._not_answered in question.question
        return AnswerabilityVerdict(
            probability=0.1 if wrong else 0.9, missing=(), provenance=Provenance(implementation="embedded")
        )


async def make(
    folder: Path,
    writer: SlowWriter,
    judge: CountingJudge | None = None,
    *,
    of: Iterator[SourcePassage] | None = None,
    count: int = 0,
    at_once: int = 4,
    making: Making | None = None,
    on_passage: Callable[[Making], None] = lambda _: None,
) -> Making:
    making = making or Making()
    with open_journal(folder / "out.journal") as journal:
        asker = PassageAsker(
            [("free", writer)], judge or CountingJudge(), journal, threshold=0.5, writers_mark="w", judge_mark="j"
        )
        before = AskedBefore(HashingEmbedder())
        drawn = of or iter(passages(12))
        await make_questions(drawn, asker, before, making, count=count, at_once=at_once, on_passage=on_passage)
    return making


async def test_each_passage_makes_one_question_in_their_order(tmp_path: Path) -> None:
    writer = SlowWriter()
    making = await make(tmp_path, writer)
    assert [each.source.chunk for each in making.rows] == [f"c{at}" for at in range(12)]
    assert making.rows[3].question == "At how many volts does the pump P-3X run?"
    assert making.rows[3].answer == "The pump P-3X runs at 13 volts."
    assert making.rows[3].written_by.model_dump() == {
        "implementation": "llm", "model": "m", "prompt_version": "7", "form": "free",
    }  # fmt: skip
    assert making.rows[3].answerability == 0.9
    assert sum(making.passed_over.values()) == 12
    assert 2 <= writer.most_at_once <= 4


async def test_how_many_run_at_once_changes_nothing_but_the_time(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    many = await make(tmp_path, SlowWriter(same=(5,)), at_once=7)
    alone = await make(tmp_path / "one", SlowWriter(same=(5,)), at_once=1)
    assert many.rows == alone.rows
    assert many.passed_over == alone.passed_over


async def test_what_is_asked_twice_not_answered_or_unreadable_is_counted(tmp_path: Path) -> None:
    writer = SlowWriter(same=(4, 6), unreadable=7)
    making = await make(tmp_path, writer, CountingJudge(not_answered="P-9X"))
    assert len(making.rows) == 8
    assert making.passed_over[ASKED_BEFORE] == 2
    assert making.passed_over[NOT_ANSWERED] == 1
    assert making.passed_over[UNREADABLE] == 1
    assert NOTHING_ASKED not in making.passed_over


async def test_a_cancelled_making_holds_what_was_made(tmp_path: Path) -> None:
    making = Making()

    def endless() -> Iterator[SourcePassage]:
        at = 0
        while True:
            yield source_passage(f"The pump P-{at}X runs at {at + 10} volts.", number=at)
            at += 1

    enough = asyncio.Event()

    def tell(made: Making) -> None:
        if len(made.rows) == 5:
            enough.set()

    task = asyncio.create_task(make(tmp_path, SlowWriter(), of=endless(), making=making, on_passage=tell))
    await enough.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(making.rows) >= 5
