"""Reports of an ingestion while it runs and when it is done."""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from contracts.documents import DocumentReport, PoorPage

FileStatus = Literal["ingested", "unchanged", "moved", "regrouped", "duplicate", "failed", "skipped", "removed"]
Phase = Literal["finding", "reading", "enriching", "embedding", "storing", "done"]

# The number of reports that a run keeps in memory; all of them are passed on immediately, and are in the ledger.
REPORTS_KEPT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProgress:
    """The progress of a current file: ``pages`` of its ``total`` pages have been read (None: not known).

    ``share`` in [0, 1] is the part of its work that is done, including the work after reading.
    """

    path: str
    pages: int
    total: int | None
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of an ingestion.

    ``files_done`` of ``files_total`` files are finished; ``pages`` pages have been read. ``current`` is the file that
    has progressed, and ``phase`` its phase; ``files`` are all current files. ``done`` of the ``total`` bytes of files
    to be read have been read. ``seconds_left`` is None until it can be estimated.
    """

    phase: Phase
    files_done: int
    files_total: int
    pages: int = 0
    current: str = ""
    files: tuple[FileProgress, ...] = ()
    done: int = 0
    total: int | None = None
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """The result for one file.

    ``reason`` is why it failed or was skipped, or its path before it was moved. ``warnings`` name pages that could
    not be read, and doubts about those that could; ``poor_pages`` are those whose text should not be trusted.
    ``ocr_pages`` counts pages read from their pictures, ``mined_terms`` the abbreviations found.
    """

    path: str
    status: FileStatus
    document_id: str = ""
    pages: int = 0
    ocr_pages: int = 0
    tables: int = 0
    chunks: int = 0
    mined_terms: int = 0
    warnings: tuple[str, ...] = ()
    poor_pages: tuple[PoorPage, ...] = ()
    reason: str = ""
    seconds: float = 0.0

    def stored(self) -> DocumentReport:
        """Return the part that is stored with the document."""
        return DocumentReport(**{name: getattr(self, name) for name in DocumentReport.model_fields})


Event = Progress | FileReport
Hear = Callable[[Event], None]


@dataclass(slots=True)
class IngestionReport:
    """The results for the files, and the total time.

    ``files`` contains the first ``REPORTS_KEPT`` reports, in order of arrival; ``counts`` counts all of them by status.
    """

    files: list[FileReport] = field(default_factory=list)
    counts: Counter[FileStatus] = field(default_factory=Counter)
    pages: int = 0
    seconds: float = 0.0

    def add(self, report: FileReport) -> None:
        self.counts[report.status] += 1
        self.pages += report.pages
        if len(self.files) < REPORTS_KEPT:
            self.files.append(report)

    def count(self, status: FileStatus) -> int:
        return self.counts[status]

    @property
    def failed(self) -> tuple[FileReport, ...]:
        """The ``files`` that could not be ingested."""
        return tuple(file for file in self.files if file.status == "failed")


def progress_values(progress: Progress) -> dict[str, Any]:
    """Return the progress as plain JSON values, field by field."""
    files = [{**asdict(each), "path": encodable(each.path)} for each in progress.files]
    return {**asdict(progress), "current": encodable(progress.current), "files": files}


def encodable(path: str) -> str:
    """Return a path as text that every stream can write: a name may contain bytes that are not UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")
