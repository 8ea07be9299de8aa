"""A folder of hostile files, end to end: each ends in a clear line, and the good ones between them answer."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.golden_retriever.served import ServerProcess, environment_for, golden, serving
from tests.ingestion.hostile.files import HostileFile
from tests.ingestion.hostile.folders import make, unexpected_outcomes

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def chosen(folder: Path) -> tuple[HostileFile, ...]:
    return make(folder / "files")


@pytest.fixture(scope="module")
def events(folder: Path, chosen: tuple[HostileFile, ...]) -> list[dict[str, Any]]:
    """What ``golden ingest --json`` says of each file."""
    result = golden("ingest", "files", "--json", environment=environment_for(folder / "data"), folder=folder)
    assert result.returncode == 0, result.stderr
    return [event for event in map(json.loads, result.stdout.splitlines()) if event["event"] == "file"]


def test_every_file_ends_as_it_should(
    folder: Path, chosen: tuple[HostileFile, ...], events: list[dict[str, Any]]
) -> None:
    assert unexpected_outcomes(folder / "files", chosen, events) == []
    failed = [event for event in events if event["status"] in ("failed", "skipped")]
    assert all(event["reason"] and "\n" not in event["reason"] for event in failed), failed


def test_nothing_of_it_lies_outside(folder: Path, events: list[dict[str, Any]]) -> None:
    assert events
    assert not list(folder.rglob("*climbed*"))
    assert {each.name for each in folder.iterdir()} == {"files", "data"}


def test_odd_names_are_told_on_one_line_each(folder: Path, events: list[dict[str, Any]]) -> None:
    assert events
    again = golden("ingest", "files/odd", environment=environment_for(folder / "data"), folder=folder)
    assert again.returncode == 0, again.stderr
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", again.stdout + again.stderr)
    listed = golden("documents", "list", environment=environment_for(folder / "data"), folder=folder)
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", listed.stdout)
    assert not any(line.startswith("lines.txt") for line in (listed.stdout + again.stdout).splitlines())


@pytest.fixture(scope="module")
def served(folder: Path, events: list[dict[str, Any]]) -> Iterator[ServerProcess]:
    assert events
    with serving(folder, environment_for(folder / "data")) as server:
        yield server


def answer_to(question: str, served: ServerProcess) -> dict[str, Any]:
    reply = served.ask(question)
    assert reply.status_code == 200, reply.text
    return dict(reply.json()["choices"][0]["message"])


def test_the_good_files_answer(served: ServerProcess, subtests: pytest.Subtests) -> None:
    for question, words, file in (
        ("How often is the bilge alarm tested?", "every 5 days", "good-first.txt"),
        ("When does the mooring rope break?", "900 kN", "zz-good-last.md"),
        ("How many shackles does the anchor chain have?", "11 shackles", "active.html"),
        ("Where does the sunken chest lie?", "at the bottom", "bottom.txt"),
    ):
        with subtests.test(question=question):
            message = answer_to(question, served)
            assert words in message["content"]
            assert message["golden"]["citations"][0]["document"] == file


def test_orders_in_a_document_are_not_followed(served: ServerProcess) -> None:
    message = answer_to("How many persons does the lifeboat hold?", served)
    assert message["content"].startswith("The lifeboat holds 36 persons [1].")
    assert message["golden"]["citations"][0]["document"] == "injected.html"
    other = answer_to("When does the mooring rope break?", served)
    assert "900 kN" in other["content"]
    for each in (message, other):
        assert "pirate" not in each["content"]
        assert "0000" not in each["content"]
