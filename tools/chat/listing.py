"""The models that a server lists, and how long a request to each may be."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

_KEEP_S = 600.0
_PUT_OFF_S = 30.0
# vLLM and SGLang; LM Studio; OpenRouter; Groq; others.
_WINDOW_FIELDS = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length")
# llama.cpp names in a card's "meta" what one of its slots takes.
_META_FIELDS = ("n_ctx",)


class ModelListing:
    """Keeps a server's list of models for ten minutes, and what refusals have said of their windows.

    Source: ``GET /v1/models``; vLLM names the window ``max_model_len``, and an adapter's base model ``parent``.
    """

    def __init__(self) -> None:
        self._cards: dict[str, Mapping[str, Any]] = {}
        self._learned: dict[str, int] = {}
        self._due_at = 0.0

    @property
    def is_due(self) -> bool:
        """Whether the server should be asked for its list."""
        return time.monotonic() >= self._due_at

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names, in the server's order."""
        return tuple(self._cards)

    @property
    def first(self) -> str:
        """The first model's name, or ""."""
        return next(iter(self._cards), "")

    def take(self, cards: Sequence[Mapping[str, Any]]) -> None:
        """Take the server's list."""
        self._cards = {str(card["id"]): card for card in cards if card.get("id")}
        self._due_at = time.monotonic() + _KEEP_S

    def put_off(self, wait_s: float = _PUT_OFF_S) -> None:
        """Ask again only after ``wait_s`` seconds; the present list goes on until then."""
        self._due_at = time.monotonic() + wait_s

    def learn(self, model: str, max_tokens: int) -> None:
        """Remember the window that a refusal has named."""
        self._learned[model] = max_tokens

    def max_tokens(self, model: str) -> int:
        """Return the model's window in tokens (model "": the first); 0 where nobody has said."""
        name = model or self.first
        if name in self._learned:
            return self._learned[name]
        card = self._cards.get(name, {})
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
