"""The wire of what waits for the manager: candidates with their evidence, and the queue of unknown terms."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from serving.dictionary.wire import DictionarySense, SenseItem


class EvidenceItem(BaseModel):
    """A sentence of a document that defines a term; ``score`` in [0, 1] is the miner's."""

    document: str
    page: int
    sentence: str
    score: float


class BoxItem(BaseModel):
    """A rectangle on a page, in points from its top left corner."""

    page: int
    x0: float
    top: float
    x1: float
    bottom: float


class PlacedEvidenceItem(EvidenceItem):
    """A sentence that defines a term, and where it stands.

    ``document_id`` is that of ``/api/documents``, empty where no document that you may read has it any more; ``boxes``
    are the lines of the sentence on its page, none where it is not found there.
    """

    document_id: str
    boxes: list[BoxItem]


class PlacedEvidenceList(BaseModel):
    """All that speaks for a candidate, best first."""

    items: list[PlacedEvidenceItem]


class CandidateItem(BaseModel):
    """A draft with what speaks for it, best first, its best score, and the published meanings of the same term."""

    sense: SenseItem
    score: float
    evidence: list[EvidenceItem]
    conflicts: list[DictionarySense]


class CandidateList(BaseModel):
    """A page of candidates, best evidence first."""

    items: list[CandidateItem]
    total: int
    limit: int
    offset: int


class DraftsIn(BaseModel):
    """Which candidates are published: those whose best evidence scores ``min_score`` or more.

    Those that contradict a published meaning, or one another, only ``with_conflicts``.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"min_score": 0.9, "preview": True}]})

    min_score: float = Field(ge=0, le=1)
    with_conflicts: bool = False
    preview: bool = Field(False, description="Say what would be published, and change nothing.")


class ChosenDraft(BaseModel):
    """A candidate, and the other meanings of its term that it contradicts."""

    sense: DictionarySense
    score: float
    conflicts: list[DictionarySense]


class ChosenDrafts(BaseModel):
    """What was published, or with ``preview`` would be, and what stays a draft because it contradicts others.

    Undoing the batch ``change`` takes it back; null where nothing was changed.
    """

    preview: bool
    published: list[ChosenDraft]
    kept: list[ChosenDraft]
    change: int | None


class Redacted(BaseModel):
    """How many questions were forgotten."""

    questions: int


class QueuedTerm(BaseModel):
    """A term that was asked for and that nobody has defined; ``near`` are known spellings, where they are asked for."""

    term: str
    count: int
    last_question: str
    context: str
    first_asked_at: datetime
    last_asked_at: datetime
    near: list[str] = []


class QueueList(BaseModel):
    """A page of the queue of unknown terms, most asked first."""

    items: list[QueuedTerm]
    total: int
    limit: int
    offset: int
