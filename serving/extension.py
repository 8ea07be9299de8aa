"""The extension ``golden``: an answer with everything that came with it, as wire values."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from contracts.answer import (
    Answer,
    AnswerEvent,
    CertaintyEstimated,
    Citation,
    CitationsVerified,
    RefinementRecord,
    SentencesJudged,
    Step,
    StepFinished,
    StepStarted,
    TextDelta,
    TextReset,
)
from contracts.jargon import Reading, Sense
from serving.extension_wire import (
    BoxOut,
    CitationOut,
    CitedSentenceOut,
    ContextOut,
    GoldenAnswer,
    GoldenProgress,
    JudgedSentenceOut,
    NearOut,
    OptionOut,
    PoorPageOut,
    ReadingOut,
    RefinementOut,
    SenseOut,
    SentenceOut,
    StepOut,
    UnknownTermOut,
)
from serving.offers import PageReading


def golden_answer(
    answer: Answer,
    readings: Mapping[int, PageReading] = MappingProxyType({}),
    *,
    passages: bool = False,
    follow_ups: Sequence[str] = (),
) -> GoldenAnswer:
    """Return the extension of a finished answer.

    ``readings`` say how well what it cites was read, by number. ``passages``: with the text around each quote.
    """
    return GoldenAnswer(
        outcome=answer.outcome,
        question=answer.question,
        standalone_question=answer.standalone_question,
        augmented_question=answer.augmented_question,
        context=ContextOut(name=answer.context, probability=answer.context_probability),
        readings=[_reading(each) for each in answer.readings],
        steps=[_step(each) for each in answer.steps],
        sentences=[
            SentenceOut(
                text=each.text,
                citations=list(each.citations),
                label=each.label,
                probability=each.probability,
                reason=each.reason,
            )
            for each in answer.sentences
        ],
        citations=[_citation(each, readings.get(each.number), passages=passages) for each in answer.citations],
        answerability=answer.answerability,
        certainty=answer.certainty,
        missing=list(answer.missing),
        nearest=[
            NearOut(
                document=each.document_name, document_id=each.document_id, title=each.document_title, page=each.page
            )
            for each in answer.nearest
        ],
        unknown_terms=[
            UnknownTermOut(term=each.mention.text, suggestions=list(each.suggestions)) for each in answer.unknown_terms
        ],
        options=[
            OptionOut(
                number=each.number,
                term=each.sense.term,
                extended_name=each.sense.extended_name,
                context=each.sense.context,
                description=each.sense.description,
            )
            for each in answer.options
        ],
        degraded=list(answer.degraded),
        poor_pages=_poor_pages(answer.citations, readings),
        refinement=_refinement(answer.refinement) if answer.refinement is not None else None,
        follow_ups=list(follow_ups),
        turn_id=answer.turn_id,
        conversation_id=answer.conversation_id,
    )


def golden_progress(event: AnswerEvent, *, passages: bool = False) -> GoldenProgress | None:
    """Return the extension of an event on the way; None for the end, and for an event that is not known here."""
    match event:
        case StepStarted(node=node):
            return GoldenProgress(started=node)
        case StepFinished(step=step):
            return GoldenProgress(step=_step(step))
        case TextDelta(text=text):
            return GoldenProgress(draft=text)
        case TextReset(reason=reason):
            return GoldenProgress(draft_withdrawn=reason)
        case CitationsVerified(sentences=cited, citations=citations):
            return GoldenProgress(
                cited=[CitedSentenceOut(text=each.text, citations=list(each.citations)) for each in cited],
                citations=[_citation(each, passages=passages) for each in citations],
            )
        case SentencesJudged(sentences=judged):
            return GoldenProgress(
                judged=[
                    JudgedSentenceOut(
                        text=each.text, label=each.label, probability=each.probability, reason=each.reason
                    )
                    for each in judged
                ]
            )
        case CertaintyEstimated(probability=probability):
            return GoldenProgress(certainty=probability)
    return None


def _reading(reading: Reading) -> ReadingOut:
    return ReadingOut(
        text=reading.mention.text,
        term=reading.mention.term,
        status=reading.status,
        corrected=reading.mention.corrected,
        sense=_sense(reading.sense) if reading.sense else None,
        probability=reading.probability,
        reason=reading.reason,
        alternatives=[_sense(each) for each in reading.alternatives],
        suggestions=list(reading.suggestions),
    )


def _sense(sense: Sense) -> SenseOut:
    return SenseOut(
        term=sense.term,
        extended_name=sense.extended_name,
        context=sense.context,
        description=sense.description,
        notes=sense.notes,
        source=sense.source,
    )


def _step(step: Step) -> StepOut:
    source = step.provenance
    return StepOut(
        node=step.node,
        finding=step.finding,
        milliseconds=round(step.milliseconds, 2),
        implementation=source.implementation if source else "",
        model=source.model if source else "",
        degraded=source.degraded if source else "",
    )


def _refinement(record: RefinementRecord) -> RefinementOut:
    return RefinementOut(
        policy=record.policy,
        signal_name=record.signal_name,
        signal=record.signal,
        threshold=record.threshold,
        fired=record.fired,
        reasons=list(record.reasons),
        kept=record.kept,
        kept_reason=record.kept_reason,
        draft_before=record.draft_before,
        draft_after=record.draft_after,
    )


def _poor_pages(citations: Sequence[Citation], readings: Mapping[int, PageReading]) -> list[PoorPageOut]:
    pages: dict[tuple[str, int], PoorPageOut] = {}
    for citation in citations:
        reading = readings.get(citation.number)
        if reading is None or not reading.trouble:
            continue
        page = pages.setdefault(
            (citation.document_id, citation.page),
            PoorPageOut(
                document=citation.document_name,
                document_id=citation.document_id,
                page=citation.page,
                citations=[],
                reason=reading.trouble,
            ),
        )
        page.citations.append(citation.number)
    return list(pages.values())


def _citation(citation: Citation, reading: PageReading | None = None, *, passages: bool = False) -> CitationOut:
    return CitationOut(
        number=citation.number,
        document=citation.document_name,
        document_id=citation.document_id,
        title=citation.document_title,
        page=citation.page,
        quote=citation.quote,
        headings=list(citation.heading_path),
        chunk_id=citation.chunk_id,
        reading_confidence=reading.confidence if reading else None,
        boxes=[
            BoxOut(page=each.page, x0=each.x0, top=each.top, x1=each.x1, bottom=each.bottom) for each in citation.boxes
        ],
        passage=citation.passage_text if passages else "",
        spans=[(each.start, each.end) for each in citation.quote_spans] if passages else [],
    )
