"""Questions with their answers and the passage that holds them: what the pipeline makes of documents."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from golden_lab.json_lines import read_forms, write_json_lines
from golden_lab.training.data.values import Triplet


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
