"""Uses of a term in documents, and earlier askers' choices, as evidence for its senses."""

from pathlib import Path

import pytest

from contracts.jargon import Correction, Sense
from tests.hashing_embedder import HashingEmbedder
from tests.tools.search.libraries import Library
from tools.jargon.sense_uses import find_corrections, find_uses

LOOP = Sense(id=1, term="DLL", extended_name="Delay-Locked Loop", context="Memory")
LIBRARY_SENSE = Sense(id=2, term="DLL", extended_name="Dynamic-Link Library", context="Software")
SENSES = (LOOP, LIBRARY_SENSE)
DOCUMENTS = {
    "clock": ("A delay-locked loop (DLL) aligns the clock.", "The DLL needs 512 cycles."),
    "windows": ("Dynamic-link libraries are shared.", "A DLL is loaded at start."),
    "both": ("Neither the delay-locked loop nor the dynamic link library:", "the DLL of a page that tells nothing."),
    "none": ("The DLL is mentioned here.",),
    "secret": ("The dynamic-link library (DLL) of the next product.",),
}
EVERYONE = frozenset({"everyone"})


@pytest.fixture
async def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    for name, texts in DOCUMENTS.items():
        await library.put(name, *texts, group="board" if name == "secret" else "everyone")
    return library


async def test_a_use_has_the_sense_that_its_passage_or_its_document_spells_out(library: Library) -> None:
    question = "How many cycles does the DLL need?"
    uses = await find_uses("DLL", SENSES, question, library.lexical, library.searcher, groups=EVERYONE)
    assert sorted((use.document, use.sense_id) for use in uses) == [*[("clock.txt", 1)] * 2, ("windows.txt", 2)]
    nearest = max(uses, key=lambda use: use.likeness or -1.0)
    assert nearest.document == "clock.txt"


async def test_what_the_asker_may_not_read_tells_nothing(library: Library) -> None:
    uses = await find_uses("DLL", SENSES, "The DLL?", library.lexical, library.searcher)
    assert "secret.txt" in {use.document for use in uses}
    none = await find_uses("DLL", SENSES, "The DLL?", library.lexical, library.searcher, groups=frozenset())
    assert none == ()
    # Another letter case is another term.
    assert await find_uses("dll", SENSES, "The dll?", library.lexical, library.searcher) == ()


async def test_senses_of_one_name_share_their_uses(library: Library) -> None:
    twins = (LOOP, Sense(id=3, term="DLL", extended_name="delay locked loop", context="Clocks"), LIBRARY_SENSE)
    uses = await find_uses("DLL", twins, "The DLL?", library.lexical, library.searcher, groups=EVERYONE)
    assert sorted(use.sense_id for use in uses if use.document == "clock.txt") == [1, 1, 3, 3]


def correction(question: str, *, name: str = "delay locked loop", context: str = "memory") -> Correction:
    return Correction(term="dll", extended_name=name, context=context, question=question)


async def test_choices_of_earlier_askers_are_compared_with_the_question() -> None:
    question = "How many cycles does the DLL need?"
    corrections = (
        correction(question),
        correction(""),
        correction(question, name="Something else"),
        correction(question, context="Software"),
    )
    found = await find_corrections(SENSES, corrections, question, HashingEmbedder())
    assert [use.sense_id for use in found] == [1, 1]
    assert found[0].likeness == pytest.approx(1.0, abs=1e-5)
    assert found[1].likeness is None
    assert await find_corrections(SENSES, (), question, HashingEmbedder()) == ()
