"""Code that judges share: how they ask models, and how they record the origin of a verdict."""

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
    """A judge that uses a chat model, with the prompt in ``llm.toml`` next to its module.

    It raises ``ChatUnavailable`` if the server does not answer, and ``MalformedReply`` if the reply is not a verdict.
    """

    # The token limit of a reply; a model that writes its thoughts first needs a higher limit.
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
    """Return the result of ``ask`` for the prompt with as many passages as fit into the model's context window.

    Raises:
        ChatUnavailable: the chat server does not answer, or not even one passage fits.
        MalformedReply: as in ``ask``.
    """

    def request_of(number: int) -> ChatRequest:
        return inquiry.request({**prefix_variables(passages[:number]), **variables}, max_tokens=max_tokens)

    return await send_fitting(inquiry.chat, request_of, len(passages), ask, inquiry.model)


def provenance_since(started: float, model: str = "", *, prompt_version: str = "") -> Provenance:
    """Return the provenance of a judgement without a language model that began at ``started`` (``perf_counter``)."""
    return Provenance(
        implementation="embedded",
        model=model,
        prompt_version=prompt_version,
        milliseconds=(time.perf_counter() - started) * 1_000,
    )


def one_line(text: str) -> str:
    """Return ``text`` with each run of white space replaced by a single space."""
    return " ".join(text.split())


def shortened(text: str, limit: int) -> str:
    """Return ``text`` shortened to ``limit`` characters, with an ellipsis if it was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
