"""Questions back, what people reply to them, and corrections in words that ask the question again."""

import pytest

from agent.chatbot import Chatbot
from agent.clarification import ask_back, offer, resume
from agent.conversations import RecentConversations
from agent.sense_corrections import read_correction
from contracts.answer import Answer
from contracts.jargon import Mention, Reading, Sense
from contracts.question import SensePick, Turn
from contracts.text import Span
from tests.agent.scripted import PASSAGES, SENSES, ListedDictionary, Script

ORIGINAL = "How many cycles does the DLL need?"


def reading(term: str, *senses: Sense) -> Reading:
    mention = Mention(text=term, span=Span(0, len(term)), term=term)
    return Reading(mention=mention, status="ambiguous", alternatives=senses)


DLL_SENSES = (
    Sense(id=1, term="DLL", extended_name="Delay-Locked Loop", context="Memory",
          description="Aligns the clock to 2 edges."),
    Sense(id=2, term="DLL", extended_name="Dynamic-Link Library (shared)", context="Software",
          description="Windows code."),
    Sense(id=3, term="DLL", extended_name="Data Link *Layer*"),
)  # fmt: skip
DLL = reading("DLL", *DLL_SENSES)


def history_after(back: Reading, question: str = ORIGINAL) -> list[Turn]:
    return [Turn(role="user", text=question), Turn(role="assistant", text=ask_back(back.mention.term, offer(back)))]


def test_clarifying_question_lists_numbered_meanings() -> None:
    assert ask_back("DLL", offer(DLL)) == (
        "**DLL** has several meanings here. Which one do you mean?\n\n"
        "1. **Delay-Locked Loop** (Memory): Aligns the clock to 2 edges.\n"
        "2. **Dynamic-Link Library (shared)** (Software): Windows code.\n"
        "3. **Data Link \\*Layer\\***\n\n"
        "Answer with a number, or with the meaning in words."
    )


def test_reply_picks_a_meaning() -> None:
    loop, library, layer = (
        ["option 1", "I mean the 1st one", "one", "DLL in memory", "Delay locked loops", "Option a.",
         "delay lockd loop", "the one in memroy"],
        ["2", "#2 please", "the second one, please", "Software", "the windows one", "2, the one in software", "2)",
         "(b)"],
        ["number three", "the last one", "I meant the data link layer"],
    )  # fmt: skip
    for sense, replies in zip(DLL_SENSES, (loop, library, layer), strict=True):
        for reply in replies:
            resumed = resume(reply, history_after(DLL))
            assert (resumed.question, resumed.history) == (ORIGINAL, ()), reply
            assert [(pick.term, pick.extended_name) for pick in resumed.picks] == [("DLL", sense.extended_name)], reply


def test_other_replies_are_new_questions() -> None:
    said = [
        "DLL",
        "What is the tRC of DDR2?",
        "Which software runs on the memory tester?",
        "the link one",
        "2, the one in memory",
        "When does the cafeteria open?",
        "What is memory?",
        "How does software start?",
    ]
    assert [reply for reply in said if resume(reply, history_after(DLL)) is not None] == []
    # A reply to nothing that the bot asked.
    listed = [Turn(role="user", text="Hello"), Turn(role="assistant", text="1. **one**\n2. **two**")]
    assert [history for history in ([], listed, history_after(DLL)[1:]) if resume("2", history) is not None] == []


def test_resume_keeps_earlier_turns_and_accepts_plain_text() -> None:
    before = [Turn(role="user", text="Hello"), Turn(role="assistant", text="Good day.")]
    asked, back = history_after(DLL, "And how long?")
    # As sent by a client that strips Markdown.
    plain = back.model_copy(update={"text": back.text.replace("**", "")})
    resumed = resume("2", [*before, asked, plain])
    assert resumed.history == tuple(before)
    assert resumed.picks[0].extended_name.startswith("Dynamic-Link Library")
    # Two ambiguous terms collect two picks.
    lun = reading(
        "LUN",
        Sense(id=4, term="LUN", extended_name="Logical Unit Number", context="Storage"),
        Sense(id=5, term="LUN", extended_name="Last Used Node", context="Software"),
    )
    history = [*history_after(DLL), *history_after(lun, "the first")]
    resumed = resume("the one in storage", history)
    assert resumed.question == ORIGINAL
    assert [pick.extended_name for pick in resumed.picks] == ["Delay-Locked Loop", "Logical Unit Number"]


async def replied(*replies: str, script: Script | None = None) -> Answer:
    chatbot = Chatbot((script or Script()).services(), conversations=RecentConversations())
    first = await chatbot.ask(ORIGINAL, conversation_id="one")
    assert first.outcome == "clarify"
    for reply in replies:
        answer = await chatbot.ask(reply, conversation_id="one")
    return answer


@pytest.mark.parametrize("reply", ["Both, please.", "all of them", "each of them"])
async def test_reply_both_uses_each_meaning(reply: str) -> None:
    answer = await replied(reply)
    assert answer.standalone_question == ORIGINAL
    names = [reading.sense.extended_name for reading in answer.readings if reading.sense]
    assert sorted(names) == ["Delay-Locked Loop", "Dynamic-Link Library"]
    assert all(name in answer.augmented_question for name in names)


