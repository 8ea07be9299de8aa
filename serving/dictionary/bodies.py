"""What clients send to the dictionary."""

from pydantic import BaseModel, ConfigDict, Field

from contracts.jargon import SenseState

_STRICT = ConfigDict(extra="forbid")


class MeaningIn(BaseModel):
    """A meaning of a term that is named elsewhere."""

    model_config = _STRICT

    extended_name: str = Field(description="What the term stands for.")
    context: str = Field(default="", description="The context in which it means that; empty: everywhere.")
    description: str = Field(default="", description="What it is, in a sentence or two.")
    notes: str = Field(default="", description="Anything a reader should know besides.")
    source: str = Field(default="", description="Where this is written.")
    aliases: list[str] = Field(default=[], description="Other spellings of the term.")


class SenseIn(MeaningIn):
    """One meaning of a term, whole."""

    term: str = Field(description="The abbreviation or term.")
    state: SenseState = "published"


class SensePatch(SenseIn):
    """The fields of a meaning that change; what is not named stays."""

    term: str = ""
    extended_name: str = ""


class ContextIn(BaseModel):
    """A context's description. ``name`` spells the name in another letter case; it is not another name."""

    model_config = _STRICT

    name: str | None = None
    description: str = ""
    examples: list[str] = Field(default=[], description="Questions that are asked in it.")


class DraftsIn(BaseModel):
    """Which candidates are published: those whose best evidence scores ``min_score`` or more.

    Those that contradict a published meaning, or one another, only ``with_conflicts``.
    """

    model_config = _STRICT

    min_score: float = Field(ge=0, le=1)
    with_conflicts: bool = False
    preview: bool = Field(default=False, description="Say what would be published, and change nothing.")


class QuestionIn(BaseModel):
    """A question to try, and the department of who would ask it."""

    model_config = _STRICT

    question: str = Field(description="The question in the asker's words.")
    department: str = Field(default="", description="The asker's department: a context's name; empty: not known.")
