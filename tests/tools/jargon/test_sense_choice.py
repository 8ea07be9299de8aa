"""Choosing among senses: picks, contexts, words, uses in documents, choices of earlier askers, and the reasons."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from contracts.jargon import Correction, Lookup, Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import SensePick
from contracts.text import Span
from contracts.verdicts import ContextProbability, ContextVerdict
from tests.hashing_embedder import HashingEmbedder
from tests.models import replace
from tests.tools.search.libraries import Library
from tools.jargon.sense_choice import choose_senses
from tools.jargon.sense_evidence import Evidence, trust_in
from tools.jargon.sense_uses import SenseUse, find_corrections, find_uses

MENTION = Mention(text="BE", span=Span(0, 2), term="BE", known=True)
ERROR = Sense(id=1, term="BE", extended_name="Bit Error", context="Reliability", description="A single wrong bit.")
LINE = Sense(
    id=2, term="BE", extended_name="Back End", context="Packaging", description="Steps after sawing the wafer."
)
ANYWHERE = Sense(id=3, term="BE", extended_name="Best Effort")
BOTH = Lookup(mention=MENTION, senses=(ERROR, LINE))


def contexts(none: float = 0.0, **probabilities: float) -> ContextVerdict:
    ranked = sorted(probabilities.items(), key=lambda pair: -pair[1])
    return ContextVerdict(
        contexts=tuple(ContextProbability(name=name, probability=value) for name, value in ranked),
        none_of_these=none,
        provenance=Provenance(implementation="embedded"),
    )


EVEN = contexts(Reliability=0.5, Packaging=0.5)


def choose_sense(
    lookup: Lookup,
    verdict: ContextVerdict,
    similarity: Mapping[int, float],
    *,
    picks: Sequence[SensePick] = (),
    **evidence: Any,
) -> Reading:
    (reading,) = choose_senses(lookup, Evidence(contexts=verdict, similarity=similarity, **evidence), picks=picks)
    return reading


def test_context_then_similarity_words_or_department_decide_the_sense() -> None:
    for place, other, sense in (("Reliability", "Packaging", ERROR), ("Packaging", "Reliability", LINE)):
        reading = choose_sense(BOTH, contexts(**{place: 0.92, other: 0.08}), {})
        assert (reading.status, reading.sense) == ("chosen", sense)
        assert reading.reason == f"because context = {place} 92 %"
        assert reading.probability > 0.8
    assert choose_sense(BOTH, EVEN, {1: 0.1, 2: 0.6}).sense == LINE
    assert choose_sense(BOTH, EVEN, {}, question="What steps follow in the BE after sawing the wafer?").sense == LINE
    assert choose_sense(BOTH, contexts(0.4, Reliability=0.3, Packaging=0.3), {}, department="packaging").sense == LINE


def test_close_senses_are_ambiguous_and_a_single_sense_is_chosen() -> None:
    reading = choose_sense(BOTH, EVEN, {1: 0.30, 2: 0.31})
    assert (reading.status, reading.sense, reading.alternatives) == ("ambiguous", None, (LINE, ERROR))
    # Drafts and duplicates do not count.
    draft = Sense(id=9, term="BE", extended_name="Draft", state="draft")
    reading = choose_sense(Lookup(mention=MENTION, senses=(ERROR, draft, ERROR)), contexts(Packaging=1.0), {})
    assert (reading.status, reading.sense, reading.alternatives) == ("chosen", ERROR, ())
    # A sense without a context is chosen if no context fits.
    lookup = Lookup(mention=MENTION, senses=(ERROR, ANYWHERE))
    verdict = contexts(0.9, Reliability=0.05, Packaging=0.05)
    assert choose_sense(lookup, verdict, {}).sense == ANYWHERE
    assert choose_sense(lookup, contexts(Reliability=0.95, Packaging=0.05), {}).sense == ERROR


def test_a_pick_chooses_among_the_meanings_of_the_documents() -> None:
    mined = (replace(ERROR, state="draft"), replace(LINE, state="draft", source="rig.pdf"))
    lookup = Lookup(mention=MENTION, mined=mined, document_frequency=4)
    assert choose_sense(lookup, EVEN, {}).sense == mined[0]
    reading = choose_sense(lookup, EVEN, {}, picks=[SensePick(term="be", extended_name="back end")])
    assert (reading.status, reading.sense, reading.alternatives) == ("documents", mined[1], mined[:1])
    assert choose_sense(lookup, EVEN, {}, picks=[SensePick(term="BE", extended_name="Barn Owl")]).sense == mined[0]


def used(sense: Sense, *likeness: float | None, document: str = "") -> tuple[SenseUse, ...]:
    return tuple(SenseUse(sense_id=sense.id, likeness=each, document=document) for each in likeness)


QUESTION = "How long does the machine run before the BE starts?"


def test_uses_count_by_similarity_without_outweighing_the_context() -> None:
    near = (*used(LINE, 0.7, document="a"), *used(ERROR, *[0.1] * 30, document="b"))
    assert choose_sense(BOTH, EVEN, {}, question=QUESTION, uses=near).sense == LINE
    many_uses = used(LINE, *[0.45] * 500, document="a")
    verdict = contexts(Reliability=0.99, Packaging=0.01)
    reading = choose_sense(BOTH, verdict, {1: 0.6, 2: 0.1}, question=QUESTION, uses=many_uses)
    assert reading.sense == ERROR
    assert reading.reason == "because context = Reliability 99 %"


TWIN = Sense(id=5, term="BE", extended_name="Back End", context="Compilers", description="Writes machine code.")
TWINS = Lookup(mention=MENTION, senses=(LINE, TWIN, ERROR))


def test_pick_distinguishes_senses_of_one_name_by_context() -> None:
    for context, sense in [("Packaging", LINE), ("compilers", TWIN)]:
        pick = SensePick(term="BE", extended_name="back end", context=context)
        reading = choose_sense(TWINS, contexts(Reliability=1.0), {}, picks=[pick])
        assert (reading.sense, reading.reason) == (sense, "because you chose it")
    # A pick without context takes the best of them without asking.
    pick = SensePick(term="BE", extended_name="Back End")
    reading = choose_sense(TWINS, contexts(Compilers=0.5, Packaging=0.5), {2: 0.2, 5: 0.21}, picks=[pick])
    assert (reading.status, reading.sense) == ("chosen", TWIN)
    assert reading.reason == "because you chose it, in Compilers, where the question fits best"
    assert set(reading.alternatives) == {LINE, ERROR}


def test_unique_name_or_alias_identifies_the_meaning() -> None:
    lane = replace(LINE, aliases=("backend", "back-end lane"))
    for text, sense in (("bit errors", ERROR), ("backend", lane), ("Backends", lane), ("back-end lane", lane)):
        spelt = Lookup(mention=replace(MENTION, text=text, span=Span(0, len(text))), senses=(ERROR, lane))
        other = contexts(Packaging=1.0) if sense is ERROR else contexts(Reliability=0.99)
        reading = choose_sense(spelt, other, {})
        assert (reading.sense, reading.reason) == (sense, "because the question spells it out"), text
    both = (replace(ERROR, aliases=("be",)), lane)
    assert choose_sense(Lookup(mention=MENTION, senses=both), EVEN, {1: 0.3, 2: 0.3}).status == "ambiguous"


def test_words_in_another_script_are_not_evidence() -> None:
    russian, likely = "Что такое BE и где оно применяется?", contexts(0.6, Reliability=0.18, Packaging=0.05)
    for question in [russian, "BE とは何ですか"]:
        assert choose_sense(BOTH, likely, {1: 0.3, 2: 0.25}, question=question).status == "ambiguous"
    cyrillic = replace(LINE, extended_name="Сборка", description="Что делают после резки: где оно применяется.")
    assert trust_in(cyrillic, russian) > 0.5


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


async def test_use_has_the_sense_spelt_out_in_its_passage_or_document(library: Library) -> None:
    question = "How many cycles does the DLL need?"
    uses = await find_uses("DLL", SENSES, question, library.lexical, library.searcher, groups=EVERYONE)
    assert sorted((use.document, use.sense_id) for use in uses) == [*[("clock.txt", 1)] * 2, ("windows.txt", 2)]
    nearest = max(uses, key=lambda use: use.likeness or -1.0)
    assert nearest.document == "clock.txt"
    # Senses of one name share their uses.
    twins = (LOOP, Sense(id=3, term="DLL", extended_name="delay locked loop", context="Clocks"), LIBRARY_SENSE)
    uses = await find_uses("DLL", twins, "The DLL?", library.lexical, library.searcher, groups=EVERYONE)
    assert sorted(use.sense_id for use in uses if use.document == "clock.txt") == [1, 1, 3, 3]


async def test_unreadable_documents_are_not_evidence(library: Library) -> None:
    uses = await find_uses("DLL", SENSES, "The DLL?", library.lexical, library.searcher)
    assert "secret.txt" in {use.document for use in uses}
    none = await find_uses("DLL", SENSES, "The DLL?", library.lexical, library.searcher, groups=frozenset())
    assert none == ()
    # A spelling in another letter case is another term.
    assert await find_uses("dll", SENSES, "The dll?", library.lexical, library.searcher) == ()


def correction(question: str, *, name: str = "delay locked loop", context: str = "memory") -> Correction:
    return Correction(term="dll", extended_name=name, context=context, question=question)


async def test_earlier_corrections_are_compared_with_the_question() -> None:
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
