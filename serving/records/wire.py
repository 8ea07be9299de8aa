"""The wire of people's records."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from contracts.answer import Answer, Outcome
from library.records.values import (
    MAX_FEEDBACK_CHARACTERS,
    MAX_NOTE_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    Concern,
    Reason,
    ReviewState,
    Verdict,
    Withheld,
)

_TURN = "5c1f0e9ad2b74d0b8f7f3c7f4b0a9d11"


class ConversationOut(BaseModel):
    """A conversation of yours."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": "b7a2",
                    "title": "What is VPP on DDR4?",
                    "started_at": "2026-05-04T09:30:00Z",
                    "changed_at": "2026-05-04T09:41:00Z",
                    "questions": 3,
                    "etag": '"v3"',
                }
            ]
        }
    )

    id: str
    title: str
    started_at: datetime
    changed_at: datetime
    questions: int
    etag: str


class ConversationPage(BaseModel):
    """A page of conversations, the last changed first; ``next`` is what to send as ``after``, null behind the last.

    ``kept`` says whether new questions are kept, ``days`` for how long after the last one of a conversation (0: for
    good).
    """

    conversations: list[ConversationOut]
    next: str | None
    kept: bool
    days: int


class TitleIn(BaseModel):
    """A conversation's title."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"title": "Voltages of DDR4"}]})

    title: str = Field(min_length=1, max_length=MAX_TITLE_CHARACTERS)


class Deleted(BaseModel):
    """How many conversations were deleted."""

    conversations: int


class DocumentNamed(BaseModel):
    """A document that an answer cited or named as near; ``there``: it still is in the library."""

    id: str
    name: str
    cited: bool
    there: bool


class FeedbackIn(BaseModel):
    """What you say of an answer that you got: ``turn`` is its ``golden.turn``."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"turn": _TURN, "verdict": "down", "reason": "wrong", "text": "It is 2.5 V since rev. 4."}]
        },
    )

    turn: str = Field(min_length=1, max_length=64)
    verdict: Verdict
    reason: Reason = ""
    text: str = Field("", max_length=MAX_FEEDBACK_CHARACTERS)


class FeedbackOut(BaseModel):
    """What the asker says of an answer."""

    turn: str
    verdict: Verdict
    reason: Reason
    text: str
    changed_at: datetime
    etag: str


class TurnOut(BaseModel):
    """A question with its answer.

    ``withheld`` says why the answer is not there: "gone", because a document that it cites is not in the library any
    more, or "forbidden", because you may not read (any more) what it can rest on. ``engine`` is what answered.
    """

    id: str
    conversation: str
    asked_at: datetime
    seconds: float
    face: str
    engine: str
    question: str
    answer: str
    outcome: Outcome
    certainty: float | None
    withheld: Withheld
    documents: list[DocumentNamed]
    golden: Answer
    feedback: FeedbackOut | None


class ConversationDetails(ConversationOut):
    """A conversation with a page of its turns, the oldest first."""

    turns: list[TurnOut]
    next: str | None


class ReviewOut(BaseModel):
    """What a reviewer decided about a turn."""

    state: ReviewState
    note: str
    who: str
    changed_at: datetime | None


class ReviewTurn(TurnOut):
    """A turn on the review desk: who asked, why it is there, and what was decided."""

    who: str
    department: str
    concerns: list[Concern]
    review: ReviewOut
    etag: str


class ReviewPage(BaseModel):
    """A page of the review desk, the newest first; ``total`` counts all pages."""

    items: list[ReviewTurn]
    total: int
    next: str | None


class FeedbackPage(BaseModel):
    """A page of turns with feedback, the last said first."""

    items: list[ReviewTurn]
    next: str | None


class ReviewDetails(ReviewTurn):
    """A turn on the review desk with those before it in its conversation."""

    before: list[TurnOut]


class DecisionIn(BaseModel):
    """Why it was decided so."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"note": "Added the new data sheet."}]})

    note: str = Field("", max_length=MAX_NOTE_CHARACTERS)


class CaseIn(BaseModel):
    """What is right, for a test case; what is left out is taken from an answer that nobody called wrong.

    ``answer`` are the few words that a right answer holds, ``accept`` other wordings of them. ``with_history`` puts the
    questions before it in front, or those of ``history`` where it names some. A place or a reading that is null is not
    expected.
    """

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"answer": "2.5 V", "document": "ddr4.pdf", "page": 12}]}
    )

    question: str | None = Field(None, min_length=1, max_length=8_000)
    expect: Literal["answered", "declined", "unknown_term", "clarify"] | None = None
    answer: str | None = Field(None, max_length=4_000)
    accept: list[Annotated[str, StringConstraints(max_length=1_000)]] | None = Field(None, max_length=50)
    document: str | None = Field(None, max_length=1_000)
    page: int | None = Field(None, ge=1, le=1_000_000)
    term: str | None = Field(None, max_length=400)
    sense: str | None = Field(None, max_length=1_000)
    context: str | None = Field(None, max_length=400)
    kind: str | None = Field(None, min_length=1, max_length=100)
    history: list[Annotated[str, StringConstraints(max_length=8_000)]] | None = Field(None, max_length=20)
    with_history: bool = True


class CaseOut(BaseModel):
    """A test case: ``case`` is the line of a quiz that `golden eval quiz` reads. ``turn`` is null where it is gone."""

    id: str
    turn: str | None
    case: dict[str, Any]
    made_by: str
    made_at: datetime
    etag: str


class CaseList(BaseModel):
    """The test cases, the oldest first."""

    cases: list[CaseOut]


class DayOut(BaseModel):
    """What happened on a day (UTC). ``certainty`` is the mean over the answers that have one, null where none has."""

    day: str
    asked: int
    answered: int
    declined: int
    unknown_term: int
    clarify: int
    degraded: int
    thumbs_up: int
    thumbs_down: int
    median_s: float
    p95_s: float
    certainty: float | None


class StepOut(BaseModel):
    """How often a step ran, and how long it took: its quantiles within 5 %."""

    step: str
    count: int
    median_s: float
    p95_s: float


class AskedTermOut(BaseModel):
    """A term that neither the dictionary nor a document knew, and in how many questions it stood."""

    term: str
    count: int


class CitedDocumentOut(BaseModel):
    """A document, and how many answers cite it; ``there``: it still is in the library."""

    id: str
    name: str
    there: bool
    count: int


class OverviewOut(BaseModel):
    """What was asked, by day, by step and by the way it came in; a day without a question is not there.

    ``certainty`` counts answers by their certainty, in ten steps from 0 to 1. ``terms`` are the unknown terms that were
    asked for most, ``documents`` those that most answers cite: ten of each at most.
    """

    first_day: str
    last_day: str
    days: list[DayOut]
    steps: list[StepOut]
    faces: dict[str, int]
    certainty: list[int]
    terms: list[AskedTermOut]
    documents: list[CitedDocumentOut]
