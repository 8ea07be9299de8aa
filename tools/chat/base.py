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
    """A request to a chat model. ``json_schema`` requests a reply in this form; ``model`` "" is the default model.

    ``prompt`` is a complete prompt in the model's own format, for adapters trained on their own roles. It is sent to
    the server unchanged, without the chat template, and ``messages`` must then be empty. ``top_logprobs`` requests the
    log-probabilities of the tokens in the reply, each with this number of alternatives (1 to 20; 0: none). ``seed``
    fixes the random choices at a temperature above 0; if it is None, the server chooses differently each time. The
    schema, the log-probabilities and the seed are optional: a server that does not support them still answers.
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
    """A possible token at a position in the reply, and its natural log-probability (0 or less)."""

    text: str
    logprob: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyToken:
    """A token in the reply. ``options`` are the most probable tokens at its position, usually including the token."""

    text: str
    logprob: float
    options: tuple[TokenOption, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """A complete reply; token counts are 0 if the server does not report them.

    ``tokens`` is None if no log-probabilities were requested or returned. ``finish_reason`` is the value from the
    server ("stop", "length" and so on), or "".
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

    Cancelling a call, or closing a stream, ends the request on the server at once.
    """

    @property
    def model(self) -> str:
        """The name of the default model."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the complete reply.

        Raises:
            ChatUnavailable: the server did not answer in time, or refused.
            MalformedReply: the server's answer is not a chat completion.
        """

    def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the text of the reply as it arrives. Raises the errors of ``complete`` before or after any piece.

        If the reply is cut off at ``max_tokens``, ``TruncatedReply`` is raised at the end.
        """

    async def window(self, model: str = "") -> int | None:
        """Return the maximum total tokens of prompt and reply for ``model`` ("": the default); None if unknown."""

    async def check(self) -> None:
        """Check that the server is available, without generating any text.

        Raises:
            ChatUnavailable: the server is not available.
        """

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
