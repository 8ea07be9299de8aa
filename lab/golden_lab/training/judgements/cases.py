"""The labelled cases of each judgement: the contents of one request to the language model, and the correct reply."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator

from contracts.errors import InvalidInput
from contracts.jargon import Mention, Reading, Sense
from contracts.question import Turn
from contracts.text import BlockKind, Chunk, Passage, Span
from contracts.verdicts import FaithfulnessLabel, RelevanceLabel
from tools.search.passages import sentences_in


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CasePassage(_Strict):
    """A passage as search returns it: its ``text``, its place, and whether it is a table, with one row per line.

    ``title`` is the title of the document, ``name`` its file name, which prompts show if there is no title.
    """

    text: str = Field(min_length=1)
    title: str = ""
    name: str = ""
    headings: tuple[str, ...] = ()
    page: int = Field(1, ge=1)
    kind: BlockKind = "paragraph"


class CaseTurn(_Strict):
    """An earlier turn of the conversation."""

    role: Literal["user", "assistant"]
    text: str = Field(min_length=1)


class Definition(_Strict):
    """The meaning of a term in the question, as in the dictionary."""

    term: str = Field(min_length=1)
    meaning: str = Field(min_length=1)
    description: str = ""
    notes: str = ""


class JudgementCase(_Strict):
    """One line of a file of cases.

    ``group`` is a unit that must not be split when data is held out, such as a document or a conversation; "": the case
    is its own group. ``source`` is the origin of the case.
    """

    id: str = Field(min_length=1)
    group: str = ""
    source: str = ""


class QuestionCase(JudgementCase):
    """A case about a standalone question, with the meanings of its jargon."""

    question: str = Field(min_length=1)
    context: str = ""
    definitions: tuple[Definition, ...] = ()


class RewritingCase(JudgementCase):
    """A conversation, its last question, and the standalone form of that question, which may be the same."""

    history: tuple[CaseTurn, ...] = Field(min_length=1)
    question: str = Field(min_length=1)
    rewritten: str = Field(min_length=1)


class RelevanceCase(JudgementCase):
    """A standalone question with one passage, and how much it helps. Published adapters have no "misleading" label."""

    question: str = Field(min_length=1)
    passage: CasePassage
    label: RelevanceLabel


class AnswerabilityCase(QuestionCase):
    """A standalone question with passages, and whether they contain the answer."""

    passages: tuple[CasePassage, ...] = Field(min_length=1)
    answerable: StrictBool


class WrittenSentence(_Strict):
    """A sentence of an answer, and the ``passages`` (numbered from 0) that it is based on."""

    text: str = Field(min_length=1)
    passages: tuple[int, ...] = ()


class WritingCase(QuestionCase):
    """A question with passages, and the answer that should be written from them, sentence by sentence."""

    passages: tuple[CasePassage, ...] = Field(min_length=1)
    sentences: tuple[WrittenSentence, ...] = Field(min_length=1)


class AnswerCase(JudgementCase):
    """A question, the sentences of an answer, and the passages from which it was written."""

    question: str = ""
    answer: tuple[str, ...] = Field(min_length=1)
    passages: tuple[CasePassage, ...] = Field(min_length=1)


class CaseCitation(_Strict):
    """Answer sentence ``sentence`` is based on ``passage_sentences`` of passage ``passage``, all numbered from 0."""

    sentence: int = Field(ge=0)
    passage: int = Field(ge=0)
    passage_sentences: tuple[int, ...] = Field(min_length=1)


class CitationCase(AnswerCase):
    """An answer, and the evidence for each of its sentences; a sentence that is not listed has no evidence."""

    citations: tuple[CaseCitation, ...]

    @model_validator(mode="after")
    def _names_what_is_there(self) -> "CitationCase":
        counts = [len(each.sentences) for each in passages_of(self.passages)]
        for each in self.citations:
            if each.sentence >= len(self.answer) or each.passage >= len(counts):
                raise ValueError(f"citations: there is no sentence {each.sentence}, or no passage {each.passage}")
            if not all(0 <= one < counts[each.passage] for one in each.passage_sentences):
                only = f"has only {counts[each.passage]} sentences (numbered from 0)"
                raise ValueError(f"citations: passage {each.passage} {only}")
        return self


class JudgedSentence(_Strict):
    """Whether the passages support a sentence of the answer, and the reason, in a sentence for the reader."""

    label: FaithfulnessLabel
    reason: str = Field(min_length=1, max_length=240)


class FaithfulnessCase(AnswerCase):
    """An answer, and for each of its sentences whether the passages support it, and why."""

    judged: tuple[JudgedSentence, ...]

    @model_validator(mode="after")
    def _judges_each(self) -> "FaithfulnessCase":
        if len(self.judged) != len(self.answer):
            raise ValueError(f"judged: {len(self.answer)} sentences need {len(self.answer)} labels")
        return self


class CertaintyCase(JudgementCase):
    """An answer of the trained model, and the probability that it is correct: 5, 15, … or 95%."""

    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    passages: tuple[CasePassage, ...] = Field(min_length=1)
    percent: Literal[5, 15, 25, 35, 45, 55, 65, 75, 85, 95]


class SummaryCase(JudgementCase):
    """A section of a document, its expert summary, and up to six questions that it answers."""

    text: str = Field(min_length=1)
    title: str = ""
    summary: str = Field(min_length=1)
    questions: tuple[str, ...] = Field((), max_length=6)


class AnsweredQuestion(_Strict):
    """A question, and its answer, quoted verbatim from the passage."""

    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class QuestionWritingCase(JudgementCase):
    """A passage, and up to six questions whose answers it contains verbatim, the best first."""

    passage: CasePassage
    questions: tuple[AnsweredQuestion, ...] = Field(max_length=6)


class DefinedTerm(_Strict):
    """A term, its expansion, and the words of the text that define it."""

    term: str = Field(min_length=1)
    expansion: str = Field(min_length=1)
    evidence: str = Field(min_length=1)


class TermMiningCase(JudgementCase):
    """A text of at most 6,000 characters, and the terms that it defines."""

    text: str = Field(min_length=1, max_length=6_000)
    terms: tuple[DefinedTerm, ...]


def passages_of(given: tuple[CasePassage, ...]) -> tuple[Passage, ...]:
    """Return passages as search returns them, with their sentences, the best first."""
    return tuple(_passage(each, number) for number, each in enumerate(given))


def turns_of(given: tuple[CaseTurn, ...]) -> tuple[Turn, ...]:
    """Return turns in the form that the graph uses."""
    return tuple(Turn(role=each.role, text=each.text) for each in given)


def readings_of(case: QuestionCase) -> list[Reading]:
    """Return the readings of the case's terms.

    Raises:
        InvalidInput: a defined term is not in the question.
    """
    found = []
    for each in case.definitions:
        start = case.question.casefold().find(each.term.casefold())
        if start < 0:
            raise InvalidInput(f"the term {each.term!r} is not in the question", field="definitions")
        span = Span(start, start + len(each.term))
        mention = Mention(text=case.question[span.start : span.end], span=span, term=each.term, known=True)
        sense = Sense(
            id=1,
            term=each.term,
            extended_name=each.meaning,
            context=case.context,
            description=each.description,
            notes=each.notes,
        )
        found.append(Reading(mention=mention, status="chosen", sense=sense))
    return found


def case_passage(passage: Passage) -> CasePassage:
    """Return the parts of a passage that the prompts depend on."""
    chunk = passage.chunk
    return CasePassage(
        text=chunk.text,
        title=chunk.document_title,
        name=passage.document_name,
        headings=chunk.heading_path,
        page=max(1, chunk.page),
        kind=chunk.block_kind,
    )


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
