"""The answer to a question with all its evidence, and the events that are streamed while it is prepared.

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
# The minimum certainty of the labels "found" and "probable". Certainty is calibrated: about seven in ten answers with a
# certainty of 0.7 are correct. Below 0.5, answers are wrong more often than correct and should be checked.
FOUND, PROBABLE = 0.7, 0.5
# Which draft became the answer: the only one, the first of two, or the rewrite of the first.
KeptDraft = Literal["only", "first", "rewrite"]

# The names of a document and its title in the JSON for clients.
_Name = Annotated[str, Field(serialization_alias="document")]
_Title = Annotated[str, Field(serialization_alias="title")]

# The document name in citations of the dictionary itself.
DICTIONARY_DOCUMENT = "dictionary"


class Citation(BaseModel, frozen=True):
    """The evidence for a sentence, or one of the closest passages. ``number`` is the n of ``[n]``, counted from 1.

    ``quote`` is the exact text of the quoted sentences; ``boxes`` are its positions on the pages, if known.
    ``reading_confidence`` is the mean word confidence in [0, 1] of text read from a picture by OCR; None for other
    text, and if it was not computed.
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
        """The document and page: ``pumps.pdf, page 3``."""
        return f"{self.document_name}, page {self.page}" if self.page else self.document_name


class CheckedSentence(BaseModel, frozen=True):
    """A sentence of the answer with the numbers of its citations and the verdict on it."""

    text: str
    citations: tuple[int, ...]
    label: FaithfulnessLabel
    probability: float
    reason: str = ""


class PoorlyReadPage(BaseModel, frozen=True):
    """A cited page that was read poorly, and the reason. Check such a page before relying on the answer."""

    document: str
    document_id: str
    page: int
    citations: tuple[int, ...]
    reason: str


class Step(BaseModel, frozen=True):
    """One node's work on a question: the node's name, its finding in one line, its duration, and what judged it."""

    node: str
    finding: str
    milliseconds: float
    provenance: Provenance | None = None


class RefinementRecord(BaseModel, frozen=True):
    """The decision on a draft, and its result.

    ``policy``, ``signal_name``, ``signal``, ``threshold`` and ``reasons`` come from the verdict. ``fired`` is true if a
    rewrite was requested. ``kept_reason`` explains the choice of ``kept``. A discarded draft is not stored.
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

    ``text`` is Markdown with ``[n]`` in cited sentences. ``certainty`` is None unless the outcome is "answered"; it is
    also None for the summary of a document, which cannot be judged. ``closest`` contains quotations that may not answer
    the question (closest_passages); ``missing`` is what was not found (closest_passages, declined). ``unknown_terms``
    are in neither the dictionary nor the documents (unknown_term). ``options`` are the senses to choose from (clarify).
    A reply to small talk, or to a question about the bot (conversation), has only a text. ``question`` is in the
    asker's own words, unlike ``standalone_question`` and ``augmented_question``. ``refinement`` is None if no draft was
    reviewed. ``poor_pages`` are cited pages that were read poorly. ``follow_ups`` are similar questions that the
    documents answer; only a server adds them, on request. ``turn_id`` is the id of the stored question and answer, ""
    if they are not stored.
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
        """Everything that the answer quotes: its citations, or the closest passages."""
        return self.citations or self.closest

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The question and the answer as turns of a conversation; only the question if the answer is withheld."""
        asked = Turn(role="user", text=self.question)
        return (asked, Turn(role="assistant", text=self.text)) if self.text else (asked,)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def certainty_level(self) -> CertaintyLevel:
        """The certainty as a word; "" if there is none."""
        if self.certainty is None:
            return ""
        return "found" if self.certainty >= FOUND else "probable" if self.certainty >= PROBABLE else "unsure"

    @property
    def status(self) -> Outcome:
        return self.outcome


class StepStarted(BaseModel, frozen=True):
    """A node has started."""

    node: str


class StepFinished(BaseModel, frozen=True):
    """A node has finished."""

    step: Step


class TermsRead(BaseModel, frozen=True):
    """How the terms in the question were interpreted, in the order of the question."""

    readings: tuple[Reading, ...]


class TextDelta(BaseModel, frozen=True):
    """The next part of the answer's text while it is being written, still without citation markers."""

    text: str


class TextReset(BaseModel, frozen=True):
    """The text streamed so far is withdrawn; a different text follows."""

    reason: str


class AnswerReady(BaseModel, frozen=True):
    """The last event: the checked answer. Its text replaces the streamed text."""

    answer: Answer


# Readers of a stream must ignore unknown events, because later versions may add more kinds.
AnswerEvent = StepStarted | StepFinished | TermsRead | TextDelta | TextReset | AnswerReady
