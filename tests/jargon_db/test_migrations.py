import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

import library.migrations
from contracts.errors import ConfigurationError
from jargon_db.migrations import VERSION_TABLE
from jargon_db.migrations.scope import belongs_to_dictionary
from jargon_db.models import metadata
from jargon_db.session import migrate
from jargon_db.store import JargonStore
from library.session import open_database
from library.store import LibraryStore


def test_up_from_nothing_again_down_and_up(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine)
    JargonStore(engine).add_sense("PLR", "Physical Layer Retransmission")
    migrate(engine)
    assert len(JargonStore(engine).senses()) == 1
    migrate(engine, "base")
    assert set(inspect(engine).get_table_names()) == {VERSION_TABLE}
    migrate(engine)
    assert JargonStore(engine).senses() == ()
    engine.dispose()


def test_the_models_are_what_the_migrations_make(database_url: str) -> None:
    engine = open_database(database_url)
    library.migrations.migrate(engine)
    migrate(engine)
    with engine.connect() as connection:
        options = {"include_object": belongs_to_dictionary, "compare_type": True, "version_table": VERSION_TABLE}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_dictionary_and_library_share_a_database_and_part_again(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine)
    library.migrations.migrate(engine)
    migrate(engine, "base")
    assert LibraryStore(engine).version() == 0
    with pytest.raises(ConfigurationError, match="migrations"):
        JargonStore(engine).version()
    engine.dispose()


def test_a_database_of_a_later_version_is_refused(database_url: str) -> None:
    engine = open_database(database_url)
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = 'jargon_9999'"))
    with pytest.raises(ConfigurationError, match="jargon_9999"):
        migrate(engine)
    engine.dispose()
