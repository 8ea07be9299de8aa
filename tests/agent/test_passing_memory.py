"""A memory that is gone with the process keeps few conversations, and of each nothing but its turns."""

from agent.chatbot import Chatbot
from agent.passing_memory import PassingSaver
from contracts.question import Asker
from tests.agent.scripted import Script

ADA = Asker(account="key:ada")


async def test_the_conversations_used_last_are_kept() -> None:
    saver = PassingSaver(most=2)
    bot = Chatbot(Script().services(), checkpointer=saver)
    for conversation in ("one", "two", "one", "three"):
        await bot.ask("What is VPP on DDR4?", conversation_id=conversation, asker=ADA)
    kept = {each: len(await bot.history(each, account=ADA.account)) for each in ("one", "two", "three")}
    assert kept == {"one": 4, "two": 0, "three": 2}
    assert len(saver.storage) == 2


async def test_it_does_not_grow_with_the_turns_of_a_conversation() -> None:
    saver = PassingSaver()
    bot = Chatbot(Script().services(), checkpointer=saver)
    for _ in range(4):
        await bot.ask("What is VPP on DDR4?", conversation_id="one", asker=ADA)
    assert len(saver.blobs) == 1
    assert len(await bot.history("one", account=ADA.account)) == 8
    await bot.forget("one", account=ADA.account)
    assert await bot.history("one", account=ADA.account) == ()
    assert not saver.blobs
    assert not [each for each in saver.storage.values() if each]
