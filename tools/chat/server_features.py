"""What one server offers: the models that it lists, their windows, and the options that it accepts."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tools.chat.base import ChatRequest

_SCHEMA_WORDS = ("response_format", "json_schema", "schema", "guided", "grammar", "structured")
_LOGPROB_WORDS = ("logprob", "logits_all")


class ServerFeatures:
    """Remembers what a server has refused, so that it is not tried twice.

    If a server that has accepted another schema refuses one, only that one is left out; a server that has accepted none
    gets no schemas from then on. ``token_field`` is the server's name for the reply's limit; ``logprobs``,
    ``temperature`` and ``stop`` say whether it accepts these.
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
        """Learn from a refusal that names another field for the limit, temperature or stop; return whether anything was
        learned.

        Source: OpenAI's reasoning models take ``max_completion_tokens``, no temperature and no stop.
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
        """Return whether a refusal names a feature, whatever its status."""
        return any(word in refusal.lower() for word in (*_SCHEMA_WORDS, *_LOGPROB_WORDS))

    def simpler(self, request: ChatRequest, refusal: str) -> Iterator[ChatRequest]:
        """Yield simpler versions of the request, first without what the refusal names."""
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
        """Remember that the server accepted ``taken`` after refusing ``wanted``, or accepted ``wanted`` at once."""
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
# vLLM and SGLang; LM Studio; OpenRouter; Groq; others.
_WINDOW_FIELDS = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length")
# llama.cpp reports the window of a slot in a card's "meta".
_META_FIELDS = ("n_ctx",)


class ModelListing:
    """Keeps a server's list of models for ten minutes.

    Source: ``GET /v1/models``; vLLM names the window ``max_model_len``, and an adapter's base model ``parent``.
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
        """Ask again only after ``wait_s`` seconds; the present list is used until then."""
        self._due_at = time.monotonic() + wait_s

    def max_tokens(self, model: str) -> int:
        """Return the model's window in tokens (model "": the first); 0 if unknown."""
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
