"""What the pages read of an answer in the API's JSON; whatever else stands there is read past."""

from pydantic import BaseModel, ConfigDict

from ui.page_picture import Box


class Told(BaseModel):
    """A value of the API."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Sense(Told):
    """A meaning of a term."""

    term: str = ""
    extended_name: str = ""
    context: str = ""
    description: str = ""
    notes: str = ""
    source: str = ""


class Option(Sense):
    """A meaning to choose from."""

    number: int = 0


class Reading(Told):
    """How a term of the question was read."""

    text: str = ""
    term: str = ""
    status: str = ""
    corrected: bool = False
    sense: Sense | None = None
    probability: float = 0.0
    reason: str = ""
    alternatives: tuple[Sense, ...] = ()
    suggestions: tuple[str, ...] = ()


class Step(Told):
    """A step of the work: what it found, and how long it took."""

    node: str = ""
    finding: str = ""
    milliseconds: float = 0.0
    implementation: str = ""
    model: str = ""
    degraded: str = ""


class Citation(Told):
    """What a marker rests on; ``spans`` are those of the quoted sentences in ``passage``."""

    number: int = 0
    document: str = ""
    document_id: str = ""
    title: str = ""
    page: int = 1
    quote: str = ""
    headings: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()
    passage: str = ""
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def named(self) -> str:
        """Its document as people know it."""
        return self.title or self.document


class Sentence(Told):
    """A sentence and the verdict on it."""

    text: str = ""
    label: str = ""
    reason: str = ""


class UnknownTerm(Told):
    """A term that nobody knows."""

    term: str = ""
    suggestions: tuple[str, ...] = ()


class Near(Told):
    """A document that comes near."""

    document: str = ""
    document_id: str = ""
    title: str = ""
    page: int = 1

    @property
    def named(self) -> str:
        """The document as people know it."""
        return self.title or self.document


class PoorPage(Told):
    """A cited page that was poorly read."""

    document_id: str = ""
    page: int = 0
    reason: str = ""


class ContextTold(Told):
    """The context in which the question was read."""

    name: str = ""
    probability: float = 0.0


class Refinement(Told):
    """What was decided about the draft."""

    policy: str = ""
    signal_name: str = ""
    signal: float = 0.0
    threshold: float = 0.0
    fired: bool = False
    reasons: tuple[str, ...] = ()
    kept: str = ""
    kept_reason: str = ""
    draft_before: str = ""
    draft_after: str = ""


class Golden(Told):
    """All that came with an answer."""

    outcome: str = ""
    question: str = ""
    standalone_question: str = ""
    context: ContextTold = ContextTold()
    readings: tuple[Reading, ...] = ()
    steps: tuple[Step, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    certainty: float | None = None
    missing: tuple[str, ...] = ()
    nearest: tuple[Near, ...] = ()
    unknown_terms: tuple[UnknownTerm, ...] = ()
    options: tuple[Option, ...] = ()
    degraded: tuple[str, ...] = ()
    poor_pages: tuple[PoorPage, ...] = ()
    follow_ups: tuple[str, ...] = ()
    turn_id: str = ""
    refinement: Refinement | None = None


class Feedback(Told):
    """What its asker said of an answer."""

    verdict: str = ""
    reason: str = ""
    text: str = ""
