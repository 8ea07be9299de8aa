"""``golden jargon``: what the dictionary's manager does, from the command line."""

import shlex
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.jargon import Context
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_dictionary
from jargon_db.store import JargonStore
from tests.golden_retriever.commands import Commands
from tests.models import mined

pytestmark = pytest.mark.usefixtures("folder")

JARGON = Commands("jargon")
invoke, succeeds, fails = JARGON.invoke, JARGON.output, JARGON.fails


@pytest.fixture
def store(folder: Path) -> Iterator[JargonStore]:
    with open_dictionary(load_settings()) as opened:
        yield opened


def test_history_says_who_changed_what() -> None:
    succeeds("add", "PLR", "Physical Layer Retransmission", "--alias", "retry")
    succeeds("add", "PLR", "Physical Layer Retransmission", "--description", "Repeats frames.")
    lines = succeeds("history", "plr").splitlines()
    assert "Ada  edit  PLR  (sense 1, version 2)" in lines[0]
    assert lines[1:3] == ['         description: "" -> "Repeats frames."', '         aliases: ["retry"] -> []']
    assert "Ada  add  PLR" in lines[3]
    assert succeeds("delete", "1").startswith("deleted 1  PLR = Physical Layer Retransmission")
    assert fails(NotFound, "delete", "1") == "There is no sense 1 in the dictionary."


def test_lookup_finds_terms_and_aliases_and_names_the_unknown() -> None:
    succeeds("add", "PLR", "Physical Layer Retransmission", "--alias", "retry")
    found = invoke("lookup", "Retry", "XYZ")
    assert (found.exit_code, found.stdout.count("PLR = Physical Layer Retransmission")) == (0, 1)
    assert found.stderr == "XYZ: not in the dictionary\n"
    assert invoke("lookup", "XYZ").exit_code == 1


def test_export_can_be_imported_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    succeeds("add", "PLR", "Physical Layer Retransmission", "--context", "Protocols", "--alias", "=a;b")
    succeeds("add", "PLR", "Parts Lost Ratio")
    succeeds("reject", "2")
    assert "terms: 2 written" in succeeds("export", folder / "terms.csv", "--contexts", folder / "contexts.csv")
    kept = [succeeds("list", "--state", state) for state in ("published", "rejected")]
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(folder / "other"))
    assert "2 added" in succeeds("import", folder / "terms.csv", "--contexts", folder / "contexts.csv")
    again = [succeeds("list", "--state", state) for state in ("published", "rejected")]
    assert [line[5:] for line in again] == [line[5:] for line in kept]


def test_drafts_are_published_by_score_except_contradictory_ones(store: JargonStore) -> None:
    store.add_sense("PLR", "Parts Lost Ratio", context="Test")
    store.add_candidates([mined("PLR", "Physical Layer Retransmission"), mined("ECC", "Error-Correcting Code")])
    assert succeeds("publish", "--min-score", 0.8).splitlines() == [
        "published 3  ECC = Error-Correcting Code",
        "stays a draft: 2  PLR = Physical Layer Retransmission",
        "         beside 1  PLR = Parts Lost Ratio [Test]",
    ]
    assert [each.sense.term for each in store.candidates()] == ["PLR"]
    fails(NotFound, "reject", 2, 99)
    assert [line.split()[1] for line in succeeds("reject", 2).splitlines()] == ["2"]
    assert store.candidates() == ()
    for wrong in (["publish"], ["publish", 1, "--min-score", 0.5], ["reject"]):
        fails(InvalidInput, *wrong)


def test_queue_output_shows_the_command_that_empties_it(store: JargonStore) -> None:
    store.put_context(Context(name="Memory"))
    for _ in range(2):
        store.record_unknown("tRCC", "What is tRCC?", "Memory")
    store.record_unknown("a'b", "And a'b?", "Nowhere")
    assert succeeds("queue", "--limit", 1).splitlines()[-1] == "and 1 more: golden jargon queue --limit 2"
    lines = succeeds("queue").splitlines()
    assert lines[0].startswith("    2  tRCC [Memory]  last asked 20")
    assert lines[0].endswith("UTC: What is tRCC?")
    assert lines[1] == "         add it: golden jargon add tRCC '...' --context Memory"
    assert lines[3] == """         add it: golden jargon add 'a'"'"'b' '...'"""
    command = shlex.split(lines[1].removeprefix("         add it: golden jargon ").replace("...", "Row Cycle Count"))
    succeeds(*command)
    assert [sense.context for sense in store.senses(term="tRCC")] == ["Memory"]
    succeeds("queue", "--dismiss", "a'b")
    assert succeeds("queue") == ""
    fails(NotFound, "queue", "--dismiss", "a'b")


def test_import_is_one_history_line_and_can_be_undone_by_number(folder: Path, store: JargonStore) -> None:
    path = folder / "terms.csv"
    path.write_text("term,extended_name,context\nT7,Name 7,New\nT8,Name 8,New\n", encoding="utf-8")
    (folder / "contexts.csv").write_text("name,description\nOther,More.\n", encoding="utf-8")
    assert succeeds("import", path, "--contexts", folder / "contexts.csv").splitlines() == [
        "contexts: 1 added, 0 changed, 0 unchanged",
        "terms: 2 added, 0 changed, 0 unchanged",
        "undo it with: golden jargon undo 1",
    ]
    succeeds("add", "OWN", "My own")
    lines = succeeds("history").splitlines()
    assert lines[-1].startswith("    1  ")
    assert lines[-1].endswith("Ada  import from terms.csv and contexts.csv  Other and 3 more")
    succeeds("add", "T7", "Name 7", "--context", "New", "--notes", "By hand.")
    assert "'T7' has changed since" in fails(Conflict, "undo", 1)
    succeeds("undo", store.history()[0].number)
    printed = succeeds("undo", 1)
    assert ([sense.term for sense in store.senses()], store.contexts()) == (["OWN"], ())
    succeeds(*shlex.split(printed.removeprefix("restore it with: golden jargon ")))
    assert (len(store.senses()), len(store.contexts())) == (3, 2)


def test_huge_file_and_zip_bomb_are_refused_without_reading_them(folder: Path, store: JargonStore) -> None:
    with (folder / "terms.csv").open("wb") as file:
        file.write(b"term,extended_name\nOK,All Right\n")
        file.truncate(2_000_000_000)
    assert "terms.csv has 2000.0 MB; the limit is 20 MB" in fails(InvalidInput, "import", folder / "terms.csv")
    piece = b"0" * 10_000_000
    with (
        zipfile.ZipFile(folder / "terms.xlsx", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w") as sheet,
    ):
        for _ in range(21):
            sheet.write(piece)
    message = fails(InvalidInput, "import", folder / "terms.xlsx")
    assert "terms.xlsx unpacks to 210 MB; the limit is 200 MB" in message
    assert store.history() == ()
