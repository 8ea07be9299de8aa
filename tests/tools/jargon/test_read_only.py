"""A dictionary that is read and learns nothing."""

from contracts.jargon import Context, Correction, Sense
from tools.jargon.memory import InMemoryJargonDictionary
from tools.jargon.read_only import read_only

VPP = Sense(id=1, term="VPP", extended_name="Pump Voltage", context="Power", aliases=("Vpp",))
DRAFT = Sense(id=2, term="TBR", extended_name="Run-up", context="", state="draft")


async def test_what_is_read_is_the_dictionarys_and_nothing_is_learnt() -> None:
    kept = InMemoryJargonDictionary([VPP, DRAFT], [Context(name="Power")])
    read = read_only(kept)
    assert await read.version() == await kept.version()
    assert await read.vocabulary() is await kept.vocabulary()
    assert await read.senses(["vpp"]) == {"vpp": (VPP,)}
    assert await read.drafts(["TBR"]) == {"TBR": (DRAFT,)}
    assert await read.contexts() == (Context(name="Power"),)
    assert await read.near_spellings("VPQ") == await kept.near_spellings("VPQ")
    chosen = Correction(term="VPP", extended_name="Pump Voltage", context="Power", question="What is VPP?")
    await read.record_unknown("XQZT", "What is XQZT?", "")
    await read.record_correction(chosen)
    assert (kept.unknown, await kept.corrections(), await read.corrections()) == ({}, (), ())
    await kept.record_correction(chosen)
    assert await read.corrections() == await kept.corrections() == (chosen,)
