from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.jargon import Correction
from database.connection import open_database
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from tests.databases import open_new_sqlite
from tools.jargon.base import MAX_CORRECTIONS
from tools.jargon.sql import SqlJargonDictionary


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JargonStore]:
    engine = open_new_sqlite(tmp_path / "golden.db", DICTIONARY)
    yield JargonStore(engine)
    engine.dispose()


async def test_what_another_process_published_is_there(store: JargonStore, tmp_path: Path) -> None:
    dictionary = SqlJargonDictionary(store)
    before = await dictionary.vocabulary()
    assert before.terms == {}
    elsewhere = JargonStore(open_database(f"sqlite:///{tmp_path}/golden.db"))
    elsewhere.add_sense("PLR", "Physical Layer Retransmission", aliases=["phy retry"])
    assert await dictionary.version() != before.version
    after = await dictionary.vocabulary()
    assert after.terms == {"PLR": ("PLR",), "phy retry": ("PLR",)}
    assert after.version == await dictionary.version()


async def test_an_unchanged_vocabulary_is_kept(store: JargonStore) -> None:
    dictionary = SqlJargonDictionary(store)
    store.add_sense("PLR", "Physical Layer Retransmission")
    first = await dictionary.vocabulary()
    await dictionary.record_unknown("XQZ", "What is XQZ?", "Test")
    assert await dictionary.vocabulary() is first
    assert [unknown.term for unknown in store.unknown_terms()] == ["XQZ"]


async def test_a_correction_that_another_process_stored_is_there(store: JargonStore, tmp_path: Path) -> None:
    store.add_sense("PLR", "Parts Lost Ratio", context="Test")
    dictionary = SqlJargonDictionary(store)
    assert await dictionary.corrections() == ()
    chosen = Correction(term="PLR", extended_name="Parts Lost Ratio", context="Test", question="How high is PLR?")
    elsewhere = SqlJargonDictionary(JargonStore(open_database(f"sqlite:///{tmp_path}/golden.db")))
    await elsewhere.record_correction(chosen)
    found = await dictionary.corrections()
    assert found == (chosen,)
    assert await dictionary.corrections() is found


async def test_so_many_corrections_are_read_and_no_more(store: JargonStore) -> None:
    store.add_sense("PLR", "Parts Lost Ratio")
    for number in range(MAX_CORRECTIONS + 3):
        asked = f"Question {number}?"
        store.record_correction(Correction(term="PLR", extended_name="Parts Lost Ratio", context="", question=asked))
    found = await SqlJargonDictionary(store).corrections()
    assert len(found) == MAX_CORRECTIONS
    assert found[0].question == f"Question {MAX_CORRECTIONS + 2}?"
