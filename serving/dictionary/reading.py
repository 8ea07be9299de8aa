"""How a question would be read, as clients and pages see it."""

from typing import Literal

from pydantic import AliasPath, BaseModel, ConfigDict, Field

from agent.previewing import QuestionPreview
from contracts.jargon import MentionKind, Reading
from contracts.verdicts import ContextProbability


class MentionItem(BaseModel):
    """A term that was found at [start, end), in code points; ``corrected``: its misspelling was."""

    model_config = ConfigDict(from_attributes=True, validate_by_name=True)

    text: str
    start: int = Field(validation_alias=AliasPath("span", "start"))
    end: int = Field(validation_alias=AliasPath("span", "end"))
    term: str
    kind: MentionKind
    probability: float
    known: bool
    corrected: bool


class QuestionReading(BaseModel):
    """How a question would be read.

    ``context`` is the most probable context, "" for none. ``outcome`` says what comes next: "answer" goes on with
    ``augmented_question``, "clarify" asks which meaning is meant, "unknown_term" says that nobody knows a term.
    """

    question: str
    mentions: tuple[MentionItem, ...]
    context: str
    contexts: tuple[ContextProbability, ...]
    none_of_these: float
    readings: tuple[Reading, ...]
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
        mentions=tuple(map(MentionItem.model_validate, preview.mentions)),
        context=preview.contexts.best,
        contexts=preview.contexts.contexts,
        none_of_these=preview.contexts.none_of_these,
        readings=preview.readings,
        outcome=outcomes.get(preview.next_step, "answer"),
        augmented_question=preview.augmented,
    )
