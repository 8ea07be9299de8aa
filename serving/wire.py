"""The wire: what clients send and what they get, in OpenAI's form with our extension ``golden``."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from contracts.question import Decision
from serving.extension_wire import GoldenAnswer


class ContentPart(BaseModel):
    """A part of a message's content; only text can be read."""

    model_config = ConfigDict(extra="ignore")

    type: str = "text"
    text: str = ""


class Message(BaseModel):
    """A message as clients send it."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None


class StreamOptions(BaseModel):
    """What a streaming client asks for besides the text."""

    model_config = ConfigDict(extra="ignore")

    include_usage: bool | None = False


class Pick(BaseModel):
    """A reading that the asker chose: this term means this extended name.

    ``context`` is that of the chosen sense, for a name that stands in several; null where it is not known. ``kept``
    says that it was chosen for an earlier question: it holds on, and teaches the dictionary nothing anew. ``decision``
    "each" asks for each of the term's meanings, "none" says that the dictionary has not the one that is meant, "unsure"
    takes the most plausible; the name is then empty.
    """

    term: str
    extended_name: str = ""
    context: str | None = None
    kept: bool = False
    decision: Decision = "one"


class GoldenRequest(BaseModel):
    """Our extension of a request: the asker's department and the readings they chose."""

    model_config = ConfigDict(extra="ignore")

    department: str = ""
    picks: list[Pick] = []


class CompletionRequest(BaseModel):
    """A chat completion request. Fields that do not matter here (temperature, tools, …) are read past."""

    model_config = ConfigDict(extra="ignore")

    messages: list[Message] = Field(min_length=1)
    model: str | None = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = 1
    golden: GoldenRequest | None = None


class Usage(BaseModel):
    """Tokens, estimated at four characters each: the bot's judgements have no one tokenizer."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class AnswerMessage(BaseModel):
    """The bot's message."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    golden: GoldenAnswer


class Choice(BaseModel):
    """The one choice there is."""

    index: int = 0
    message: AnswerMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class Completion(BaseModel):
    """A whole chat completion."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Usage


class Delta(BaseModel):
    """What a chunk adds."""

    role: Literal["assistant"] | None = None
    content: str | None = None


class ChunkChoice(BaseModel):
    """The one choice of a chunk."""

    index: int = 0
    delta: Delta
    logprobs: None = None
    finish_reason: Literal["stop"] | None = None


class Chunk(BaseModel):
    """One event of a streamed chat completion; ``golden`` comes beside: progress on the way, the extension at the end.

    It stands on the chunk, not in its delta: clients that add deltas up cannot trip over it.
    """

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: Usage | None = None


class Model(BaseModel):
    """A model as clients list it."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "golden-retriever"


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
