"""Prompted judgements: one prompt for a chat model, with its reply read and recorded."""

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

# The maximum of OpenAI's protocol.
_MOST_OPTIONS = 20


class PromptedModel:
    """A chat model with one prompt, on which every prompted judgement is built.

    The prompt file ``path`` is read at the first use. ``model`` "" is the server's default; an adapter has its own name
    there. ``max_tokens`` limits a reply. ``names_labels`` records for each model whether its replies name labels.
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
    """The requests of one judgement: each is filled in, sent and read.

    Requests may run concurrently. Afterwards, ``provenance`` says who answered, with which prompt, and in what time.
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
        """Fill the prompt in; ``max_tokens`` 0 means the judgement's own limit.

        Raises:
            ConfigurationError: a variable of the prompt has no value.
        """
        return ChatRequest(
            messages=self._prompt.messages(**dict(variables)),
            max_tokens=max_tokens or self._max_tokens,
            model=self.model,
        )

    async def ask(self, request: ChatRequest, form: type[Form]) -> Form:
        """Ask for a reply in the form ``form``; one with another form is sent back once with an explanation.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the requested form.
        """
        value, reply = await ask_structured(self.chat, request, form)
        self._answered_by = reply.model or self._answered_by
        return value

    async def ask_once(self, request: ChatRequest, form: type[Form]) -> tuple[Form, ChatReply]:
        """Ask for a reply in the form ``form`` with log-probabilities; one with another form is not sent back.

        Returns the validated reply and the raw one.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: the reply does not have that form, or was cut off.
        """
        schema = request.json_schema or strict_schema(form)
        reply = await self.chat.complete(replace(request, json_schema=schema, top_logprobs=_MOST_OPTIONS))
        self._answered_by = reply.model or self._answered_by
        if reply.truncated:
            raise TruncatedReply(f"The reply was cut at {request.max_tokens} tokens.")
        return parse_reply(reply.text, form), reply

    async def choose(self, request: ChatRequest, labels: Sequence[str]) -> LabelReply:
        """Ask for one of ``labels`` as the reply's first word.

        A model that has never named one is not asked again, because it would fail each time. The probabilities are
        those of the labels' first tokens, if the server returns them; see ``read_label``. The prompt asks for the label
        and nothing else; labels that begin with different letters are distinguished best.

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
        """Start the reply to ``request_of(n)``, where n is how many of the passages fit into the window.

        Returns the pieces, to be closed to stop early, and n, when the first piece has arrived: a server that finds the
        request too long says so instead, and is asked once more.

        Raises:
            ChatUnavailable: the chat server does not answer, or not even one passage fits; between two pieces, while
                these are read.
        """
        asked: list[int] = []

        def remembered(number: int) -> ChatRequest:
            asked.append(number)
            return request_of(number)

        async def begin(request: ChatRequest) -> AsyncGenerator[str, None]:
            rest = self.chat.stream(request)
            return _resumed(await anext(rest, None), rest)

        # The last request that was made is the one that was sent.
        return await send_fitting(self.chat, remembered, passages, begin, self.model), asked[-1]

    def provenance(self) -> Provenance:
        """Return who answered, with which version of the prompt, and in how many milliseconds since the beginning."""
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
