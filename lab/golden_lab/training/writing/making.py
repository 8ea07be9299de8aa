"""Making the questions of many passages: one each, none twice, several passages at a time, in an order that holds."""

import asyncio
import hashlib
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal

from golden_lab.training.data.passages import PassageQuestion
from golden_lab.training.writing.answering import full_answer
from golden_lab.training.writing.asking import Candidate, Found, PassageAsker
from golden_lab.training.writing.checking import ASKED_BEFORE
from golden_lab.training.writing.cutting import SourcePassage
from tools.asked_before import AskedBefore

Answers = Literal["sentence", "short"]


@dataclass(slots=True)
class Making:
    """What was made so far: the rows, how many passages were looked at, and why questions were passed over.

    ``withheld`` counts the documents that not everybody may read and that nobody named.
    """

    rows: list[PassageQuestion] = field(default_factory=list)
    passages: int = 0
    withheld: int = 0
    passed_over: Counter[str] = field(default_factory=Counter)


async def make_questions(
    passages: Iterator[SourcePassage],
    asker: PassageAsker,
    before: AskedBefore,
    making: Making,
    *,
    count: int,
    answers: Answers = "sentence",
    at_once: int = 4,
    on_passage: Callable[[Making], None] = lambda _: None,
) -> None:
    """Add one question for each of ``passages`` to ``making`` until it holds ``count``; 0: for all.

    Up to ``at_once`` passages are asked about at the same time; what is made does not depend on which is done first.
    Whoever cancels this finds in ``making`` all that was made.

    Raises:
        ChatUnavailable: the chat server does not answer.
    """
    async with aclosing(_in_order(passages, asker, at_once)) as examined:
        async for passage, first in examined:
            making.passages += 1
            found = first
            while True:
                making.passed_over += found.passed_over
                if found.candidate is None:
                    break
                question = found.candidate.written.question
                if not await before.knows(question):
                    await before.add([question])
                    making.rows.append(_row(passage, found.candidate, found.answerability, answers))
                    break
                making.passed_over[ASKED_BEFORE] += 1
                found = await asker.first_good(passage, found.at + 1)
            on_passage(making)
            if count and len(making.rows) >= count:
                return


async def _in_order(
    passages: Iterator[SourcePassage], asker: PassageAsker, at_once: int
) -> AsyncGenerator[tuple[SourcePassage, Found]]:
    """Yield what was found for each passage, in their order; as many as ``at_once`` are under way."""
    running: deque[tuple[SourcePassage, asyncio.Task[Found]]] = deque()
    try:
        while True:
            while len(running) < max(1, at_once):
                passage = await asyncio.to_thread(next, passages, None)
                if passage is None:
                    break
                running.append((passage, asyncio.create_task(asker.first_good(passage))))
            if not running:
                return
            passage, task = running[0]
            found = await task
            running.popleft()
            yield passage, found
    finally:
        for _, task in running:
            task.cancel()
        await asyncio.gather(*(task for _, task in running), return_exceptions=True)


def _row(passage: SourcePassage, candidate: Candidate, answerability: float, answers: Answers) -> PassageQuestion:
    written = candidate.written
    answer = full_answer(written, passage.passage) if answers == "sentence" else written.answer
    named = f"{passage.key}\0{passage.passage.text}\0{written.question}\0{answer}"
    return PassageQuestion(
        id=hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        passage=passage.passage.text,
        question=written.question,
        answer=answer,
        source=passage.source,
        written_by=candidate.by,
        answerability=answerability,
    )
