"""Questions back, and what people reply to them."""

import pytest

from agent.clarification import ask_back, offer, resume
from contracts.jargon import Mention, Reading, Sense
from contracts.question import Turn
from contracts.text import Span

ORIGINAL = "How many cycles does the DLL need?"


def reading(term: str, *senses: Sense) -> Reading:
    mention = Mention(text=term, span=Span(0, len(term)), term=term)
    return Reading(mention=mention, status="ambiguous", alternatives=senses)


DLL = reading(
    "DLL",
    Sense(
        id=1,
        term="DLL",
        extended_name="Delay-Locked Loop",
        context="Memory",
        description="Aligns the clock to 2 edges.",
    ),
    Sense(
        id=2, term="DLL", extended_name="Dynamic-Link Library (shared)", context="Software", description="Windows code."
    ),
    Sense(id=3, term="DLL", extended_name="Data Link *Layer*"),
)


def history_after(back: Reading, question: str = ORIGINAL) -> list[Turn]:
    return [Turn(role="user", text=question), Turn(role="assistant", text=ask_back(back.mention.term, offer(back)))]


def test_the_question_back_is_for_people() -> None:
    assert ask_back("DLL", offer(DLL)) == (
        "**DLL** has several meanings here. Which one do you mean?\n\n"
        "1. **Delay-Locked Loop** (Memory): Aligns the clock to 2 edges.\n"
        "2. **Dynamic-Link Library (shared)** (Software): Windows code.\n"
        "3. **Data Link \\*Layer\\***\n\n"
        "Answer with a number, or with the meaning in words."
    )


def test_a_reply_picks(subtests: pytest.Subtests) -> None:
    for reply, name in [
        ("2", "Dynamic-Link Library (shared)"),
        ("#2 please", "Dynamic-Link Library (shared)"),
        ("option 1", "Delay-Locked Loop"),
        ("the second one, please", "Dynamic-Link Library (shared)"),
        ("I mean the 1st one", "Delay-Locked Loop"),
        ("one", "Delay-Locked Loop"),
        ("number three", "Data Link *Layer*"),
        ("the last one", "Data Link *Layer*"),
        ("Software", "Dynamic-Link Library (shared)"),
        ("DLL in memory", "Delay-Locked Loop"),
        ("Delay locked loops", "Delay-Locked Loop"),
        ("I meant the data link layer", "Data Link *Layer*"),
        ("the windows one", "Dynamic-Link Library (shared)"),
        ("2, the one in software", "Dynamic-Link Library (shared)"),
        ("2)", "Dynamic-Link Library (shared)"),
        ("(b)", "Dynamic-Link Library (shared)"),
        ("Option a.", "Delay-Locked Loop"),
        ("delay lockd loop", "Delay-Locked Loop"),
        ("the one in memroy", "Delay-Locked Loop"),
    ]:
        with subtests.test(reply=reply):
            resumed = resume(reply, history_after(DLL))
            assert resumed is not None
            assert (resumed.question, resumed.history) == (ORIGINAL, ())
            assert [(pick.term, pick.extended_name) for pick in resumed.picks] == [("DLL", name)]


def test_anything_else_is_a_question_of_its_own(subtests: pytest.Subtests) -> None:
    for reply in [
        "DLL",
        "What is the tRC of DDR2?",
        "Which software runs on the memory tester?",
        "the link one",
        "2, the one in memory",
    ]:
        with subtests.test(reply=reply):
            assert resume(reply, history_after(DLL)) is None


def test_nothing_is_resumed_without_a_question_back() -> None:
    assert resume("2", []) is None
    assert resume("2", [Turn(role="user", text="Hello"), Turn(role="assistant", text="1. **one**\n2. **two**")]) is None
    assert resume("2", history_after(DLL)[1:]) is None


def test_the_turns_before_the_question_stay_and_plain_text_is_read_too() -> None:
    before = [Turn(role="user", text="Hello"), Turn(role="assistant", text="Good day.")]
    asked, back = history_after(DLL, "And how long?")
    # As a client sends it that strips Markdown.
    plain = back.model_copy(update={"text": back.text.replace("**", "")})
    resumed = resume("2", [*before, asked, plain])
    assert resumed is not None
    assert resumed.history == tuple(before)
    assert resumed.picks[0].extended_name.startswith("Dynamic-Link Library")


def test_two_ambiguous_terms_collect_two_picks() -> None:
    lun = reading(
        "LUN",
        Sense(id=4, term="LUN", extended_name="Logical Unit Number", context="Storage"),
        Sense(id=5, term="LUN", extended_name="Last Used Node", context="Software"),
    )
    history = [*history_after(DLL), *history_after(lun, "the first")]
    resumed = resume("the one in storage", history)
    assert resumed is not None
    assert resumed.question == ORIGINAL
    assert [pick.extended_name for pick in resumed.picks] == ["Delay-Locked Loop", "Logical Unit Number"]
