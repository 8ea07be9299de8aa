"""``golden conversations`` over a data folder in which people were answered."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contracts.question import LOCAL_ACCOUNT, Asker
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_library
from golden_retriever.wiring.conversations import apply_retention
from library.records.turns import TurnStore
from tests.golden_retriever.commands import Commands
from tests.library.records.samples import answer_of, citation_of, turn_of

LOCAL, BOB = Asker(account=LOCAL_ACCOUNT, name="Eve"), Asker(account="key:bob")
golden = Commands("conversations").output


@pytest.fixture(autouse=True)
def _turns(folder: Path) -> None:
    now = datetime.now(UTC)
    asked = [
        turn_of("a", asker=LOCAL, answer=answer_of("What is new?")).model_copy(update={"asked_at": now}),
        turn_of("b", asker=LOCAL, conversation_id="old").model_copy(update={"asked_at": now - timedelta(days=400)}),
        turn_of("c", asker=BOB, answer=answer_of(citations=(citation_of("gone"),))).model_copy(
            update={"asked_at": now}
        ),
    ]
    with open_library(load_settings()) as library:
        TurnStore(library.engine).add(asked)


def listed(*arguments: str) -> list[str]:
    return [line.split()[3] for line in golden("list", *arguments).splitlines()]


def test_conversations_are_listed_and_exported(tmp_path: Path) -> None:
    assert listed() == ["one", "old"]
    assert golden("list", "--text", "NEW").rstrip().endswith("What is new?")
    golden("export", tmp_path / "mine.md")
    assert "> What is new?" in (tmp_path / "mine.md").read_text(encoding="utf-8")
    golden("export", tmp_path / "bobs.json", "--account", "key:bob")
    exported = json.loads((tmp_path / "bobs.json").read_text(encoding="utf-8"))
    assert exported["conversations"][0]["turns"][0]["withheld"] == "gone"


def test_one_or_all_conversations_of_an_account_are_deleted() -> None:
    golden("delete", "one")
    assert "deleted 1 conversation of local" in golden("delete", "--all")
    assert listed() == []
    assert len(listed("--account", "key:bob")) == 1


def test_server_deletes_expired_turns_and_withdraws_answers_with_deleted_sources() -> None:
    settings = load_settings()
    with open_library(settings) as library:
        assert apply_retention(settings, library.engine) == (1, 1)
    assert listed() == ["one"]
