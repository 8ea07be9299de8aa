"""Records: what is kept of answered questions, what people said and decided about them, and test cases made of them."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, computed_field

from contracts.answer import Answer, Outcome
from contracts.question import Asker

Verdict = Literal["up", "down"]
FeedbackReason = Literal[
    "", "wrong", "incomplete", "outdated", "misread_term", "wrong_source", "should_have_answered", "unclear", "other"
]
ReviewState = Literal["open", "resolved", "ignored"]
Concern = Literal["thumbs_down", "declined", "unknown_term", "low_certainty", "degraded"]
CONCERNS: tuple[Concern, ...] = ("thumbs_down", "declined", "unknown_term", "low_certainty", "degraded")
# Why the answer of a turn is not shown: a document that it cites is gone, or it may rest on what the reader may not
# read (any more). "" where it is shown.
Withheld = Literal["", "gone", "forbidden"]
# "interrupted": its process was gone before it ended.
RunState = Literal["running", "done", "cancelled", "failed", "interrupted"]
# What about an answer was not as expected: the bot did something else, the words are not in the answer, the page is not
# cited, the term was not read so; or the question could not be asked.
Difference = Literal["outcome", "wording", "citation", "reading", "error"]

MAX_TITLE_CHARACTERS = 200
MAX_CONVERSATION_ID_CHARACTERS = 200
MAX_FEEDBACK_CHARACTERS = 4_000
MAX_NOTE_CHARACTERS = 4_000
LOW_CERTAINTY = 0.5
_DAY = "^([0-9]{4}-[0-9]{2}-[0-9]{2})?$"

# The document groups that somebody may read; None: all.
Groups = frozenset[str] | None
_SortedGroups = Annotated[
    Groups, PlainSerializer(lambda groups: None if groups is None else sorted(groups), return_type=list[str] | None)
]


class TurnRecord(BaseModel, frozen=True):
    """One question with its answer, as it is kept: whose it is, in which conversation, when, how long it took.

    ``id`` nobody can guess; ``conversation_id`` is only told apart from others of the same ``asker.account``.
    """

    id: str
    conversation_id: str
    asker: Asker
    asked_at: datetime
    seconds: float
    answer: Answer


class Versioned(BaseModel, frozen=True):
    """What people change: ``version`` grows with each change, and ``etag`` is its entity tag."""

    version: int = Field(default=1, exclude=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """The entity tag of the version."""
        return f'"v{self.version}"'


class Conversation(Versioned, frozen=True):
    """A conversation of one account: its title, when it began and last went on, how many questions it has."""

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


class ConversationPage(BaseModel, frozen=True):
    """A page of conversations, the last changed first; ``next`` is what to send as ``after``, null behind the last.

    ``kept`` says whether new questions are kept, ``days`` for how long after the last one of a conversation (0: for
    good).
    """

    conversations: tuple[Conversation, ...]
    next: str | None
    kept: bool
    days: int


class NamedDocument(BaseModel, frozen=True):
    """A document that an answer cited or named as near; ``there``: it still is in the library."""

    id: str
    name: str
    cited: bool
    there: bool


class Feedback(Versioned, frozen=True):
    """What whoever asked says of an answer."""

    turn: str
    verdict: Verdict
    reason: FeedbackReason = ""
    text: str = ""
    changed_at: datetime


class Review(Versioned, frozen=True):
    """What a reviewer decided about a turn; ``version`` is 0 where nobody did yet."""

    version: int = Field(default=0, exclude=True)
    state: ReviewState = "open"
    note: str = ""
    who: str = ""
    changed_at: datetime | None = None


class Answered(BaseModel, frozen=True):
    """An answer, of then or of now: ``golden`` as JSON. ``engine`` is what answered, in ``seconds``."""

    answer: Answer = Field(serialization_alias="golden")
    seconds: float
    engine: str = ""

    @computed_field(alias="answer")  # type: ignore[prop-decorator]
    @property
    def text(self) -> str:
        """The answer's text."""
        return self.answer.text

    @computed_field  # type: ignore[prop-decorator]
    @property
    def outcome(self) -> Outcome:
        """What came of the question."""
        return self.answer.outcome

    @computed_field  # type: ignore[prop-decorator]
    @property
    def certainty(self) -> float | None:
        """The answer's certainty, None where there is none."""
        return self.answer.certainty


