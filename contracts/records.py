"""Records: answered questions, with people's feedback and reviews."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, PlainSerializer, computed_field

from contracts.answer import DECLINED_OUTCOMES, Answer, Outcome
from contracts.question import Asker

FeedbackVerdict = Literal["up", "down"]
FeedbackReason = Literal[
    "", "wrong", "incomplete", "outdated", "misread_term", "wrong_source", "should_have_answered", "unclear", "other"
]
ReviewState = Literal["open", "resolved", "ignored"]
Concern = Literal["thumbs_down", "declined", "unknown_term", "low_certainty", "degraded"]
CONCERNS: tuple[Concern, ...] = ("thumbs_down", "declined", "unknown_term", "low_certainty", "degraded")
# Why the answer of a turn is not shown: "gone" if a cited document was deleted, "forbidden" if the answer may be based
# on documents that the reader may not (or no longer) read; "" if it is shown.
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
    """A stored question with its answer, asker, conversation, time and duration.

    ``id`` cannot be guessed; ``conversation_id`` is unique only within ``asker.account``.
    """

    id: str
    conversation_id: str
    asker: Asker
    asked_at: datetime
    seconds: float
    answer: Answer


class Versioned(BaseModel, frozen=True):
    """An editable record: ``version`` grows with each change, and ``etag`` is its entity tag."""

    version: int = Field(default=1, exclude=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """The entity tag of the version."""
        return f'"v{self.version}"'


class Conversation(Versioned, frozen=True):
    """A conversation of one account: its title, when it began and last changed, and its number of questions."""

    id: str
    title: str
    started_at: datetime
    changed_at: datetime
    questions: int


class ConversationPage(BaseModel, frozen=True):
    """A page of conversations, most recently changed first. Send ``next`` as ``after`` to get the next page; it is null
    on the last page.

    ``kept`` is true if new questions are stored. Conversations are kept for ``days`` days after their last question (0:
    forever).
    """

    conversations: tuple[Conversation, ...]
    next: str | None
    kept: bool
    days: int


class NamedDocument(BaseModel, frozen=True):
    """A document that an answer quoted; ``there`` is true if it is still in the library.

    ``group`` is its current group, or its last group if it has been deleted; None if the document did not exist when
    the answer was stored.
    """

    id: str
    name: str
    there: bool
    group: str | None = Field(default=None, exclude=True)


class Feedback(Versioned, frozen=True):
    """The asker's feedback on an answer."""

    turn: str
    verdict: FeedbackVerdict
    reason: FeedbackReason = ""
    text: str = ""
    changed_at: datetime


class Review(Versioned, frozen=True):
    """A reviewer's decision on a turn; ``version`` is 0 if there is no decision yet."""

    version: int = Field(default=0, exclude=True)
    state: ReviewState = "open"
    note: str = ""
    who: str = ""
    changed_at: datetime | None = None


class Answered(BaseModel, frozen=True):
    """A stored or new answer (``golden`` in JSON), the ``engine`` that wrote it, and the time it took in seconds."""

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
        """The outcome of the question."""
        return self.answer.outcome

    @computed_field  # type: ignore[prop-decorator]
    @property
    def certainty(self) -> float | None:
        """The certainty of the answer; None if there is none."""
        return self.answer.certainty


class StoredTurn(Answered, frozen=True):
    """A stored question with its answer, as far as the reader may see them.

    ``withheld`` is the reason why the answer is missing: "gone" if a cited document is no longer in the library, or
    "forbidden" if the answer may be based on documents that the reader may not (or no longer) read. ``answer`` then
    contains only the question and the outcome. ``asker_groups`` are the groups that the asker could read;
    ``asked_documents`` are the ids of the documents that they chose to answer from (None: all).
    """

    id: str
    conversation_id: str = Field(serialization_alias="conversation")
    asked_at: datetime
    channel: str = ""
    withheld: Withheld = ""
    documents: tuple[NamedDocument, ...] = ()
    feedback: Feedback | None = None
    asker_groups: Groups = Field(default=None, exclude=True)
    asked_documents: frozenset[str] | None = Field(default=None, exclude=True)
    who: str = Field(default="", exclude=True)
    department: str = Field(default="", exclude=True)
    review: Review = Field(default=Review(), exclude=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def question(self) -> str:
        """The question in the asker's own words."""
        return self.answer.question


class ReviewTurn(StoredTurn, frozen=True):
    """A turn to review: who asked, the decision, and why it is listed (low certainty is below ``certainty_below``)."""

    who: str
    department: str
    review: Review
    certainty_below: float = Field(default=LOW_CERTAINTY, exclude=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def concerns(self) -> tuple[Concern, ...]:
        """The reasons to review the turn."""
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
        """The entity tag of the decision."""
        return self.review.etag


class ReviewDetails(ReviewTurn, frozen=True):
    """A turn to review with the earlier turns of its conversation, oldest first."""

    before: tuple[StoredTurn, ...]


class ReviewPage(BaseModel, frozen=True):
    """A page of turns to review, newest first; ``total`` counts the turns on all pages."""

    items: tuple[ReviewTurn, ...]
    total: int
    next: str | None


class ConversationDetails(Conversation, frozen=True):
    """A conversation with a page of its turns, oldest first."""

    turns: tuple[StoredTurn, ...]
    next: str | None


class ReviewFilter(BaseModel, frozen=True):
    """The turns to return to a reviewer: those with any of ``concerns``, in ``state`` (None: any).

    ``certainty_below`` defines low certainty. ``first_day`` and ``last_day`` are days in UTC, such as ``2026-01-31``,
    or "" for no limit.
    """

    concerns: tuple[Concern, ...] = CONCERNS
    state: ReviewState | None = "open"
    certainty_below: float = Field(default=LOW_CERTAINTY, ge=0, le=1)
    first_day: str = Field(default="", pattern=_DAY)
    last_day: str = Field(default="", pattern=_DAY)


class Replay(Answered, frozen=True):
    """The current answer to the stored question of ``turn``."""

    turn: str


def common_groups(one: Groups, other: Groups) -> Groups:
    """Return the groups that are in both ``one`` and ``other``."""
    if one is None or other is None:
        return other if one is None else one
    return one & other
