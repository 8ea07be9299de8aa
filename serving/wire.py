"""The wire format of chat completions: OpenAI's requests and replies, with our extension ``golden``.

Every other field of a request (temperature, tools, response_format, …) is ignored: clients that send it get the same
answer.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, StrictInt, StringConstraints

from contracts.answer import Answer
from contracts.question import SensePick

MAX_DOCUMENTS = 1_000
MAX_STOPS = 4

FinishReason = Literal["stop", "length"]
_Stop = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]


def _list_stops(stop: object) -> object:
    return [stop] if isinstance(stop, str) else [] if stop is None else stop


# With a union of text, list and null, an error would name the branch that fails first, not the one that was meant.
_Stops = Annotated[
    tuple[_Stop, ...],
    Field(max_length=MAX_STOPS),
    BeforeValidator(_list_stops, json_schema_input_type=str | list[str] | None),
]
_Tokens = Annotated[StrictInt, Field(ge=1)]


class ContentPart(BaseModel):
    """A part of a message's content; only text can be read."""

    type: str = "text"
    text: str = ""


class Message(BaseModel):
    """A message as clients send it."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None


class StreamOptions(BaseModel):
    """What a client of a stream requests in addition to the text."""

    include_usage: bool | None = False


class GoldenRequest(BaseModel):
    """Our extension of a request.

    ``department`` is the asker's; ``picks`` are meanings that they chose; ``documents`` are the ids of the documents to
    search (none: all that the asker may read). ``conversation`` names the conversation in which the question and the
    answer are stored; the messages are its history, even if other turns are stored. ``footer`` determines whether the
    content ends with meanings and sources (null: the server's default), ``progress`` whether a stream reports steps and
    draft, and ``passage_count`` whether it also reports how many passages are searched.
    """

    department: str = ""
    picks: tuple[SensePick, ...] = ()
    documents: Annotated[tuple[str, ...], Field(max_length=MAX_DOCUMENTS)] = ()
    conversation: Annotated[str, StringConstraints(max_length=1_000)] = ""
    footer: bool | None = None
    progress: bool = True
    passage_count: bool = False


class CompletionRequest(BaseModel):
    """A chat completion request. ``user`` is the person on whose behalf a program asks."""

    messages: list[Message] = Field(min_length=1)
    model: str | None = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(1, description="The number of answers; only 1 is supported.")
    stop: _Stops = Field((), description="The answer ends before the first of these.")
    max_tokens: _Tokens | None = Field(None, description="The answer is cut off after this many tokens.")
    max_completion_tokens: _Tokens | None = Field(None, description="Like max_tokens, and takes precedence over it.")
    user: Annotated[str, StringConstraints(max_length=512)] | None = None
    golden: GoldenRequest | None = None

    @property
    def extension(self) -> GoldenRequest:
        """Our extension, with defaults if the request has none."""
        return self.golden or GoldenRequest()

    @property
    def most_tokens(self) -> int | None:
        """The number of tokens after which the answer is cut off; None for no limit."""
        return self.max_completion_tokens or self.max_tokens


class GoldenTask(BaseModel):
    """Our extension for requests that a chat front end makes for its own use: a title, tags, further questions."""

    outcome: Literal["task"] = "task"
    task: str


class Usage(BaseModel):
    """Tokens, estimated at four characters each: the bot's judgements do not share a tokenizer."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class AnswerMessage(BaseModel):
    """The bot's message, with its citations in the formats that clients know."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: list[dict[str, Any]] = []
    citations: list[str] = []
    sources: list[dict[str, Any]] = []
    golden: Answer | GoldenTask


class Choice(BaseModel):
    """The only choice."""

    index: int = 0
    message: AnswerMessage
    logprobs: None = None
    finish_reason: FinishReason = "stop"


class Completion(BaseModel):
    """A whole chat completion. ``citations`` and ``sources`` are repeated here, where some clients look for them."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    citations: list[str] = []
    sources: list[dict[str, Any]] = []


class Model(BaseModel):
    """A model as clients list it."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "golden-retriever"
    name: str


class ModelList(BaseModel):
    """The available models."""

    object: Literal["list"] = "list"
    data: list[Model]
