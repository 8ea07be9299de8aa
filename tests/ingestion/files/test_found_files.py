"""Which files of a folder are read, and why the others are not."""

from pathlib import Path

from ingestion.files.found_files import find_files


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("The gate is shut.", encoding="utf-8")


def read_names(*paths: Path) -> list[str]:
    return [file.name for file in find_files(paths) if not file.skipped]


def test_sources_of_a_sphinx_site_are_left_out(tmp_path: Path) -> None:
    put(tmp_path, "site/gate.html", "site/searchindex.js", "site/_sources/gate.rst.txt", "own/_sources/note.txt")
    assert read_names(tmp_path) == ["note.txt", "gate.html"]
    (skipped,) = [file for file in find_files([tmp_path]) if file.name == "_sources"]
    assert "the sources of the web pages beside it" in skipped.skipped
    # They are read if they are named directly.
    assert read_names(tmp_path / "site/_sources") == ["gate.rst.txt"]
    assert sorted(read_names(tmp_path, tmp_path / "site/_sources")) == ["gate.html", "gate.rst.txt", "note.txt"]
