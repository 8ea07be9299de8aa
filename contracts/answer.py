"""The answer to one question with all its evidence, and the events of a stream.

In the JSON for clients (``by_alias``) some fields have shorter names, and computed fields are included. The stored form
(``library.records.rows``) has neither.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, computed_field

from contracts.jargon import Reading, Sense
from contracts.provenance import Provenance
from contracts.question import Turn
from contracts.text import PageBox, Span
from contracts.verdicts import FaithfulnessLabel

Outcome = Literal["answered", "closest_passages", "declined", "unknown_term", "clarify", "conversation"]
# The outcomes of a question that the documents do not answer, with and without quotations.
DECLINED_OUTCOMES: tuple[Outcome, ...] = ("closest_passages", "declined")
CertaintyLevel = Literal["", "found", "probable", "unsure"]
# The minimum certainty of an answer labelled "found", and of one labelled "probable". Certainty is calibrated: of the
# answers at 0.7, about seven in ten are right; an answer that is wrong more often than right should be checked.
FOUND, PROBABLE = 0.7, 0.5
# Which draft became the answer: the only one, the first of two, or the rewrite of the first.
KeptDraft = Literal["only", "first", "rewrite"]

# The names of a document and its title in the JSON for clients.
_Name = Annotated[str, Field(serialization_alias="document")]
_Title = Annotated[str, Field(serialization_alias="title")]

# The document of a citation of the dictionary itself.
DICTIONARY_DOCUMENT = "dictionary"


class Citation(BaseModel, frozen=True):
    """The evidence for a sentence, or a passage that comes closest. ``number`` counts from 1: the ``[n]`` in the text.

    ``quote`` is the exact text of the passage's quoted sentences; ``boxes`` place it on its pages if they are known.
    ``reading_confidence`` is the mean word confidence in [0, 1] of text read from a picture; None for other text, and
    if it was not computed.
    """

    number: int
    document_id: str
    document_name: _Name
    document_title: _Title
    page: int
    chunk_id: str
    quote: str
    passage_text: str = Field(serialization_alias="passage")
    quote_spans: tuple[Span, ...] = ()
    boxes: tuple[PageBox, ...] = ()
    heading_path: tuple[str, ...] = Field(default=(), serialization_alias="headings")
    reading_confidence: float | None = None

    @property
    def shown_name(self) -> str:
        return self.document_title or self.document_name

    @property
    def place(self) -> str:
        """Its document and page: ``pumps.pdf, page 3``."""
        return f"{self.document_name}, page {self.page}" if self.page else self.document_name


class CheckedSentence(BaseModel, frozen=True):
    """A sentence of the answer, the numbers of its citations and the verdict on it."""

    text: str
    citations: tuple[int, ...]
    label: FaithfulnessLabel
    probability: float
    reason: str = ""


class PoorlyReadPage(BaseModel, frozen=True):
    """A cited page that was read poorly, and why: check the page before relying on the answer."""

    document: str
    document_id: str
    page: int
    citations: tuple[int, ...]
    reason: str


class Step(BaseModel, frozen=True):
    """One node's work on a question: its name, its finding in one line, its duration, and what judged."""

    node: str
    finding: str
    milliseconds: float
    provenance: Provenance | None = None


class RefinementRecord(BaseModel, frozen=True):
    """The decision on a draft, and its result.

    ``policy``, ``signal_name``, ``signal``, ``threshold`` and ``reasons`` are those of the verdict, ``fired`` says that
    a rewrite was requested. ``kept_reason`` says why ``kept`` was kept. A discarded draft is not stored.
    """

    policy: str
    signal_name: str
    signal: float
    threshold: float
    fired: bool
    reasons: tuple[str, ...] = ()
    kept: KeptDraft = "only"
    kept_reason: str = ""


class ClarifyingOption(BaseModel, frozen=True):
    """A sense offered in a clarifying question, numbered from 1."""

    number: int
    sense: Sense


class Answer(BaseModel, frozen=True):
    """The answer to a question, for the asker.

    ``text`` is for people: Markdown, ``[n]`` after cited sentences. ``certainty`` is None unless the outcome is
    "answered", and for the summary of a document, which cannot be judged. ``closest``: quotations that may not answer
    (closest_passages), and ``missing``: what was not found (closest_passages, declined). ``unknown_terms``: terms known
    to neither dictionary nor documents (unknown_term). ``options``: the senses to choose from (clarify). A reply to
    small talk, or to a question about the bot (conversation), has only its text. ``question`` keeps the asker's own
    words in addition to ``standalone_question`` and ``augmented_question``. ``refinement`` is None if no draft was
    reviewed. ``poor_pages`` are cited pages that were read poorly. ``follow_ups`` are similar questions that the
    documents answer, if a server was asked for them. ``turn_id`` identifies the stored question and answer, "" if they
    are not stored.
    """

    outcome: Outcome
    text: str
    question: str
    standalone_question: str = ""
    augmented_question: str = ""
    context: str = ""
    context_probability: float = 0.0
    readings: tuple[Reading, ...] = ()
    sentences: tuple[CheckedSentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    answerability: float | None = None
    certainty: float | None = None
    missing: tuple[str, ...] = ()
    closest: tuple[Citation, ...] = ()
    unknown_terms: tuple[Reading, ...] = ()
    options: tuple[ClarifyingOption, ...] = ()
    steps: tuple[Step, ...] = ()
    degraded: tuple[str, ...] = ()
    refinement: RefinementRecord | None = None
    poor_pages: tuple[PoorlyReadPage, ...] = ()
    follow_ups: tuple[str, ...] = ()
    conversation_id: str = ""
    turn_id: str = ""

    @property
    def quoted(self) -> tuple[Citation, ...]:
        """Everything that it quotes: its citations, or the closest passages."""
        return self.citations or self.closest

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Question and answer as turns of a conversation; if the answer is withheld, the question alone."""
        asked = Turn(role="user", text=self.question)
        return (asked, Turn(role="assistant", text=self.text)) if self.text else (asked,)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def certainty_level(self) -> CertaintyLevel:
        """The certainty in a word; "" if there is none."""
        if self.certainty is None:
            return ""
        return "found" if self.certainty >= FOUND else "probable" if self.certainty >= PROBABLE else "unsure"

    @property
    def status(self) -> Outcome:
        return self.outcome


class StepStarted(BaseModel, frozen=True):
    """A node began."""

    node: str


class StepFinished(BaseModel, frozen=True):
    """A node ended."""

    step: Step


class TermsRead(BaseModel, frozen=True):
    """How the question's terms were read, in their order in it."""

    readings: tuple[Reading, ...]


class TextDelta(BaseModel, frozen=True):
    """More of the answer's text, as it is written (before citation markers are set)."""

    text: str


class TextReset(BaseModel, frozen=True):
    """The draft streamed so far is withdrawn: another text follows."""

    reason: str


class AnswerReady(BaseModel, frozen=True):
    """The last event: the checked answer. Its text replaces the streamed text."""

    answer: Answer


# Readers of a stream must ignore unknown events: there may be more kinds later.
AnswerEvent = StepStarted | StepFinished | TermsRead | TextDelta | TextReset | AnswerReady
