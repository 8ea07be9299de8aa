"""How a question would be read, as clients and pages see it."""

from typing import Literal

from pydantic import BaseModel

from agent.previewing import QuestionPreview
from contracts.jargon import MentionKind, Reading, ReadingStatus, Sense


class MentionItem(BaseModel):
    """A term that was found at [start, end), in code points; ``corrected``: its misspelling was."""

    text: str
    start: int
    end: int
    term: str
    kind: MentionKind
    probability: float
    known: bool
    corrected: bool


class ContextShare(BaseModel):
    """How probably a question is asked in a context."""

    name: str
    probability: float


class ReadingItem(BaseModel):
    """How a term was read, and why."""

    text: str
    term: str
    status: ReadingStatus
    sense: Sense | None
    probability: float
    reason: str
    alternatives: tuple[Sense, ...]
    suggestions: tuple[str, ...]


class QuestionReading(BaseModel):
    """How a question would be read.

    ``context`` is the most probable context, "" for none. ``outcome`` says what comes next: "answer" goes on with
    ``augmented_question``, "clarify" asks which meaning is meant, "unknown_term" says that nobody knows a term.
    """

    question: str
    mentions: tuple[MentionItem, ...]
    context: str
    contexts: tuple[ContextShare, ...]
    none_of_these: float
    readings: tuple[ReadingItem, ...]
    outcome: Literal["answer", "clarify", "unknown_term"]
    augmented_question: str


def question_reading(preview: QuestionPreview) -> QuestionReading:
    """Return how a question would be read."""
    outcomes: dict[str, Literal["clarify", "unknown_term"]] = {
        "report_unknown_terms": "unknown_term",
        "ask_which_sense": "clarify",
    }
    return QuestionReading(
        question=preview.question,
        mentions=tuple(
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
        ),
        context=preview.contexts.best,
        contexts=tuple(
            ContextShare(name=each.name, probability=each.probability) for each in preview.contexts.contexts
        ),
        none_of_these=preview.contexts.none_of_these,
        readings=tuple(map(_reading_item, preview.readings)),
        outcome=outcomes.get(preview.next_step, "answer"),
        augmented_question=preview.augmented,
    )


def _reading_item(reading: Reading) -> ReadingItem:
    return ReadingItem(
        text=reading.mention.text,
        term=reading.mention.term,
        status=reading.status,
        sense=reading.sense,
        probability=reading.probability,
        reason=reading.reason,
        alternatives=reading.alternatives,
        suggestions=reading.suggestions,
    )
