"""Files of folders and archives: each is a document of its own; hostile members are named and left alone."""

import os
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from contracts.errors import UnreadableFile
from ingestion.files.archives import hash_content, holds, list_members, local_copy, member_path
from ingestion.files.found_files import find_files
from ingestion.limits import IngestionLimits
from ingestion.scratch import remove_abandoned_folders, scratch_folder
from library.store import LibraryStore
from tests.ingestion.readers.reading import zipped
from tests.ingestion.reading_files import MakePipeline
from tests.ingestion.samples import write_manual

LIMITS = IngestionLimits()
WAITING = """
import time
from ingestion.scratch import scratch_folder
with scratch_folder() as folder:
    print(folder, flush=True)
    time.sleep(60)
"""


async def test_archive_members_are_documents(make_pipeline: MakePipeline, store: LibraryStore, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    write_manual(tmp_path / "manual.pdf")
    manual = (tmp_path / "manual.pdf").read_bytes()
    archive = folder / "All.ZIP"
    archive.write_bytes(zipped({"pumps/manual.pdf": manual, "gate.txt": b"The gate opens at six.", "tool.exe": b"MZ"}))
    report = await make_pipeline().ingest([folder])
    found = {document.path: document for document in store.documents()}
    assert set(found) == {f"{archive}!/pumps/manual.pdf", f"{archive}!/gate.txt"}
    document = found[f"{archive}!/pumps/manual.pdf"]
    assert (document.name, document.title, document.pages) == ("manual.pdf", "Cooling manual", 3)
    assert document.size_bytes == len(manual)
    assert report.count("skipped") == 1
    assert (await make_pipeline().ingest([folder])).count("unchanged") == 2
    archive.write_bytes(zipped({"pumps/manual.pdf": manual, "gate.txt": b"The gate opens at seven."}))
    again = await make_pipeline().ingest([folder])
    assert (again.count("ingested"), again.count("unchanged")) == (1, 1)


async def test_archive_member_is_found_by_path_and_removed_members_are_pruned(
    make_pipeline: MakePipeline, store: LibraryStore, tmp_path: Path
) -> None:
    archive = tmp_path / "a.zip"
    member = tmp_path / "a.zip!" / "two.txt"
    archive.write_bytes(zipped({"one.txt": b"The first of two notes.", "two.txt": b"The second of two notes."}))
    report = await make_pipeline().ingest([member])
    assert [(Path(each.path).name, each.status) for each in report.files] == [("two.txt", "ingested")]
    again = await make_pipeline().ingest([archive, member])
    assert (again.count("ingested"), again.count("unchanged")) == (1, 1)
    archive.write_bytes(archive.read_bytes()[:-30])
    torn = await make_pipeline().ingest([archive], prune=True)
    assert "damaged or cut off" in torn.failed[0].reason
    assert len(store.documents()) == 2
    archive.write_bytes(zipped({"one.txt": b"The first of two notes."}))
    await make_pipeline().ingest([archive], prune=True)
    assert [document.name for document in store.documents()] == ["one.txt"]


def test_hostile_archive_members_are_named_and_skipped(tmp_path: Path) -> None:
    archive = tmp_path / "evil.zip"
    reasons = {
        "../../up.txt": "its name points outside the archive",
        "/etc/passwd.txt": "its name points outside the archive",
        "C:/windows.txt": "its name points outside the archive",
        "a/../b.txt": "its name points outside the archive",
        "new\nline.txt": "its name is not a plain path: rename it and pack the archive again",
        "link.txt": "it is a link, not a file",
        "inner.zip": "an archive inside another archive is not opened: unpack the outer one",
        ".hidden.txt": "a hidden file",
        "__MACOSX/x.txt": "a hidden file",
        "site/searchindex.js": "",
        "site/_sources/gate.txt": "a source of the web pages beside it",
        "own/_sources/note.txt": "",
        "good.txt": "",
    }
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name in reasons:
            part = zipfile.ZipInfo("x")
            part.filename = name
            part.external_attr = (stat.S_IFLNK | 0o777) << 16 if name == "link.txt" else 0
            opened.writestr(part, "the first one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            opened.writestr("good.txt", "the second one")
    assert {member.filename: why for member, why in list_members(archive, LIMITS)} == reasons
    with local_copy(member_path(archive, "good.txt"), LIMITS) as copy:
        assert copy.read_text() == "the first one"
        assert tmp_path not in copy.parents
    assert read_names(tmp_path) == ["note.txt", "good.txt"]


def read_names(*paths: Path) -> list[str]:
    return [file.name for file in find_files(paths) if not file.skipped]


def test_sources_of_a_sphinx_site_are_left_out(tmp_path: Path) -> None:
    for name in ("site/gate.html", "site/searchindex.js", "site/_sources/gate.rst.txt", "own/_sources/note.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("The gate is shut.")
    assert read_names(tmp_path) == ["note.txt", "gate.html"]
    (skipped,) = [file for file in find_files([tmp_path]) if file.name == "_sources"]
    assert "the sources of the web pages beside it" in skipped.skipped
    # They are read if they are named directly.
    assert read_names(tmp_path / "site/_sources") == ["gate.rst.txt"]
    assert sorted(read_names(tmp_path, tmp_path / "site/_sources")) == ["gate.html", "gate.rst.txt", "note.txt"]


def patch(archive: Path, at: int, new: bytes) -> None:
    """Write ``new`` into the directory of ``archive``, so many bytes behind where its first entry begins."""
    raw = bytearray(archive.read_bytes())
    start = raw.find(b"PK\x01\x02") + at
    raw[start : start + len(new)] = new
    archive.write_bytes(raw)


def test_encrypted_members_are_skipped_and_bombs_refused(tmp_path: Path) -> None:
    locked, bomb, many = (tmp_path / f"{name}.zip" for name in ("locked", "bomb", "many"))
    locked.write_bytes(zipped({"a.txt": b"secret", "b.txt": b"open"}))
    patch(locked, 8, b"\x01")
    (_, first), (_, second) = list_members(locked, LIMITS)
    assert "encrypted" in first
    assert second == ""
    bomb.write_bytes(zipped({"zeros.txt": b"\x00" * 100_000_000}))
    many.write_bytes(zipped({f"{number}.txt": b"x" for number in range(20)}))
    with pytest.raises(UnreadableFile, match="zip bomb"):
        list_members(bomb, LIMITS)
    with pytest.raises(UnreadableFile, match="20 files, more than the 10 allowed"):
        list_members(many, IngestionLimits(archive_files=10))
    too_large = local_copy(member_path(bomb, "zeros.txt"), IngestionLimits(file_bytes=50))
    with pytest.raises(UnreadableFile, match="unpacks to more than the 50 bytes"), too_large:
        pass


def test_archive_member_with_wrong_size_or_damage_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "lies.zip"
    archive.write_bytes(zipped({"a.txt": b"some words " * 1_000}))
    patch(archive, 24, (100).to_bytes(4, "little"))
    there, absent = member_path(archive, "a.txt"), member_path(archive, "b.txt")
    with pytest.raises(UnreadableFile, match="cannot be unpacked"):
        hash_content(there)
    assert holds(there)
    assert not holds(absent)
    assert not holds(member_path(tmp_path / "none.zip", "a.txt"))
    with pytest.raises(UnreadableFile, match="no longer contains it"):
        hash_content(absent)


def test_only_the_folders_of_killed_processes_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", WAITING], env=environment, stdout=subprocess.PIPE, text=True)
    with process, scratch_folder() as used:
        left = Path(process.stdout.readline().strip())
        for folder in (left, used):
            os.utime(folder, (0, 0))
        remove_abandoned_folders()
        assert left.exists()
        process.kill()
        process.wait()
        remove_abandoned_folders()
        assert (left.exists(), used.exists()) == (False, True)
    assert list(tmp_path.iterdir()) == []
