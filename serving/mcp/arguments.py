"""Arguments: what an agent may send to each tool, bounded, and refused in words that it can act on."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contracts.errors import InvalidInput
from contracts.question import MAX_QUESTION_CHARACTERS

_MAX_NAME_CHARACTERS = 400
_MAX_TURN_CHARACTERS = 100_000
_MOST_TURNS = 100
_MOST_TERMS = 50
_MOST_PASSAGES = 25
_MOST_GROUPS = 100

Name = Annotated[str, Field(min_length=1, max_length=_MAX_NAME_CHARACTERS)]
Department = Annotated[
    str,
    Field(
        max_length=_MAX_NAME_CHARACTERS,
        description="The department or subject in which the question is asked, if you know it: it decides what an "
        "abbreviation means there.",
    ),
]


class Arguments(BaseModel):
    """What every tool's arguments have in common: a name that is not known is refused, not read past."""

    model_config = ConfigDict(extra="forbid")


class MeaningIn(Arguments):
    """A meaning that the user chose."""

    term: Name = Field(description="The abbreviation or term, as it stands in the question.")
    extended_name: Name = Field(description="What it means here, as an option of an earlier answer names it.")
    context: Annotated[str, Field(max_length=_MAX_NAME_CHARACTERS)] | None = Field(
        None, description="The context of that option, where two options have the same name."
    )


class TurnIn(Arguments):
    """One earlier message of the conversation."""

    role: Literal["user", "assistant"]
    text: str = Field(max_length=_MAX_TURN_CHARACTERS)


class AskArguments(Arguments):
    """The arguments of ``ask``."""

    question: str = Field(
        min_length=1,
        max_length=MAX_QUESTION_CHARACTERS,
        description="The question in the user's own words, abbreviations as they wrote them. Do not expand or guess "
        "abbreviations: the dictionary does that.",
    )
    department: Department = ""
    meanings: list[MeaningIn] = Field(
        default_factory=list,
        max_length=_MOST_TERMS,
        description="Meanings that the user chose, after an answer with the outcome 'clarify' or to correct a reading.",
    )
    history: list[TurnIn] = Field(
        default_factory=list,
        max_length=_MOST_TURNS,
        description="Earlier turns of this conversation, oldest first, so that a follow-up question is understood.",
    )


class SearchArguments(Arguments):
    """The arguments of ``search_documents``."""

    query: str = Field(
        min_length=1,
        max_length=MAX_QUESTION_CHARACTERS,
        description="What to look for: a question or a few words, abbreviations as the user wrote them.",
    )
    top_k: int = Field(8, ge=1, le=_MOST_PASSAGES, description="The most passages that are returned.")
    groups: list[Name] | None = Field(
        None,
        max_length=_MOST_GROUPS,
        description="Only documents of these groups; left out: every document that you may read.",
    )
    department: Department = ""


class JargonArguments(Arguments):
    """The arguments of ``look_up_jargon``."""

    terms: list[Name] = Field(
        default_factory=list, max_length=_MOST_TERMS, description="Abbreviations or terms to look up."
    )
    text: str = Field(
        "",
        max_length=MAX_QUESTION_CHARACTERS,
        description="A sentence or question whose jargon is to be found and read in its context.",
    )
    department: Department = ""


class PageArguments(Arguments):
    """The arguments of ``read_page``."""

    document_id: Name = Field(description="The document_id of a citation or passage.")
    page: int = Field(1, ge=1, le=10_000_000, description="The page, counted from 1.")


Given = TypeVar("Given", bound=Arguments)


def read_arguments(kind: type[Given], arguments: Mapping[str, Any]) -> Given:
    """Check a tool's arguments.

    Raises:
        InvalidInput: naming each argument that is wrong, and what to send instead.
    """
    try:
        return kind.model_validate(arguments)
    except ValidationError as error:
        # The values themselves are not repeated: they may be huge, or hold what no text may.
        problems = [_problem(each["loc"], each["type"], each["msg"], kind) for each in error.errors(include_url=False)]
        raise InvalidInput("The arguments cannot be used. " + " ".join(problems[:5])) from error


def _problem(place: tuple[int | str, ...], kind: str, message: str, model: type[Arguments]) -> str:
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    if kind == "extra_forbidden":
        known = ", ".join(model.model_fields)
        where = f"there are {known}" if len(place) == 1 else "leave it out"
        return f"{name[:60]!r}: there is no such argument; {where}."
    if kind == "missing":
        return f"{name}: this argument is needed."
    return f"{name}: {message}."
