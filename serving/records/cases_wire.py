"""The wire of replays and of runs of test cases."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from contracts.answer import Answer, Outcome
from library.records.case_values import Difference, RunState
from library.records.values import Withheld


class ReplayOut(BaseModel):
    """The answer that a kept question gets now. ``engine`` is what answered, ``seconds`` how long it took."""

    turn: str
    answer: str
    outcome: Outcome
    certainty: float | None
    seconds: float
    engine: str
    golden: Answer


class CaseChangeIn(BaseModel):
    """The whole of a test case, as it is to be. A place or a reading that is null is not expected."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "What is VPP on DDR4?", "expect": "answered", "answer": "2.5 V", "document": "ddr4.pdf",
                 "page": 12}
            ]
        },
    )  # fmt: skip

    question: str = Field(min_length=1, max_length=8_000)
    history: list[Annotated[str, StringConstraints(max_length=8_000)]] = Field([], max_length=20)
    expect: Literal["answered", "declined", "unknown_term", "clarify"]
    answer: str = Field("", max_length=4_000)
    accept: list[Annotated[str, StringConstraints(max_length=1_000)]] = Field([], max_length=50)
    document: str | None = Field(None, max_length=1_000)
    page: int | None = Field(None, ge=1, le=1_000_000)
    term: str | None = Field(None, max_length=400)
    sense: str | None = Field(None, max_length=1_000)
    context: str | None = Field(None, max_length=400)


class RunMeasureOut(BaseModel):
    """What a run measured: profile and model, version and code, digests of settings, documents and dictionary."""

    engine: str
    version: str
    revision: str
    settings: str
    documents: str
    dictionary: str


class RunOut(BaseModel):
    """A run of test cases: ``done`` of ``cases`` were asked so far, of which ``passed`` went as expected.

    ``score`` is the share of those asked that passed, null before the first. ``groups`` are the document groups of
    whoever started it, null for all.
    """

    id: str
    state: RunState
    reason: str
    stopping: bool
    started_at: datetime
    finished_at: datetime | None
    who: str
    groups: list[str] | None
    measure: RunMeasureOut
    cases: int
    done: int
    passed: int
    score: float | None


class RunList(BaseModel):
    """Runs of test cases, the newest first."""

    runs: list[RunOut]


class ResultOut(BaseModel):
    """How one test case went; ``differs`` names what was not as expected, and is empty where it passed.

    ``expected_answer`` is what was to stand in the answer, ``error`` why the case could not be asked. ``withheld`` says
    why question and answer are not there.
    """

    case: str
    passed: bool
    differs: list[Difference]
    question: str
    expected: str
    outcome: str
    expected_answer: str
    answer: str
    citations: list[str]
    readings: list[str]
    certainty: float | None
    milliseconds: float
    error: str
    withheld: Withheld


class RunDetails(RunOut):
    """A run with the results so far, those that failed first."""

    results: list[ResultOut]
