"""Passages with their questions, and what is said of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.json_lines import read_forms, write_json_lines

Condition = Literal["none", "relevant", "irrelevant", "noisy"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)


class Triplet(BaseModel):
    """What training data is built from: a ``query``, the ``reference`` answer to it, and the true ``context``.

    ``source`` names where the context is from, such as a document and its page: what has one source stays together when
    data is held out. Empty: it stands alone. A line of a file may leave out its ``id``; its number is its name then.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = ""
    query: str = Field(min_length=1)
    reference: str = Field(min_length=1)
    context: str = Field(min_length=1)
    source: str = ""

    @property
    def group(self) -> str:
        """What it is held out with."""
        return self.source or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextChunk:
    """A piece of a context: of which triplet, and its text."""

    triplet: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionedExample:
    """A query as a model sees it under one condition of retrieval, and what it should answer.

    ``relevant`` says of each of ``chunks`` whether it is of the query's own context.
    """

    id: str
    condition: Condition
    query: str
    chunks: tuple[str, ...]
    relevant: tuple[bool, ...]
    reference: str


# Says where each token of a text stands, in order.
TokenSpans = Callable[[str], Sequence[Span]]

# Source: TRIFEX (Oestreich et al.), section 3.1.
CHUNK_TOKENS, MOST_CHUNKS = 128, 3


def context_chunks(
    triplet: Triplet, spans_of: TokenSpans, *, tokens: int = CHUNK_TOKENS, most: int = MOST_CHUNKS
) -> tuple[ContextChunk, ...]:
    """Cut the context of ``triplet`` into up to ``most`` chunks of up to ``tokens`` tokens; what is longer is dropped.

    Raises:
        InvalidInput: the context has no token.
    """
    spans = spans_of(triplet.context)
    if not spans:
        raise InvalidInput(f"{triplet.id}: its context is empty, and nothing can be retrieved for it", field="context")
    starts = range(0, min(len(spans), tokens * most), tokens)
    # Where a tokenizer counts the space before a word to it, a chunk would begin with one.
    pieces = [triplet.context[spans[at].start : spans[min(at + tokens, len(spans)) - 1].end].strip() for at in starts]
    return tuple(ContextChunk(triplet=triplet.id, text=piece) for piece in pieces)


class PassageSource(BaseModel):
    """Where a passage stands: pages count from 1; ``chunk`` is our chunk's id, "" for a passage cut by characters.

    ``start`` and ``end`` are half-open code points of the document's text as it was cut.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    document: str
    page: int = Field(ge=1)
    last_page: int = Field(ge=1)
    chunk: str = ""
    start: int = Field(0, ge=0)
    end: int = Field(0, ge=0)


class WrittenBy(BaseModel):
    """Who wrote question and answer: an implementation ("llm", "embedded"), its model and prompt version."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    implementation: str
    model: str = ""
    prompt_version: str = ""
    form: Literal["free", "cloze", "template", ""] = ""


class PassageQuestion(BaseModel):
    """One line: a passage, a factual question that it answers, and the answer.

    ``answerability`` is our own judge's probability that the passage holds the answer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    passage: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    source: PassageSource
    written_by: WrittenBy
    answerability: float = Field(ge=0, le=1)

    @property
    def triplet(self) -> Triplet:
        """The same as query, reference and context; held out by document."""
        return Triplet(
            id=self.id, query=self.question, reference=self.answer, context=self.passage, source=self.source.document
        )


def read_passage_questions(path: Path) -> tuple[PassageQuestion, ...]:
    """Read a file of them.

    Raises:
        InvalidInput: it is not there, or a line is wrong; the text names file, line and field.
    """
    return tuple(read_forms(path, PassageQuestion, where="make one with golden-lab train data"))


def write_passage_questions(path: Path, rows: Iterable[PassageQuestion]) -> str:
    """Write a file of them, and return the SHA-256 of its bytes."""
    return write_json_lines(path, (each.model_dump() for each in rows))
