"""The unified test set as a file: every held-out query under each condition, with the prompt that a model is sent."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from golden_lab.json_lines import write_json_lines
from golden_lab.training.data.examples import ExampleMessage
from golden_lab.training.data.prompting import retrieved_messages
from golden_lab.training.data.values import Condition, ConditionedExample
from tools.prompts import Prompt


class ConditionedLine(BaseModel):
    """One line: a query under one condition of retrieval.

    ``id`` is the triplet's, equal under all four conditions; with ``condition`` it names the line. ``relevant`` says of
    each of ``chunks`` whether it is of the query's own context, and ``source`` which document that is from. A model is
    sent ``messages`` and should answer ``reference``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    source: str = ""
    condition: Condition
    query: str = Field(min_length=1)
    chunks: tuple[str, ...]
    relevant: tuple[bool, ...]
    reference: str = Field(min_length=1)
    messages: tuple[ExampleMessage, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _labels_its_chunks(self) -> "ConditionedLine":
        if len(self.chunks) != len(self.relevant):
            raise ValueError("relevant: one label for each of chunks")
        return self


def conditioned_line(example: ConditionedExample, prompt: Prompt, *, source: str) -> ConditionedLine:
    """Return the line of an example.

    Raises:
        ConfigurationError: the prompt names another variable than ``context`` and ``question``.
    """
    return ConditionedLine(
        id=example.id,
        source=source,
        condition=example.condition,
        query=example.query,
        chunks=example.chunks,
        relevant=example.relevant,
        reference=example.reference,
        messages=retrieved_messages(prompt, example.query, example.chunks),
    )


def write_conditioned_lines(path: Path, lines: Iterable[ConditionedLine]) -> str:
    """Write a test set, and return the SHA-256 of its bytes."""
    return write_json_lines(path, (each.model_dump() for each in lines))
