"""What ingestion hands to the store, and what the store says of a removal."""

from dataclasses import dataclass, field
from datetime import datetime

from contracts.documents import DocumentReport
from contracts.jargon import MinedTerm
from contracts.text import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How the version of a document that is about to be stored came about.

    ``recipe`` names what made it (embedding model, sizes): a file is read again when that changes. ``modified_ns`` is
    the file's time of change in nanoseconds, 0 where it is not known. ``mined`` are the terms found in it.
    """

    recipe: str = ""
    modified_ns: int = 0
    mined: tuple[MinedTerm, ...] = ()
    report: DocumentReport = field(default_factory=DocumentReport)
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What went when a document was removed: its chunks by id, and how many rows of vectors."""

    document: Document
    chunk_ids: tuple[str, ...]
    vectors: int
