"""``golden jargon``: what the dictionary's manager does, from the command line."""

import json
from pathlib import Path

import pytest

from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.jargon import Context
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_dictionary
from tests.golden_retriever.commands import Commands

JARGON = Commands("jargon")
invoke, succeeds, fails = JARGON.invoke, JARGON.output, JARGON.fails


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDEN_USER", "Ada")
    monkeypatch.setenv("GOLDEN_WORKERS", "1")
    return tmp_path


def test_history_says_who_changed_what_and_undo_takes_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    succeeds("add", "PLR", "Physical Layer Retransmission")
    monkeypatch.setenv("GOLDEN_USER", "Bob")
    succeeds("edit", "plr", "--description", "Repeats frames.", "--alias", "retry")
    lines = succeeds("history", "plr").splitlines()
    assert "Bob  edit  PLR  (sense 1, version 2)" in lines[0]
    assert lines[1:3] == ['         description: "" -> "Repeats frames."', '         aliases: [] -> ["retry"]']
    assert "Ada  add  PLR" in lines[3]
    assert "Bob  edit" in succeeds("history").splitlines()[0]
    newest, oldest = lines[0].split()[0], lines[3].split()[0]
    assert "has changed since" in fails(Conflict, "undo", oldest)
    assert f"Bob  undo {newest}  PLR" in succeeds("undo", newest)
    (sense,) = json.loads(succeeds("list", "--json"))
    assert (sense["description"], sense["aliases"], sense["version"]) == ("", [], 3)


def test_the_system_names_who_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOLDEN_USER")
    monkeypatch.setenv("LOGNAME", "carol")
    assert load_settings().effective_user == "carol"


def test_an_edit_of_an_old_version_is_refused() -> None:
    succeeds("add", "PLR", "Physical Layer Retransmission", "--context", "Protocols")
    assert "(version 2)" in succeeds("edit", "1", "--notes", "one", "--version", "1")
    message = fails(Conflict, "edit", "1", "--notes", "two", "--version", "1")
    assert "Ada made change" in message
    assert "notes '' -> 'one'" in message
    succeeds("context", "Protocols", "--description", "Links.")
    succeeds("context", "Protocols", "--example", "Who sends a NAK?")
    with open_dictionary(load_settings()) as store:
        described = Context(name="Protocols", description="Links.", examples=("Who sends a NAK?",))
        assert store.contexts() == (described,)


def test_edit_names_one_meaning() -> None:
    succeeds("add", "PLR", "Physical Layer Retransmission")
    succeeds("add", "PLR", "Parts Lost Ratio", "--context", "Test")
    message = fails(InvalidInput, "edit", "PLR", "--notes", "n")
    assert "1  PLR = Physical Layer Retransmission" in message
    assert "2  PLR = Parts Lost Ratio [Test]" in message
    fails(NotFound, "edit", "ABSENT", "--notes", "n")
    fails(NotFound, "edit", "99", "--notes", "n")
    assert "Nothing is named" in fails(InvalidInput, "edit", "1")
    assert "term is empty" in fails(InvalidInput, "edit", "1", "--term", " ")
    assert "already" in fails(
        Conflict, "edit", "2", "--extended-name", "physical layer retransmission", "--context", ""
    )
    succeeds("edit", "2", "--term", "PLRatio", "--alias", "ratio")
    assert "PLRatio = Parts Lost Ratio [Test]" in succeeds("edit", "plratio", "--alias", "")
    assert json.loads(succeeds("list", "--json"))[1]["aliases"] == []


def test_merge_and_delete() -> None:
    succeeds("add", "LUN", "Logical Unit Number", "--alias", "unit")
    succeeds("add", "LU", "Logical Unit", "--alias", "u")
    assert succeeds("merge", "LU", "LUN").count("LUN = ") == 2
    assert {tuple(each["aliases"]) for each in json.loads(succeeds("list", "--json"))} == {("unit", "LU"), ("u", "LU")}
    assert succeeds("delete", "2") == "deleted 2  LUN = Logical Unit\n"
    assert fails(NotFound, "delete", "2") == "There is no sense 2 in the dictionary."
    succeeds("undo", succeeds("history").split()[0])
    assert len(json.loads(succeeds("list", "--json"))) == 2


def test_an_export_comes_in_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    succeeds("add", "PLR", "Physical Layer Retransmission", "--context", "Protocols", "--alias", "=a;b")
    succeeds("add", "PLR", "Parts Lost Ratio")
    succeeds("reject", "2")
    assert "terms: 2 written" in succeeds("export", folder / "terms.xlsx", "--contexts", folder / "contexts.csv")
    kept = [succeeds("list", "--state", state) for state in ("published", "rejected")]
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(folder / "other"))
    assert "2 added" in succeeds("import", folder / "terms.xlsx", "--contexts", folder / "contexts.csv")
    again = [succeeds("list", "--state", state) for state in ("published", "rejected")]
    assert [line[5:] for line in again] == [line[5:] for line in kept]


def test_a_preview_shows_the_rows_and_changes_nothing(folder: Path) -> None:
    succeeds("add", "PLR", "Physical Layer Retransmission", "--notes", "old")
    (folder / "terms.csv").write_text(
        "term,extended_name,notes\n"
        "PLR,Physical Layer Retransmission,new\nPLR,Parts Lost Ratio,\nXIP,Execute In Place,\n",
        encoding="utf-8",
    )
    before = succeeds("history")
    assert succeeds("import", folder / "terms.csv", "--preview").splitlines() == [
        "line 2: changed: PLR = Physical Layer Retransmission",
        '         notes: "old" -> "new"',
        "line 3: conflicting: PLR = Parts Lost Ratio",
        "         beside 1  PLR = Physical Layer Retransmission",
        "line 4: added: XIP = Execute In Place",
        "terms: 1 added, 1 changed, 0 unchanged, 1 conflicting (preview; nothing was changed)",
    ]
    assert succeeds("history") == before


def test_check_names_what_deserves_a_look() -> None:
    succeeds("add", "PLR", "Physical Layer Retransmission")
    assert succeeds("check") == "nothing to look at\n"
    succeeds("add", "PLR", "Parts Lost")
    result = invoke("check")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "meanings-together: PLR means Parts Lost and Physical Layer Retransmission, both in every context. (2, 1)",
        "1 to look at",
    ]
