"""Records: what is kept of answered questions, what people said and decided about them, and test cases made of them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, computed_field

from contracts.answer import DECLINED_OUTCOMES, Answer, Outcome
from contracts.question import Asker

FeedbackVerdict = Literal["up", "down"]
FeedbackReason = Literal[
    "", "wrong", "incomplete", "outdated", "misread_term", "wrong_source", "should_have_answered", "unclear", "other"
]
ReviewState = Literal["open", "resolved", "ignored"]
Concern = Literal["thumbs_down", "declined", "unknown_term", "low_certainty", "degraded"]
CONCERNS: tuple[Concern, ...] = ("thumbs_down", "declined", "unknown_term", "low_certainty", "degraded")
# Why the answer of a turn is not shown: a document that it cites is gone, or it may rest on what the reader may not
# read (any more). "" where it is shown.
Withheld = Literal["", "gone", "forbidden"]

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
    """A document that an answer quoted; ``there``: it still is in the library.

    ``cited`` is False where an older version only named it as near.
    """

    id: str
    name: str
    cited: bool
    there: bool


class Feedback(Versioned, frozen=True):
    """What whoever asked says of an answer."""

    turn: str
    verdict: FeedbackVerdict
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


class StoredTurn(Answered, frozen=True):
    """A question with its answer, as its reader may see them.

    ``withheld`` says why the answer is not there: "gone", because a document that it cites is not in the library any
    more, or "forbidden", because its reader may not read (any more) what it can rest on. Then ``answer`` holds nothing
    but the question and the outcome. ``asker_groups`` are what whoever asked could read.
    """

    id: str
    conversation_id: str = Field(serialization_alias="conversation")
    asked_at: datetime
    channel: str = ""
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


class ReviewTurn(StoredTurn, frozen=True):
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
            "declined": answer.outcome in DECLINED_OUTCOMES,
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

    before: tuple[StoredTurn, ...]


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

    turns: tuple[StoredTurn, ...]
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


class Replay(Answered, frozen=True):
    """The answer that a kept question, that of ``turn``, gets now."""

    turn: str


def common_groups(one: Groups, other: Groups) -> Groups:
    """Return the groups that both may read."""
    if one is None or other is None:
        return other if one is None else one
    return one & other
