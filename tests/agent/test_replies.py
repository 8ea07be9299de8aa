"""Replies to a question back, through the chatbot: each continues the original question, and a new question is new."""

import pytest

from agent.chatbot import Chatbot
from agent.clarification import ask_back, offer, resume
from agent.conversations import RecentConversations
from contracts.answer import Answer
from contracts.jargon import Mention, Reading, Sense
from contracts.question import SensePick, Turn
from contracts.text import Span
from tests.agent.scripted import PASSAGES, SENSES, Script

ASKED = "How many cycles does the DLL need?"
MEMORY_CLOCK = Sense(id=7, term="PLL", extended_name="Phase Loop", context="Memory", description="Makes a clock.")
SOFTWARE_LOOP = Sense(id=8, term="PLL", extended_name="Phase Loop", context="Software", description="Runs in turns.")


async def replied(*replies: str, asked: str = ASKED, script: Script | None = None) -> Answer:
    chatbot = Chatbot((script or Script()).services(), conversations=RecentConversations())
    first = await chatbot.ask(asked, conversation_id="one")
    assert first.outcome == "clarify"
    for reply in replies:
        answer = await chatbot.ask(reply, conversation_id="one")
    return answer


async def test_a_reply_picks_a_meaning_by_number_or_in_words() -> None:
    options = (await Chatbot(Script().services()).ask(ASKED)).options
    number = next(option.number for option in options if option.sense.context == "Software")
    for reply in (f"{number})", "in sofware"):
        answer = await replied(reply)
        assert (answer.question, answer.standalone_question, answer.context) == (reply, ASKED, "Software")
        assert [reading.reason for reading in answer.readings] == ["because you chose it"]


async def test_both_reads_the_question_with_each_meaning(subtests: pytest.Subtests) -> None:
    for reply in ["Both, please.", "all of them", "each of them"]:
        with subtests.test(reply=reply):
            answer = await replied(reply)
            assert answer.standalone_question == ASKED
            names = [reading.sense.extended_name for reading in answer.readings if reading.sense]
            assert sorted(names) == ["Delay-Locked Loop", "Dynamic-Link Library"]
            assert all(name in answer.augmented_question for name in names)


async def test_no_idea_takes_the_most_plausible_and_says_so(subtests: pytest.Subtests) -> None:
    for reply in ["I don't know.", "not sure", "no idea", "either", "it doesn't matter", "whichever", "idk"]:
        with subtests.test(reply=reply):
            answer = await replied(reply)
            assert answer.standalone_question == ASKED
            assert answer.outcome != "clarify"
            (reading,) = answer.readings
            assert reading.reason == "the most plausible of its meanings, since you did not say which"


async def test_neither_looks_for_another_meaning_in_the_documents(subtests: pytest.Subtests) -> None:
    for reply in ["neither", "Something else.", "None of them, please"]:
        with subtests.test(reply=reply):
            answer = await replied(reply)
            assert answer.standalone_question == ASKED
            (reading,) = answer.readings
            assert (reading.status, reading.sense) == ("documents", None)
            assert {sense.context for sense in reading.alternatives} == {"Memory", "Software"}


async def test_neither_of_a_term_that_no_document_has_goes_on_the_managers_list() -> None:
    script = Script(passages=PASSAGES[3:])
    answer = await replied("neither", script=script)
    assert answer.outcome == "unknown_term"
    assert "I know no other meaning of **DLL**" in answer.text
    assert [entry[0] for entry in script.dictionary.reported] == ["DLL"]


async def test_a_number_that_is_on_no_option_is_asked_again() -> None:
    answer = await replied("7")
    assert answer.outcome == "clarify"
    assert answer.standalone_question == ASKED
    later = await replied("7", "the delay one")
    assert later.standalone_question == ASKED
    assert later.outcome != "clarify"


async def test_a_new_question_is_a_new_question(subtests: pytest.Subtests) -> None:
    for question in ["When does the cafeteria open?", "What is memory?", "How does software start?"]:
        with subtests.test(question=question):
            answer = await replied(question)
            assert answer.standalone_question.startswith(question)
            assert f"goes on with: {ASKED}" not in [step.finding for step in answer.steps]


async def test_two_meanings_of_one_name_are_offered_and_picked_by_their_contexts() -> None:
    asked = "How many cycles does the PLL need?"
    script = Script(senses=(*SENSES, MEMORY_CLOCK, SOFTWARE_LOOP))
    first = await Chatbot(script.services()).ask(asked)
    assert "**Phase Loop** (Memory): Makes a clock." in first.text
    assert "**Phase Loop** (Software): Runs in turns." in first.text
    for reply, sense in (("in Software", SOFTWARE_LOOP), ("the one in memory", MEMORY_CLOCK)):
        # Each with a dictionary of its own: a choice is remembered there for the next asker.
        answer = await replied(reply, asked=asked, script=Script(senses=script.senses))
        assert answer.readings[0].sense == sense
    by_name = await replied("Phase Loop", asked=asked, script=Script(senses=script.senses))
    assert by_name.outcome != "clarify"


def test_a_meaning_without_context_beside_its_twin_is_told_apart() -> None:
    anywhere = Sense(id=9, term="PLL", extended_name="Phase Loop", description="Turns.")
    mention = Mention(text="PLL", span=Span(0, 3), term="PLL")
    back = ask_back("PLL", offer(Reading(mention=mention, status="ambiguous", alternatives=(MEMORY_CLOCK, anywhere))))
    assert "**Phase Loop** (anywhere else): Turns." in back
    history = (Turn(role="user", text="What is the PLL?"), Turn(role="assistant", text=back))
    for reply, context in (("2", ""), ("1", "Memory"), ("Phase Loop", None)):
        resumed = resume(reply, history)
        assert resumed is not None
        assert resumed.picks == (SensePick(term="PLL", extended_name="Phase Loop", context=context),)
