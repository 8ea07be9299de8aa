"""Documents as files: the result of ingestion, their pages, and the proof that a removed one is gone."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, computed_field

from contracts.jargon import MinedTerm

FileState = Literal["reading", "ready", "duplicate", "failed", "removed"]
# In addition to the states of files: "poor" selects ready files with a page that was read poorly.
CatalogueState = Literal["reading", "ready", "poor", "duplicate", "failed", "removed"]
IngestionOutcome = Literal["ready", "moved", "regrouped", "duplicate", "failed", "removed"]


class PoorPage(BaseModel, frozen=True):
    """A page that was read badly or not at all, and why.

    ``confidence`` is the mean word confidence in [0, 1], None if no page was read by OCR.
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
    """How the version of a document that is about to be stored was made.

    ``recipe`` names what made it (embedding model, sizes): a file is read again when that changes. ``modified_ns`` is
    the file's modification time in nanoseconds, 0 if unknown. ``mined`` are the terms found in it.
    """

    recipe: str = ""
    modified_ns: int = 0
    mined: tuple[MinedTerm, ...] = ()
    report: DocumentReport = field(default_factory=DocumentReport)
    started_at: datetime | None = None


class HistoryEntry(BaseModel, frozen=True):
    """One ingestion of a document: when, of which content, with what outcome."""

    outcome: IngestionOutcome
    reason: str
    path: str
    content_hash: str
    started_at: datetime
    finished_at: datetime
    report: DocumentReport


class FileRecord(BaseModel, frozen=True):
    """A file that ingestion has seen, under the id of its document.

    ``state`` is that of its last ingestion: ``reading`` while one is running, ``ready`` when it can be searched,
    ``duplicate`` if another document with the same content is searched instead, ``failed`` and ``removed`` with their
    ``reason``. ``content_hash`` is that of the content last tried; ``answers`` says whether a version of it is in the
    library, and ``poor_pages`` how many pages of that version were read poorly, if counted.
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
        """The state shown to people: "stale" if an earlier version is searched, "poor" if pages were read poorly."""
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
        """The report on the reading that made the stored version, or else on the last reading."""
        read = [each for each in self.history if each.outcome == "ready"] or list(self.history)
        return read[-1].report if read else None


class DocumentPage(BaseModel, frozen=True):
    """A page of documents; send ``next`` as ``after`` for the next page; None after the last page.

    ``totals`` counts all matches by state; those with poor pages are also counted as ready.
    """

    documents: tuple[FileRecord, ...]
    next: str | None
    totals: dict[CatalogueState, int]


class UploadLimits(BaseModel, frozen=True):
    """What may be uploaded: formats by suffix, how much and how many files at once, and for whom.

    ``groups`` are the existing ones; with ``any_group`` a new one may be named, too. Folders of the server below
    ``watched_roots`` may be watched.
    """

    suffixes: tuple[str, ...] = ()
    max_bytes: int = 0
    max_files: int = 0
    groups: tuple[str, ...] = ("everyone",)
    any_group: bool = False
    watched_roots: tuple[str, ...] = ()


class PageInfo(BaseModel, frozen=True):
    """A page: its size in points, in which boxes are measured, its picture's size, and the picture's path."""

    page: int = 1
    width_pt: float = 0.0
    height_pt: float = 0.0
    width_px: int = 0
    height_px: int = 0
    picture: str = ""


class OtherCopy(BaseModel, frozen=True):
    """Another file with the removed content; if it is not in the library, the next ingestion reads it."""

    id: str
    path: str
    answers: bool
    group: str = Field(exclude=True)


class RemovalProof(BaseModel, frozen=True):
    """What was removed, and what a search for it still finds: nothing, if ``problems`` is empty.

    ``searched_again`` is how many of the removed ``chunks`` were searched for, by their words and by their vectors.
    ``copies`` are other files with the same content: documents in the library, or duplicates, which the next ingestion
    reads.
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
        """Whether no search of any index finds it."""
        return not self.problems
