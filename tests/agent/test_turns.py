"""Which turns are handed to a recorder, under which ids, and whose conversation a thread is."""

import asyncio
from dataclasses import dataclass, field

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.chatbot import Chatbot
from agent.turns import conversation_told_by
from contracts.question import Asker, Turn
from contracts.records import TurnRecord
from tests.agent.scripted import Script

ADA, BOB = Asker(account="key:ada", name="Ada", face="api"), Asker(account="key:bob")


@dataclass
class Notebook:
    """Keeps what it is given, or breaks."""

    broken: bool = False
    full: bool = False
    turns: list[TurnRecord] = field(default_factory=list)

    async def record(self, turn: TurnRecord) -> bool:
        if self.broken:
            raise RuntimeError("the disk is gone")
        if not self.full:
            self.turns.append(turn)
        return not self.full


def chatbot(notebook: Notebook) -> Chatbot:
    return Chatbot(Script().services(), checkpointer=InMemorySaver(), recorder=notebook)


async def test_an_answer_names_the_turn_and_the_conversation_it_is_kept_under() -> None:
    notebook = Notebook()
    answer = await chatbot(notebook).ask("What is VPP on DDR4?", conversation_id="one", asker=ADA)
    (turn,) = notebook.turns
    assert turn.id == answer.turn_id
    assert len(turn.id) == 32
    assert (turn.conversation_id, answer.conversation_id) == ("one", "one")
    assert turn.asker == ADA
    assert turn.answer == answer
    assert turn.seconds > 0


async def test_who_has_no_account_is_not_recorded() -> None:
    notebook = Notebook()
    answer = await chatbot(notebook).ask("What is VPP on DDR4?", conversation_id="one")
    assert (answer.turn_id, notebook.turns) == ("", [])


@pytest.mark.parametrize("notebook", [Notebook(broken=True), Notebook(full=True)])
async def test_a_recorder_that_cannot_costs_no_answer(notebook: Notebook) -> None:
    answer = await chatbot(notebook).ask("What is VPP on DDR4?", asker=ADA)
    assert answer.outcome == "answered"
    assert answer.turn_id == ""


async def test_a_history_tells_which_conversation_goes_on() -> None:
    notebook = Notebook()
    bot = chatbot(notebook)
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
    assert len({each.id for each in notebook.turns}) == 4


def test_no_two_beginnings_tell_the_same_conversation() -> None:
    told = {
        conversation_told_by(*parts) for parts in [("a", "b", "c"), ("a", "bc", ""), ("ab", "", "c"), ("a", "b", "")]
    }
    assert len(told) == 4


async def test_the_id_of_a_conversation_leads_nobody_else_to_it() -> None:
    bot = chatbot(Notebook())
    await bot.ask("What is VPP on DDR4?", conversation_id="one", asker=ADA)
    assert len(await bot.history("one", account=ADA.account)) == 2
    assert await bot.history("one", account=BOB.account) == ()
    assert await bot.history("one") == ()
    await bot.ask("When does the cafeteria open?", conversation_id="one", asker=BOB)
    await bot.forget("one", account=BOB.account)
    assert len(await bot.history("one", account=ADA.account)) == 2


async def test_no_id_without_an_account_is_another_ones_thread() -> None:
    saver = InMemorySaver()
    bot = Chatbot(Script().services(), checkpointer=saver)
    await bot.ask("What is VPP on DDR4?", conversation_id="one", asker=ADA)
    (thread,) = saver.storage
    assert await bot.history(thread) == ()


async def test_all_conversations_of_an_account_are_forgotten_and_no_others() -> None:
    bot = chatbot(Notebook())
    for asker in (ADA, BOB):
        await asyncio.gather(*(bot.ask("What is VPP?", conversation_id=each, asker=asker) for each in "12"))
    await bot.forget_account(ADA.account)
    assert [await bot.history(each, account=ADA.account) for each in "12"] == [(), ()]
    assert all([await bot.history(each, account=BOB.account) for each in "12"])
