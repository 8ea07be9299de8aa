"""Folders that are watched: what changes is ingested, what fails is tried again after a while or a change."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from contracts.errors import Unavailable
from ingestion.reports import Event, FileReport
from ingestion.watched_folders import FolderWatcher
from tests.hashing_embedder import HashingEmbedder
from tests.ingestion.reading_files import InlineReaders, MakePipeline
from tools.embedding import Matrix


def write(path: Path, content: str, *, age_s: int = 100) -> None:
    path.write_text(content)
    at = path.stat().st_mtime - age_s
    os.utime(path, (at, at))


async def test_new_changed_and_removed_files_are_taken_up_and_failures_rest(
    make_pipeline: MakePipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    events: list[tuple[str, str]] = []
    refreshed: list[bool] = []

    def hear(event: Event) -> None:
        if isinstance(event, FileReport):
            events.append((Path(event.path).name, event.status))

    async def refresh() -> None:
        refreshed.append(True)

    watcher = FolderWatcher(
        make_pipeline(open_readers=InlineReaders), [folder], prune=True, after=refresh, on_event=hear
    )

    async def look() -> list[tuple[str, str]]:
        events.clear()
        await watcher.look()
        return sorted(events)

    write(folder / "rope.txt", "The rope is long.")
    write(folder / "broken.docx", "no zip")
    write(folder / "tool.exe", "of no kind that is read")
    write(folder / "fresh.txt", "The hatch", age_s=0)
    assert await look() == [("broken.docx", "failed"), ("rope.txt", "ingested")]
    assert len(refreshed) == 1
    write(folder / "fresh.txt", "The hatch opens at noon.")
    write(folder / "rope.txt", "The rope is short.", age_s=50)
    assert await look() == [("fresh.txt", "ingested"), ("rope.txt", "ingested")]
    (folder / "rope.txt").unlink()
    assert await look() == [("rope.txt", "removed")]
    # As it was, it rests; changed, it is read at once, and rests anew.
    monkeypatch.setattr("ingestion.watched_folders._FIRST_WAIT_S", 0.0)
    write(folder / "broken.docx", "no zip either", age_s=50)
    assert await look() == [("broken.docx", "failed")]
    assert await look() == [("broken.docx", "failed")]
    assert len(refreshed) == 3


async def test_an_outage_is_told_and_waited_for(make_pipeline: MakePipeline, tmp_path: Path) -> None:
    write(tmp_path / "rope.txt", "The rope is long.")
    events: asyncio.Queue[str] = asyncio.Queue()

    class NoEmbedder(HashingEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            raise Unavailable("the model is not there")

    pipeline = make_pipeline(embedder=NoEmbedder(), open_readers=InlineReaders)
    watching = asyncio.create_task(FolderWatcher(pipeline, [tmp_path / "rope.txt"]).watch(events.put_nowait))
    assert await events.get() == "the model is not there"
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
