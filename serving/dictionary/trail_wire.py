"""The wire of what happens to the dictionary: changes, imports, findings, corrections, and how a question is read."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from contracts.jargon import MentionKind, ReadingStatus
from jargon_db.values import Action, FindingKind, Kind, Verdict
from serving.dictionary.wire import DictionaryContext, DictionarySense

FieldValue = str | int | list[str] | None


class DifferenceItem(BaseModel):
    """A field that differs; null where there was, or is, no entry."""

    field: str
    before: FieldValue
    after: FieldValue


class ChangeItem(BaseModel):
    """A change: who made it, when, and the entry before and after; null where it was not there.

    ``who`` is empty where the program itself did it. ``undoes`` is the number of the change that this one took back,
    ``batch`` that of the first change that was made with it, ``origin`` the file or document that it came from.
    """

    number: int
    at: datetime
    who: str
    action: Action
    kind: Kind
    entry: int
    version: int
    name: str
    differences: list[DifferenceItem]
    before: DictionarySense | DictionaryContext | None
    after: DictionarySense | DictionaryContext | None
    undoes: int | None
    batch: int
    origin: str


class BatchItem(BaseModel):
    """What was changed at once, such as an import: by whom, when, from which file or document, and how many entries.

    ``name`` is that of the first entry.
    """

    number: int
    at: datetime
    who: str
    action: Action
    origin: str
    name: str
    added: int
    changed: int
    deleted: int


class BatchList(BaseModel):
    """The latest batches, newest first."""

    items: list[BatchItem]


class ChangeList(BaseModel):
    """Changes, newest first; ``before`` asks for those that follow ``next_before``, which is null at the end."""

    items: list[ChangeItem]
    next_before: int | None


class ChangesMade(BaseModel):
    """Changes that were made together, in their order."""

    items: list[ChangeItem]


class PlannedItem(BaseModel):
    """What importing a row would do; ``rivals`` are published meanings of the same term in the same context."""

    line: int
    verdict: Verdict
    sense: DictionarySense | None = None
    context: DictionaryContext | None = None
    differences: list[DifferenceItem]
    rivals: list[DictionarySense]


class ImportedSheet(BaseModel):
    """How many rows of a file are new, change what is there, or are there already.

    In a preview ``conflicting`` counts those new ones that stand beside another meaning in the same context, ``added``
    the others; ``rows`` are those that would change something, ``rows_left_off`` how many more there are.
    """

    added: int
    changed: int
    unchanged: int
    conflicting: int = 0
    rows: list[PlannedItem] = []
    rows_left_off: int = 0


class Imported(BaseModel):
    """What an import did, or with ``preview`` would do; null for a file that was not sent.

    Undoing the batch ``change`` takes it back; null where nothing was changed.
    """

    preview: bool
    change: int | None
    terms: ImportedSheet | None
    contexts: ImportedSheet | None


class FindingItem(BaseModel):
    """Something to look at, and the numbers of the meanings that it is about."""

    kind: FindingKind
    text: str
    senses: list[int]


class FindingList(BaseModel):
    """What in the dictionary deserves a look."""

    items: list[FindingItem]


class CorrectionItem(BaseModel):
    """A meaning that askers chose for a term in a question; ``sense`` is its number, ``count`` how often."""

    term: str
    extended_name: str
    context: str
    question: str
    sense: int
    count: int
    who: str
    first_at: datetime
    last_at: datetime


class CorrectionList(BaseModel):
    """Corrections of readings, newest first."""

    items: list[CorrectionItem]


class QuestionIn(BaseModel):
    """A question to try, and the department of who would ask it."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"question": "How is PLR counted?", "department": "Protocols"}]}
    )

    question: str = Field(description="The question in the asker's words.")
    department: str = Field("", description="The asker's department: a context's name; empty: not known.")


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
    sense: DictionarySense | None
    probability: float
    reason: str
    alternatives: list[DictionarySense]
    suggestions: list[str]


class QuestionReading(BaseModel):
    """How a question would be read.

    ``context`` is the most probable context, "" for none. ``outcome`` says what comes next: "answer" goes on with
    ``augmented_question``, "clarify" asks which meaning is meant, "unknown_term" says that nobody knows a term.
    """

    question: str
    mentions: list[MentionItem]
    context: str
    contexts: list[ContextShare]
    none_of_these: float
    readings: list[ReadingItem]
    outcome: Literal["answer", "clarify", "unknown_term"]
    augmented_question: str