class KeptTurn(Answered, frozen=True):
    """A question with its answer, as its reader may see them.

    ``withheld`` says why the answer is not there: "gone", because a document that it cites is not in the library any
    more, or "forbidden", because its reader may not read (any more) what it can rest on. Then ``answer`` holds nothing
    but the question and the outcome. ``asker_groups`` are what whoever asked could read.
    """

    id: str
    conversation_id: str = Field(serialization_alias="conversation")
    asked_at: datetime
    face: str = ""
    withheld: Withheld = ""
    documents: tuple[NamedDocument, ...] = ()
    feedback: Feedback | None = None
    asker_groups: Groups = Field(default=None, exclude=True)
    who: str = Field(default="", exclude=True)
    department: str = Field(default="", exclude=True)
    review: Review = Field(default=Review(), exclude=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def question(self) -> str:
        """What was asked."""
        return self.answer.question


class ReviewTurn(KeptTurn, frozen=True):
    """A turn to review: who asked, why it is there (below ``certainty_below`` certainty is low), what was decided."""

    who: str
    department: str
    review: Review
    certainty_below: float = Field(default=LOW_CERTAINTY, exclude=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def concerns(self) -> tuple[Concern, ...]:
        """Why somebody should look at the turn."""
        answer = self.answer
        held: dict[Concern, bool] = {
            "thumbs_down": self.feedback is not None and self.feedback.verdict == "down",
            "declined": answer.outcome == "declined",
            "unknown_term": answer.outcome == "unknown_term",
            "low_certainty": answer.certainty is not None and answer.certainty < self.certainty_below,
            "degraded": bool(answer.degraded),
        }
        return tuple(concern for concern in CONCERNS if held[concern])

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """The entity tag of what was decided."""
        return self.review.etag


class ReviewDetails(ReviewTurn, frozen=True):
    """A turn to review with those before it in its conversation, the oldest first."""

    before: tuple[KeptTurn, ...]


class ReviewPage(BaseModel, frozen=True):
    """A page of turns to review, the newest first; ``total`` counts all pages."""

    items: tuple[ReviewTurn, ...]
    total: int
    next: str | None


class FeedbackPage(BaseModel, frozen=True):
    """A page of turns with feedback, the last said first."""

    items: tuple[ReviewTurn, ...]
    next: str | None


class ConversationDetails(Conversation, frozen=True):
    """A conversation with a page of its turns, the oldest first."""

    turns: tuple[KeptTurn, ...]
    next: str | None


class ReviewFilter(BaseModel, frozen=True):
    """Which turns a reviewer asks for: those with any of ``concerns``, in ``state`` (None: any).

    ``certainty_below`` says what low certainty is. ``first_day`` and ``last_day`` are days in UTC as ``2026-01-31``,
    "" for no bound.
    """

    concerns: tuple[Concern, ...] = CONCERNS
    state: ReviewState | None = "open"
    certainty_below: float = Field(default=LOW_CERTAINTY, ge=0, le=1)
    first_day: str = Field(default="", pattern=_DAY)
    last_day: str = Field(default="", pattern=_DAY)


class ReviewCase(Versioned, frozen=True):
    """A test case: ``case`` is the line of a quiz that `golden eval quiz` reads. ``turn`` is null where it is gone.

    ``asker_groups`` are what whoever asked could read: more than that is not searched when the case is asked.
    """

    id: str
    turn: str | None
    case: dict[str, Any]
    made_by: str
    made_at: datetime
    asker_groups: Groups = Field(exclude=True)


class RunMeasure(BaseModel, frozen=True):
    """What a run measured: profile and model, version and code, digests of settings, documents and dictionary.

    Two runs that differ in none of them asked the same bot.
    """

    engine: str = ""
    version: str = ""
    revision: str = ""
    settings: str = ""
    documents: str = ""
    dictionary: str = ""

    def changed_since(self, other: "RunMeasure") -> tuple[str, ...]:
        """Name the fields in which ``other`` is another."""
        return tuple(name for name in type(self).model_fields if getattr(self, name) != getattr(other, name))


class CaseRun(BaseModel, frozen=True):
    """A run of test cases: ``done`` of ``cases`` were asked so far, of which ``passed`` went as expected.

    ``score`` is the share of those asked that passed, null before the first. ``groups`` are the document groups of
    whoever started it, null for all. ``stopping``: somebody asked it to stop.
    """

    id: str
    state: RunState
    started_at: datetime
    who: str = ""
    groups: _SortedGroups = None
    measure: RunMeasure = RunMeasure()
    cases: int = 0
    done: int = 0
    passed: int = 0
    finished_at: datetime | None = None
    reason: str = ""
    stopping: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.state != "running"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def score(self) -> float | None:
        """The share of the cases asked so far that passed, None before the first."""
        return round(self.passed / self.done, 4) if self.done else None


class Replay(Answered, frozen=True):
    """The answer that a kept question, that of ``turn``, gets now."""

    turn: str


class CaseResult(BaseModel, frozen=True):
    """How one test case went; ``differs`` names what was not as expected, and is empty where it passed.

    ``gold`` is what was to stand in the answer, ``error`` why the case could not be asked. ``citations`` are for
    people; ``documents`` say by their ids which documents the answer named, and whether it cites them. ``withheld``
    says why question and answer are not there.
    """

    case_id: str = Field(serialization_alias="case")
    question: str
    expected: str
    outcome: str
    differs: tuple[Difference, ...]
    milliseconds: float
    answer: str = ""
    gold: str = Field(default="", serialization_alias="expected_answer")
    citations: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    certainty: float | None = None
    error: str = ""
    documents: dict[str, bool] = Field(default={}, exclude=True)
    withheld: Withheld = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def passed(self) -> bool:
        """Whether all was as expected."""
        return not self.differs


class RunDetails(CaseRun, frozen=True):
    """A run with the results so far, those that failed first."""

    results: tuple[CaseResult, ...]


class DayCount(BaseModel, frozen=True):
    """What happened on a day (UTC): how many questions, by outcome, thumbs, and how long an answer took.

    ``certainty`` is the mean over the answers that have one, null where none has.
    """

    day: str
    asked: int = 0
    answered: int = 0
    declined: int = 0
    unknown_term: int = 0
    clarify: int = 0
    degraded: int = 0
    thumbs_up: int = 0
    thumbs_down: int = 0
    median_s: float = 0.0
    p95_s: float = 0.0
    certainty: float | None = None


class StepTimes(BaseModel, frozen=True):
    """How often a step ran and how long it took, its quantiles within 5 %."""

    step: str
    count: int
    median_s: float
    p95_s: float


class AskedTerm(BaseModel, frozen=True):
    """A term that neither the dictionary nor a document knew, and in how many questions it stood."""

    term: str
    count: int


class CitedDocument(BaseModel, frozen=True):
    """A document, and how many answers cite it; ``there``: it still is in the library."""

    id: str
    name: str
    there: bool
    count: int


class Overview(BaseModel, frozen=True):
    """What was asked, by day, by step and by the way it came in; a day without a question is not there.

    ``certainty`` counts answers by their certainty, in ten steps from 0 to 1. ``terms`` are the unknown terms that were
    asked for most, ``documents`` those that most answers cite: ten of each at most.
    """

    first_day: str
    last_day: str
    days: tuple[DayCount, ...] = ()
    steps: tuple[StepTimes, ...] = ()
    faces: dict[str, int] = {}
    certainty: tuple[int, ...] = ()
    terms: tuple[AskedTerm, ...] = ()
    documents: tuple[CitedDocument, ...] = ()


def both(one: Groups, other: Groups) -> Groups:
    """Return the groups that both may read."""
    if one is None or other is None:
        return other if one is None else one
    return one & other
