"""The wire of the dictionary: what clients send, and the entries that they get."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from contracts.jargon import SenseState
from serving.wire import Problem

_STRICT = ConfigDict(extra="forbid")
_PLR: dict[str, Any] = {
    "term": "PLR",
    "extended_name": "Physical Layer Retransmission",
    "context": "Protocols",
    "description": "Frames that the link sends again after a checksum error.",
    "notes": "",
    "source": "link-guide.pdf, page 12",
    "aliases": ["retry"],
    "state": "published",
}
_KEPT: dict[str, Any] = {
    **_PLR,
    "id": 12,
    "version": 3,
    "etag": '"12.3"',
    "changed_at": "2026-05-04T09:30:00Z",
    "changed_by": "Ada",
    "last_change": 41,
}


class MeaningIn(BaseModel):
    """A meaning of a term that is named elsewhere."""

    model_config = _STRICT

    extended_name: str = Field(description="What the term stands for.")
    context: str = Field("", description="The context in which it means that; empty: everywhere.")
    description: str = Field("", description="What it is, in a sentence or two.")
    notes: str = Field("", description="Anything a reader should know besides.")
    source: str = Field("", description="Where this is written.")
    aliases: list[str] = Field([], description="Other spellings of the term.")


class SenseIn(MeaningIn):
    """One meaning of a term, whole."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_PLR]})

    term: str = Field(description="The abbreviation or term.")
    state: SenseState = "published"


class SensePatch(BaseModel):
    """The fields of a meaning that change; what is not named stays."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"description": "Frames sent again."}]})

    term: str = ""
    extended_name: str = ""
    context: str = ""
    description: str = ""
    notes: str = ""
    source: str = ""
    aliases: list[str] = []
    state: SenseState = "published"


class DictionarySense(BaseModel):
    """One meaning of a term, with its number."""

    id: int
    term: str
    extended_name: str
    context: str
    description: str
    notes: str
    source: str
    aliases: list[str]
    state: SenseState


class SenseItem(DictionarySense):
    """A meaning as it is kept.

    ``etag`` goes into ``If-Match`` of an edit. ``last_change`` is the number of its last change, which
    ``/history/{number}/undo`` takes back; null where the history does not reach so far.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [_KEPT]})

    version: int
    etag: str
    changed_at: datetime
    changed_by: str
    last_change: int | None


class StateCounts(BaseModel):
    """How many meanings there are of each state."""

    draft: int
    published: int
    rejected: int


class SenseList(BaseModel):
    """A page of meanings.

    ``total`` is how many the filter names; ``counts`` how many it would name in each state. ``version`` is the whole
    dictionary's: another one means that something changed.
    """

    items: list[SenseItem]
    total: int
    limit: int
    offset: int
    counts: StateCounts
    version: str


class DeletedSense(BaseModel):
    """A meaning that is gone, and the number of the change that can be undone."""

    deleted: DictionarySense
    change: int | None


class ContextIn(BaseModel):
    """A context's description. ``name`` spells the name in another letter case; it is not another name."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"description": "Buses and links.", "examples": ["What is PLR?"]}]},
    )

    name: str | None = None
    description: str = ""
    examples: list[str] = Field([], description="Questions that are asked in it.")


class DictionaryContext(BaseModel):
    """A context in which terms have their own meanings."""

    name: str
    description: str
    examples: list[str]


class ContextItem(DictionaryContext):
    """A context as it is kept; ``etag`` and ``last_change`` as of a meaning."""

    version: int
    etag: str
    changed_by: str
    last_change: int | None


class ContextList(BaseModel):
    """Every context, by name."""

    items: list[ContextItem]


class DeletedContext(BaseModel):
    """A context that is gone, and the number of the change that can be undone."""

    deleted: DictionaryContext
    change: int | None


class MergeIn(BaseModel):
    """Two spellings that are one term: ``old`` becomes an alias of ``into``.

    ``seen`` are the ETags of meanings of either term that you saw, if you want the merge refused where one changed.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"old": "P.L.R.", "into": "PLR"}]})

    old: str
    into: str
    seen: list[str] = Field([], max_length=1_000)


class Merged(BaseModel):
    """The meanings of the term that stays; undoing ``change`` takes the whole merge back."""

    items: list[SenseItem]
    change: int | None


class SeenSense(BaseModel):
    """A meaning as it was seen; the ETag ``*`` overrides knowingly."""

    model_config = _STRICT

    id: int = Field(ge=1, le=2**31 - 1)
    etag: str


class StatesIn(BaseModel):
    """Meanings that all get one state, or none of them does."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"state": "published", "senses": [{"id": 12, "etag": '"12.3"'}]}]},
    )

    state: SenseState
    senses: list[SeenSense] = Field(min_length=1, max_length=500)


class ChangedSenses(BaseModel):
    """The meanings as they are now; undoing the batch ``change`` takes all of it back."""

    items: list[SenseItem]
    change: int | None


class LookedUp(BaseModel):
    """The published meanings of one spelling, the closest first."""

    term: str
    senses: list[DictionarySense]


class LookupList(BaseModel):
    """One entry for each spelling that was asked for."""

    items: list[LookedUp]


class Overview(BaseModel):
    """The dictionary at a glance; ``user`` is the name under which your changes are noted."""

    version: str
    counts: StateCounts
    contexts: int
    unknown_terms: int
    user: str


class SheetLine(BaseModel):
    """What is wrong with a line of an imported file (the header is line 1)."""

    line: int
    text: str


class DictionaryProblem(Problem):
    """What went wrong. ``lines`` come with a refused file, ``current`` with an edit of an old version."""

    lines: list[SheetLine] | None = None
    current: SenseItem | ContextItem | None = None


class DictionaryProblemBody(BaseModel):
    """The body of an error response."""

    error: DictionaryProblem


SheetName = Literal["terms.csv", "terms.xlsx", "contexts.csv", "contexts.xlsx"]
