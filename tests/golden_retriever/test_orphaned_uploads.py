"""Uploaded files of deleted documents are removed after a day."""

import os
import time
from dataclasses import replace
from pathlib import Path

from contracts.documents import DocumentReport
from contracts.jobs import JobOrder
from golden_retriever.settings import Settings
from golden_retriever.wiring import open_library
from golden_retriever.wiring.conversations import tidy_uploads
from ingestion.pipeline import DELETED
from library.job_queue import JobQueue
from tests.library.samples import chunk_of, document_of, unit_vectors


def test_uploads_of_deleted_documents_are_removed_after_a_day(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    folder = tmp_path / "documents" / "everyone"
    (folder / ".upload-killed").mkdir(parents=True)
    old = ("read.txt", "unreadable.pdf", "book.zip", "waiting.txt", "deleted.txt", "own.txt", ".upload-killed/0")
    for name in (*old, "fresh.txt"):
        (folder / name).write_text("The lamp burns.", encoding="utf-8")
    for name in old:
        os.utime(folder / name, (time.time() - 2 * 86_400,) * 2)
    with open_library(settings) as store:
        for name in ("read.txt", "book.zip!/chapter.txt", "deleted.txt"):
            document = replace(document_of(name), path=str(folder / name))
            store.replace_document(document, [chunk_of(document, "passage", 0, "text")], unit_vectors(1), embedder="m")
        store.delete_document(document.id, reason=DELETED)
        report = DocumentReport()
        store.ledger.fail("x", "it is damaged", path=str(folder / "unreadable.pdf"), group="everyone", report=report)
        JobQueue(store.engine).add(JobOrder(paths=(str(folder / "waiting.txt"),)))
        assert tidy_uploads(settings, store.engine) == 2
    kept = {"read.txt", "unreadable.pdf", "book.zip", "waiting.txt", "own.txt", "fresh.txt"}
    assert {each.name for each in folder.iterdir()} == kept
