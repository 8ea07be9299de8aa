"""Dictionaries in SQL, those that are read and learn nothing, and near spellings."""

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from rapidfuzz import fuzz

from contracts.jargon import Context, Correction, Sense
from database.connection import open_database
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from tests.databases import memory_store, open_new_sqlite
from tools.jargon.base import MAX_CORRECTIONS, read_only
from tools.jargon.spelling import nearest_spellings
from tools.jargon.sql import SqlJargonDictionary
from tools.language import fold


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JargonStore]:
    engine = open_new_sqlite(tmp_path / "golden.db", DICTIONARY)
    yield JargonStore(engine)
    engine.dispose()


async def test_changes_of_other_processes_are_seen_and_the_rest_is_cached(store: JargonStore, tmp_path: Path) -> None:
    dictionary = SqlJargonDictionary(store)
    before = await dictionary.vocabulary()
    assert (before.terms, await dictionary.corrections()) == ({}, ())
    elsewhere = JargonStore(open_database(f"sqlite:///{tmp_path}/golden.db"))
    elsewhere.add_sense("PLR", "Physical Layer Retransmission", aliases=["phy retry"])
    assert await dictionary.version() != before.version
    after = await dictionary.vocabulary()
    assert after.terms == {"PLR": ("PLR",), "phy retry": ("PLR",)}
    assert after.version == await dictionary.version()
    name = "Physical Layer Retransmission"
    chosen = Correction(term="PLR", extended_name=name, context="", question="How high is PLR?")
    await SqlJargonDictionary(elsewhere).record_correction(chosen)
    found = await dictionary.corrections()
    assert found == (chosen,)
    await dictionary.record_unknown("XQZ", "What is XQZ?", "Test")
    assert await dictionary.vocabulary() is after
    assert await dictionary.corrections() is found
    assert [unknown.term for unknown in store.unknown_terms()] == ["XQZ"]


async def test_number_of_corrections_read_is_limited(store: JargonStore) -> None:
    store.add_sense("PLR", "Parts Lost Ratio")
    for number in range(MAX_CORRECTIONS + 3):
        asked = f"Question {number}?"
        store.record_correction(Correction(term="PLR", extended_name="Parts Lost Ratio", context="", question=asked))
    found = await SqlJargonDictionary(store).corrections()
    assert len(found) == MAX_CORRECTIONS
    assert found[0].question == f"Question {MAX_CORRECTIONS + 2}?"


VPP = Sense(id=1, term="VPP", extended_name="Pump Voltage", context="Power", aliases=("Vpp",))
DRAFT = Sense(id=2, term="TBR", extended_name="Run-up", context="", state="draft")


async def test_read_only_dictionary_reads_but_records_nothing() -> None:
    store = memory_store([VPP, DRAFT], [Context(name="Power")])
    kept = SqlJargonDictionary(store)
    read = read_only(kept)
    assert await read.senses(["vpp"]) == {"vpp": (VPP,)}
    assert await read.drafts(["TBR"]) == {"TBR": (DRAFT,)}
    chosen = Correction(term="VPP", extended_name="Pump Voltage", context="Power", question="What is VPP?")
    await read.record_unknown("XQZT", "What is XQZT?", "")
    await read.record_correction(chosen)
    assert (store.unknown_terms(), await kept.corrections(), await read.corrections()) == ((), (), ())
    await kept.record_correction(chosen)
    assert await read.corrections() == await kept.corrections() == (chosen,)


def test_near_spellings_accept_any_term() -> None:
    spellings = ["DLL", "(.*)", "a" * 601, "unicode", "", "e\u0301"]
    for term in ["", " ", "\u202eDLL", "a" * 600, "((.*"]:
        assert len(nearest_spellings(term, spellings, 2)) <= 2, term
        assert nearest_spellings(term, spellings, 0) == nearest_spellings(term, (), 3) == (), term


def test_near_spellings_match_an_exhaustive_comparison() -> None:
    chance = random.Random(5)
    letters = string.ascii_letters + string.digits + "#_-é"
    spellings = sorted({"".join(chance.choices(letters, k=chance.randint(1, 9))) for _ in range(3_000)})
    spellings += ["Q" * 300, "Q" * 290 + "Z"]
    for term in [*spellings[::150], "QQZZ", "x9_a", "éé", "Q" * 295]:
        folded = {fold(each): each for each in reversed(spellings) if fold(each) != fold(term)}
        order = {each: at for at, each in enumerate(spellings)}
        likeness = {each: fuzz.ratio(fold(term), key) for key, each in folded.items()}
        ranked = sorted((each for each in likeness if likeness[each] >= 55), key=lambda e: (-likeness[e], order[e]))
        once = {re.sub("[-_ ]", "", fold(each)): each for each in reversed(ranked)}
        assert nearest_spellings(term, spellings, 4) == tuple(each for each in ranked if each in once.values())[:4], (
            term
        )
