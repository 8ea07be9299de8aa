"""Drafts of cases: a question a passage, checked, with where it comes from, for a person to accept."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.services import Services
from contracts.text import Passage, Span
from contracts.verdicts import WrittenQuestion
from evaluation.drafting.checking import CheckedQuestion, check_question
from intrinsics.question_writing import QuestionWriter
from intrinsics.question_writing.standing import gives_away
from tools.asked_before import AskedBefore
from tools.language import split_sentences

DRAFTED, HARD = "drafted", "hard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafts:
    """The drafts, each as the fields of its line, the passages looked at, and why questions were passed over."""

    rows: tuple[Mapping[str, Any], ...]
    passages: int
    passed_over: Mapping[str, int] = field(default_factory=dict)


async def draft_cases(
    passages: Iterable[Passage],
    writer: QuestionWriter,
    services: Services,
    *,
    count: int,
    known: Sequence[str] = (),
    on_draft: Callable[[], None] = lambda: None,
) -> Drafts:
    """Draft up to ``count`` cases, one a passage: the best question that ``writer`` makes of it and that passes.

    A question passes if its answer does not stand in it, it is none of ``known`` nor one drafted before in other words,
    its terms have one meaning each, and its passage answers it by ``services``' own judge and threshold. One whose
    passage the bot's search does not bring back is kept and is of the kind "hard".
    """
    before = AskedBefore(services.embedder)
    await before.add(known)
    rows: list[Mapping[str, Any]] = []
    passed_over: Counter[str] = Counter()
    looked_at = 0
    for passage in passages:
        if len(rows) == count:
            break
        looked_at += 1
        written = await writer.write(passage)
        if not written.questions:
            passed_over["the passage states nothing to ask about"] += 1
        for question in written.questions:
            checked, why = await _check(question, passage, services, before)
            if checked is None:
                passed_over[why] += 1
                continue
            await before.add([question.question])
            by = " ".join(filter(None, (written.provenance.implementation, written.provenance.model)))
            rows.append(_row(question, passage, checked, by))
            on_draft()
            break
    return Drafts(rows=tuple(rows), passages=looked_at, passed_over=dict(passed_over))


async def _check(
    written: WrittenQuestion, passage: Passage, services: Services, before: AskedBefore
) -> tuple[CheckedQuestion | None, str]:
    if gives_away(written.question, written.answer):
        return None, "the answer stands in the question"
    if await before.knows(written.question):
        return None, "the question is there already"
    checked = await check_question(written.question, passage, services)
    if checked.ambiguous:
        return None, "a term in it has several meanings"
    if not services.policy.is_answerable(checked.answerability):
        return None, "the passage does not answer it by the bot's own judgement"
    return checked, ""


def _row(written: WrittenQuestion, passage: Passage, checked: CheckedQuestion, by: str) -> Mapping[str, Any]:
    sense = checked.reading.sense if checked.reading else None
    named = f"{passage.document_name}\0{written.question}\0{written.answer}"
    return {
        "id": f"draft-{hashlib.sha256(named.encode()).hexdigest()[:12]}",
        "question": written.question,
        "history": [],
        "choices": [],
        "kind": DRAFTED if checked.found else HARD,
        "expect": "answered",
        "answer": written.answer,
        "accept": [],
        "document": passage.document_name,
        "page": page_of(passage, written.evidence),
        "term": sense.term if sense else None,
        "sense": sense.extended_name if sense else None,
        "context": checked.context or None,
        "accepted": False,
        "passage": quote(passage, written.evidence),
        "heading": " > ".join(passage.chunk.heading_path),
        "drafted_by": by,
        "answerability": round(checked.answerability, 3),
    }


def page_of(passage: Passage, evidence: Span) -> int:
    """Return the page on which the evidence stands: by the boxes of its text where they are known."""
    for box in passage.chunk.boxes:
        if box.span.start < evidence.end and evidence.start < box.span.end:
            return box.box.page
    return passage.chunk.page


def quote(passage: Passage, evidence: Span) -> str:
    """Return the sentences or rows around the evidence, a table's header row in front of its row."""
    spans = passage.sentences or split_sentences(passage.text)
    covered = [span for span in spans if span.start < evidence.end and evidence.start < span.end]
    start = min((span.start for span in covered), default=evidence.start)
    end = max((span.end for span in covered), default=evidence.end)
    piece = passage.text[start:end].strip()
    header = passage.text.split("\n", 1)[0].strip()
    in_table = " | " in piece and " | " in header and not passage.text.startswith(piece)
    return f"{header}\n{piece}" if in_table else piece
