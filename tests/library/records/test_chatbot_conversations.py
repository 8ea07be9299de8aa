"""What a follow-up question is read with: the turns of its conversation that its asker may read."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine

from agent.chatbot import Chatbot
from contracts.question import Asker
from database.connection import open_database
from database.transactions import writing
from library.records.chatbot_conversations import SqlConversations
from library.records.conversations import ConversationStore
from tests.agent.scripted import Script
from tests.library.records.samples import ADA, BOB, answer_of, citation_of, turn_of


async def test_a_conversation_outlives_the_process(engine: Engine) -> None:
    before = SqlConversations(engine)
    chatbot = Chatbot(Script().services(), conversations=before)
    asked = await chatbot.ask("How many cycles does the DLL need?", conversation_id="one", asker=ADA)
    assert asked.outcome == "clarify"
    await before.close()
    after = SqlConversations(engine)
    chatbot = Chatbot(Script().services(), conversations=after)
    answer = await chatbot.ask("the one in memory", conversation_id="one", asker=ADA)
    assert answer.standalone_question == "How many cycles does the DLL need?"
    assert answer.context == "Memory"
    assert len(ConversationStore(engine).turns(ADA.account, "one", None)) == 2
    await after.close()


async def test_last_turns_are_oldest_first_and_visible_to_their_account_only(engine: Engine) -> None:
    conversations = SqlConversations(engine)
    now = datetime.now(UTC)
    for number in range(5):
        turn = turn_of(str(number), answer=answer_of(f"Question {number}?"))
        assert await conversations.record(turn.model_copy(update={"asked_at": now + timedelta(seconds=number)}))
    found = await conversations.turns(ADA, "one", 4)
    assert [turn.text for turn in found if turn.role == "user"] == ["Question 3?", "Question 4?"]
    assert [turn.role for turn in found] == ["user", "assistant"] * 2
    assert await conversations.turns(BOB, "one", 4) == ()
    assert await conversations.turns(Asker(), "one", 4) == ()
    await conversations.close()


async def test_turns_without_an_account_are_not_stored(engine: Engine) -> None:
    conversations = SqlConversations(engine)
    assert not await conversations.record(turn_of("1", asker=Asker()))
    assert ConversationStore(engine).page("") == ()
    await conversations.close()


async def test_answer_from_a_deleted_document_is_not_part_of_the_history(engine: Engine) -> None:
    conversations = SqlConversations(engine, wait_s=60)
    await conversations.record(turn_of("1", answer=answer_of("Why?", citations=(citation_of("gone"),))))
    assert [(turn.role, turn.text) for turn in await conversations.turns(ADA, "one", 4)] == [("user", "Why?")]
    await conversations.close()


async def test_answer_is_given_if_its_turn_cannot_be_stored(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    conversations = SqlConversations(engine, wait_s=60)
    with writing(engine) as connection:
        connection.exec_driver_sql("DROP TABLE turn_documents")
    answer = answer_of("A person's words?", citations=(citation_of("gone"),))
    assert not await conversations.record(turn_of("1", answer=answer))
    assert "A person's words" not in caplog.text
    assert await conversations.turns(ADA, "one", 4) == ()
    await conversations.close()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_locked_database_does_not_delay_answers(engine: Engine, database_url: str) -> None:
    conversations = SqlConversations(engine, wait_s=0.05)
    with writing(open_database(database_url)):
        assert await conversations.record(turn_of("a", answer=answer_of("Why?")))
        assert (await conversations.turns(ADA, "one", 4))[0].text == "Why?"
        assert ConversationStore(engine).page(ADA.account) == ()
    await conversations.close(timeout_s=60)
    assert [each.id for each in ConversationStore(engine).page(ADA.account)] == ["one"]
