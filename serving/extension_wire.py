"""The wire of our extension ``golden``: what comes with an answer, and with each event on the way."""

from typing import Any, Literal

from pydantic import BaseModel


class SenseOut(BaseModel):
    """One meaning of a term."""

    term: str
    extended_name: str
    context: str
    description: str
    notes: str = ""
    source: str = ""


class ReadingOut(BaseModel):
    """How a term of the question was read."""

    text: str
    term: str
    status: str
    corrected: bool
    sense: SenseOut | None
    probability: float
    reason: str
    alternatives: list[SenseOut]
    suggestions: list[str]


class ContextOut(BaseModel):
    """The context in which the question was read; "" for none."""

    name: str
    probability: float


class StepOut(BaseModel):
    """One step of the work, and who judged."""

    node: str
    finding: str
    milliseconds: float
    implementation: str = ""
    model: str = ""
    degraded: str = ""


class BoxOut(BaseModel):
    """A rectangle on a page, in points from its top left corner."""

    page: int
    x0: float
    top: float
    x1: float
    bottom: float


class CitationOut(BaseModel):
    """The evidence behind the marker ``[number]``.

    ``reading_confidence`` is the mean word confidence in [0, 1] of what was read from a picture, null for other text.
    ``passage`` is the text around the quote, and ``spans`` where in it the quoted sentences stand, as half-open ranges
    of code points: for those who ask for passages, else empty.
    """

    number: int
    document: str
    document_id: str
    title: str
    page: int
    quote: str
    headings: list[str]
    chunk_id: str
    boxes: list[BoxOut]
    reading_confidence: float | None = None
    passage: str = ""
    spans: list[tuple[int, int]] = []


class SentenceOut(BaseModel):
    """A sentence of the answer with its citations and the verdict on it."""

    text: str
    citations: list[int]
    label: str
    probability: float
    reason: str


class UnknownTermOut(BaseModel):
    """A term that neither the dictionary nor the documents know."""

    term: str
    suggestions: list[str]


class OptionOut(SenseOut):
    """A sense to choose from, by its number."""

    number: int


class NearOut(BaseModel):
    """A document that comes nearest to a question that was not answered."""

    document: str
    document_id: str
    title: str
    page: int


class PoorPageOut(BaseModel):
    """A cited page that was poorly read, and why: whoever relies on it should look at it."""

    document: str
    document_id: str
    page: int
    citations: list[int]
    reason: str


class RefinementOut(BaseModel):
    """What was decided about the draft: signal and threshold, whether it was written again, which text was kept.

    ``kept`` is "only" (it was not written again), "first" or "rewrite"; the texts are empty for "only".
    """

    policy: str
    signal_name: str
    signal: float
    threshold: float
    fired: bool
    reasons: list[str]
    kept: str
    kept_reason: str
    draft_before: str
    draft_after: str


class GoldenAnswer(BaseModel):
    """Our extension of an answer: everything that came with it.

    ``turn_id`` and ``conversation_id`` name it where it is kept, for feedback; they are empty where it is not.
    ``follow_ups`` are near questions that the documents answer, and ``answer`` is all of the answer as the Python API
    has it, for those who ask for them.
    """

    outcome: str
    question: str
    standalone_question: str
    augmented_question: str
    context: ContextOut
    readings: list[ReadingOut]
    steps: list[StepOut]
    sentences: list[SentenceOut]
    citations: list[CitationOut]
    answerability: float | None
    certainty: float | None
    missing: list[str]
    nearest: list[NearOut]
    unknown_terms: list[UnknownTermOut]
    options: list[OptionOut]
    degraded: list[str]
    poor_pages: list[PoorPageOut] = []
    refinement: RefinementOut | None = None
    follow_ups: list[str] = []
    turn_id: str = ""
    conversation_id: str = ""
    answer: dict[str, Any] | None = None


class GoldenTask(BaseModel):
    """Our extension of what a chat front end asked for itself: a title, tags, further questions."""

    outcome: Literal["task"] = "task"
    task: str


class CitedSentenceOut(BaseModel):
    """A sentence of the draft and the numbers of its citations."""

    text: str
    citations: list[int]


class JudgedSentenceOut(BaseModel):
    """A sentence of the draft and the verdict on it."""

    text: str
    label: str
    probability: float
    reason: str


class GoldenProgress(BaseModel):
    """Our extension of a chunk on the way: a step that began or ended, a piece of the draft, or what a check found.

    ``draft`` is what the writer is writing; it has not been checked yet. The whole draft's sentences then come as
    ``cited``, with the ``citations`` that they rest on, and as ``judged``; then comes the ``certainty``.
    ``draft_withdrawn`` says why the draft so far, and all that was found about it, is void. More fields may come:
    clients read past what they do not know.
    """

    started: str | None = None
    step: StepOut | None = None
    draft: str | None = None
    draft_withdrawn: str | None = None
    cited: list[CitedSentenceOut] | None = None
    citations: list[CitationOut] | None = None
    judged: list[JudgedSentenceOut] | None = None
    certainty: float | None = None
