"""Rendering: the dictionary's values as wire values."""

from collections.abc import Mapping, Sequence

from agent.previewing import QuestionPreview
from contracts.jargon import Context, Reading, Sense, SenseState
from jargon_db.values import (
    Batch,
    Candidate,
    Change,
    ContextEntry,
    CorrectionEntry,
    Difference,
    ImportReport,
    PlannedRow,
    SenseEntry,
    UnknownTerm,
)
from serving.dictionary.base import PlacedEvidence
from serving.dictionary.preconditions import etag_of
from serving.dictionary.trail_wire import (
    BatchItem,
    ChangeItem,
    ContextShare,
    CorrectionItem,
    DifferenceItem,
    FieldValue,
    ImportedSheet,
    MentionItem,
    PlannedItem,
    QuestionReading,
    ReadingItem,
)
from serving.dictionary.waiting_wire import BoxItem, ChosenDraft, PlacedEvidenceItem, QueuedTerm
from serving.dictionary.wire import ContextItem, DictionaryContext, DictionarySense, SenseItem, StateCounts


def sense_out(sense: Sense) -> DictionarySense:
    """Return a sense."""
    return DictionarySense(
        id=sense.id,
        term=sense.term,
        extended_name=sense.extended_name,
        context=sense.context,
        description=sense.description,
        notes=sense.notes,
        source=sense.source,
        aliases=list(sense.aliases),
        state=sense.state,
    )


def sense_item(entry: SenseEntry, last: Mapping[int, Change]) -> SenseItem:
    """Return a sense as it is kept, with its last change where ``last`` has it."""
    change = last.get(entry.sense.id)
    return SenseItem(
        **sense_out(entry.sense).model_dump(),
        version=entry.version,
        etag=etag_of(entry.sense.id, entry.version),
        changed_at=entry.changed_at,
        changed_by=change.who if change else "",
        last_change=change.number if change else None,
    )


def context_out(context: Context) -> DictionaryContext:
    """Return a context."""
    return DictionaryContext(name=context.name, description=context.description, examples=list(context.examples))


def context_item(entry: ContextEntry, last: Mapping[int, Change]) -> ContextItem:
    """Return a context as it is kept, with its last change where ``last`` has it."""
    change = last.get(entry.id)
    return ContextItem(
        **context_out(entry.context).model_dump(),
        version=entry.version,
        etag=etag_of(entry.id, entry.version),
        changed_by=change.who if change else "",
        last_change=change.number if change else None,
    )


def counts_out(counts: Mapping[SenseState, int]) -> StateCounts:
    """Return how many senses there are of each state."""
    return StateCounts(draft=counts["draft"], published=counts["published"], rejected=counts["rejected"])


def queued_term(unknown: UnknownTerm, near: Sequence[str]) -> QueuedTerm:
    """Return a term of the queue with known spellings near to it."""
    return QueuedTerm(
        term=unknown.term,
        count=unknown.count,
        last_question=unknown.last_question,
        context=unknown.context,
        first_asked_at=unknown.first_asked_at,
        last_asked_at=unknown.last_asked_at,
        near=list(near),
    )


def change_item(change: Change) -> ChangeItem:
    """Return a change with the fields that differ."""
    return ChangeItem(
        number=change.number,
        at=change.at,
        who=change.who,
        action=change.action,
        kind=change.kind,
        entry=change.entry,
        version=change.version,
        name=change.name,
        differences=_differences(change.differences()),
        before=_entry_out(change.before),
        after=_entry_out(change.after),
        undoes=change.undoes,
        batch=change.batch,
        origin=change.origin,
    )


def batch_item(batch: Batch) -> BatchItem:
    """Return what was changed at once."""
    return BatchItem(
        number=batch.number,
        at=batch.first.at,
        who=batch.first.who,
        action=batch.first.action,
        origin=batch.first.origin,
        name=batch.first.name,
        added=batch.added,
        changed=batch.changed,
        deleted=batch.deleted,
    )


