"""The contract of chat servers."""

from collections.abc import AsyncGenerator, Mapping, Sequence
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
    """A request to a chat model. ``json_schema`` asks for a reply of that form; ``model`` "" is the default.

    ``prompt`` is a whole prompt with the model's own marks in it, for adapters trained on their own roles: it is sent
    to the server as it is, without the chat template, instead of ``messages``, which are then empty. ``top_logprobs``
    asks for the log-probabilities of the reply's tokens, each with this many alternatives (1 to 20;
    0: none). Both are optional: a server that lacks them still answers. So is ``seed``,
    which fixes the random choices at a temperature above 0; None: the server chooses differently each time.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int = 1024
    temperature: float = 0.0
    json_schema: Mapping[str, Any] | None = None
    model: str = ""
    stop: Sequence[str] = ()
    top_logprobs: int = 0
    prompt: str = ""
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenOption:
    """A possible token at a position of the reply, and its natural log-probability (0 or less)."""

    text: str
    logprob: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyToken:
    """A token of the reply. ``options`` are the likeliest tokens at its position, usually including itself."""

    text: str
    logprob: float
    options: tuple[TokenOption, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """A complete reply; token counts are 0 if the server does not report them.

    ``tokens`` is None if no log-probabilities were requested or the server returns none. ``finish_reason`` is the
    server's value ("stop", "length", …), "" if there is none.
    """

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens: tuple[ReplyToken, ...] | None = None
    finish_reason: str = ""

    @property
    def truncated(self) -> bool:
        """Whether the reply was cut off at ``max_tokens``."""
        return self.finish_reason == "length"


class ChatModel(Protocol):
    """Completes chats.

    A call that is cancelled, or a stream that is closed, ends the request on the server at once.
    """

    @property
    def model(self) -> str:
        """The default model's name."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply.

        Raises:
            ChatUnavailable: no answer in time, or the server refused.
            MalformedReply: the server's answer is not a chat completion.
        """

    def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's text as it arrives. Raises like ``complete``, before the first piece or after any.

        A reply cut off at ``max_tokens`` ends with ``TruncatedReply``.
        """

    async def window(self, model: str = "") -> int | None:
        """Return how many tokens prompt and reply to ``model`` ("": the default) may have together; None if unknown."""

    async def check(self) -> None:
        """Check that the server is available, without having it write anything.

        Raises:
            ChatUnavailable: it is not.
        """

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
