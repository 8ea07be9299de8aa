"""Documents as files: the result of ingestion, the pages, and the proof that a removed document is gone."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, computed_field

from contracts.jargon import MinedTerm

FileState = Literal["reading", "ready", "duplicate", "failed", "removed"]
# The states of files, and "poor", which selects ready files with a page that was read poorly.
CatalogueState = Literal["reading", "ready", "poor", "duplicate", "failed", "removed"]
IngestionOutcome = Literal["ready", "moved", "regrouped", "duplicate", "failed", "removed"]


class PoorPage(BaseModel, frozen=True):
    """A page that was read poorly or not at all, and the reason.

    ``confidence`` is the mean word confidence in [0, 1]; None if the page was not read by OCR.
    """

    page: int
    reason: str
    confidence: float | None = None


class DocumentReport(BaseModel, frozen=True):
    """The result of reading a document once."""

    pages: int = 0
    ocr_pages: int = 0
    tables: int = 0
    chunks: int = 0
    mined_terms: int = 0
    warnings: tuple[str, ...] = ()
    poor_pages: tuple[PoorPage, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionDetails:
    """How a version of a document that will be stored was made.

    ``recipe`` names what it depends on (embedding model, sizes): if the recipe changes, the file is read again.
    ``modified_ns`` is the file's modification time in nanoseconds, 0 if unknown. ``mined`` are the terms found in it.
    """

    recipe: str = ""
    modified_ns: int = 0
    mined: tuple[MinedTerm, ...] = ()
    report: DocumentReport = field(default_factory=DocumentReport)
    started_at: datetime | None = None


class HistoryEntry(BaseModel, frozen=True):
    """One ingestion of a document: its time, the content hash and the outcome."""

    outcome: IngestionOutcome
    reason: str
    path: str
    content_hash: str
    started_at: datetime
    finished_at: datetime
    report: DocumentReport


class FileRecord(BaseModel, frozen=True):
    """A file that ingestion has seen, under the id of its document.

    ``state`` is the result of its last ingestion: ``reading`` while the ingestion is running, ``ready`` if the document
    can be searched, ``duplicate`` if another document with the same content is searched instead, and ``failed`` or
    ``removed`` with a ``reason``. ``content_hash`` belongs to the last content that was tried. ``answers`` is true if a
    version is in the library; ``poor_pages`` counts the pages of that version that were read poorly, if known.
    """

    document_id: str = Field(serialization_alias="id")
    path: str
    group: str
    state: FileState
    reason: str
    content_hash: str
    size_bytes: int
    modified_ns: int = Field(default=0, exclude=True)
    recipe: str = Field(default="", exclude=True)
    changed_at: datetime
    answers: bool
    title: str = ""
    pages: int = 0
    poor_pages: int = 0

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2] or self.path

    @property
    def standing(self) -> str:
        """The state shown to people: "stale" if an earlier version is searched, "poor" if a page was read poorly."""
        if self.state == "failed" and self.answers:
            return "stale"
        return "poor" if self.state == "ready" and self.poor_pages else self.state


class SectionSummary(BaseModel, frozen=True):
    """The summary of a section, which begins on ``page``."""

    heading: str
    page: int
    text: str


class DocumentDetails(FileRecord, frozen=True):
    """A document with its history, oldest first, the summaries of its sections, and the terms found in it."""

    media_type: str = ""
    history: tuple[HistoryEntry, ...] = ()
    summaries: tuple[SectionSummary, ...] = ()
    terms: tuple[MinedTerm, ...] = ()

    @property
    def report(self) -> DocumentReport | None:
        """The report on the ingestion that made the stored version, or else on the last ingestion."""
        read = [each for each in self.history if each.outcome == "ready"] or list(self.history)
        return read[-1].report if read else None


class DocumentPage(BaseModel, frozen=True):
    """A page of documents. Send ``next`` as ``after`` to get the next page; it is None on the last page.

    ``totals`` counts all matches by state; documents with poor pages are also counted as ready.
    """

    documents: tuple[FileRecord, ...]
    next: str | None
    totals: dict[CatalogueState, int]


class UploadLimits(BaseModel, frozen=True):
    """What may be uploaded: the formats by suffix, the size and number of files at once, and the groups.

    ``groups`` are the existing groups; if ``any_group`` is true, new groups may also be named. Folders on the server
    below ``watched_roots`` may be watched.
    """

    suffixes: tuple[str, ...] = ()
    max_bytes: int = 0
    max_files: int = 0
    groups: tuple[str, ...] = ("everyone",)
    any_group: bool = False
    watched_roots: tuple[str, ...] = ()


class PageInfo(BaseModel, frozen=True):
    """A page: its size in points (the unit of boxes), and the size and path of its picture."""

    page: int = 1
    width_pt: float = 0.0
    height_pt: float = 0.0
    width_px: int = 0
    height_px: int = 0
    picture: str = ""


class OtherCopy(BaseModel, frozen=True):
    """Another file with the removed content. If it is not in the library, the next ingestion reads it."""

    id: str
    path: str
    answers: bool
    group: str = Field(exclude=True)


class RemovalProof(BaseModel, frozen=True):
    """What was removed, and whether a search still finds it; it is gone if ``problems`` is empty.

    ``searched_again`` is the number of removed ``chunks`` that were searched for, both by their words and by their
    vectors. ``copies`` are other files with the same content: documents in the library, or duplicates, which the next
    ingestion reads.
    """

    id: str
    path: str
    chunks: int
    vectors: int
    searched_again: int
    problems: tuple[str, ...] = ()
    copies: tuple[OtherCopy, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def gone(self) -> bool:
        """Whether no search in any index finds the document."""
        return not self.problems
