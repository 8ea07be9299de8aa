"""What the documents' routes work with: the ledger, the jobs, the folders."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from golden_retriever.wiring.application import Application
    from serving.documents.base import DocumentsDesk


def build_documents_desk(application: "Application") -> "DocumentsDesk":
    """Return what ``/api/documents`` serves; uploads go to ``documents`` in the data folder, by group."""
    from serving.documents.base import DocumentsDesk

    settings = application.settings
    named = settings.ingest_folders.split(os.pathsep)
    return DocumentsDesk(
        shelf=application.store.ledger,
        remover=application.remover,
        jobs=application.jobs,
        uploads=settings.data_dir.resolve() / "documents",
        folders=tuple(Path(folder) for folder in named if folder.strip()),
        max_upload_bytes=settings.max_upload_mb * 1024 * 1024,
    )
