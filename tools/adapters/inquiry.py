"""A judgement by an adapter: sends one frozen prompt, and reads and records the reply."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import GenericAlias
from typing import Any, TypeVar, cast

from pydantic import BaseModel, RootModel, create_model

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from tools.adapters.declaration import AdapterDeclaration
from tools.adapters.frozen_prompt import Conversation, render
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.chat.context_window import send_fitting
from tools.structured import parse_reply

Answered = TypeVar("Answered")

# The default of vLLM (--max-logprobs).
_MOST_OPTIONS = 20


class AdapterInquiry:
    """One judgement by an adapter. The prompt is frozen, so the model is not asked to repair an unreadable reply. Time
    is counted from the creation of the inquiry. Judges raise ``ChatUnavailable`` if the server does not answer, or not
    even one passage fits into its context window, and ``MalformedReply`` if the reply is not a verdict.
    """

    def __init__(self, chat: ChatModel, adapter: AdapterDeclaration) -> None:
        self._chat = chat
        self._adapter = adapter
        self._started = time.perf_counter()

    async def ask(
        self,
        conversation: Conversation,
        read: Callable[[ChatReply, ChatRequest], Answered],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 0,
        measured: bool = False,
    ) -> Answered:
        """Send a prompt for ``conversation``, with as many passages as fit into the model's context window, and return
        what ``read`` makes of the reply.

        ``schema`` is sent if the declaration requires it. ``max_tokens`` 0 means the limit in the declaration.
        ``measured`` requests log-probabilities.

        Raises:
            ChatUnavailable: the server does not answer, does not have this adapter, or not even one passage fits.
            MalformedReply: as in ``read``, or the reply is empty.
        """
        adapter = self._adapter

        def request_of(number: int) -> ChatRequest:
            shown = replace(conversation, passages=conversation.passages[:number])
            return ChatRequest(
                messages=(),
                prompt=render(adapter.prompt, shown, today=adapter.today),
                max_tokens=max_tokens or adapter.reply.max_tokens,
                json_schema=schema if adapter.reply.json_schema else None,
                model=adapter.model,
                top_logprobs=_MOST_OPTIONS if measured else 0,
            )

        async def ask(request: ChatRequest) -> Answered:
            reply = await self._chat.complete(request)
            if not reply.text.strip():
                raise MalformedReply(f"The adapter {adapter.model} returned an empty reply.")
            return read(reply, request)

        return await send_fitting(self._chat, request_of, len(conversation.passages), ask, adapter.model)

    def provenance(self) -> Provenance:
        """Return the model that answered, the version of the declaration, and the time in milliseconds."""
        return Provenance(
            implementation="adapter",
            model=self._adapter.model,
            prompt_version=self._adapter.version,
            milliseconds=(time.perf_counter() - self._started) * 1_000,
        )


Form = TypeVar("Form", bound=BaseModel)


def record_form(fields: Mapping[str, Any]) -> type[BaseModel]:
    """Create a model for a JSON object with ``fields`` of the given types, in this order."""
    # The names come from the adapter, so type checkers cannot know them.
    make = cast(Any, create_model)
    return cast(type[BaseModel], make("AdapterRecord", **{name: (kind, ...) for name, kind in fields.items()}))


def records_form(fields: Mapping[str, Any]) -> type[BaseModel]:
    """Create a model for a JSON array of objects with ``fields``."""
    rows = GenericAlias(list, (record_form(fields),))
    return cast(type[BaseModel], cast(Any, RootModel)[rows])


def read_json(text: str, form: type[Form]) -> Any:
    """Return the JSON value in an adapter's reply that fits ``form``, as a dict or a list of dicts.

    The reply may also be JSON that is encoded as a JSON string.

    Source: granite-io notes that the hallucination adapter answers with JSON in a string.

    Raises:
        MalformedReply: there is no such value; the message describes the error in the closest one.
    """
    bare = text.strip()
    if bare.startswith('"'):
        try:
            inner = json.loads(bare, strict=False)
        except ValueError:
            inner = bare
        bare = inner if isinstance(inner, str) else bare
    return parse_reply(bare, form).model_dump()
