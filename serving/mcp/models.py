"""What the tools take and return: smaller than an ``Answer``, because agents pay by the word."""

from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, field_validator

from contracts.answer import Outcome
from contracts.jargon import ReadingStatus, SenseState
from contracts.question import MAX_QUESTION_CHARACTERS

PAGE_TEMPLATE = "golden://documents/{document_id}/pages/{page}"

Name = Annotated[str, Field(min_length=1, max_length=400)]
Words = Annotated[str, Field(max_length=MAX_QUESTION_CHARACTERS)]
Department = Annotated[
    str,
    Field(
        max_length=400,
        description="The department or subject in which the question is asked, if you know it: it decides what an "
        "abbreviation means there.",
    ),
]


class MeaningIn(BaseModel):
    """A meaning that the user chose."""

    model_config = ConfigDict(extra="forbid")

    term: Name = Field(description="The abbreviation or term, as it stands in the question.")
    extended_name: Name = Field(description="What it means here, as an option of an earlier answer names it.")
    context: Annotated[str, Field(max_length=400)] | None = Field(
        None, description="The context of that option, where two options have the same name."
    )


class TurnIn(BaseModel):
    """One earlier message of the conversation."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    text: str = Field(max_length=100_000)


def _told(name: str, *path: str, description: str | None = None) -> Any:
    """Return a field that is read from elsewhere in the bot's own value: from the attribute at the end of ``path``."""
    return Field(validation_alias=AliasChoices(name, AliasPath(*path)), description=description)


class Told(BaseModel):
    """Something that a tool tells: ``model_validate`` makes it of the bot's own value."""

    model_config = ConfigDict(from_attributes=True)


class PlaceOut(Told):
    """A page of a document. ``uri`` reads it as a resource; null where there is no such page, as in the dictionary."""

    document: str = _told("document", "document_name")
    document_id: str = _told("document_id", "chunk", "document_id")
    title: str = _told("title", "document_title")
    page: int = _told("page", "chunk", "page")
    uri: str | None = None

    def model_post_init(self, _context: Any) -> None:
        """Name the resource."""
        if self.document_id and self.page:
            self.uri = PAGE_TEMPLATE.format(document_id=quote(self.document_id, safe=""), page=self.page)

    @property
    def words(self) -> str:
        """The page for people: ``pumps.pdf, page 3``."""
        return f"{self.document}, page {self.page}" if self.page else self.document


class CitedOut(PlaceOut):
    """The evidence behind the marker ``[number]`` of an answer: ``quote`` stands word for word in the document."""

    number: int
    headings: tuple[str, ...] = _told("headings", "heading_path")
    quote: str


class MeaningOut(Told):
    """One meaning of a term; ``context`` is where it holds, "" for everywhere."""

    extended_name: str
    context: str
    description: str

    @property
    def words(self) -> str:
        """The meaning for people, with its context."""
        return f"{self.extended_name} ({self.context})" if self.context else self.extended_name


class ReadAsOut(Told):
    """How a term was read: ``meaning`` is null where none was chosen; ``others`` are what it can also mean."""

    text: str = _told("text", "mention", "text")
    term: str = _told("term", "mention", "term")
    status: ReadingStatus
    meaning: MeaningOut | None = _told("meaning", "sense")
    probability: float
    reason: str
    others: list[MeaningOut] = _told("others", "alternatives")
    suggestions: tuple[str, ...]

    @property
    def words(self) -> str:
        """The reading for people."""
        reason = f": {self.reason}" if self.reason else ""
        if self.meaning is not None:
            return f"{self.text} was read as {self.meaning.words}{reason}"
        known = {"documents": "is used in the documents, but not defined", "ambiguous": "has several meanings"}
        others = "; ".join(each.words for each in self.others) or ", ".join(self.suggestions)
        return f"{self.text} {known.get(self.status, 'is unknown')}" + (f" ({others})" if others else "")


class OptionOut(Told):
    """A meaning to choose from."""

    number: int
    term: str = _told("term", "sense", "term")
    extended_name: str = _told("extended_name", "sense", "extended_name")
    context: str = _told("context", "sense", "context")
    description: str = _told("description", "sense", "description")


class DoubtfulOut(Told):
    """A sentence of the answer that the documents do not bear out, or only in part."""

    text: str
    label: str
    reason: str


class UnknownOut(Told):
    """A term that neither the dictionary nor the documents know, with spellings that come near."""

    term: str = _told("term", "mention", "text")
    suggestions: tuple[str, ...]


