"""What the implementations of judgements share: how they ask, and how they record the origin of a verdict."""

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

from contracts.provenance import Provenance
from contracts.text import Passage
from tools.chat.base import ChatModel, ChatRequest
from tools.chat.context_window import send_fitting
from tools.prompt_prefix import prefix_variables
from tools.prompted_model import Inquiry, PromptedModel

Answered = TypeVar("Answered")


class PromptedJudge:
    """A judgement by a chat model, with the prompt in ``llm.toml`` next to its module.

    Its verb raises ``ChatUnavailable`` if the server does not answer, ``MalformedReply`` if the reply is not a verdict.
    """

    # The limit of a reply; a model that writes its thoughts first needs a larger one.
    max_tokens: ClassVar[int] = 700

    def __init__(self, chat: ChatModel, *, model: str = "", prompt_path: Path | None = None) -> None:
        path = prompt_path or Path(inspect.getfile(type(self))).with_name("llm.toml")
        self._prompted = PromptedModel(chat, path, model=model, max_tokens=self.max_tokens)


async def ask_grounded(
    inquiry: Inquiry,
    passages: Sequence[Passage],
    variables: Mapping[str, object],
    ask: Callable[[ChatRequest], Awaitable[Answered]],
    *,
    max_tokens: int = 0,
) -> Answered:
    """Return the result of ``ask`` for the prompt with as many of ``passages`` as fit into the model's window.

    Raises:
        ChatUnavailable: the chat server does not answer, or not even one passage fits.
        MalformedReply: as in ``ask``.
    """

    def request_of(number: int) -> ChatRequest:
        return inquiry.request({**prefix_variables(passages[:number]), **variables}, max_tokens=max_tokens)

    return await send_fitting(inquiry.chat, request_of, len(passages), ask, inquiry.model)


def provenance_since(started: float, model: str = "", *, prompt_version: str = "") -> Provenance:
    """Return the provenance of a judgement without a language model since ``started`` (``time.perf_counter``)."""
    return Provenance(
        implementation="embedded",
        model=model,
        prompt_version=prompt_version,
        milliseconds=(time.perf_counter() - started) * 1_000,
    )


def one_line(text: str) -> str:
    """Return ``text`` with single spaces for all white space."""
    return " ".join(text.split())


def shortened(text: str, limit: int) -> str:
    """Return ``text`` within ``limit`` characters, with an ellipsis if it is cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
