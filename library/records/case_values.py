"""Values of runs of test cases."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from library.records.values import Groups, Withheld

# "interrupted": its process was gone before it ended.
RunState = Literal["running", "done", "cancelled", "failed", "interrupted"]
# What about an answer was not as expected: the bot did something else, the words are not in the answer, the page is not
# cited, the term was not read so; or the question could not be asked.
Difference = Literal["outcome", "wording", "citation", "reading", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMeasure:
    """What a run measured: the profile and model, the code, digests of the settings, the documents, the dictionary.

    Two runs that differ in none of them asked the same bot.
    """

    engine: str
    version: str
    revision: str
    settings: str
    documents: str
    dictionary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """A run of test cases: ``done`` of its ``cases`` were asked so far, of which ``passed`` were as expected.

    ``groups`` are those of whoever started it. ``stopping``: somebody asked it to stop.
    """

    id: str
    state: RunState
    started_at: datetime
    who: str
    groups: Groups
    measure: RunMeasure
    cases: int
    done: int = 0
    passed: int = 0
    finished_at: datetime | None = None
    reason: str = ""
    stopping: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.state != "running"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedInResult:
    """A document that a case's answer cited, or named as near."""

    id: str
    cited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """How one case went; ``differs`` is empty where it passed.

    ``gold`` is what was expected to stand in the answer, ``error`` why it could not be asked. ``citations`` are for
    people. ``withheld`` says why question and answer are not there, as of a turn's.
    """

    case_id: str
    question: str
    expected: str
    outcome: str
    differs: tuple[Difference, ...]
    milliseconds: float
    answer: str = ""
    gold: str = ""
    citations: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    certainty: float | None = None
    error: str = ""
    documents: tuple[NamedInResult, ...] = ()
    withheld: Withheld = field(default="")

    @property
    def passed(self) -> bool:
        """Whether all was as expected."""
        return not self.differs
