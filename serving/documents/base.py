"""What the documents' routes work with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from contracts.jargon import MinedTerm
from contracts.text import Chunk
from ingestion.jobs import IngestionJobs
from library.values import CatalogueState, FileRecord, HistoryEntry, PoorPage, RemovalProof
from serving.documents.pictures import DocumentSource
from serving.documents.verification import Verifications

MAX_UPLOAD_BYTES = 1024 * 1024 * 1024


class DocumentShelf(Protocol):
    """Says what became of each file. Blocking."""

    def record(self, document_id: str) -> FileRecord | None:
        """Return the record with this document id, or None."""
        ...

    def history(self, document_id: str) -> tuple[HistoryEntry, ...]:
        """Return every ingestion of a document, oldest first."""
        ...

    def poor_pages(self, document_ids: Sequence[str]) -> dict[str, tuple[PoorPage, ...]]:
        """Return the poorly read pages of the last reading of each document that has any."""
        ...

    def mined_from(self, document_id: str) -> tuple[MinedTerm, ...]:
        """Return the terms that were mined from the stored version of a document."""
        ...


class Catalogue(Protocol):
    """Seeks documents by path and title: of ``groups``, or all for None. Blocking."""

    def page(
        self,
        *,
        text: str = "",
        state: CatalogueState | None = None,
        groups: frozenset[str] | None = None,
        after: str = "",
        limit: int | None = None,
    ) -> tuple[FileRecord, ...]:
        """Return the records behind the path ``after``, by path: those in ``state``, or all but the removed."""
        ...

    def totals(self, *, text: str = "", groups: frozenset[str] | None = None) -> dict[CatalogueState, int]:
        """Count what is sought by state."""
        ...

    def groups(self) -> tuple[str, ...]:
        """Return the groups of which there are files, by name."""
        ...


class Library(DocumentSource, Protocol):
    """Holds documents. Blocking."""

    def document_chunks(self, document_id: str) -> tuple[Chunk, ...]:
        """Return every chunk of a document, by kind, then in their order."""
        ...


class DocumentRemover(Protocol):
    """Removes documents from every index."""

    async def remove(self, document_id: str) -> RemovalProof:
        """Remove a document, and look for it in every index.

        Raises:
            NotFound: there is no such document.
        """
        ...


class DocumentRegrouper(Protocol):
    """Gives documents to the readers of another group."""

    async def regroup(self, record: FileRecord, group: str) -> None:
        """Put the document of ``record`` into ``group``; searches see it so from the next one on.

        Raises:
            NotFound: there is no such document (any longer).
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsDesk:
    """What is served: ``uploads`` takes uploaded files; files below one of ``folders`` may be named."""

    shelf: DocumentShelf
    catalogue: Catalogue
    library: Library
    remover: DocumentRemover
    regrouper: DocumentRegrouper
    verifications: Verifications
    jobs: IngestionJobs
    uploads: Path
    folders: tuple[Path, ...] = ()
    max_upload_bytes: int = MAX_UPLOAD_BYTES
