"""Folders that may not be looked into: what is in them is neither taken for gone nor passed over in silence."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingestion.pipeline import IngestionPipeline
from library.store import LibraryStore


def close(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse to look into ``folder``, as it does for all but root where the rights are missing."""
    scan, stat = os.scandir, Path.stat

    def refuse(path: Any) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    def scan_others(path: Any = ".") -> Any:
        return refuse(path) if Path(path) == folder else scan(path)

    def stat_others(path: Path, **options: Any) -> Any:
        return refuse(path) if folder in path.parents else stat(path, **options)

    monkeypatch.setattr(os, "scandir", scan_others)
    monkeypatch.setattr(Path, "stat", stat_others)


async def test_a_folder_that_cannot_be_opened_is_reported_and_its_documents_stay(
    make_pipeline: Callable[..., IngestionPipeline],
    store: LibraryStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = tmp_path / "documents" / "closed"
    closed.mkdir(parents=True)
    (closed / "pumps.txt").write_text("The pump is off.\n")
    (closed.parent / "rope.txt").write_text("The rope is long.\n")
    assert (await make_pipeline().ingest([closed.parent])).count("ingested") == 2
    with monkeypatch.context() as refusing:
        close(closed, refusing)
        report = await make_pipeline().ingest([closed.parent], prune=True)
    outcomes = {Path(file.path).name: (file.status, file.reason) for file in report.files}
    status, reason = outcomes["closed"]
    assert status == "skipped"
    assert "Permission denied" in reason
    assert report.count("removed") == 0
    assert sorted(document.name for document in store.documents()) == ["pumps.txt", "rope.txt"]
    (closed / "pumps.txt").unlink()
    assert (await make_pipeline().ingest([closed.parent], prune=True)).count("removed") == 1
