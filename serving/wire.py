"""The wire: what clients send and what they get, in OpenAI's form with our extension ``golden``."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


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
    says that it was chosen for an earlier question: it holds on, and teaches the dictionary nothing anew.
    """

    term: str
    extended_name: str
    context: str | None = None
    kept: bool = False


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


class SenseOut(BaseModel):
    """One meaning of a term."""

    term: str
    extended_name: str
    context: str
    description: str


class ReadingOut(BaseModel):
    """How a term of the question was read."""

    text: str
    term: str
    status: str
    corrected: bool
    sense: SenseOut | None
    probability: float
    reason: str
    alternatives: list[SenseOut]
    suggestions: list[str]


class ContextOut(BaseModel):
    """The context in which the question was read; "" for none."""

    name: str
    probability: float


class StepOut(BaseModel):
    """One step of the work, and who judged."""

    node: str
    finding: str
    milliseconds: float
    implementation: str = ""
    model: str = ""
    degraded: str = ""


class BoxOut(BaseModel):
    """A rectangle on a page, in points from its top left corner."""

    page: int
    x0: float
    top: float
    x1: float
    bottom: float


class CitationOut(BaseModel):
    """The evidence behind the marker ``[number]``."""

    number: int
    document: str
    document_id: str
    title: str
    page: int
    quote: str
    headings: list[str]
    chunk_id: str
    boxes: list[BoxOut]


class SentenceOut(BaseModel):
    """A sentence of the answer with its citations and the verdict on it."""

    text: str
    citations: list[int]
    label: str
    probability: float
    reason: str


class UnknownTermOut(BaseModel):
    """A term that neither the dictionary nor the documents know."""

    term: str
    suggestions: list[str]


class OptionOut(SenseOut):
    """A sense to choose from, by its number."""

    number: int


class NearOut(BaseModel):
    """A document that comes nearest to a question that was not answered."""

    document: str
    document_id: str
    title: str
    page: int


class GoldenAnswer(BaseModel):
    """Our extension of an answer: everything that came with it."""

    outcome: str
    question: str
    standalone_question: str
    augmented_question: str
    context: ContextOut
    readings: list[ReadingOut]
    steps: list[StepOut]
    sentences: list[SentenceOut]
    citations: list[CitationOut]
    answerability: float | None
    certainty: float | None
    missing: list[str]
    nearest: list[NearOut]
    unknown_terms: list[UnknownTermOut]
    options: list[OptionOut]
    degraded: list[str]


class GoldenProgress(BaseModel):
    """Our extension of a chunk on the way: a step that began or ended, or a piece of the unchecked draft.

    ``draft`` is what the writer is writing; it has not been checked yet. ``draft_withdrawn`` says why all of it so far
    is void.
    """

    started: str | None = None
    step: StepOut | None = None
    draft: str | None = None
    draft_withdrawn: str | None = None


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
