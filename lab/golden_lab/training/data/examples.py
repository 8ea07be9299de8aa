"""Training examples for a language model: a prompt as it is sent online, and the reply to learn."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from golden_lab.json_lines import read_forms, write_json_lines
from tools.prompts import Prompt

_TICKS = re.compile(r"`{3,}")


class ExampleMessage(BaseModel):
    """A message of the prompt."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["system", "user", "assistant"]
    content: str


class TrainingExample(BaseModel):
    """One line of a training file. Only the tokens of ``completion`` and its end token count towards the loss.

    The prompt is either ``messages``, which the base model's chat template formats, or ``prompt``, a frozen prompt that
    already contains all special tokens. ``group`` is a unit that must not be split when data is held out, such as a
    document or a conversation; "": the example is its own group. ``condition`` is the condition of controlled
    retrieval, if any. ``source`` is the origin of the example.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    group: str = ""
    messages: tuple[ExampleMessage, ...] = ()
    prompt: str = ""
    completion: str = Field(min_length=1)
    condition: str = ""
    source: str = ""

    @model_validator(mode="after")
    def _has_one_prompt(self) -> "TrainingExample":
        if bool(self.messages) == bool(self.prompt):
            raise ValueError("give either messages or prompt")
        if self.messages and self.messages[-1].role != "user":
            raise ValueError("messages: the last one must be the user's; the completion answers it")
        return self

    @property
    def held_out_with(self) -> str:
        """The group, or the id of an example without a group."""
        return self.group or self.id


def read_examples(path: Path) -> tuple[TrainingExample, ...]:
    """Read a training file.

    Raises:
        InvalidInput: it does not exist, or a line is not an example; the message names the file, line and field.
    """
    return tuple(
        read_forms(path, TrainingExample, where="make one with golden-lab train data or golden-lab train intrinsic")
    )


def write_examples(path: Path, examples: Iterable[TrainingExample]) -> str:
    """Write a training file, and return its SHA-256."""
    return write_json_lines(path, (each.model_dump(exclude_defaults=True) for each in examples))


def filled(prompt: Prompt, **variables: str) -> tuple[ExampleMessage, ...]:
    """Fill in a prompt: with ``passage`` and ``question``, or with ``context`` and ``question``.

    Raises:
        ConfigurationError: the prompt names an unknown variable.
    """
    return tuple(
        ExampleMessage.model_validate({"role": each.role, "content": each.content})
        for each in prompt.messages(**variables)
    )


def excerpts(chunks: Sequence[str]) -> str:
    """Format ``chunks`` with numbers and fences, and a blank line after each; "" if there are none.

    As in Markdown, a fence has one backtick more than any run in the chunks, so that no text can close it.
    """
    longest = max((len(run) for chunk in chunks for run in _TICKS.findall(chunk)), default=2)
    fence = "`" * (longest + 1)
    return "".join(f"Excerpt {number}:\n{fence}\n{chunk}\n{fence}\n\n" for number, chunk in enumerate(chunks, start=1))
