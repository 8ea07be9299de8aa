"""The request bodies that clients send to change records."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from contracts.answer import Outcome
from contracts.records import MAX_FEEDBACK_CHARACTERS, MAX_TITLE_CHARACTERS, FeedbackReason, FeedbackVerdict

_Wordings = Annotated[list[Annotated[str, StringConstraints(max_length=1_000)]], Field(max_length=50)]
_Questions = Annotated[list[Annotated[str, StringConstraints(max_length=8_000)]], Field(max_length=20)]


class TitleChange(BaseModel):
    """A conversation's title."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=MAX_TITLE_CHARACTERS)


class GivenFeedback(BaseModel):
    """Your feedback on an answer: ``turn`` is its ``golden.turn``."""

    model_config = ConfigDict(extra="forbid")

    turn: str = Field(min_length=1, max_length=64)
    verdict: FeedbackVerdict
    reason: FeedbackReason = ""
    text: str = Field(default="", max_length=MAX_FEEDBACK_CHARACTERS)


class CaseFields(BaseModel):
    """The correct answer of a test case.

    Fields left out of a new case are taken from the answer, if nobody rated it as wrong.
    ``answer`` is a few words that a correct answer contains, ``accept`` other wordings of them. ``with_history``
    includes the earlier questions, or those of ``history`` if given. A place or a reading that is null is not checked.
    """

    model_config = ConfigDict(extra="forbid")

    question: str | None = Field(default=None, min_length=1, max_length=8_000)
    expect: Outcome | None = None
    answer: str | None = Field(default=None, max_length=4_000)
    accept: _Wordings | None = None
    kind: str | None = Field(default=None, min_length=1, max_length=100)
    history: _Questions | None = None
    with_history: bool = True
    document: str | None = Field(default=None, max_length=1_000)
    page: int | None = Field(default=None, ge=1, le=1_000_000)
    term: str | None = Field(default=None, max_length=400)
    sense: str | None = Field(default=None, max_length=1_000)
    context: str | None = Field(default=None, max_length=400)
