"""Files that cannot be a dictionary, as the manager meets them: one clear text with the line, and nothing comes in."""

import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from contracts.errors import InvalidInput
from golden_retriever.cli.app import app
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_dictionary

HEAD = b"term,extended_name,aliases,description\n"
GOOD = HEAD + b"OK,All Right,,\n"
STORED = {"'; DROP TABLE jargon_senses; --": "%_[a-z]+(.*)\\1", "שלום": "مرحبا", "^$": "a{2,"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


def terms_there() -> dict[str, str]:
    with open_dictionary(load_settings()) as store:
        assert [batch.action for batch in store.batches() if batch.action != "add"] == []
        return {sense.term: sense.extended_name for sense in store.senses()}


def assert_refused(path: Path) -> str:
    CliRunner().invoke(app, ["jargon", "add", "KEPT", "Kept Sense"])
    for extra in ([], ["--preview"]):
        result = CliRunner().invoke(app, ["jargon", "import", str(path), *extra])
        assert isinstance(result.exception, InvalidInput), (result.output, result.exception)
        assert terms_there() == {"KEPT": "Kept Sense"}
    return str(result.exception)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"term,aliases\nA,b\n", "terms.csv, line 1: the column 'extended_name' is missing."),
        (GOOD + b"A,Alpha,," + b"x" * 1_000_000 + b"\n", "terms.csv, line 3: The description has 1000000 characters;"),
    ],
    ids=["column", "length"],
)
def test_a_wrong_line_is_named_and_nothing_comes_in(folder: Path, content: bytes, words: str) -> None:
    (folder / "terms.csv").write_bytes(content)
    assert words in assert_refused(folder / "terms.csv")


def test_two_gigabytes_are_refused_unread(folder: Path) -> None:
    with (folder / "terms.csv").open("wb") as file:
        file.write(GOOD)
        file.truncate(2_000_000_000)
    assert assert_refused(folder / "terms.csv") == "terms.csv has 2000.0 MB; 20 MB are allowed. Split it."


def test_a_zip_bomb_is_refused_packed(folder: Path) -> None:
    piece = b"0" * 10_000_000
    with (
        zipfile.ZipFile(folder / "terms.xlsx", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w") as sheet,
    ):
        for _ in range(21):
            sheet.write(piece)
    assert assert_refused(folder / "terms.xlsx").startswith("terms.xlsx unpacks to 210 MB; 200 MB are allowed")


def test_what_other_programs_would_run_is_a_term_like_any_other(folder: Path) -> None:
    rows = "".join(f'"{term}","{name}"\n' for term, name in STORED.items())
    (folder / "terms.csv").write_text(f"term,extended_name\n{rows}", encoding="utf-8")
    assert CliRunner().invoke(app, ["jargon", "import", "terms.csv"]).exit_code == 0
    for term, name in STORED.items():
        result = CliRunner().invoke(app, ["jargon", "lookup", "--", term])
        assert f"{term} = {name}" in result.output
    with open_dictionary(load_settings()) as store:
        assert {sense.term: sense.extended_name for sense in store.senses()} == STORED