class AskResult(Told):
    """The result of ``ask``."""

    outcome: Outcome = Field(
        description="answered; declined: the documents do not hold the answer; unknown_term: nobody defined a term; "
        "clarify: a term has several meanings, listed in options."
    )
    answer: str = _told("answer", "text", description="Markdown, with [n] after each cited sentence.")
    certainty: float | None = Field(description="The probability that the answer is right; null unless answered.")
    citations: list[CitedOut]
    readings: list[ReadAsOut] = Field(description="How the question's jargon was read.")
    doubtful: list[DoubtfulOut] = _told("doubtful", "sentences")
    missing: tuple[str, ...] = Field(description="What the documents do not hold, where the question was declined.")
    nearest: list[PlaceOut] = Field(description="Documents that come nearest, where the question was declined.")
    unknown_terms: list[UnknownOut]
    options: list[OptionOut]
    question_as_read: str = _told(
        "question_as_read",
        "augmented_question",
        description="The question with its jargon spelt out, as it was searched for.",
    )
    degraded: tuple[str, ...] = Field(description="Judgements that ran without their usual engine.")

    @field_validator("doubtful")
    @classmethod
    def _without_borne_out(cls, sentences: list[DoubtfulOut]) -> list[DoubtfulOut]:
        return [each for each in sentences if each.label not in ("faithful", "no_claim")]


class PassageOut(PlaceOut):
    """A passage that was found; ``score`` compares within one search only."""

    rank: int = 0
    last_page: int = _told("last_page", "chunk", "last_page")
    headings: tuple[str, ...] = _told("headings", "chunk", "heading_path")
    text: str = _told("text", "chunk", "text")
    score: float


class SearchResult(BaseModel):
    """The result of ``search_documents``, best passage first."""

    searched_for: str = Field(description="The query with its jargon spelt out.")
    readings: list[ReadAsOut]
    passages: list[PassageOut]

    @property
    def words(self) -> str:
        """What was found, for people."""
        lines = [f"Searched for: {self.searched_for}", *(each.words for each in self.readings)]
        if not self.passages:
            lines.append("No passage was found in the documents that you may read.")
        for each in self.passages:
            where = " > ".join([each.words, *each.headings])
            lines.append(f"\n{each.rank}. {where} (document_id {each.document_id})\n{each.text}")
        return "\n".join(lines)


class SenseOut(MeaningOut):
    """A meaning that the dictionary keeps, or (``state`` draft) that was mined from documents and awaits a person."""

    notes: str
    aliases: tuple[str, ...]
    source: str
    state: SenseState
    defined_at: list[PlaceOut] = Field([], description="Pages of documents that have the term and this meaning.")

    @property
    def words_with_source(self) -> str:
        """The meaning for people, with where it is from."""
        unpublished = " [mined from documents, not confirmed by a person]" if self.state == "draft" else ""
        described = "".join(f". {each.rstrip('.')}" for each in (self.description, self.notes) if each)
        places = [each.words for each in self.defined_at] or [each for each in (self.source,) if each]
        source = f" (source: {'; '.join(places)})" if places else ""
        return f"- {self.words}{unpublished}{described}{source}."


class TermOut(BaseModel):
    """A term that was looked up.

    ``status``: in the dictionary; only used in documents; or unknown. ``read_as`` is how it was read in the given text.
    """

    term: str
    status: Literal["dictionary", "documents", "unknown"]
    senses: list[SenseOut]
    used_in_passages: int
    near: tuple[str, ...]
    read_as: ReadAsOut | None

    @property
    def words(self) -> str:
        """The term for people."""
        lines = [f"{self.term}:"]
        if self.status == "unknown":
            near = f" Near spellings: {', '.join(self.near)}." if self.near else ""
            lines = [f"{self.term}: neither the dictionary nor the documents know it. Do not guess its meaning.{near}"]
        elif not self.senses:
            lines = [f"{self.term}: the documents use it (passages: {self.used_in_passages}), but nobody defined it."]
        lines += [each.words_with_source for each in self.senses]
        if self.read_as is not None and len(self.senses) > 1:
            lines.append(f"In this text: {self.read_as.words}")
        return "\n".join(lines)


class JargonResult(BaseModel):
    """The result of ``look_up_jargon``."""

    terms: list[TermOut]
    context: str = Field(description='The context in which the text was read, "" for none.')

    @property
    def words(self) -> str:
        """What was found, for people."""
        return "\n\n".join(each.words for each in self.terms) or "No jargon was found in the text."


class PageResult(PlaceOut):
    """The result of ``read_page``. ``pages`` is how many the document has."""

    pages: int
    text: str
