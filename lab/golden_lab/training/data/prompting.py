"""Prompts of training data: what a model reads of a question, with what was retrieved for it or with its passage."""

import re
from collections.abc import Sequence

from golden_lab.training.data.examples import ExampleMessage
from tools.prompts import Prompt

_TICKS = re.compile(r"`{3,}")


def retrieved_messages(prompt: Prompt, query: str, chunks: Sequence[str]) -> tuple[ExampleMessage, ...]:
    """Fill in a prompt with the variables ``context`` and ``question``.

    Raises:
        ConfigurationError: the prompt names another variable.
    """
    return _messages(prompt, context=excerpts(chunks), question=query)


def passage_messages(prompt: Prompt, question: str, passage: str) -> tuple[ExampleMessage, ...]:
    """Fill in a prompt with the variables ``passage`` and ``question``.

    Raises:
        ConfigurationError: the prompt names another variable.
    """
    return _messages(prompt, passage=passage, question=question)


def excerpts(chunks: Sequence[str]) -> str:
    """Lay out ``chunks`` numbered and fenced, an empty line behind each; "" where there are none.

    A fence has one backtick more than any run in the excerpts, as in Markdown: no text can close its own.
    """
    longest = max((len(run) for chunk in chunks for run in _TICKS.findall(chunk)), default=2)
    fence = "`" * (longest + 1)
    return "".join(f"Excerpt {number}:\n{fence}\n{chunk}\n{fence}\n\n" for number, chunk in enumerate(chunks, start=1))


def _messages(prompt: Prompt, **variables: str) -> tuple[ExampleMessage, ...]:
    return tuple(
        ExampleMessage.model_validate({"role": each.role, "content": each.content})
        for each in prompt.messages(**variables)
    )
