"""``golden conversations`` over a data folder in which people were answered."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from contracts.question import LOCAL_ACCOUNT, Asker
from evaluation.quiz import load_quiz
from golden_retriever.cli.app import app
from golden_retriever.settings import Settings, load_settings
from golden_retriever.wiring import open_library
from library.records.cases import CaseStore
from library.records.reviewing import ReviewStore
from library.records.turns import TurnStore
from tests.library.records.samples import answer_of, citation_of, turn_of

LOCAL, BOB = Asker(account=LOCAL_ACCOUNT, name="Eve"), Asker(account="key:bob")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path))
    settings = load_settings()
    now = datetime.now(UTC)
    asked = [
        turn_of("a", asker=LOCAL, answer=answer_of("What is new?")).model_copy(update={"asked_at": now}),
        turn_of("b", asker=LOCAL, conversation_id="old").model_copy(update={"asked_at": now - timedelta(days=400)}),
        turn_of("c", asker=BOB, answer=answer_of(citations=(citation_of("gone"),))).model_copy(
            update={"asked_at": now}
        ),
    ]
    with open_library(settings) as library:
        TurnStore(library.engine).add(asked)
        turn = ReviewStore(library.engine).find(None, "a")
        CaseStore(library.engine).make(turn, {"answer": "1.5 V"}, who="Eve")
    return settings


def golden(*arguments: str) -> Result:
    result = CliRunner().invoke(app, ["conversations", *arguments])
    assert result.exception is None or result.exit_code == 0, result.exception
    return result


def test_they_are_listed_and_exported(data: Settings, tmp_path: Path) -> None:
    assert golden("accounts").output.splitlines() == ["key:bob  1", "local  2"]
    assert [line.split()[3] for line in golden("list").output.splitlines()] == ["one", "old"]
    (found,) = json.loads(golden("list", "--text", "NEW", "--json").output)
    assert found["title"] == "What is new?"
    golden("export", str(tmp_path / "mine.md"))
    assert "> What is new?" in (tmp_path / "mine.md").read_text(encoding="utf-8")
    golden("export", str(tmp_path / "bobs.json"), "--account", "key:bob")
    exported = json.loads((tmp_path / "bobs.json").read_text(encoding="utf-8"))
    assert exported["conversations"][0]["turns"][0]["withheld"] == "gone"
    golden("cases", str(tmp_path / "cases.jsonl"))
    assert [each.question for each in load_quiz(tmp_path / "cases.jsonl")] == ["What is new?"]


def test_one_or_all_of_an_account_are_deleted(data: Settings) -> None:
    golden("delete", "one")
    assert "deleted 1 conversation of local" in golden("delete", "--all").output
    assert golden("accounts").output.splitlines() == ["key:bob  1"]


def test_what_is_past_its_time_or_cites_what_is_gone_is_tidied_up(data: Settings) -> None:
    said = golden("tidy").output
    assert "deleted 1 conversations" in said
    assert "took answers out of 1 conversations" in said
    assert golden("accounts").output.splitlines() == ["key:bob  1", "local  1"]
