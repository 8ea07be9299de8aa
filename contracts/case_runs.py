"""Test cases of an organisation's own, and what their runs came to."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field, computed_field

from contracts.records import Groups, Versioned, Withheld, _SortedGroups

# "interrupted": its process was gone before it ended.
RunState = Literal["running", "done", "cancelled", "failed", "interrupted"]


# What about an answer was not as expected: the bot did something else, the words are not in the answer, the page is not
# cited, the term was not read so; or the question could not be asked.
Mismatch = Literal["outcome", "wording", "citation", "reading", "error"]


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


class CaseResult(BaseModel, frozen=True):
    """How one test case went; ``differs`` names what was not as expected, and is empty where it passed.

    ``gold`` is what was to stand in the answer, ``error`` why the case could not be asked. ``citations`` are for
    people; ``documents`` are the ids of the documents that the answer quotes. ``withheld`` says why question and answer
    are not there.
    """

    case_id: str = Field(serialization_alias="case")
    question: str
    expected: str
    outcome: str
    differs: tuple[Mismatch, ...]
    milliseconds: float
    answer: str = ""
    gold: str = Field(default="", serialization_alias="expected_answer")
    citations: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    certainty: float | None = None
    error: str = ""
    documents: tuple[str, ...] = Field(default=(), exclude=True)
    withheld: Withheld = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def passed(self) -> bool:
        """Whether all was as expected."""
        return not self.differs


class RunDetails(CaseRun, frozen=True):
    """A run with the results so far, those that failed first."""

    results: tuple[CaseResult, ...]
