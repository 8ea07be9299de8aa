"""The wire: what clients get, in OpenAI's form with our extension ``golden``."""

from typing import Any, Literal

from pydantic import BaseModel

from serving.extension_wire import GoldenAnswer, GoldenTask


class Usage(BaseModel):
    """Tokens, estimated at four characters each: the bot's judgements have no one tokenizer."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class AnswerMessage(BaseModel):
    """The bot's message, with its citations in the shapes that clients know."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: list[dict[str, Any]] = []
    citations: list[str] = []
    sources: list[dict[str, Any]] = []
    golden: GoldenAnswer | GoldenTask


class Choice(BaseModel):
    """The one choice there is."""

    index: int = 0
    message: AnswerMessage
    logprobs: None = None
    finish_reason: Literal["stop", "length"] = "stop"


class Completion(BaseModel):
    """A whole chat completion. ``citations`` and ``sources`` stand here, too, where some clients look for them."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    citations: list[str] = []
    sources: list[dict[str, Any]] = []
    metadata: dict[str, str] | None = None


class Model(BaseModel):
    """A model as clients list it."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "golden-retriever"
    name: str


class ModelList(BaseModel):
    """The models there are."""

    object: Literal["list"] = "list"
    data: list[Model]


class Problem(BaseModel):
    """What went wrong, in OpenAI's form."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class ProblemBody(BaseModel):
    """The body of an error response."""

    error: Problem
