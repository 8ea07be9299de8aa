"""The request bodies that clients send to the dictionary."""

from pydantic import BaseModel, ConfigDict, Field

from contracts.jargon import SenseState

_STRICT = ConfigDict(extra="forbid")


class SenseIn(BaseModel):
    """One complete meaning of a term."""

    model_config = _STRICT

    term: str = Field(description="The abbreviation or term.")
    extended_name: str = Field(description="What the term stands for.")
    context: str = Field(default="", description="The context in which it has this meaning; empty: everywhere.")
    description: str = Field(default="", description="What it is, in a sentence or two.")
    notes: str = Field(default="", description="Anything else a reader should know.")
    source: str = Field(default="", description="Where this is documented.")
    aliases: list[str] = Field(default=[], description="Other spellings of the term.")
    state: SenseState = "published"


class SensePatch(SenseIn):
    """The fields of a meaning that change; the others stay."""

    term: str = ""
    extended_name: str = ""


class ContextIn(BaseModel):
    """A context's description."""

    model_config = _STRICT

    description: str = ""
    examples: list[str] = Field(default=[], description="Typical questions in this context.")


class QuestionIn(BaseModel):
    """A question to try, and the department of the user."""

    model_config = _STRICT

    question: str = Field(description="The question in the user's own words.")
    department: str = Field(default="", description="The user's department: the name of a context; empty: unknown.")
