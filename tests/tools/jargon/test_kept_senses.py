"""What was read of the dictionary: kept until it changes, whoever changes it."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, event

from contracts.jargon import Context
from database.connection import open_database
from database.migrating import migrate
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from tools.jargon.sql import SqlJargonDictionary


@pytest.fixture
def engines(database_url: str) -> Iterator[tuple[Engine, Engine]]:
    """One database, as two processes have it open."""
    engines = open_database(database_url), open_database(database_url)
    migrate(engines[0], DICTIONARY)
    yield engines
    for engine in engines:
        engine.dispose()


async def test_terms_and_contexts_are_read_once_until_another_process_changes_them(
    engines: tuple[Engine, Engine],
) -> None:
    dictionary, elsewhere = SqlJargonDictionary(JargonStore(engines[0])), JargonStore(engines[1])
    statements: list[str] = []
    added = elsewhere.add_sense("PLR", "Physical Layer Retransmission")
    elsewhere.add_sense("HM", "Host Memory", state="draft")

    async def read() -> tuple[list[str], list[str], list[str]]:
        senses, drafts = await dictionary.senses(["PLR", "HM"]), await dictionary.drafts(["hm", "PLR"])
        assert (set(senses), set(drafts)) == ({"PLR", "HM"}, {"hm", "PLR"}), "one entry for each"
        return (
            [sense.extended_name for sense in (*senses["PLR"], *senses["HM"])],
            [sense.extended_name for sense in (*drafts["hm"], *drafts["PLR"])],
            [context.description for context in await dictionary.contexts()],
        )

    first = await read()
    assert first == (["Physical Layer Retransmission"], ["Host Memory"], [])
    event.listen(engines[0], "before_cursor_execute", lambda *given: statements.append(given[2]))
    assert await read() == first
    assert statements == []
    (draft,) = (await dictionary.drafts(["HM"]))["HM"]
    elsewhere.set_state(draft.id, "published")
    assert await read() == (["Physical Layer Retransmission", "Host Memory"], [], [])
    elsewhere.put_context(Context(name="Test", description="What is tested."))
    assert (await read())[2] == ["What is tested."]
    elsewhere.remove_sense(added.id)
    assert (await read())[0] == ["Host Memory"]
