"""Folders that are watched, and folders on other machines that are copied."""

import asyncio
import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from unittest.mock import AsyncMock

import fsspec
import pytest

from contracts.errors import Unavailable
from ingestion.limits import IngestionLimits
from ingestion.remote_folders import RemoteFolder
from ingestion.reports import Event, FileReport
from ingestion.watched_folders import FolderWatcher
from tests.hashing_embedder import HashingEmbedder
from tests.ingestion.reading_files import InlineReaders, MakePipeline


def write(path: Path, content: str, *, age_s: int = 100) -> None:
    path.write_text(content)
    at = path.stat().st_mtime - age_s
    os.utime(path, (at, at))


async def test_watcher_ingests_changes_and_delays_failed_files(
    make_pipeline: MakePipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    refresh = AsyncMock()
    watcher = FolderWatcher(make_pipeline(open_readers=InlineReaders), [folder], prune=True, after=refresh)

    async def look() -> list[tuple[str, str]]:
        events: list[Event] = []
        await watcher.look(events.append)
        return sorted((Path(each.path).name, each.status) for each in events if isinstance(each, FileReport))

    write(folder / "rope.txt", "The rope is long.")
    write(folder / "broken.docx", "no zip")
    write(folder / "tool.exe", "of no kind that is read")
    write(folder / "fresh.txt", "The hatch", age_s=0)
    assert await look() == [("broken.docx", "failed"), ("rope.txt", "ingested")]
    assert refresh.await_count == 1
    write(folder / "fresh.txt", "The hatch opens at noon.")
    write(folder / "rope.txt", "The rope is short.", age_s=50)
    assert await look() == [("fresh.txt", "ingested"), ("rope.txt", "ingested")]
    (folder / "rope.txt").unlink()
    assert await look() == [("rope.txt", "removed")]
    # An unchanged file waits before it is tried again; a changed one is read at once, and waits again if it fails.
    monkeypatch.setattr("ingestion.watched_folders._FIRST_WAIT_S", 0.0)
    write(folder / "broken.docx", "no zip either", age_s=50)
    assert await look() == [("broken.docx", "failed")]
    assert await look() == [("broken.docx", "failed")]
    assert refresh.await_count == 3


async def test_outage_is_reported_and_waited_for(make_pipeline: MakePipeline, tmp_path: Path) -> None:
    write(tmp_path / "rope.txt", "The rope is long.")
    events: asyncio.Queue[str] = asyncio.Queue()
    embedder = HashingEmbedder()
    embedder.embed_documents = AsyncMock(side_effect=Unavailable("the model is not there"))  # type: ignore[method-assign]
    pipeline = make_pipeline(embedder=embedder, open_readers=InlineReaders)
    watching = asyncio.create_task(FolderWatcher(pipeline, [tmp_path / "rope.txt"]).watch(events.put_nowait))
    assert await events.get() == "the model is not there"
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching


class _Server(SimpleHTTPRequestHandler):
    """A web server with folder listings, which notes the documents that it sends."""

    sent: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        if self.path.endswith(".txt"):
            self.sent.append(self.path)
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    (folder / "manuals" / "pumps").mkdir(parents=True)
    (folder / "manuals" / "rope.txt").write_text("The rope is long.")
    (folder / "manuals" / "pumps" / "bilge pump.txt").write_text("The pump needs 12 V.")
    (folder / "private.txt").write_text("not below the address")
    return folder


@pytest.fixture
def address(shared: Path) -> Iterator[str]:
    _Server.sent = []
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Server, directory=str(shared))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/manuals/"
        server.shutdown()


def copied(folder: RemoteFolder) -> dict[str, str]:
    return {str(each.relative_to(folder.copy)): each.read_text() for each in folder.copy.rglob("*") if each.is_file()}


def test_a_web_folder_is_copied_and_kept_up_to_date(shared: Path, address: str, tmp_path: Path) -> None:
    folder = RemoteFolder(address, tmp_path / "remote")
    first = folder.fetch()
    assert (first.new, first.gone, first.failed) == (2, 0, {})
    assert copied(folder) == {"rope.txt": "The rope is long.", "pumps/bilge pump.txt": "The pump needs 12 V."}
    (shared / "manuals" / "rope.txt").write_text("The rope is much longer.")
    (shared / "manuals" / "pumps" / "bilge pump.txt").unlink()
    again = RemoteFolder(address, tmp_path / "remote")
    second = again.fetch()
    assert (second.new, second.gone) == (1, 1)
    assert copied(again) == {"rope.txt": "The rope is much longer."}
    _Server.sent.clear()
    assert (again.fetch().new, _Server.sent) == (0, [])


def test_copy_is_kept_if_the_folder_cannot_be_listed(shared: Path, address: str, tmp_path: Path) -> None:
    folder = RemoteFolder(address, tmp_path / "remote")
    folder.fetch()
    (shared / "manuals" / "index.html").write_text('Please <a href="login.txt">log in</a>.')
    with pytest.raises(Unavailable, match="none of the 2 earlier files"):
        folder.fetch()
    (shared / "manuals").rename(shared / "moved")
    with pytest.raises(Unavailable, match="cannot be listed"):
        folder.fetch()
    assert len(copied(folder)) == 2


def test_escaping_names_and_large_files_are_reported_and_not_fetched(tmp_path: Path) -> None:
    files = fsspec.filesystem("memory")
    bad = {"large.txt": b"x" * 100, "a/../../up.txt": b"up", "..\\out.txt": b"out"}
    for name, content in {"good.txt": b"The hatch opens.", **bad}.items():
        files.pipe_file(f"/ship/{name}", content)
    folder = RemoteFolder("memory://ship", tmp_path / "remote", IngestionLimits(file_bytes=50))
    fetched = folder.fetch()
    files.rm("/ship", recursive=True)
    assert copied(folder) == {"good.txt": "The hatch opens."}
    assert fetched.failed.keys() == bad.keys()
    assert "more than the 50 allowed" in fetched.failed["large.txt"]
