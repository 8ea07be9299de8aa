"""Conversations in SQL, on SQLite and PostgreSQL: whose they are, what of them is seen, what stays when they go.

At the end, what a follow-up question is read with: the turns of its conversation that its asker may read.
"""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import Engine, text

from agent.chatbot import Chatbot
from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.question import Asker
from contracts.records import Conversation
from database.connection import open_database
from database.transactions import writing
from library.records.chatbot_conversations import SqlConversations
from library.records.conversations import ConversationStore
from library.records.feedback import FeedbackStore
from library.records.retention import withdraw_answers
from library.records.turns import TurnStore, title_of
from library.store import LibraryStore
from tests.agent.scripted import Script
from tests.library.records.samples import ADA, BOB, BOTH, EVERYONE, NOON, answer_of, citation_of, turn_of
from tests.library.samples import Put

EVERY = None
TABLES = ("conversations", "turns", "turn_documents", "feedback", "reviews")


@pytest.fixture
async def memory(engine: Engine) -> AsyncIterator[SqlConversations]:
    """Open the conversations that a chatbot reads and writes."""
    opened = SqlConversations(engine, wait_s=60)
    yield opened
    await opened.close()


def rows_of(engine: Engine) -> dict[str, int]:
    with engine.connect() as connection:
        return {name: connection.execute(text(f"SELECT count(*) FROM {name}")).scalar_one() for name in TABLES}


def test_stored_turn_is_returned_unchanged(put: Put, conversations: ConversationStore, turns: TurnStore) -> None:
    document = put("pumps", "The level is 1.5 V.")
    answer = answer_of(citations=(citation_of(document.id),))
    given = turn_of("a", answer=answer)
    assert turns.add([given]) == 1
    assert turns.add([given]) == 0, "a turn written again after a broken connection is stored once"
    (turn,) = conversations.turns(ADA.account, "one", EVERY)
    assert turn.answer == answer
    assert (turn.seconds, turn.asked_at) == (1.5, NOON)
    assert (turn.who, turn.channel, turn.engine, turn.withheld) == ("Ada", "chat", "balanced", "")
    assert [(each.id, each.there) for each in turn.documents] == [(document.id, True)]
    assert turn.feedback is None
    assert turn.review.version == 0


def test_conversations_are_paged_in_order_of_last_turn(conversations: ConversationStore, turns: TurnStore) -> None:
    turns.add([turn_of(f"t{at}", conversation_id=f"c{at}", minutes=at) for at in range(5)])
    turns.add([turn_of("late", conversation_id="c0", minutes=10), turn_of("early", conversation_id="c4", minutes=-9)])
    listed = conversations.page(ADA.account)
    assert [each.id for each in listed] == ["c0", "c4", "c3", "c2", "c1"]
    assert (listed[0].questions, listed[0].version, listed[1].changed_at) == (2, 2, NOON + timedelta(minutes=4))
    paged: list[Conversation] = []
    after = None
    while page := conversations.page(ADA.account, after=after, limit=2):
        paged += page
        after = (page[-1].changed_at, page[-1].id)
    assert tuple(paged) == listed
    assert [each.id for each in conversations.turns(ADA.account, "c4", EVERY)] == ["early", "t4"]
    first = conversations.turns(ADA.account, "c4", EVERY, limit=1)[0]
    (second,) = conversations.turns(ADA.account, "c4", EVERY, after=(first.asked_at, first.id))
    assert second.id == "t4"


def test_search_covers_titles_questions_and_answers(
    conversations: ConversationStore, turns: TurnStore, subtests: pytest.Subtests
) -> None:
    answer = answer_of("Where is the Straße at 100% _x?", text="1.5 volts are there.")
    turns.add([turn_of("a", conversation_id="hit", answer=answer), turn_of("b", conversation_id="miss")])
    conversations.rename(ADA.account, "hit", "Named by Ada")
    for searched in ("STRASSE", "straße", "100%", "_x", "VOLTS  are", "named"):
        with subtests.test(searched=searched):
            assert [each.id for each in conversations.page(ADA.account, text=searched)] == ["hit"]
            assert conversations.page(BOB.account, text=searched) == ()


