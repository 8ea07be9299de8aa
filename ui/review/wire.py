"""The API's records as the review desk reads them."""

from datetime import datetime
from typing import Any

from ui.answer_wire import Feedback, Golden, Step, Told


class Review(Told):
    """What was decided about a turn."""

    state: str = "open"
    note: str = ""
    who: str = ""
    changed_at: datetime | None = None


class Named(Told):
    """A document that the answer named."""

    name: str = ""
    there: bool = True


class Said(Told):
    """An answer, of then or of now, with what came with it."""

    answer: str = ""
    outcome: str = ""
    certainty: float | None = None
    seconds: float = 0.0
    engine: str = ""
    golden: Golden = Golden()


class Turn(Said):
    """A question with its answer, as the reviewer may see it."""

    id: str
    conversation: str = ""
    asked_at: datetime
    face: str = ""
    question: str = ""
    withheld: str = ""
    documents: tuple[Named, ...] = ()
    feedback: Feedback | None = None
    who: str = ""
    department: str = ""
    concerns: tuple[str, ...] = ()
    review: Review = Review()
    etag: str = ""
    before: tuple["Turn", ...] = ()


class TurnPage(Told):
    """A page of the list; ``total`` counts all pages."""

    items: tuple[Turn, ...] = ()
    total: int = 0
    next: str | None = None


class CaseFields(Told):
    """The line of a quiz that a test case is."""

    question: str = ""
    history: tuple[str, ...] = ()
    expect: str = ""
    answer: str = ""
    accept: tuple[str, ...] = ()
    document: str | None = None
    page: int | None = None
    term: str | None = None
    sense: str | None = None
    context: str | None = None


class Case(Told):
    """A test case."""

    id: str
    turn: str | None = None
    case: CaseFields = CaseFields()
    made_by: str = ""
    made_at: datetime
    etag: str = ""


class Measure(Told):
    """What a run measured."""

    engine: str = ""
    version: str = ""
    revision: str = ""
    settings: str = ""
    documents: str = ""
    dictionary: str = ""

    def changed_since(self, other: "Measure") -> tuple[str, ...]:
        """Name the fields in which ``other`` is another."""
        return tuple(name for name in type(self).model_fields if getattr(self, name) != getattr(other, name))


class Result(Told):
    """How one case of a run went."""

    case: str
    passed: bool = False
    differs: tuple[str, ...] = ()
    question: str = ""
    expected: str = ""
    outcome: str = ""
    expected_answer: str = ""
    answer: str = ""
    citations: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    milliseconds: float = 0.0
    error: str = ""
    withheld: str = ""


class Run(Told):
    """A run of the test cases; ``score`` is the share that passed, None before the first was asked."""

    id: str
    state: str = ""
    reason: str = ""
    stopping: bool = False
    started_at: datetime
    finished_at: datetime | None = None
    who: str = ""
    groups: tuple[str, ...] | None = None
    measure: Measure = Measure()
    cases: int = 0
    done: int = 0
    passed: int = 0
    score: float | None = None
    results: tuple[Result, ...] = ()


def steps_in(event: dict[str, Any]) -> tuple[str, Step | None]:
    """Return the step that an event says began ("" for none), and the one that it says ended."""
    golden = event.get("golden")
    told = golden if isinstance(golden, dict) else {}
    ended = told.get("step")
    return str(told.get("started") or ""), Step.model_validate(ended) if isinstance(ended, dict) else None
