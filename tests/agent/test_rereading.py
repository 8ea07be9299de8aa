"""Rereading: a correction in words asks the question again; what only looks like one is a question of its own."""

import pytest

from agent.rereading import reread
from contracts.jargon import Sense
from contracts.question import SensePick, Turn
from tests.agent.scripted import SENSES, ListedDictionary

LOOP = SensePick(term="DLL", extended_name="Delay-Locked Loop", context="Memory")
LIBRARY = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software")
ASKED = "How many cycles does the DLL need?"
HISTORY = (Turn(role="user", text=ASKED), Turn(role="assistant", text="512 cycles [1]."))
MORE = (
    *SENSES,
    Sense(id=5, term="BE", extended_name="Bit Error", context="Memory"),
    Sense(id=6, term="BE", extended_name="Back End", context="Software", aliases=("backend",)),
)


async def test_a_correction_names_the_meaning(subtests: pytest.Subtests) -> None:
    for reply, pick in [
        ("No, DLL means dynamic link library.", LIBRARY),
        ("no: by DLL I mean the one in software", LIBRARY),
        ("dll = delay-locked loop", LOOP),
        ("“DLL” stands for Delay-Locked Loop!", LOOP),
        ("Sorry, I meant the library.", LIBRARY),
        ("DLL as in software", LIBRARY),
        ("DLL → Dynamic-Link Library", LIBRARY),
    ]:
        with subtests.test(reply=reply):
            resumed = await reread(reply, HISTORY, ListedDictionary(MORE, ()))
            assert resumed is not None
            assert (resumed.question, resumed.picks, resumed.history) == (ASKED, (pick,), ())


async def test_what_is_no_correction_is_none(subtests: pytest.Subtests) -> None:
    for reply in [
        "DLL means what?",
        "What does DLL mean",
        "DLL means Dear Little Lamb",
        "VPP means Pump Voltage",  # the only meaning, and not asked about
        "BE means Back End",  # not in the question
        "I mean the second one",  # no numbers were shown
        "I mean it",
        "I mean the DLL",  # says nothing of which
        "And on DDR5?",
        "How many cycles does it take at 3200 = the fastest grade",
        "",
    ]:
        with subtests.test(reply=reply):
            assert await reread(reply, HISTORY, ListedDictionary(MORE, ())) is None


async def test_nothing_is_corrected_before_an_answer() -> None:
    dictionary = ListedDictionary(SENSES, ())
    assert await reread("DLL means Dynamic-Link Library", (), dictionary) is None
    assert await reread("DLL means Dynamic-Link Library", HISTORY[:1], dictionary) is None


async def test_a_second_correction_goes_with_the_first() -> None:
    asked = Turn(role="user", text="Which BE does the DLL have?")
    corrected = Turn(role="user", text="DLL means Dynamic-Link Library")
    history = (asked, HISTORY[1], corrected, HISTORY[1])
    resumed = await reread("BE means Back End", history, ListedDictionary(MORE, ()))
    assert resumed is not None
    assert resumed.question == asked.text
    assert resumed.picks == (LIBRARY, SensePick(term="BE", extended_name="Back End", context="Software"))
    other = await reread("DLL means Delay-Locked Loop", history, ListedDictionary(MORE, ()))
    assert other is not None
    assert other.picks == (LOOP,)
