"""What ingestion says while it runs and when it is done."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

FileStatus = Literal["ingested", "unchanged", "failed", "skipped", "removed"]
Phase = Literal["finding", "reading", "enriching", "embedding", "storing", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an ingestion is: files that are done with, of all; pages read so far; the file at hand and its phase."""

    phase: Phase
    files_done: int
    files_total: int
    pages: int = 0
    current: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What became of one file.

    ``reason`` says why it failed or was skipped. ``warnings`` name pages that could not be read, and doubts about
    those that were. ``ocr_pages`` counts pages read from their picture, ``mined_terms`` the abbreviations found.
    """

    path: str
    status: FileStatus
    pages: int = 0
    ocr_pages: int = 0
    chunks: int = 0
    mined_terms: int = 0
    warnings: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionReport:
    """What became of every file, in their order, and how long all of it took."""

    files: tuple[FileReport, ...]
    seconds: float = 0.0

    def count(self, status: FileStatus) -> int:
        """Count the files with this status."""
        return Counter(file.status for file in self.files)[status]

    @property
    def failed(self) -> tuple[FileReport, ...]:
        """The files that could not be ingested."""
        return tuple(file for file in self.files if file.status == "failed")
