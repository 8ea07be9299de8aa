"""The wire of a chat completion request: OpenAI's fields that matter here, and our extension ``golden``.

Every other field (temperature, tools, response_format, logit_bias, seed, …) is read past: a client that sends it is
answered as one that does not.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictInt, StringConstraints

from contracts.question import Decision

MAX_STOPS = 4
MAX_METADATA = 16

_Stop = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
_MetadataName = Annotated[str, StringConstraints(max_length=64)]
_MetadataValue = Annotated[str, StringConstraints(max_length=512)]
_Tokens = Annotated[StrictInt, Field(ge=1)]


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
    """Our extension of a request.

    ``department`` is the asker's, ``picks`` are readings they chose. ``conversation`` names the conversation with which
    question and answer are kept; the messages are its history, whatever is kept. ``footer`` says whether the content
    ends with the readings and sources (null: as the server is set), ``progress`` whether a stream tells of its steps
    and its draft. ``passages`` asks for the text around each quote, ``follow_ups`` for further questions that the
    documents answer. ``remembered`` takes the history of the conversation from the server, which adds question and
    answer to it, instead of from the messages. ``full_answer`` asks for the whole answer as the Python API has it.
    """

    model_config = ConfigDict(extra="ignore")

    department: str = ""
    picks: list[Pick] = []
    conversation: Annotated[str, StringConstraints(max_length=1_000)] = ""
    footer: bool | None = None
    progress: bool = True
    passages: bool = False
    follow_ups: bool = False
    remembered: bool = False
    full_answer: bool = False


_EXAMPLES: list[JsonValue] = [
    {"model": "golden", "messages": [{"role": "user", "content": "What is VPP on DDR4?"}]},
    {
        "model": "golden/nand-docs",
        "messages": [
            {"role": "user", "content": "What is VPP on DDR4?"},
            {"role": "assistant", "content": "VPP is 2.5 V on DDR4 [1]."},
            {"role": "user", "content": [{"type": "text", "text": "And on DDR5?"}]},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "golden": {"department": "Memory", "footer": False},
    },
]


class CompletionRequest(BaseModel):
    """A chat completion request. Fields that do not matter here (temperature, tools, …) are read past.

    ``max_completion_tokens`` counts before ``max_tokens``. ``user`` says for whom a program asks, ``metadata`` comes
    back with the answer.
    """

    model_config = ConfigDict(extra="ignore", json_schema_extra={"examples": _EXAMPLES})

    messages: list[Message] = Field(min_length=1)
    model: str | None = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(1, description="How many answers; there is one.")
    stop: _Stop | Annotated[list[_Stop], Field(max_length=MAX_STOPS)] | None = Field(
        None, description="The answer ends before the first of these."
    )
    max_tokens: _Tokens | None = Field(None, description="The answer is cut after so many tokens.")
    max_completion_tokens: _Tokens | None = Field(None, description="As max_tokens, and counts before it.")
    user: Annotated[str, StringConstraints(max_length=512)] | None = None
    metadata: Annotated[dict[_MetadataName, _MetadataValue], Field(max_length=MAX_METADATA)] | None = None
    golden: GoldenRequest | None = None

    @property
    def stops(self) -> tuple[str, ...]:
        """What ends the answer."""
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())

    @property
    def most_tokens(self) -> int | None:
        """After how many tokens the answer is cut; None for never."""
        return self.max_completion_tokens or self.max_tokens
