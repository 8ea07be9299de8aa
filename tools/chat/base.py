"""The contract of chat servers."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

ChatRole = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message to or from a chat model."""

    role: ChatRole
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What a chat model is asked. ``json_schema`` asks for a reply of that form; ``model`` "" is the default."""

    messages: tuple[ChatMessage, ...]
    max_tokens: int = 1024
    temperature: float = 0.0
    json_schema: Mapping[str, Any] | None = None
    model: str = ""
    stop: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """A whole reply; token counts are 0 where the server does not say."""

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ChatModel(Protocol):
    """Completes chats."""

    @property
    def model(self) -> str:
        """The default model's name."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply.

        Raises:
            ChatUnavailable: no answer in time, or the server refused.
            MalformedReply: the server's answer is not a chat completion.
        """
        ...

    def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Yield the reply's text as it comes. Raises as ``complete`` does, before the first piece or between two."""
        ...
