"""Prompted judgements: sends one prompt to a chat model, and reads and records the reply."""

import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.chat.context_window import send_fitting
from tools.chat.reply_limits import TruncatedReply
from tools.labels import LabelReply, read_label
from tools.prompts import Prompt, load_prompt
from tools.structured import Form, ask_structured, parse_reply, strict_schema

# The maximum in OpenAI's protocol.
_MOST_OPTIONS = 20


class PromptedModel:
    """A chat model with one prompt, which all prompted judges use.

    The prompt file ``path`` is read on first use. ``model`` "" is the server's default; adapters are requested by name.
    ``max_tokens`` limits a reply. ``names_labels`` records for each model whether its replies name labels.
    """

    def __init__(self, chat: ChatModel, path: Path, *, model: str = "", max_tokens: int = 700) -> None:
        self.chat = chat
        self._path = path
        self.model = model
        self.max_tokens = max_tokens
        self.names_labels: dict[str, bool] = {}

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt. Raises ``ConfigurationError`` if its file cannot be read, or is not a prompt."""
        return load_prompt(self._path)

    def begin(self) -> "Inquiry":
        return Inquiry(self)


class Inquiry:
    """The requests for one judgement, from filling in the prompt to reading the reply.

    Requests may run concurrently. ``provenance`` then returns the model, the prompt version and the duration.
    """

    def __init__(self, prompted: PromptedModel) -> None:
        self.chat = prompted.chat
        self._prompt = prompted.prompt
        self.model = prompted.model
        self._max_tokens = prompted.max_tokens
        self._names_labels = prompted.names_labels
        self._answered_by = ""
        self._started = time.perf_counter()

    def request(self, variables: Mapping[str, object], *, max_tokens: int = 0) -> ChatRequest:
        """Fill in the prompt; ``max_tokens`` 0 means the limit of the judge.

        Raises:
            ConfigurationError: a variable of the prompt has no value.
        """
        return ChatRequest(
            messages=self._prompt.messages(**dict(variables)),
            max_tokens=max_tokens or self._max_tokens,
            model=self.model,
        )

    async def ask(self, request: ChatRequest, form: type[Form]) -> Form:
        """Ask for a reply in the form ``form``; if the form is wrong, ask once more with an explanation.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the requested form.
        """
        value, reply = await ask_structured(self.chat, request, form)
        self._answered_by = reply.model or self._answered_by
        return value

    async def ask_once(self, request: ChatRequest, form: type[Form]) -> tuple[Form, ChatReply]:
        """Ask for a reply in the form ``form`` with log-probabilities; if the form is wrong, do not ask again.

        Return the validated reply and the raw reply.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: the reply does not have this form, or was cut off.
        """
        schema = request.json_schema or strict_schema(form)
        reply = await self.chat.complete(replace(request, json_schema=schema, top_logprobs=_MOST_OPTIONS))
        self._answered_by = reply.model or self._answered_by
        if reply.truncated:
            raise TruncatedReply(f"The reply was cut at {request.max_tokens} tokens.")
        return parse_reply(reply.text, form), reply

    async def choose(self, request: ChatRequest, labels: Sequence[str]) -> LabelReply:
        """Ask for one of ``labels`` as the first word of the reply.

        A model that did not name a label the first time is not asked again, because it would fail each time. If the
        server returns log-probabilities, the probabilities are those of the first tokens of the labels; see
        ``read_label``. The prompt asks for nothing but the label; labels should begin with different letters.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: the reply names none of the labels, or the model is not asked again.
        """
        model = request.model or self.chat.model
        if self._names_labels.get(model) is False:
            raise MalformedReply(
                f"The model {model} named none of the labels {', '.join(labels)} when it was first asked, and is not "
                "asked again until the program is restarted."
            )
        reply = await self.chat.complete(replace(request, top_logprobs=_MOST_OPTIONS))
        self._answered_by = reply.model or self._answered_by
        try:
            found = read_label(reply, labels)
        except MalformedReply:
            self._names_labels.setdefault(model, False)
            raise
        self._names_labels[model] = True
        return found

    async def stream_fitting(
        self, request_of: Callable[[int], ChatRequest], passages: int
    ) -> tuple[AsyncGenerator[str, None], int]:
        """Start the reply to ``request_of(n)``, where n is the number of passages that fit into the context window.

        Return the pieces of the reply and n when the first piece has arrived; if the server reports instead that the
        request is too long, a shorter one is sent. Close the iterator of pieces to stop early.

        Raises:
            ChatUnavailable: the chat server does not answer, or not even one passage fits; also raised between pieces,
                while they are read.
        """
        asked: list[int] = []

        def remembered(number: int) -> ChatRequest:
            asked.append(number)
            return request_of(number)

        async def begin(request: ChatRequest) -> AsyncGenerator[str, None]:
            rest = self.chat.stream(request)
            return _resumed(await anext(rest, None), rest)

        # The last request that was made is the request that was sent.
        return await send_fitting(self.chat, remembered, passages, begin, self.model), asked[-1]

    def provenance(self) -> Provenance:
        """Return the model that answered, the version of the prompt, and the time in milliseconds."""
        return Provenance(
            implementation="llm",
            model=self._answered_by or self.model or self.chat.model,
            prompt_version=self._prompt.version,
            milliseconds=(time.perf_counter() - self._started) * 1_000,
        )


async def _resumed(first: str | None, rest: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    async with aclosing(rest):
        if first is not None:
            yield first
        async for piece in rest:
            yield piece
