"""What ingestion has made of each file: its state, its history, its report, and the proof that it is gone."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from contracts.jargon import MinedTerm
from contracts.text import Document

FileState = Literal["reading", "ready", "duplicate", "failed", "removed"]
# Beside the states of files: "poor" are the ready ones of which a page was read poorly.
CatalogueState = Literal["reading", "ready", "poor", "duplicate", "failed", "removed"]
Outcome = Literal["ready", "moved", "regrouped", "duplicate", "failed", "removed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoorPage:
    """A page that was read badly or not at all, and why.

    ``confidence`` is the mean word confidence in [0, 1], None where OCR read no page. ``ingestion.pictures`` draws it.
    """

    page: int
    reason: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReport:
    """What one reading of a document gave; ``phases`` are the seconds of each, by name."""

    pages: int = 0
    ocr_pages: int = 0
    tables: int = 0
    chunks: int = 0
    mined_terms: int = 0
    warnings: tuple[str, ...] = ()
    poor_pages: tuple[PoorPage, ...] = ()
    seconds: float = 0.0
    phases: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How the version of a document that is about to be stored came about.

    ``recipe`` names what made it (embedding model, sizes): a file is read again when that changes. ``modified_ns`` is
    the file's time of change in nanoseconds, 0 where it is not known. ``mined`` are the terms found in it.
    """

    recipe: str = ""
    modified_ns: int = 0
    mined: tuple[MinedTerm, ...] = ()
    report: DocumentReport = DocumentReport()
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """What is known of a file that ingestion has seen, under the id of its document.

    ``state`` is that of its last ingestion: ``reading`` while one is going on, ``ready`` when it answers, ``duplicate``
    when another document of the same content answers for it, ``failed`` and ``removed`` with their ``reason``.
    ``content_hash`` is that of the content last tried; ``answers`` says whether some version of it is in the library.
    """

    document_id: str
    path: str
    group: str
    state: FileState
    reason: str
    content_hash: str
    size_bytes: int
    modified_ns: int
    recipe: str
    changed_at: datetime
    answers: bool
    title: str = ""
    pages: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One ingestion of a document: when, of which content, with what outcome."""

    document_id: str
    path: str
    content_hash: str
    outcome: Outcome
    reason: str
    started_at: datetime
    finished_at: datetime
    report: DocumentReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What went when a document was removed: its chunks by id, and how many rows of vectors."""

    document: Document
    chunk_ids: tuple[str, ...]
    vectors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalProof:
    """What was removed, and what a search for it still finds afterwards: nothing, where ``problems`` is empty.

    ``probed`` is how many of the removed chunks were searched for, by their words and by their vectors;
    ``left_in_sql``, ``left_in_vectors`` and ``left_in_words`` are how many chunks were found there. ``copies`` are
    other files of the same content: documents of their own that answer, or duplicates, which the next ingestion reads.
    """

    removal: Removal
    probed: int
    left_in_sql: int = 0
    left_in_vectors: int = 0
    left_in_words: int = 0
    problems: tuple[str, ...] = ()
    copies: tuple[FileRecord, ...] = ()
