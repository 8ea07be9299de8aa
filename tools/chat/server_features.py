"""The features of a server: its models, their context windows, and the options that it accepts."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tools.chat.base import ChatRequest

_SCHEMA_WORDS = ("response_format", "json_schema", "schema", "guided", "grammar", "structured")
_LOGPROB_WORDS = ("logprob", "logits_all")


class ServerFeatures:
    """Remembers which options a server refused, so that they are not tried again.

    If a server refuses a schema but has accepted another, only the refused schema is left out. If it has not accepted
    any schema, all schemas are left out from then on. ``token_field`` is the server's name for the token limit of a
    reply; ``logprobs``, ``temperature`` and ``stop`` are true if the server accepts these options.
    """

    def __init__(self) -> None:
        self._refused_schemas: set[str] = set()
        self._took_schema = False
        self.logprobs = True
        self.temperature = True
        self.stop = True
        self.token_field = "max_tokens"

    def fitted(self, request: ChatRequest) -> ChatRequest:
        refused = self._refused_schemas
        if request.json_schema is not None and refused and (not self._took_schema or _fingerprint(request) in refused):
            request = replace(request, json_schema=None)
        return request if self.logprobs else replace(request, top_logprobs=0)

    def adapt(self, refusal: str) -> bool:
        """Learn from a refusal that names the field for the token limit, the temperature or the stop strings; return
        whether anything was learned.

        Source: OpenAI's reasoning models accept ``max_completion_tokens``, but neither a temperature nor stop strings.
        """
        said = refusal.lower()
        if "max_completion_tokens" in said and self.token_field == "max_tokens":
            self.token_field = "max_completion_tokens"
            return True
        for name in ("temperature", "stop"):
            if f"'{name}'" in said and getattr(self, name):
                setattr(self, name, False)
                return True
        return False

    def is_about_features(self, refusal: str) -> bool:
        """Return whether a refusal names an option, whatever its status is."""
        return any(word in refusal.lower() for word in (*_SCHEMA_WORDS, *_LOGPROB_WORDS))

    def simpler(self, request: ChatRequest, refusal: str) -> Iterator[ChatRequest]:
        """Yield simpler versions of the request, starting with a version without the option that the refusal names."""
        without_schema, without_logprobs = replace(request, json_schema=None), replace(request, top_logprobs=0)
        first, second = without_schema, without_logprobs
        if any(word in refusal.lower() for word in _LOGPROB_WORDS):
            first, second = second, first
        tried = [request]
        for candidate in (first, second, replace(without_schema, top_logprobs=0)):
            if candidate not in tried:
                tried.append(candidate)
                yield candidate

    def learn(self, wanted: ChatRequest, taken: ChatRequest) -> None:
        """Remember that the server accepted ``taken``: either ``wanted`` or, after a refusal, a simpler request."""
        if taken.json_schema is not None:
            self._took_schema = True
        elif wanted.json_schema is not None:
            self._refused_schemas.add(_fingerprint(wanted))
        if wanted.top_logprobs and not taken.top_logprobs:
            self.logprobs = False


def _fingerprint(request: ChatRequest) -> str:
    return json.dumps(request.json_schema, sort_keys=True, default=str)


_KEEP_S = 600.0
_PUT_OFF_S = 30.0
# Used, in this order, by vLLM and SGLang, LM Studio, OpenRouter, Groq, and others.
_WINDOW_FIELDS = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length")
# llama.cpp reports the context window of a slot in the field "meta" of a model.
_META_FIELDS = ("n_ctx",)


class ModelListing:
    """Caches a server's list of models for ten minutes.

    Source: ``GET /v1/models``; in vLLM, ``max_model_len`` is the context window, ``parent`` an adapter's base model.
    """

    def __init__(self) -> None:
        self._cards: dict[str, Mapping[str, Any]] = {}
        self._due_at = 0.0

    @property
    def is_due(self) -> bool:
        """Whether the server should be asked for its list."""
        return time.monotonic() >= self._due_at

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._cards)

    @property
    def first(self) -> str:
        return next(iter(self._cards), "")

    def take(self, cards: Sequence[Mapping[str, Any]]) -> None:
        self._cards = {str(card["id"]): card for card in cards if card.get("id")}
        self._due_at = time.monotonic() + _KEEP_S

    def put_off(self, wait_s: float = _PUT_OFF_S) -> None:
        """Keep using the current list, and ask again only after ``wait_s`` seconds."""
        self._due_at = time.monotonic() + wait_s

    def max_tokens(self, model: str) -> int:
        """Return the context window of a model in tokens (model "": the first); 0 if unknown."""
        card = self._cards.get(model or self.first, {})
        return _window(card) or _window(self._cards.get(str(card.get("parent")), {}))


def _window(card: Mapping[str, Any]) -> int:
    meta = card.get("meta")
    return _positive(card, _WINDOW_FIELDS) or (_positive(meta, _META_FIELDS) if isinstance(meta, Mapping) else 0)


def _positive(card: Mapping[str, Any], fields: Sequence[str]) -> int:
    for field in fields:
        value = card.get(field)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return 0
