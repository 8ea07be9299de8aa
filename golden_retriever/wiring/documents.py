"""What the documents' routes work with: the ledger, the jobs, the folders."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import NotFound

if TYPE_CHECKING:
    from golden_retriever.wiring.application import Application
    from library.store import LibraryStore
    from library.values import FileRecord
    from serving.documents.base import DocumentsDesk
    from tools.search import VectorIndex


def build_documents_desk(application: "Application") -> "DocumentsDesk":
    """Return what ``/api/documents`` serves; uploads go to ``documents`` in the data folder, by group."""
    from library.catalogue import DocumentCatalogue
    from serving.documents.base import DocumentsDesk
    from serving.documents.verification import Verifications

    settings = application.settings
    named = settings.ingest_folders.split(os.pathsep)
    return DocumentsDesk(
        shelf=application.store.ledger,
        catalogue=DocumentCatalogue(application.store.engine),
        library=application.store,
        remover=application.remover,
        regrouper=Regrouper(application.store, application.vector_index),
        verifications=Verifications(application.verifier.verify),
        jobs=application.jobs,
        uploads=settings.data_dir.resolve() / "documents",
        folders=tuple(Path(folder) for folder in named if folder.strip()),
        max_upload_bytes=settings.max_upload_mb * 1024 * 1024,
    )


class Regrouper:
    """Gives documents to the readers of another group: their record, and what the vector index filters by."""

    def __init__(self, store: "LibraryStore", vector_index: "VectorIndex") -> None:
        self._store = store
        self._vector_index = vector_index

    async def regroup(self, record: "FileRecord", group: str) -> None:
        """Put the document of ``record`` into ``group``, in one transaction; the vector index takes it over.

        Raises:
            NotFound: there is no such document (any longer).
        """
        document = await asyncio.to_thread(self._store.document, record.document_id)
        if document is None:
            raise NotFound(f"there is no document {record.document_id!r} in the library")
        await asyncio.to_thread(
            self._store.relocate_document,
            replace(document, group=group),
            outcome="regrouped",
            reason=f"it was for the readers of {document.group}",
            modified_ns=record.modified_ns,
        )
        await self._vector_index.synchronise()
