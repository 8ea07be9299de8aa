"""What waits for the dictionary's manager, and taking imports back, from the command line."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.jargon import Correction, MinedTerm
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_dictionary
from jargon_db.store import JargonStore
from tests.golden_retriever.commands import Commands

JARGON = Commands("jargon")
succeeds, fails = JARGON.output, JARGON.fails


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDEN_USER", "Ada")
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[JargonStore]:
    with open_dictionary(load_settings()) as opened:
        yield opened


def mined(term: str, name: str, score: float = 0.9, page: int = 1) -> MinedTerm:
    return MinedTerm(
        term=term, extended_name=name, evidence=f"The {name}\n({term}).", page=page, score=score, document="guide.pdf"
    )


def test_drafts_show_what_speaks_for_and_against_them(store: JargonStore) -> None:
    store.add_sense("PLR", "Parts Lost Ratio", context="Test")
    retry = "Physical Layer Retransmission"
    store.add_candidates([mined("ECC", "Error-Correcting Code", 0.5)])
    store.add_candidates([mined("PLR", retry, 0.9 - page / 100, page) for page in range(1, 6)])
    assert succeeds("list", "--state", "draft").splitlines() == [
        f"    3  PLR = {retry}  (score 0.89, version 1)",
        f"         guide.pdf, page 1 (0.89): The {retry} (PLR).",
        f"         guide.pdf, page 2 (0.88): The {retry} (PLR).",
        f"         guide.pdf, page 3 (0.87): The {retry} (PLR).",
        "         and 2 more places",
        "         beside 1  PLR = Parts Lost Ratio [Test]",
        "    2  ECC = Error-Correcting Code  (score 0.50, version 1)",
        "         guide.pdf, page 1 (0.50): The Error-Correcting Code (ECC).",
    ]
    first, second = json.loads(succeeds("list", "--state", "draft", "--json"))
    assert (first["term"], first["score"], first["version"], len(first["evidence"])) == ("PLR", 0.89, 1, 5)
    assert [each["extended_name"] for each in first["conflicts"]] == ["Parts Lost Ratio"]
    assert (second["conflicts"], second["evidence"][0]["page"]) == ([], 1)
    assert succeeds("list", "--state", "draft", "--context", "Test") == ""


def test_several_are_published_or_rejected_at_once_or_none(store: JargonStore) -> None:
    store.add_candidates([mined("PLR", "Physical Layer Retransmission"), mined("ECC", "Error-Correcting Code")])
    store.add_candidates([mined("NAK", "Not Acknowledged"), mined("XIP", "Execute In Place")])
    fails(NotFound, "publish", 1, 99)
    fails(NotFound, "reject", 1, 99)
    assert len(store.candidates()) == 4
    assert "would publish 1  PLR" in succeeds("publish", 1, "--preview")
    assert len(store.candidates()) == 4
    lines = succeeds("publish", 1, 2).splitlines()
    assert lines[0] == "published 1  PLR = Physical Layer Retransmission"
    assert [line.split()[1] for line in succeeds("reject", 3, 4).splitlines()] == ["3", "4"]
    assert store.candidates() == ()
    number = store.batches()[1].number
    assert f"{number}  " in succeeds("history").splitlines()[1]
    assert "took back 2 changes (2 changed)" in succeeds("undo", "--import", number)
    assert {each.sense.term for each in store.candidates()} == {"PLR", "ECC"}


def test_drafts_are_published_by_score_but_for_those_that_contradict(store: JargonStore) -> None:
    store.add_sense("PLR", "Parts Lost Ratio", context="Test")
    store.add_candidates(
        [
            mined("PLR", "Physical Layer Retransmission"),
            mined("ECC", "Error-Correcting Code"),
            mined("NAK", "Not Acknowledged", 0.3),
        ]
    )
    lines = succeeds("publish", "--min-score", 0.8, "--preview").splitlines()
    assert lines == [
        "would publish 3  ECC = Error-Correcting Code",
        "stays a draft: 2  PLR = Physical Layer Retransmission",
        "         beside 1  PLR = Parts Lost Ratio [Test]",
        "1 would be published, 1 contradict others (--with-conflicts)",
    ]
    assert len(store.candidates()) == 3
    assert (
        succeeds("publish", "--min-score", 0.8).splitlines()[-1]
        == "1 published, 1 contradict others (--with-conflicts)"
    )
    assert {each.sense.term for each in store.candidates()} == {"PLR", "NAK"}
    succeeds("publish", "--min-score", 0.8, "--with-conflicts")
    assert {each.sense.term for each in store.candidates()} == {"NAK"}
    fails(InvalidInput, "publish")
    fails(InvalidInput, "publish", 1, "--min-score", 0.5)
    fails(InvalidInput, "reject")


def test_the_queue_is_emptied_by_the_command_that_it_shows(store: JargonStore) -> None:
    store.add_sense("tRCD", "Row to Column Delay", context="Memory")
    for _ in range(2):
        store.record_unknown("tRCC", "What is tRCC?", "Memory")
    store.record_unknown("a'b", "And a'b?", "Nowhere")
    assert succeeds("queue", "--limit", 1).splitlines()[-1] == "and 1 more: golden jargon queue --limit 2"
    lines = succeeds("queue").splitlines()
    assert lines[0].startswith("    2  tRCC [Memory]  last asked 20")
    assert lines[0].endswith("UTC: What is tRCC?")
    assert lines[1] == "         near: tRCD"
    assert lines[2] == "         add it: golden jargon add tRCC '...' --context Memory"
    assert lines[4] == """         add it: golden jargon add 'a'"'"'b' '...'"""
    command = shlex.split(lines[2].removeprefix("         add it: golden jargon ").replace("...", "Row Cycle Count"))
    succeeds(*command)
    assert [sense.context for sense in store.senses(term="tRCC")] == ["Memory"]
    succeeds("queue", "--dismiss", "a'b")
    assert succeeds("queue") == ""
    fails(NotFound, "queue", "--dismiss", "a'b")


def test_questions_are_kept_and_forgotten_as_the_setting_and_the_manager_say(
    store: JargonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_sense("PLR", "Parts Lost Ratio", context="Test")
    store.record_unknown("XQZ", "What is our secret XQZ?", "Test")
    store.record_correction(
        Correction(term="PLR", extended_name="Parts Lost Ratio", context="Test", question="Our secret PLR?")
    )
    assert "secret" in succeeds("queue")
    assert succeeds("queue", "--redact") == "forgot 2 questions; terms and counts stay\n"
    assert "secret" not in succeeds("queue")
    assert [each.question for each in store.corrections()] == [""]
    fails(InvalidInput, "queue", "--redact", "--dismiss", "XQZ")
    monkeypatch.setenv("GOLDEN_KEEP_QUESTIONS", "false")
    with open_dictionary(load_settings()) as silent:
        silent.record_unknown("XQZ", "What is our secret XQZ?", "Test")
    (unknown,) = store.unknown_terms()
    assert (unknown.count, unknown.last_question, unknown.context) == (2, "", "Test")


def test_an_import_is_one_line_and_is_taken_back_by_its_number(folder: Path, store: JargonStore) -> None:
    path = folder / "terms.csv"
    rows = "".join(f"T{number},Name {number},New\n" for number in range(60))
    path.write_text(f"term,extended_name,context\n{rows}", encoding="utf-8")
    (folder / "contexts.csv").write_text("name,description\nOther,More.\n", encoding="utf-8")
    printed = succeeds("import", path, "--contexts", folder / "contexts.csv").splitlines()
    assert printed == [
        "contexts: 1 added, 0 changed, 0 unchanged",
        "terms: 60 added, 0 changed, 0 unchanged",
        "take it back with: golden jargon undo --import 1",
    ]
    assert "take it back" not in succeeds("import", path)
    succeeds("add", "OWN", "My own")
    lines = succeeds("history").splitlines()
    assert "Ada  add  OWN" in lines[0]
    assert lines[-1].endswith("Ada  import  62 changes (62 added) from terms.csv and contexts.csv: Other and 61 more")
    assert succeeds("history", "--import", 7, "--limit", 100).count("Ada  import") == 62
    assert "Ada  import  Other  (context" in succeeds("history", "--import", 1, "--limit", 1)
    succeeds("edit", "T7", "--notes", "By hand.")
    assert "'T7' has changed since" in fails(Conflict, "undo", "--import", 1)
    assert len(store.senses()) == 61
    succeeds("undo", store.history()[0].number)
    printed = succeeds("undo", "--import", 1).splitlines()
    assert printed[0] == "took back 62 changes (62 deleted)"
    assert [sense.term for sense in store.senses()] == ["OWN"]
    succeeds(*shlex.split(printed[1].removeprefix("bring it back with: golden jargon ")))
    assert (len(store.senses()), len(store.contexts())) == (61, 2)
    fails(InvalidInput, "undo")
    fails(InvalidInput, "undo", 1, "--import", 1)
    fails(NotFound, "undo", "--import", 999)
    fails(InvalidInput, "history", "T7", "--import", 1)


def test_an_import_whose_second_file_is_wrong_imports_nothing(folder: Path, store: JargonStore) -> None:
    (folder / "terms.csv").write_text("term,extended_name\nECC,\n", encoding="utf-8")
    (folder / "contexts.csv").write_text("name,description\nOther,More.\n", encoding="utf-8")
    message = fails(InvalidInput, "import", folder / "terms.csv", "--contexts", folder / "contexts.csv")
    assert message == "terms.csv, line 2: The extended_name is empty. Nothing was imported."
    assert (store.contexts(), store.history()) == ((), ())