def test_conversations_of_other_accounts_are_not_accessible(conversations: ConversationStore, turns: TurnStore) -> None:
    turns.add([turn_of("a"), turn_of("b", asker=BOB, answer=answer_of("Bob's own?"))])
    assert [each.title for each in conversations.page(BOB.account)] == ["Bob's own?"]
    assert [each.id for each in conversations.turns(BOB.account, "one", EVERY)] == ["b"]
    conversations.rename(BOB.account, "one", "Mine")
    conversations.delete(BOB.account, "one")
    assert [each.title for each in conversations.page(ADA.account)] == ["What is the level?"]
    for call in (conversations.find, conversations.delete, partial(conversations.rename, title="Mine")):
        with pytest.raises(NotFound, match="'one'"):
            call(BOB.account, "one")
    assert conversations.turns(BOB.account, "one", EVERY) == ()


def test_title_change_requires_the_current_version(conversations: ConversationStore, turns: TurnStore) -> None:
    turns.add([turn_of("a")])
    renamed = conversations.rename(ADA.account, "one", "  Levels   of\tVCC ", version=1)
    assert (renamed.title, renamed.version) == ("Levels of VCC", 2)
    with pytest.raises(Conflict, match="version 2"):
        conversations.rename(ADA.account, "one", "Other", version=1)
    for title in ("", " ", "x" * 201, "a\x07b"):
        with pytest.raises(InvalidInput) as caught:
            conversations.rename(ADA.account, "one", title)
        assert caught.value.field == "title"
    turns.add([turn_of("b", minutes=1)])
    assert conversations.find(ADA.account, "one").title == "Levels of VCC"


def test_a_long_question_makes_a_short_title() -> None:
    assert title_of("What \n is  it?") == "What is it?"
    title = title_of("level " * 50)
    assert len(title) <= 80
    assert title.endswith("level…")


def test_deleting_a_conversation_deletes_everything_in_it(
    engine: Engine, put: Put, conversations: ConversationStore, turns: TurnStore, feedback: FeedbackStore
) -> None:
    document = put("pumps", "The level is 1.5 V.")
    turns.add([turn_of("a", answer=answer_of(citations=(citation_of(document.id),))), turn_of("b", asker=BOB)])
    feedback.give(ADA.account, "a", "down", text="no")
    conversations.delete(ADA.account, "one")
    assert rows_of(engine) == {"conversations": 1, "turns": 1, "turn_documents": 0, "feedback": 0, "reviews": 0}
    turns.add([turn_of("c")])
    assert conversations.delete_all(ADA.account) == 1
    assert (conversations.page(ADA.account), len(conversations.page(BOB.account))) == ((), 1)


def test_sentences_of_a_deleted_document_are_hidden_and_then_removed(
    engine: Engine, put: Put, store: LibraryStore, conversations: ConversationStore, turns: TurnStore
) -> None:
    document = put("pumps", "The level is 1.5 V.")
    kept = put("valves", "The valve is open.")
    quoting = answer_of(citations=(citation_of(document.id),))
    near = answer_of("Why?", outcome="closest_passages", closest=(citation_of(document.id),))
    turns.add([
        turn_of("a", answer=quoting),
        turn_of("b", minutes=1, answer=near),
        turn_of("c", minutes=2, answer=answer_of(citations=(citation_of(kept.id),))),
        turn_of("d", minutes=3, answer=answer_of(citations=(citation_of("dictionary", page=0),))),
    ])  # fmt: skip
    assert [each.withheld for each in conversations.turns(ADA.account, "one", EVERY)] == [""] * 4
    store.delete_document(document.id)
    gone, closest, cited, defined = conversations.turns(ADA.account, "one", EVERY)
    assert (gone.withheld, gone.answer.text, gone.answer.citations, gone.answer.sentences) == ("gone", "", (), ())
    assert gone.answer.question == "What is the level?"
    assert [each.name for each in gone.documents] == [f"{document.id}.pdf"]
    assert (closest.withheld, closest.answer.text, closest.answer.closest) == ("gone", "", ())
    assert (cited.withheld, defined.withheld) == ("", "")
    assert withdraw_answers(engine) == ((ADA.account, "one"),)
    assert withdraw_answers(engine) == ()
    with engine.connect() as connection:
        stored = str(connection.execute(text("SELECT * FROM turns WHERE id = 'a'")).one())
    assert "1.5 V" not in stored
    assert [each.withheld for each in conversations.turns(ADA.account, "one", EVERY)] == ["gone", "gone", "", ""]
    # Other sources still contain the sentence.
    assert [each.id for each in conversations.page(ADA.account, text="1.5 V")] == ["one"]


