"""Corrections: a pick that changes a reading is kept as evidence, once; and what else tells the sense of a term."""

from unittest.mock import AsyncMock

import pytest

from agent.chatbot import Chatbot
from agent.conversations import RecentConversations
from contracts.errors import Unavailable
from contracts.jargon import Correction
from contracts.question import Asker, SensePick
from tests.agent.judges import ScriptedAnswerabilityJudge
from tests.agent.scripted import PASSAGES, Script, passage

MEMORY = Asker(department="Memory")
LIBRARY = SensePick(term="dll", extended_name="dynamic-link  library")


def correction(question: str, name: str = "Dynamic-Link Library", context: str = "Software") -> Correction:
    return Correction(term="DLL", extended_name=name, context=context, question=question)


async def test_pick_of_another_sense_is_stored_with_the_question_and_sets_the_context() -> None:
    for probability, outcome in ((0.9, "answered"), (0.1, "closest_passages")):
        script = Script(answerability=ScriptedAnswerabilityJudge([probability]))
        answer = await Chatbot(script.services()).ask("When is a DLL loaded?", asker=MEMORY, picks=[LIBRARY])
        assert script.dictionary.corrected == [correction("When is a DLL loaded?")]
        assert (answer.outcome, answer.context, answer.context_probability) == (outcome, "Software", 1.0)


async def test_reply_to_a_clarifying_question_is_stored_with_the_original_question() -> None:
    script = Script()
    chatbot = Chatbot(script.services(), conversations=RecentConversations())
    await chatbot.ask("How many cycles does the DLL need?", conversation_id="one")
    assert script.dictionary.corrected == []
    await chatbot.ask("the one in memory", conversation_id="one")
    assert script.dictionary.corrected == [
        correction("How many cycles does the DLL need?", "Delay-Locked Loop", "Memory")
    ]


async def test_pick_without_new_information_is_not_stored() -> None:
    for pick in [
        SensePick(term="DLL", extended_name="Delay-Locked Loop"),  # the meaning that the bot would choose anyway
        SensePick(term="DLL", extended_name="Dear Little Lamb"),  # not one of its meanings
        SensePick(term="VPP", extended_name="Pump Voltage"),  # the only meaning
        SensePick(term="LUN", extended_name="Dynamic-Link Library"),  # another term
        SensePick(term="DLL", extended_name="Dynamic-Link Library", kept=True),  # chosen for an earlier question
    ]:
        script = Script()
        await Chatbot(script.services()).ask("Which VPP does the DLL need?", asker=MEMORY, picks=[pick])
        assert script.dictionary.corrected == []


async def test_answer_is_given_even_if_its_correction_cannot_be_stored(caplog: pytest.LogCaptureFixture) -> None:
    script = Script()
    script.dictionary.record_correction = AsyncMock(side_effect=Unavailable("the disk is full"))
    answer = await Chatbot(script.services()).ask("When is a DLL loaded?", asker=MEMORY, picks=[LIBRARY])
    assert answer.outcome == "answered"
    assert answer.context == "Software"
    assert "could not be stored" in caplog.text


ASKED = "Does the DLL need many cycles before it is stable?"
GUIDE = passage(
    "design-guide.pdf", 2, "The delay-locked loop (DLL) is stable after many clock cycles: it does need a clock."
)


async def test_sense_is_chosen_by_the_document_that_uses_it() -> None:
    without = await Chatbot(Script().services()).ask(ASKED)
    assert without.outcome == "clarify"
    answer = await Chatbot(Script(passages=(*PASSAGES, GUIDE)).services()).ask(ASKED)
    told = [(reading.sense.extended_name, reading.reason) for reading in answer.readings]
    assert told == [("Delay-Locked Loop", "because design-guide.pdf uses it this way")]


async def test_choice_of_one_user_helps_the_next_with_a_similar_question() -> None:
    script = Script()
    chatbot = Chatbot(script.services())
    pick = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software")
    await chatbot.ask(ASKED, picks=[pick])
    told = [(reading.sense.extended_name, reading.reason) for reading in (await chatbot.ask(ASKED)).readings]
    assert told == [("Dynamic-Link Library", "because it was chosen for questions like this before")]


async def test_passages_about_another_sense_are_not_used() -> None:
    software = passage("plugins.html", 1, "A dynamic-link library (DLL) needs 32 bits of clock cycles to be stable.")
    script = Script(passages=(*PASSAGES, GUIDE, software))
    chatbot = Chatbot(script.services())
    for name, read, left in (
        ("Delay-Locked Loop", "design-guide.pdf", "plugins.html"),
        ("Dynamic-Link Library", "plugins.html", "design-guide.pdf"),
    ):
        await chatbot.ask(ASKED, picks=[SensePick(term="DLL", extended_name=name)])
        documents = {each.document_name for each in script.writer.briefs[-1].passages}
        assert read in documents
        assert left not in documents
        # Its document does not show in which sense it uses the term.
        assert "bus.pdf" in documents
