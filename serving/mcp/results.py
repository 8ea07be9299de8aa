"""Results: what each tool returns beside its text, with the schema that clients are told."""

from typing import Literal

from pydantic import BaseModel, Field

from contracts.answer import Outcome
from contracts.jargon import ReadingStatus, SenseState


class PlaceOut(BaseModel):
    """A page of a document. ``uri`` reads it as a resource; null where there is no such page, as in the dictionary."""

    document: str
    document_id: str
    title: str
    page: int
    uri: str | None


class CitedOut(PlaceOut):
    """The evidence behind the marker ``[number]`` of an answer: ``quote`` stands word for word in the document."""

    number: int
    headings: list[str]
    quote: str


class MeaningOut(BaseModel):
    """One meaning of a term; ``context`` is where it holds, "" for everywhere."""

    extended_name: str
    context: str
    description: str


class ReadAsOut(BaseModel):
    """How a term was read: ``meaning`` is null where none was chosen; ``others`` are what it can also mean."""

    text: str
    term: str
    status: ReadingStatus
    meaning: MeaningOut | None
    probability: float
    reason: str
    others: list[MeaningOut]
    suggestions: list[str]


class OptionOut(MeaningOut):
    """A meaning to choose from."""

    number: int
    term: str


class DoubtfulOut(BaseModel):
    """A sentence of the answer that the documents do not bear out, or only in part."""

    text: str
    label: str
    reason: str


class UnknownOut(BaseModel):
    """A term that neither the dictionary nor the documents know, with spellings that come near."""

    term: str
    suggestions: list[str]


class AskResult(BaseModel):
    """The result of ``ask``."""

    outcome: Outcome = Field(
        description="answered; declined: the documents do not hold the answer; unknown_term: nobody defined a term; "
        "clarify: a term has several meanings, listed in options."
    )
    answer: str = Field(description="Markdown, with [n] after each cited sentence.")
    certainty: float | None = Field(description="The probability that the answer is right; null unless answered.")
    citations: list[CitedOut]
    readings: list[ReadAsOut] = Field(description="How the question's jargon was read.")
    doubtful: list[DoubtfulOut]
    missing: list[str] = Field(description="What the documents do not hold, where the question was declined.")
    nearest: list[PlaceOut] = Field(description="Documents that come nearest, where the question was declined.")
    unknown_terms: list[UnknownOut]
    options: list[OptionOut]
    question_as_read: str = Field(description="The question with its jargon spelt out, as it was searched for.")
    degraded: list[str] = Field(description="Judgements that ran without their usual engine.")


class PassageOut(PlaceOut):
    """A passage that was found; ``score`` compares within one search only."""

    rank: int
    last_page: int
    headings: list[str]
    text: str
    score: float


class SearchResult(BaseModel):
    """The result of ``search_documents``, best passage first."""

    searched_for: str = Field(description="The query with its jargon spelt out.")
    readings: list[ReadAsOut]
    passages: list[PassageOut]


class SenseOut(MeaningOut):
    """A meaning that the dictionary keeps, or (``state`` draft) that was mined from documents and awaits a person."""

    notes: str
    aliases: list[str]
    source: str
    state: SenseState
    defined_at: list[PlaceOut] = Field(description="Pages of documents that have the term and this meaning together.")


class TermOut(BaseModel):
    """A term that was looked up.

    ``status``: in the dictionary; only used in documents; or unknown. ``read_as`` is how it was read in the given text.
    """

    term: str
    status: Literal["dictionary", "documents", "unknown"]
    senses: list[SenseOut]
    used_in_passages: int
    near: list[str]
    read_as: ReadAsOut | None


class JargonResult(BaseModel):
    """The result of ``look_up_jargon``."""

    terms: list[TermOut]
    context: str = Field(description='The context in which the text was read, "" for none.')


class PageResult(PlaceOut):
    """The result of ``read_page``. ``pages`` is how many the document has."""

    pages: int
    text: str
