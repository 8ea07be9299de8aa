"""Questions about passages: the language model writes one per passage; it is checked and added to a file."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contracts.errors import InvalidInput, MalformedReply
from contracts.text import Passage
from contracts.verdicts import WrittenQuestion
from golden_lab.json_lines import read_forms
from golden_lab.systems.simple import as_asked
from intrinsics.answerability.base import AnswerabilityJudge
from intrinsics.question_writing.base import QuestionWriter
from tools.concurrency import run_concurrently
from tools.embedding.base import Embedder
from tools.repeated_questions import AskedBefore

# Files from earlier versions have more fields per question; these are ignored.
_LOOSE = ConfigDict(extra="ignore", frozen=True)
# A passage with fewer letters than this is a heading or a fragment.
_FEWEST_LETTERS = 40


class PassageSource(BaseModel):
    """The place of a passage: pages are counted from 1; ``chunk`` is its id in the library."""

    model_config = _LOOSE

    document: str
    page: int = Field(ge=1)
    last_page: int = Field(ge=1)
    chunk: str = ""


class PassageQuestion(BaseModel):
    """One line: a passage, a factual question that it answers, and the answer, quoted from the passage.

    ``model`` wrote both; ``answerability`` is the judge's probability that the passage answers the question.
    """

    model_config = _LOOSE

    id: str = Field(min_length=1)
    passage: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    source: PassageSource
    model: str = ""
    answerability: float = Field(ge=0, le=1)


def read_passage_questions(path: Path) -> tuple[PassageQuestion, ...]:
    """Read a file of questions.

    Raises:
        InvalidInput: it does not exist, or a line is wrong; the message names the file, line and field.
    """
    return tuple(read_forms(path, PassageQuestion, where="make one with golden-lab train data"))


async def write_questions(
    passages: Iterable[Passage],
    out: Path,
    writer: QuestionWriter,
    judge: AnswerabilityJudge,
    embedder: Embedder,
    *,
    names: Mapping[str, str],
    count: int = 0,
    threshold: float = 0.5,
    at_once: int = 4,
    on_passage: Callable[[int], None] = lambda _: None,
) -> tuple[int, Mapping[str, int]]:
    """Add a question about each of ``passages`` to ``out``, until it contains ``count`` questions (0: no limit).

    For each passage, it adds the first question that the passage answers with a probability of at least ``threshold``
    and that is not in the file yet, in the same or different words. Passages that are already in ``out`` are skipped.
    ``names`` maps document ids to names. ``on_passage`` receives the number of lines.

    Returns:
        The number of lines in ``out``, and for each reason the number of questions left out.

    Raises:
        InvalidInput: ``out`` is not a file of questions.
        ChatUnavailable: the chat server does not answer; lines already written are kept.
    """
    kept = _QuestionFile(out, count, AskedBefore(embedder))
    await kept.before.add([each.question for each in kept.rows])
    known = {each.source.chunk for each in kept.rows}
    passed_over = Counter[str]()

    async def ask(passage: Passage) -> None:
        if kept.is_full:
            return
        try:
            written = await writer.write(passage)
            for each in written.questions:
                verdict = await judge.judge(as_asked(each.question), [passage])
                if verdict.probability < threshold:
                    passed_over["the passage does not answer it by our own judgement"] += 1
                elif await kept.add(_row(passage, each, names, written.provenance.model, verdict.probability)):
                    break
                else:
                    passed_over["the question was asked before, in these words or others"] += 1
        except MalformedReply:
            passed_over["the language model's reply could not be read"] += 1
        on_passage(len(kept.rows))

    waiting = [each for each in passages if each.chunk.id not in known and _says_something(each.text)]
    await run_concurrently([partial(ask, each) for each in waiting], at_once)
    return len(kept.rows), passed_over


class _QuestionFile:
    """The questions in a file; more can be added, up to ``count`` (0: any number)."""

    def __init__(self, path: Path, count: int, before: AskedBefore) -> None:
        self.rows = _rows_of_earlier_run(path)
        self.before = before
        self._path, self._count, self._adding = path, count, asyncio.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)

    @property
    def is_full(self) -> bool:
        return 0 < self._count <= len(self.rows)

    async def add(self, row: PassageQuestion) -> bool:
        """Add ``row`` if there is room; return False if its question is known, in these or other words."""
        async with self._adding:
            if await self.before.knows(row.question):
                return False
            if not self.is_full:
                await self.before.add([row.question])
                self.rows.append(row)
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(row.model_dump_json() + "\n")
            return True


def _row(
    passage: Passage, written: WrittenQuestion, names: Mapping[str, str], model: str, probability: float
) -> PassageQuestion:
    chunk = passage.chunk
    return PassageQuestion(
        id=hashlib.sha256(f"{chunk.id}\0{written.question}".encode()).hexdigest()[:16],
        passage=passage.text,
        question=written.question,
        answer=written.answer,
        source=PassageSource(
            document=names[chunk.document_id], page=chunk.page, last_page=chunk.last_page, chunk=chunk.id
        ),
        model=model,
        answerability=round(probability, 4),
    )


def _rows_of_earlier_run(out: Path) -> list[PassageQuestion]:
    """Return the lines of ``out``; remove an incomplete last line, left by a killed run."""
    content = out.read_bytes() if out.exists() else b""
    whole = content.rfind(b"\n") + 1
    try:
        rows = [PassageQuestion.model_validate_json(line) for line in content[:whole].splitlines()]
    except ValidationError as error:
        raise InvalidInput(f"{out} exists but is not a file of questions: choose another name", field="out") from error
    if rows and whole < len(content):
        out.write_bytes(content[:whole])
    elif content and not rows:
        raise InvalidInput(f"{out} exists but is not a file of questions: choose another name", field="out")
    return rows


def _says_something(text: str) -> bool:
    return sum(letter.isalpha() for letter in text) >= _FEWEST_LETTERS