async def test_reply_without_a_choice_uses_the_most_plausible_meaning_and_says_so() -> None:
    for reply in ("I don't know.", "not sure", "no idea", "either", "it doesn't matter", "whichever", "idk"):
        answer = await replied(reply)
        assert (answer.standalone_question, answer.outcome) == (ORIGINAL, "answered"), reply
        (reading,) = answer.readings
        assert reading.reason == "the most plausible of its meanings, since you did not say which"


async def test_reply_neither_searches_the_documents_and_reports_a_term_that_none_contains() -> None:
    for reply in ("neither", "Something else.", "None of them, please"):
        answer = await replied(reply)
        assert answer.standalone_question == ORIGINAL, reply
        (reading,) = answer.readings
        assert (reading.status, reading.sense) == ("documents", None)
        assert {sense.context for sense in reading.alternatives} == {"Memory", "Software"}
    script = Script(passages=PASSAGES[3:])
    answer = await replied("neither", script=script)
    assert answer.outcome == "unknown_term"
    assert "I know no other meaning of **DLL**" in answer.text
    assert [entry[0] for entry in script.dictionary.reported] == ["DLL"]


async def test_number_without_an_option_is_asked_again() -> None:
    answer = await replied("7")
    assert answer.outcome == "clarify"
    assert answer.standalone_question == ORIGINAL
    later = await replied("7", "the delay one")
    assert (later.question, later.standalone_question, later.context) == ("the delay one", ORIGINAL, "Memory")
    assert later.outcome != "clarify"


def test_meanings_of_the_same_name_are_distinguished_by_context() -> None:
    memory = Sense(id=7, term="PLL", extended_name="Phase Loop", context="Memory", description="Makes a clock.")
    anywhere = Sense(id=9, term="PLL", extended_name="Phase Loop", description="Turns.")
    back = ask_back("PLL", offer(reading("PLL", memory, anywhere)))
    assert "**Phase Loop** (anywhere else): Turns." in back
    history = (Turn(role="user", text="What is the PLL?"), Turn(role="assistant", text=back))
    for reply, context in (("2", ""), ("1", "Memory"), ("the one in memory", "Memory"), ("Phase Loop", None)):
        resumed = resume(reply, history)
        assert resumed.picks == (SensePick(term="PLL", extended_name="Phase Loop", context=context),)


LOOP = SensePick(term="DLL", extended_name="Delay-Locked Loop", context="Memory")
LIBRARY = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software")
HISTORY = (Turn(role="user", text=ORIGINAL), Turn(role="assistant", text="512 cycles [1]."))
MORE = (
    *SENSES,
    Sense(id=5, term="BE", extended_name="Bit Error", context="Memory"),
    Sense(id=6, term="BE", extended_name="Back End", context="Software", aliases=("backend",)),
)


async def test_a_correction_names_the_meaning() -> None:
    for reply, pick in [
        ("No, DLL means dynamic link library.", LIBRARY),
        ("no: by DLL I mean the one in software", LIBRARY),
        ("dll = delay-locked loop", LOOP),
        ("“DLL” stands for Delay-Locked Loop!", LOOP),
        ("Sorry, I meant the library.", LIBRARY),
        ("DLL as in software", LIBRARY),
        ("DLL → Dynamic-Link Library", LIBRARY),
    ]:
        resumed = await read_correction(reply, HISTORY, ListedDictionary(MORE, ()))
        assert (resumed.question, resumed.picks, resumed.history) == (ORIGINAL, (pick,), ()), reply
    # A second correction is combined with the first.
    asked = Turn(role="user", text="Which BE does the DLL have?")
    corrected = Turn(role="user", text="DLL means Dynamic-Link Library")
    history = (asked, HISTORY[1], corrected, HISTORY[1])
    resumed = await read_correction("BE means Back End", history, ListedDictionary(MORE, ()))
    assert resumed.question == asked.text
    assert resumed.picks == (LIBRARY, SensePick(term="BE", extended_name="Back End", context="Software"))
    other = await read_correction("DLL means Delay-Locked Loop", history, ListedDictionary(MORE, ()))
    assert other.picks == (LOOP,)


async def test_other_messages_are_not_taken_for_corrections() -> None:
    said = [
        "DLL means what?",
        "What does DLL mean",
        "DLL means Dear Little Lamb",
        "VPP means Pump Voltage",  # the only meaning, and not offered
        "BE means Back End",  # not in the question
        "I mean the second one",  # no numbers were shown
        "I mean it",
        "I mean the DLL",  # does not say which
        "And on DDR5?",
        "How many cycles does it take at 3200 = the fastest grade",
        "",
    ]
    dictionary = ListedDictionary(MORE, ())
    assert [reply for reply in said if await read_correction(reply, HISTORY, dictionary) is not None] == []
    # Nothing is corrected before an answer.
    for history in ((), HISTORY[:1]):
        assert await read_correction("DLL means Dynamic-Link Library", history, dictionary) is None
