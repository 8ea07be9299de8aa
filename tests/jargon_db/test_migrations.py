import pytest
from sqlalchemy import inspect

from contracts.errors import ConfigurationError
from contracts.jargon import Sense
from database.connection import open_database
from database.migrating import MigrationScope, migrate
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.migrations import LIBRARY
from library.store import LibraryStore


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    """Begin with nothing: these tests are about how the tables come."""
    return ()


def test_up_from_nothing_again_down_and_up(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine, DICTIONARY)
    JargonStore(engine).add_sense("PLR", "Physical Layer Retransmission")
    migrate(engine, DICTIONARY)
    assert len(JargonStore(engine).senses()) == 1
    migrate(engine, DICTIONARY, "base")
    assert set(inspect(engine).get_table_names()) == {DICTIONARY.version_table}
    migrate(engine, DICTIONARY)
    assert JargonStore(engine).senses() == ()
    engine.dispose()


def test_dictionary_and_library_share_a_database_and_part_again(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine, DICTIONARY)
    migrate(engine, LIBRARY)
    migrate(engine, DICTIONARY, "base")
    assert LibraryStore(engine).version() == 0
    with pytest.raises(ConfigurationError, match="migrations"):
        JargonStore(engine).version()
    engine.dispose()


def test_the_trail_comes_to_a_dictionary_that_is_there_and_goes_again(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine, DICTIONARY)
    store = JargonStore(engine)
    sense = store.add_sense("PLR", "Physical Layer Retransmission", context="Protocols", aliases=["phy retry"])
    for _ in range(3):
        migrate(engine, DICTIONARY, "-1")
    assert "jargon_changes" not in inspect(engine).get_table_names()
    assert "version" not in {column["name"] for column in inspect(engine).get_columns("jargon_senses")}
    migrate(engine, DICTIONARY)
    assert store.senses() == (sense,)
    assert store.history() == ()
    assert store.entry(sense.id).version == 1
    assert store.context_entry("Protocols").version == 1
    engine.dispose()


def test_what_was_changed_together_before_batches_is_one(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine, DICTIONARY)
    store = JargonStore(engine, who="Ada")
    store.put_all([Sense(id=0, term=f"T{number}", extended_name="Name", context="Test") for number in range(3)])
    store.add_sense("LUNs", "Logical Unit Number")
    store.add_sense("LUN", "Logical Unit")
    before = store.senses()
    store.merge_terms("LUNs", "LUN")
    batches = store.batches()
    assert [batch.count for batch in batches] == [2, 1, 1, 4]
    migrate(engine, DICTIONARY, "-1")
    migrate(engine, DICTIONARY)
    assert store.batches() == batches
    store.undo(batches[0].number + 1)
    assert store.senses() == before
    engine.dispose()
