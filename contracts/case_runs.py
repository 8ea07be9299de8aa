"""An organisation's own test cases, and the results of their runs."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field, computed_field

from contracts.records import Groups, Versioned, Withheld, _SortedGroups

# "interrupted" means that the process died before the run ended.
RunState = Literal["running", "done", "cancelled", "failed", "interrupted"]


# How an answer differs from the expected one: a different outcome, no expected wording, no citation of the expected
# page, or a different interpretation of the term; "error" means that the question could not be asked.
Mismatch = Literal["outcome", "wording", "citation", "reading", "error"]


class ReviewCase(Versioned, frozen=True):
    """A test case. ``case`` is a line of a quiz file for `golden eval quiz`; ``turn`` is null if the turn was deleted.

    ``asker_groups`` are the document groups that the asker could read; only these are searched when the case is run.
    """

    id: str
    turn: str | None
    case: dict[str, Any]
    made_by: str
    made_at: datetime
    asker_groups: Groups = Field(exclude=True)


class RunMeasure(BaseModel, frozen=True):
    """What a run measured: engine, version and revision, and digests of settings, documents and dictionary.

    If all of these are equal in two runs, both runs measured the same bot.
    """

    engine: str = ""
    version: str = ""
    revision: str = ""
    settings: str = ""
    documents: str = ""
    dictionary: str = ""

    def changed_since(self, other: "RunMeasure") -> tuple[str, ...]:
        """Return the names of the fields that differ from ``other``."""
        return tuple(name for name in type(self).model_fields if getattr(self, name) != getattr(other, name))


class CaseRun(BaseModel, frozen=True):
    """A run of test cases: ``done`` of the ``cases`` are finished; ``passed`` of these had the expected result.

    ``score`` is ``passed / done``, null before the first case. ``groups`` are the document groups that the person who
    started the run may read, null for all.
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

    @property
    def is_over(self) -> bool:
        return self.state != "running"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def score(self) -> float | None:
        """The share of the finished cases that passed; None before the first case."""
        return round(self.passed / self.done, 4) if self.done else None


class CaseResult(BaseModel, frozen=True):
    """The result of one test case; ``differs`` lists what was not as expected, and is empty if the case passed.

    ``gold`` is the expected answer; ``error`` is the reason why the question could not be asked. ``citations`` are
    human-readable; ``documents`` are the ids of the quoted documents. ``withheld`` is the reason why the question and
    the answer are missing.
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
        """Whether everything was as expected."""
        return not self.differs


class RunDetails(CaseRun, frozen=True):
    """A run with its results so far, failures first."""

    results: tuple[CaseResult, ...]
