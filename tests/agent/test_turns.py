"""Which turns are kept, under which ids, and whose conversation an id leads to."""

from agent.chatbot import Chatbot
from agent.conversations import RecentConversations, derive_conversation_id
from contracts.question import Asker, Turn
from tests.agent.scripted import ListedConversations, Script

ADA, BOB = Asker(account="key:ada", name="Ada", channel="api"), Asker(account="key:bob")


def chatbot(conversations: ListedConversations) -> Chatbot:
    return Chatbot(Script().services(), conversations=conversations)


async def test_an_answer_names_the_turn_and_the_conversation_it_is_kept_under() -> None:
    conversations = ListedConversations()
    answer = await chatbot(conversations).ask("What is VPP on DDR4?", conversation_id="one", asker=ADA)
    (turn,) = conversations.kept
    assert turn.id == answer.turn_id
    assert len(turn.id) == 32
    assert (turn.conversation_id, answer.conversation_id) == ("one", "one")
    assert turn.asker == ADA
    assert turn.answer == answer
    assert turn.seconds > 0


async def test_a_recorder_that_cannot_costs_no_answer() -> None:
    for conversations in (ListedConversations(broken=True), ListedConversations(full=True)):
        answer = await chatbot(conversations).ask("What is VPP on DDR4?", asker=ADA)
        assert (answer.outcome, answer.turn_id) == ("answered", "")


async def test_a_history_tells_which_conversation_goes_on() -> None:
    conversations = ListedConversations()
    bot = chatbot(conversations)
    first = await bot.ask("What is VPP on DDR4?", history=(), asker=ADA)
    # Clients change white space when they send an answer back.
    reply = "\n" + first.text.replace(" ", "  ") + " "
    turns = [Turn(role="user", text=first.question), Turn(role="assistant", text=reply)]
    second = await bot.ask("And on DDR5?", history=turns, asker=ADA)
    turns += [Turn(role="user", text="And on DDR5?"), Turn(role="assistant", text=second.text)]
    third = await bot.ask("Who says so?", history=turns, asker=ADA)
    foreign = await bot.ask("Who says so?", history=turns, asker=BOB)
    assert first.conversation_id == second.conversation_id == third.conversation_id
    assert foreign.conversation_id != first.conversation_id
    assert len({each.id for each in conversations.kept}) == 4


def test_no_two_beginnings_tell_the_same_conversation() -> None:
    ids = {
        derive_conversation_id(*parts) for parts in [("a", "b", "c"), ("a", "bc", ""), ("ab", "", "c"), ("a", "b", "")]
    }
    assert len(ids) == 4


async def test_the_id_of_a_conversation_leads_nobody_else_to_it() -> None:
    bot = chatbot(ListedConversations())
    await bot.ask("What is VPP on DDR4?", conversation_id="one", asker=ADA)
    assert len(await bot.history("one", account=ADA.account)) == 2
    assert await bot.history("one", account=BOB.account) == ()
    assert await bot.history("one") == ()
    await bot.ask("When does the cafeteria open?", conversation_id="one", asker=BOB)
    assert len(await bot.history("one", account=ADA.account)) == 2


async def test_memory_holds_the_conversations_used_last() -> None:
    bot = Chatbot(Script().services(), conversations=RecentConversations(most=2))
    for conversation in ("one", "two", "one", "three"):
        await bot.ask("What is VPP on DDR4?", conversation_id=conversation, asker=ADA)
    kept = {each: len(await bot.history(each, account=ADA.account)) for each in ("one", "two", "three")}
    assert kept == {"one": 4, "two": 0, "three": 2}