def test_owner_with_fewer_groups_sees_only_their_questions(
    put: Put, conversations: ConversationStore, turns: TurnStore
) -> None:
    secret = put("secret", "The level is 1.5 V.", group="lab")
    turns.add([
        turn_of("a", answer=answer_of(citations=(citation_of(secret.id),))),
        turn_of("b", minutes=1),
        turn_of("c", minutes=2, asker=ADA.model_copy(update={"groups": EVERYONE})),
    ])  # fmt: skip
    assert [each.withheld for each in conversations.turns(ADA.account, "one", BOTH)] == ["", "", ""]
    first, second, third = conversations.turns(ADA.account, "one", EVERYONE)
    assert [each.withheld for each in (first, second, third)] == ["forbidden", "forbidden", ""]
    assert (first.documents, first.answer.citations, first.answer.readings) == ((), (), ())
    assert second.answer.question == "What is the level?"


def test_concurrent_writers_lose_no_turns(engine: Engine, conversations: ConversationStore, turns: TurnStore) -> None:
    def write(part: int) -> None:
        for at in range(8):
            turns.add([turn_of(f"{part}-{at}", minutes=at)])

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(write, range(4))) == [None] * 4
    (listed,) = conversations.page(ADA.account)
    assert (listed.questions, listed.version) == (32, 32)


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


async def test_last_turns_are_oldest_first_and_visible_to_their_account_only(
    memory: SqlConversations, conversations: ConversationStore
) -> None:
    now = datetime.now(UTC)
    for number in range(5):
        turn = turn_of(str(number), answer=answer_of(f"Question {number}?"))
        assert await memory.record(turn.model_copy(update={"asked_at": now + timedelta(seconds=number)}))
    found = await memory.turns(ADA, "one", 4)
    assert [turn.text for turn in found if turn.role == "user"] == ["Question 3?", "Question 4?"]
    assert [turn.role for turn in found] == ["user", "assistant"] * 2
    assert await memory.turns(BOB, "one", 4) == ()
    assert await memory.turns(Asker(), "one", 4) == ()
    # Turns without an account are not stored.
    assert not await memory.record(turn_of("nobody", asker=Asker()))
    assert conversations.page("") == ()


async def test_answer_from_a_deleted_document_is_not_part_of_the_history(memory: SqlConversations) -> None:
    await memory.record(turn_of("1", answer=answer_of("Why?", citations=(citation_of("gone"),))))
    assert [(turn.role, turn.text) for turn in await memory.turns(ADA, "one", 4)] == [("user", "Why?")]


async def test_answer_is_given_if_its_turn_cannot_be_stored(
    memory: SqlConversations, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    with writing(engine) as connection:
        connection.exec_driver_sql("DROP TABLE turn_documents")
    answer = answer_of("A person's words?", citations=(citation_of("gone"),))
    assert not await memory.record(turn_of("1", answer=answer))
    assert "A person's words" not in caplog.text
    assert await memory.turns(ADA, "one", 4) == ()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_locked_database_does_not_delay_answers(engine: Engine, database_url: str) -> None:
    conversations = SqlConversations(engine, wait_s=0.05)
    with writing(open_database(database_url)):
        assert await conversations.record(turn_of("a", answer=answer_of("Why?")))
        assert (await conversations.turns(ADA, "one", 4))[0].text == "Why?"
        assert ConversationStore(engine).page(ADA.account) == ()
    await conversations.close(timeout_s=60)
    assert [each.id for each in ConversationStore(engine).page(ADA.account)] == ["one"]
