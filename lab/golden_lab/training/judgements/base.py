"""What every labelled case of a judgement has: where it is from, what is asked, what should be answered."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput
from contracts.jargon import Mention, Reading, Sense
from contracts.question import AugmentedQuestion, Turn
from contracts.text import BlockKind, Chunk, Passage, Span
from intrinsics.question_augmentation.base import QuestionAugmenter
from tools.adapters import AdapterDeclaration
from tools.chat.base import ChatRequest
from tools.search.passages import sentences_in

STRICT = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Online:
    """What answers online: the ``judge`` of one intrinsic, and the ``augmenter`` that works definitions in."""

    judge: Any
    augmenter: QuestionAugmenter


class CasePassage(BaseModel):
    """A passage as search brings it: its ``text``, where it stands, and whether it is a table, a row a line.

    ``title`` is the document's, ``name`` that of its file, which prompts show where it has no title.
    """

    model_config = STRICT

    text: str = Field(min_length=1)
    title: str = ""
    name: str = ""
    headings: tuple[str, ...] = ()
    page: int = Field(1, ge=1)
    kind: BlockKind = "paragraph"


class CaseTurn(BaseModel):
    """A turn before the question."""

    model_config = STRICT

    role: Literal["user", "assistant"]
    text: str = Field(min_length=1)


class Definition(BaseModel):
    """What a term of the question means, as the dictionary says it."""

    model_config = STRICT

    term: str = Field(min_length=1)
    meaning: str = Field(min_length=1)
    description: str = ""
    notes: str = ""


class JudgementCase(BaseModel):
    """One line of a file of cases: what one request to the language model asks, and what is right.

    ``group`` is what must not be torn apart when data is held out, such as a document or a conversation; "": the case
    stands alone. ``source`` says where it is from.
    """

    model_config = STRICT

    id: str = Field(min_length=1)
    group: str = ""
    source: str = ""

    @abstractmethod
    async def ask(self, online: Online) -> Any:
        """Return the verdict of ``online`` on this case."""

    @abstractmethod
    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return what should be replied to ``request``: in the words of ``adapter``, or of the prompt's messages."""

    @abstractmethod
    def difference(self, verdict: Any) -> str:
        """Say in what ``verdict`` is not what is right; "" where it is."""


class QuestionCase(JudgementCase):
    """A case about a question that stands alone, with what its jargon means."""

    question: str = Field(min_length=1)
    context: str = ""
    definitions: tuple[Definition, ...] = ()

    async def augmented(self, online: Online) -> AugmentedQuestion:
        """Return the question with its definitions worked in, as online.

        Raises:
            InvalidInput: a defined term does not stand in the question.
        """
        readings = [_reading(each, self.question, self.context) for each in self.definitions]
        return await online.augmenter.augment(self.question, self.context, readings)


def passages_of(given: tuple[CasePassage, ...]) -> tuple[Passage, ...]:
    """Return passages as search brings them, with their sentences; the first is the best."""
    return tuple(_passage(each, number) for number, each in enumerate(given))


def turns_of(given: tuple[CaseTurn, ...]) -> tuple[Turn, ...]:
    """Return turns as the graph keeps them."""
    return tuple(Turn(role=each.role, text=each.text) for each in given)


def one_line(text: str) -> str:
    """Return ``text`` with a space for each run of white space."""
    return " ".join(text.split())


def _passage(given: CasePassage, number: int) -> Passage:
    chunk = Chunk(
        id=f"case-{number}",
        document_id=given.name or given.title or "case",
        kind="passage",
        ordinal=number,
        text=given.text,
        page=given.page,
        last_page=given.page,
        heading_path=given.headings,
        block_kind=given.kind,
        document_title=given.title,
    )
    return Passage(
        chunk=chunk,
        document_name=given.name or given.title,
        document_title=given.title,
        score=1.0 / (1 + number),
        sentences=sentences_in(chunk),
    )


def _reading(given: Definition, question: str, context: str) -> Reading:
    start = question.casefold().find(given.term.casefold())
    if start < 0:
        raise InvalidInput(f"the term {given.term!r} does not stand in the question", field="definitions")
    span = Span(start, start + len(given.term))
    mention = Mention(text=question[span.start : span.end], span=span, term=given.term, known=True)
    sense = Sense(
        id=1,
        term=given.term,
        extended_name=given.meaning,
        context=context,
        description=given.description,
        notes=given.notes,
    )
    return Reading(mention=mention, status="chosen", sense=sense)


def case_passage(passage: Passage) -> CasePassage:
    """Return what of a passage the prompts depend on."""
    chunk = passage.chunk
    return CasePassage(
        text=chunk.text,
        title=chunk.document_title,
        name=passage.document_name,
        headings=chunk.heading_path,
        page=max(1, chunk.page),
        kind=chunk.block_kind,
    )


def definitions_of(readings: tuple[Reading, ...], question: str) -> tuple[Definition, ...]:
    """Return what the terms of ``question`` were read as; those that do not stand in it are passed over."""
    return tuple(
        Definition(
            term=each.mention.text,
            meaning=each.sense.extended_name,
            description=each.sense.description,
            notes=each.sense.notes,
        )
        for each in readings
        if each.sense is not None and each.mention.text.casefold() in question.casefold()
    )