def placed_evidence(placed: PlacedEvidence) -> PlacedEvidenceItem:
    """Return what speaks for a term, with its place."""
    return PlacedEvidenceItem(
        document=placed.evidence.document,
        page=placed.evidence.page,
        sentence=placed.evidence.sentence,
        score=placed.evidence.score,
        document_id=placed.document_id,
        boxes=[BoxItem(page=box.page, x0=box.x0, top=box.top, x1=box.x1, bottom=box.bottom) for box in placed.boxes],
    )


def chosen_draft(candidate: Candidate) -> ChosenDraft:
    """Return a candidate that was chosen by its score."""
    return ChosenDraft(
        sense=sense_out(candidate.sense),
        score=candidate.score,
        conflicts=[sense_out(sense) for sense in candidate.conflicts],
    )


def correction_item(entry: CorrectionEntry) -> CorrectionItem:
    """Return a correction of a reading."""
    return CorrectionItem(
        term=entry.correction.term,
        extended_name=entry.correction.extended_name,
        context=entry.correction.context,
        question=entry.correction.question,
        sense=entry.sense,
        count=entry.count,
        who=entry.who,
        first_at=entry.first_at,
        last_at=entry.last_at,
    )


def imported_sheet(report: ImportReport) -> ImportedSheet:
    """Return what an import did with a file."""
    return ImportedSheet(added=report.added, changed=report.changed, unchanged=report.unchanged)


def planned_sheet(rows: Sequence[PlannedRow], most: int) -> ImportedSheet:
    """Return what an import would do with a file, with at most ``most`` of the rows that would change something."""
    verdicts = [row.verdict for row in rows]
    telling = [row for row in rows if row.verdict != "unchanged"]
    return ImportedSheet(
        added=verdicts.count("added"),
        changed=verdicts.count("changed"),
        unchanged=verdicts.count("unchanged"),
        conflicting=verdicts.count("conflicting"),
        rows=[_planned_item(row) for row in telling[:most]],
        rows_left_off=max(0, len(telling) - most),
    )


def question_reading(preview: QuestionPreview) -> QuestionReading:
    """Return how a question would be read."""
    return QuestionReading(
        question=preview.question,
        mentions=[
            MentionItem(
                text=each.text,
                start=each.span.start,
                end=each.span.end,
                term=each.term,
                kind=each.kind,
                probability=each.probability,
                known=each.known,
                corrected=each.corrected,
            )
            for each in preview.mentions
        ],
        context=preview.contexts.best,
        contexts=[ContextShare(name=each.name, probability=each.probability) for each in preview.contexts.contexts],
        none_of_these=preview.contexts.none_of_these,
        readings=[_reading_item(each) for each in preview.readings],
        outcome=(
            "unknown_term"
            if preview.next_step == "report_unknown_terms"
            else "clarify"
            if preview.next_step == "ask_which_sense"
            else "answer"
        ),
        augmented_question=preview.augmented,
    )


def _reading_item(reading: Reading) -> ReadingItem:
    return ReadingItem(
        text=reading.mention.text,
        term=reading.mention.term,
        status=reading.status,
        sense=sense_out(reading.sense) if reading.sense else None,
        probability=reading.probability,
        reason=reading.reason,
        alternatives=[sense_out(each) for each in reading.alternatives],
        suggestions=list(reading.suggestions),
    )


def _planned_item(row: PlannedRow) -> PlannedItem:
    return PlannedItem(
        line=row.line,
        verdict=row.verdict,
        sense=sense_out(row.entry) if isinstance(row.entry, Sense) else None,
        context=context_out(row.entry) if isinstance(row.entry, Context) else None,
        differences=_differences(row.differences),
        rivals=[sense_out(each) for each in row.rivals],
    )


def _entry_out(entry: Sense | Context | None) -> DictionarySense | DictionaryContext | None:
    if entry is None:
        return None
    return sense_out(entry) if isinstance(entry, Sense) else context_out(entry)


def _differences(found: Sequence[Difference]) -> list[DifferenceItem]:
    return [DifferenceItem(field=name, before=_plain(old), after=_plain(new)) for name, old, new in found]


def _plain(value: object) -> FieldValue:
    if isinstance(value, tuple | list):
        return [str(each) for each in value]
    return value if isinstance(value, str | int) or value is None else str(value)
