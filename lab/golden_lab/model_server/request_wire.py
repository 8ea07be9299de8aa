"""The wire of requests to a language model: OpenAI's chat and text completions, as far as they are served here."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput
from serving.request_wire import ContentPart, StreamOptions
from tools.chat.base import ChatMessage, ChatRequest

# What changes a reply and cannot be done here, with the values at which it changes nothing.
_UNDONE: dict[str, tuple[Any, ...]] = {
    "n": (1,),
    "best_of": (1,),
    "echo": (False,),
    "suffix": ("",),
    "top_p": (1,),
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "logit_bias": ({},),
    "tools": ([],),
    "functions": ([],),
    "response_format": ({"type": "text"},),
}
_REASONS = {
    "response_format": "this server does not hold replies to a JSON schema",
    "tools": "this server calls no tools",
    "functions": "this server calls no tools",
}
_MOST_OPTIONS = 20
_DEFAULT_TOKENS = 512

_Stops = str | Annotated[list[str], Field(max_length=16)] | None


class ModelRequest(BaseModel):
    """What both endpoints take. What would change the reply and cannot be done is refused, the rest is read past."""

    model_config = ConfigDict(extra="allow")

    model: str = ""
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=100)] | None = None
    seed: int | None = None
    stop: _Stops = None

    def refuse_the_undone(self) -> None:
        """See that nothing is asked for that cannot be done.

        Raises:
            InvalidInput: something is; the text names the field.
        """
        for name, value in (self.model_extra or {}).items():
            if name in _UNDONE and value is not None and value not in _UNDONE[name]:
                raise InvalidInput(f"{name}: {_REASONS.get(name, 'this server does not do that')}.", field=name)

    @property
    def with_usage(self) -> bool:
        """Whether a stream ends with its counts."""
        return bool(self.stream_options and self.stream_options.include_usage)

    def _request(self, most_tokens: int | None, options: int, **prompt: Any) -> ChatRequest:
        stops = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())
        return ChatRequest(
            **prompt,
            model=self.model,
            max_tokens=most_tokens or _DEFAULT_TOKENS,
            # As OpenAI's: without a temperature a reply is drawn.
            temperature=1.0 if self.temperature is None else self.temperature,
            seed=self.seed,
            stop=stops,
            top_logprobs=options,
        )


class ModelMessage(BaseModel):
    """A message; of its content only text can be read."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        """All of its text."""
        parts = self.content or ""
        return parts if isinstance(parts, str) else "".join(part.text for part in parts)


class ModelChatRequest(ModelRequest):
    """A request to ``/v1/chat/completions``. ``max_completion_tokens`` counts before ``max_tokens``."""

    messages: list[ModelMessage] = Field(min_length=1)
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    logprobs: bool | None = False
    top_logprobs: Annotated[int, Field(ge=0, le=_MOST_OPTIONS)] | None = None

    def as_chat(self) -> ChatRequest:
        """Return what is asked of the model."""
        told = tuple(
            ChatMessage(role="system" if each.role == "developer" else each.role, content=each.text)
            for each in self.messages
        )
        options = max(1, self.top_logprobs or 0) if self.logprobs else 0
        return self._request(self.max_completion_tokens or self.max_tokens, options, messages=told)

    @property
    def options(self) -> int:
        """How many alternatives each token is shown with."""
        return self.top_logprobs or 0


class ModelTextRequest(ModelRequest):
    """A request to ``/v1/completions``: one prompt, laid out already."""

    prompt: Annotated[str, Field(min_length=1)]
    logprobs: Annotated[int, Field(ge=0, le=_MOST_OPTIONS)] | None = None

    def as_chat(self) -> ChatRequest:
        """Return what is asked of the model."""
        options = 0 if self.logprobs is None else max(1, self.logprobs)
        return self._request(self.max_tokens, options, messages=(), prompt=self.prompt)

    @property
    def options(self) -> int:
        """How many alternatives each token is shown with."""
        return self.logprobs or 0
