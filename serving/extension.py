"""The extension ``golden``: an answer with everything that came with it, as wire values."""

from contracts.answer import (
    Answer,
    AnswerEvent,
    CertaintyEstimated,
    Citation,
    CitationsVerified,
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
    ReadingOut,
    SenseOut,
    SentenceOut,
    StepOut,
    UnknownTermOut,
)


def golden_answer(answer: Answer) -> GoldenAnswer:
    """Return the extension of a finished answer."""
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
        citations=[_citation(each) for each in answer.citations],
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
    )


def golden_progress(event: AnswerEvent) -> GoldenProgress | None:
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
                citations=[_citation(each) for each in citations],
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
        term=sense.term, extended_name=sense.extended_name, context=sense.context, description=sense.description
    )


def _step(step: Step) -> StepOut:
    out = StepOut(node=step.node, finding=step.finding, milliseconds=round(step.milliseconds, 2))
    if step.provenance is None:
        return out
    source = step.provenance
    return out.model_copy(
        update={"implementation": source.implementation, "model": source.model, "degraded": source.degraded}
    )


def _citation(citation: Citation) -> CitationOut:
    return CitationOut(
        number=citation.number,
        document=citation.document_name,
        document_id=citation.document_id,
        title=citation.document_title,
        page=citation.page,
        quote=citation.quote,
        headings=list(citation.heading_path),
        chunk_id=citation.chunk_id,
        boxes=[
            BoxOut(page=each.page, x0=each.x0, top=each.top, x1=each.x1, bottom=each.bottom) for each in citation.boxes
        ],
    )
