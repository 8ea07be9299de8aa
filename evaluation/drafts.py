"""Drafts of test cases: a question is written for a random passage and checked; a person then accepts or rejects it."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.answers import context_of
from agent.services import Services
from agent.steps.passages import augment_question, retrieve
from agent.steps.question import look_up_jargon, read_alone
from contracts.errors import InvalidInput, MalformedReply
from contracts.jargon import Reading
from contracts.question import Asker
from contracts.text import Document, Passage, Span
from contracts.verdicts import WrittenQuestion
from intrinsics.question_writing.base import QuestionWriter
from intrinsics.question_writing.question_checks import gives_away
from library.store import LibraryStore
from tools.language import content_stems, split_sentences
from tools.repeated_questions import AskedBefore
from tools.search.passages import passage_of

# A sense needs at least this probability to become the expected reading.
_CERTAIN = 0.9
DRAFTED, HARD = "drafted", "hard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafts:
    """The drafts (each as the fields of its line), the number of passages used, and why questions were rejected."""

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
    on_draft: Callable[[Mapping[str, Any]], None] = lambda _: None,
) -> Drafts:
    """Draft up to ``count`` cases, one per passage: the best question of ``writer`` that passes the checks.

    A question passes if it does not contain its answer or repeat a ``known`` or earlier question, if each of its terms
    has one meaning, and if its passage answers it according to the judge and threshold of ``services``. If the bot's
    search does not find the passage, the case is of the kind "hard". ``on_draft`` gets each new draft.

    Raises:
        ChatUnavailable: the language model that writes the questions does not answer.
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
        try:
            written = await writer.write(passage)
        except MalformedReply:
            passed_over["the language model's reply did not have the requested form"] += 1
            continue
        if not written.questions:
            passed_over["the passage states nothing to ask about"] += 1
        for question in written.questions:
            row, why = await _draft(question, passage, services, before)
            if row is None:
                passed_over[why] += 1
                continue
            await before.add([question.question])
            by = " ".join(filter(None, (written.provenance.implementation, written.provenance.model)))
            rows.append({**row, "drafted_by": by})
            on_draft(rows[-1])
            break
    return Drafts(rows=tuple(rows), passages=looked_at, passed_over=dict(passed_over))


async def _draft(
    written: WrittenQuestion, passage: Passage, services: Services, before: AskedBefore
) -> tuple[Mapping[str, Any] | None, str]:
    """Return the fields of a question that passes the checks, or None and the reason why it does not.

    The graph's steps interpret and augment the question and search with it; it is judged against ``passage``
    alone.
    """
    if gives_away(written.question, written.answer):
        return None, "the question contains its answer"
    if await before.knows(written.question):
        return None, "the question exists already"
    anyone = Asker()
    jargon, contexts = await read_alone(written.question, anyone, services)
    readings = await look_up_jargon(written.question, jargon, contexts, anyone, (), services)
    if any(each.status == "ambiguous" for each in readings) or await _means_several(readings, services):
        return None, "a term in it has several meanings"
    context = context_of((), readings, contexts.best)
    augmented, _ = await augment_question(written.question, context, readings, services)
    answerability = (await services.answerability_judge.judge(augmented, [passage])).probability
    if not services.policy.is_answerable(answerability):
        return None, "the passage does not answer it, according to the bot's own judgement"
    found = (await retrieve(augmented, readings, services)).passages
    certain = (each.sense for each in readings if each.status == "chosen" and each.probability >= _CERTAIN)
    sense = next(certain, None)
    named = f"{passage.document_name}\0{written.question}\0{written.answer}"
    return {
        "id": f"draft-{hashlib.sha256(named.encode()).hexdigest()[:12]}",
        "question": written.question,
        "history": [],
        "choices": [],
        "kind": DRAFTED if any(each.chunk.id == passage.chunk.id for each in found) else HARD,
        "expect": "answered",
        "answer": written.answer,
        "accept": [],
        "document": passage.document_name,
        "page": page_of(passage, written.evidence),
        "term": sense.term if sense else None,
        "sense": sense.extended_name if sense else None,
        "context": (sense.context or None) if sense else None,
        "accepted": False,
        "passage": quote(passage, written.evidence),
        "heading": " > ".join(passage.chunk.heading_path),
        "answerability": round(answerability, 3),
    }, ""


def page_of(passage: Passage, evidence: Span) -> int:
    """Return the page of the evidence, from the boxes of its text if they are known."""
    for box in passage.chunk.boxes:
        if box.span.start < evidence.end and evidence.start < box.span.end:
            return box.box.page
    return passage.chunk.page


def quote(passage: Passage, evidence: Span) -> str:
    """Return the sentences or rows that contain the evidence; table rows are preceded by the header row."""
    spans = passage.sentences or split_sentences(passage.text)
    covered = [span for span in spans if span.start < evidence.end and evidence.start < span.end]
    start = min((span.start for span in covered), default=evidence.start)
    end = max((span.end for span in covered), default=evidence.end)
    piece = passage.text[start:end].strip()
    header = passage.text.split("\n", 1)[0].strip()
    in_table = " | " in piece and " | " in header and not passage.text.startswith(piece)
    return f"{header}\n{piece}" if in_table else piece


async def _means_several(readings: Sequence[Reading], services: Services) -> bool:
    """Return whether the documents expand a term in the question in several ways and no dictionary entry decides."""
    terms = [each.mention.term for each in readings if each.status == "documents"]
    mined = await services.dictionary.drafts(terms) if terms else {}
    return any(len({content_stems(each.extended_name) for each in senses}) > 1 for senses in mined.values())


def choose_documents(store: LibraryStore, names: Sequence[str]) -> tuple[Document, ...]:
    """Return all documents in the library, or those listed in ``names`` (by name, path or id), sorted by name.

    Raises:
        InvalidInput: the library is empty, or a name is unknown.
    """
    documents = sorted(store.documents(), key=lambda each: (each.name, each.path))
    if not documents:
        raise InvalidInput("the library is empty: add documents with golden ingest PATH", field="library")
    for name in names:
        if not any(name in (each.name, each.path, each.id) for each in documents):
            raise InvalidInput(
                f'there is no document "{name}" in the library: golden documents list shows all', field="document"
            )
    return tuple(each for each in documents if not names or {each.name, each.path, each.id} & set(names))


def draw_passages(store: LibraryStore, documents: Sequence[Document], *, seed: int) -> Iterator[Passage]:
    """Yield every passage of ``documents`` once, in a random order that depends on ``seed``; documents alternate.

    The same documents and seed give the same order, even if the rest of the library changes.
    """
    turns = list(documents)
    random.Random(seed).shuffle(turns)
    waiting = {each.id: _shuffled(store, each, seed) for each in turns}
    while waiting:
        for document in turns:
            passages = waiting.get(document.id)
            if passages:
                yield passages.pop()
            elif passages is not None:
                del waiting[document.id]


def _shuffled(store: LibraryStore, document: Document, seed: int) -> list[Passage]:
    chunks = store.document_chunks(document.id)
    passages = [passage_of(chunk, document) for chunk in chunks if chunk.kind == "passage"]
    digest = hashlib.sha256(f"{seed}\0{document.name}".encode()).digest()
    random.Random(int.from_bytes(digest[:8], "big")).shuffle(passages)
    return passages
