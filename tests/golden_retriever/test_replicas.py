"""Several processes on one database: no question minds which of them answers it."""

from pathlib import Path

import pytest

from contracts.question import Asker
from golden_retriever.settings import Settings
from golden_retriever.wiring import Application, open_application

GUIDE = "# Guide\n\nThe retention of audit records is 400 days. An audit record names the actor.\n"


def settings_of(folder: Path, database_url: str) -> Settings:
    return Settings(data_dir=folder, database_url=database_url, workers=1, dense_index="exact")


ADA = Asker(account="key:ada")


async def outcome(application: Application, question: str, conversation: str = "") -> tuple[str, str]:
    answer = await application.chatbot.ask(question, conversation_id=conversation, asker=ADA)
    return answer.outcome, answer.standalone_question


@pytest.mark.postgres
async def test_replicas_with_folders_of_their_own_answer_alternately(tmp_path: Path, postgres_url: str) -> None:
    pytest.importorskip("psycopg", reason="needs the extra postgres")
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    first, second = (settings_of(tmp_path / name, postgres_url) for name in ("first", "second"))
    async with open_application(first) as one, open_application(second) as other:
        assert (await outcome(other, "How long are audit records kept?"))[0] != "answered"
        await one.pipeline.ingest([tmp_path / "guide.md"])
        # The other one has not been told of the document.
        assert (await outcome(other, "How long is the retention of audit records?", "talk"))[0] == "answered"
        turns = await one.chatbot.history("talk", account=ADA.account)
        assert [turn.role for turn in turns] == ["user", "assistant"]
        await outcome(one, "Who is named in an audit record?", "talk")
        assert len(await other.chatbot.history("talk", account=ADA.account)) == 4

        assert (await outcome(one, "What does QXT stand for?"))[0] == "unknown_term"
        other.jargon.add_sense("QXT", "Quick Exchange Table", description="Swaps rings.")
        assert (await outcome(one, "What does QXT stand for?"))[0] == "answered"

        (document,) = one.store.documents()
        await one.remover.remove(document.id)
        assert (await outcome(other, "How long are audit records kept?"))[0] == "declined"
    assert not any((tmp_path / name / "golden.db").exists() for name in ("first", "second"))
