"""What clients send to the dictionary, and how it says that a question would be read."""

from typing import Literal

from pydantic import AliasPath, BaseModel, ConfigDict, Field

from agent.previewing import QuestionPreview
from contracts.jargon import MentionKind, Reading, SenseState
from contracts.verdicts import ContextProbability

_STRICT = ConfigDict(extra="forbid")


class MeaningIn(BaseModel):
    """A meaning of a term that is named elsewhere."""

    model_config = _STRICT

    extended_name: str = Field(description="What the term stands for.")
    context: str = Field(default="", description="The context in which it means that; empty: everywhere.")
    description: str = Field(default="", description="What it is, in a sentence or two.")
    notes: str = Field(default="", description="Anything a reader should know besides.")
    source: str = Field(default="", description="Where this is written.")
    aliases: list[str] = Field(default=[], description="Other spellings of the term.")


class SenseIn(MeaningIn):
    """One meaning of a term, whole."""

    model_config = _STRICT

    term: str = Field(description="The abbreviation or term.")
    state: SenseState = "published"


class SensePatch(BaseModel):
    """The fields of a meaning that change; what is not named stays."""

    model_config = _STRICT

    term: str = ""
    extended_name: str = ""
    context: str = ""
    description: str = ""
    notes: str = ""
    source: str = ""
    aliases: list[str] = []
    state: SenseState = "published"


class ContextIn(BaseModel):
    """A context's description. ``name`` spells the name in another letter case; it is not another name."""

    model_config = _STRICT

    name: str | None = None
    description: str = ""
    examples: list[str] = Field(default=[], description="Questions that are asked in it.")


class DraftsIn(BaseModel):
    """Which candidates are published: those whose best evidence scores ``min_score`` or more.

    Those that contradict a published meaning, or one another, only ``with_conflicts``.
    """

    model_config = _STRICT

    min_score: float = Field(ge=0, le=1)
    with_conflicts: bool = False
    preview: bool = Field(default=False, description="Say what would be published, and change nothing.")


class QuestionIn(BaseModel):
    """A question to try, and the department of who would ask it."""

    model_config = _STRICT

    question: str = Field(description="The question in the asker's words.")
    department: str = Field(default="", description="The asker's department: a context's name; empty: not known.")


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
