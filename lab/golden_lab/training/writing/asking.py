"""What is asked of one passage: candidates, best first, each judged when its turn comes."""

import hashlib
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage, Span
from contracts.verdicts import WrittenQuestion
from golden_lab.training.data.passages import WrittenBy
from golden_lab.training.writing.checking import NOT_ANSWERED, NOTHING_ASKED, UNREADABLE, fault_of
from golden_lab.training.writing.cutting import SourcePassage
from golden_lab.training.writing.journal import Journal
from intrinsics.answerability.base import AnswerabilityJudge
from intrinsics.question_writing.base import QuestionWriter

Form = Literal["free", "cloze", "template"]
# Stands in the journal for the probability that a reply did not tell.
_UNREADABLE = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A question that a writer made of a passage."""

    written: WrittenQuestion
    by: WrittenBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The first good candidate from some place on, and what was passed over before it.

    ``at`` is its place, or the number of candidates where there is none; then ``candidate`` is None.
    """

    at: int
    candidate: Candidate | None = None
    answerability: float = 0.0
    passed_over: Counter[str] = field(default_factory=Counter)


class PassageAsker:
    """Asks ``writers``, in their order, about passages, and ``judge`` whether a passage answers what was asked.

    What they said is kept in ``journal`` and never asked again; ``writers_mark`` and ``judge_mark`` name who is asked,
    so that what others said is not taken for it. A question counts as answered from ``threshold`` on. ``ambiguous``
    are the folded terms with several meanings.
    """

    def __init__(
        self,
        writers: Sequence[tuple[Form, QuestionWriter]],
        judge: AnswerabilityJudge,
        journal: Journal,
        *,
        threshold: float,
        writers_mark: str,
        judge_mark: str,
        ambiguous: Container[str] = (),
    ) -> None:
        self._writers = tuple(writers)
        self._judge = judge
        self._journal = journal
        self._threshold = threshold
        self._writers_mark = writers_mark
        self._judge_mark = judge_mark
        self._ambiguous = ambiguous

    async def first_good(self, passage: SourcePassage, start: int = 0) -> Found:
        """Return the first candidate, from place ``start`` on, that is fit to be trained on.

        Raises:
            ChatUnavailable: the chat server does not answer.
        """
        candidates, failed = await self._candidates(passage)
        over: Counter[str] = Counter()
        if not candidates and start == 0:
            over[UNREADABLE if failed else NOTHING_ASKED] += 1
        for at in range(start, len(candidates)):
            fault = fault_of(candidates[at].written, passage, self._ambiguous)
            if not fault:
                probability = await self._answerability(candidates[at].written.question, passage.passage)
                if probability >= self._threshold:
                    return Found(at=at, candidate=candidates[at], answerability=probability, passed_over=over)
                fault = UNREADABLE if probability == _UNREADABLE else NOT_ANSWERED
            over[fault] += 1
        return Found(at=len(candidates), passed_over=over)

    async def _candidates(self, passage: SourcePassage) -> tuple[tuple[Candidate, ...], bool]:
        key = _key(self._writers_mark, passage.passage)
        kept = self._journal.get(key)
        if kept is None:
            kept = {"questions": [], "failed": False}
            for form, writer in self._writers:
                try:
                    written = await writer.write(passage.passage)
                except MalformedReply:
                    kept["failed"] = True
                    continue
                by = _written_by(written.provenance, form)
                kept["questions"] += [_as_row(each, by) for each in written.questions]
            self._journal.put(key, kept)
        return tuple(_candidate(row) for row in kept["questions"]), bool(kept["failed"])

    async def _answerability(self, question: str, passage: Passage) -> float:
        key = _key(self._judge_mark, passage, question)
        kept = self._journal.get(key)
        if kept is None:
            asked = AugmentedQuestion(
                question=question, text=question, provenance=Provenance(implementation="training data")
            )
            try:
                kept = round((await self._judge.judge(asked, [passage])).probability, 4)
            except MalformedReply:
                kept = _UNREADABLE
            self._journal.put(key, kept)
        return float(kept)


def _key(mark: str, passage: Passage, question: str = "") -> str:
    parts = (mark, passage.document_title, *passage.chunk.heading_path, passage.text, question)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _written_by(provenance: Provenance, form: Form) -> WrittenBy:
    return WrittenBy(
        implementation=provenance.implementation,
        model=provenance.model,
        prompt_version=provenance.prompt_version,
        form=form,
    )


def _as_row(written: WrittenQuestion, by: WrittenBy) -> dict[str, Any]:
    place = [written.evidence.start, written.evidence.end]
    return {"question": written.question, "answer": written.answer, "evidence": place, "by": by.model_dump()}


def _candidate(row: dict[str, Any]) -> Candidate:
    written = WrittenQuestion(question=row["question"], answer=row["answer"], evidence=Span(*row["evidence"]))
    return Candidate(written=written, by=WrittenBy.model_validate(row["by"]))
