"""What the documents' routes work with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ingestion.jobs import IngestionJobs
from library.values import FileRecord, FileState, HistoryEntry, RemovalProof

MAX_UPLOAD_BYTES = 1024 * 1024 * 1024


class DocumentShelf(Protocol):
    """Says what became of each file. Blocking."""

    def record(self, document_id: str) -> FileRecord | None:
        """Return the record with this document id, or None."""
        ...

    def records(
        self,
        *,
        state: FileState | None = None,
        groups: frozenset[str] | None = None,
        after: str = "",
        limit: int | None = None,
    ) -> tuple[FileRecord, ...]:
        """Return the records behind the path ``after``, by path: in ``state``, of ``groups`` (None: all)."""
        ...

    def history(self, document_id: str) -> tuple[HistoryEntry, ...]:
        """Return every ingestion of a document, oldest first."""
        ...


class DocumentRemover(Protocol):
    """Removes documents from every index."""

    async def remove(self, document_id: str) -> RemovalProof:
        """Remove a document, and look for it in every index.

        Raises:
            NotFound: there is no such document.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsDesk:
    """What is served: ``uploads`` takes uploaded files; files below one of ``folders`` may be named."""

    shelf: DocumentShelf
    remover: DocumentRemover
    jobs: IngestionJobs
    uploads: Path
    folders: tuple[Path, ...] = ()
    max_upload_bytes: int = MAX_UPLOAD_BYTES
