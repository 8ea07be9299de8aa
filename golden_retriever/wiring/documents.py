"""What serves the documents: the library, the jobs, the folders."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from golden_retriever.wiring.application import Application
    from serving.documents.service import DocumentsService


def build_documents_service(application: "Application") -> "DocumentsService":
    """Return what ``/api/documents`` serves; uploads go to ``documents`` in the data folder, by group."""
    from golden_retriever.wiring.verifying import verify_library
    from serving.documents.service import DocumentsService

    settings, store, index = application.settings, application.store, application.vector_index
    named = settings.ingest_folders.split(os.pathsep)
    return DocumentsService(
        store,
        application.jobs,
        remove=application.remover.remove,
        regrouped=index.synchronise,
        verify=lambda: verify_library(store, index, application.embedder.name),
        uploads=settings.data_dir.resolve() / "documents",
        folders=tuple(Path(folder) for folder in named if folder.strip()),
        max_upload_bytes=settings.max_upload_mb * 1024 * 1024,
    )
