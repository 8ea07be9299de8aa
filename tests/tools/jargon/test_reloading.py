"""What is read of a changed dictionary is the same as if all were read, whatever was done to it."""

import random
from collections.abc import Callable, Iterator

import pytest

from contracts.jargon import Sense
from database.connection import open_database
from database.migrating import MigrationScope
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from jargon_db.vocabulary import TrailMark
from tests.models import replace
from tools.jargon.base import MAX_CHANGED, MAX_STEPS, Vocabulary
from tools.jargon.sql import SqlJargonDictionary

TERMS = ["PLR", "plr", "tRCD", "RXVQ", "RXVT", "wear levelling", "wear-levelling pool", "Kalthalle", "KHB", "KHBs"]
NAMES = ["Physical Layer Retransmission", "Wear Levelling Pool", "Crab Hall", "crab halls", "Electromigration"]
QUESTION = "Is the RXVP of the crab hall a phy retry, PLR, khb or Wear-Leveling pool after kalthale electromigration?"


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    return (DICTIONARY,)


@pytest.fixture
def store(database_url: str) -> Iterator[JargonStore]:
    engine = open_database(database_url)
    yield JargonStore(engine)
    engine.dispose()


def edit(store: JargonStore, chance: random.Random) -> None:
    """Do one of the things that managers do."""
    there = store.senses()
    kind = chance.choice(["add", "add", "change", "state", "remove", "undo", "many", "merge"])
    if kind == "add" or not there:
        store.put_all([sense(chance)])
    elif kind == "many":
        store.put_all([sense(chance) for _ in range(5)])
    elif kind == "change":
        wanted, old = sense(chance), chance.choice(there)
        if not store.senses(term=wanted.term):
            store.change_sense(replace(wanted, id=old.id))
    elif kind == "state":
        store.set_state(chance.choice(there).id, chance.choice(["published", "draft", "rejected"]))
    elif kind == "remove":
        store.remove_sense(chance.choice(there).id)
    elif kind == "merge" and len({each.term.casefold() for each in there}) > 1:
        first, second = chance.sample(sorted({each.term.casefold() for each in there}), 2)
        if len(store.senses(term=first)) == len(store.senses(term=second)) == 1:
            store.merge_terms(first, second)
    elif kind == "undo" and (batches := store.batches(limit=1)):
        store.undo_batch(batches[0].number)


def sense(chance: random.Random) -> Sense:
    alias = (f"phy {chance.choice(['retry', 'reset'])}",) if chance.random() < 0.3 else ()
    context = chance.choice(["", "Test"])
    term, name = chance.choice(TERMS), chance.choice(NAMES)
    return Sense(id=0, term=term, extended_name=name, context=context, aliases=alias)


async def test_after_every_change_the_vocabulary_is_as_if_read_whole(store: JargonStore) -> None:
    chance = random.Random(7)
    running = SqlJargonDictionary(store)
    identifier, rarely = EmbeddedJargonIdentifier(running), EmbeddedJargonIdentifier(running)
    for number in range(60):
        edit(store, chance)
        fresh = SqlJargonDictionary(store)
        found, whole = await running.vocabulary(), await fresh.vocabulary()
        assert (found.version, dict(found.terms), dict(found.names)) == (whole.version, whole.terms, whole.names)
        asked = QUESTION if number % 2 else "What are RXVT, KHBs and wear levelling?"
        anew = (await EmbeddedJargonIdentifier(fresh).identify(asked)).mentions
        assert (await identifier.identify(asked)).mentions == anew
        if number % 9 == 0:
            assert (await rarely.identify(asked)).mentions == anew
        near = await running.near_spellings("RXVS", 20)
        assert set(near) == set(await fresh.near_spellings("RXVS", 20))


async def test_only_what_changed_is_read_and_the_rest_is_kept(
    store: JargonStore, counted: Callable[[JargonStore], list[str]]
) -> None:
    store.put_all([Sense(id=0, term=f"T{number}X", extended_name=f"Thing {number}") for number in range(50)])
    dictionary = SqlJargonDictionary(store)
    first = await dictionary.vocabulary()
    statements = counted(store)
    store.add_sense("PLR", "Parts Lost Ratio")
    del statements[:]
    second = await dictionary.vocabulary()
    changed = second.changed_since(first.version)
    assert changed is not None
    assert (set(changed.spellings), set(changed.names)) == ({"PLR"}, {"Parts Lost Ratio"})
    assert second.terms == {**first.terms, "PLR": ("PLR",)}
    assert "PLR" not in first.terms
    assert not [text for text in statements if "jargon_senses" in text and " IN (" not in text]


@pytest.fixture
def counted() -> Callable[[JargonStore], list[str]]:
    from sqlalchemy import event

    def count(store: JargonStore) -> list[str]:
        statements: list[str] = []

        @event.listens_for(store._engine, "before_cursor_execute")
        def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
            statements.append(statement)

        return statements

    return count


def test_a_trail_that_does_not_go_on_from_there_tells_nothing(store: JargonStore) -> None:
    store.add_sense("PLR", "Parts Lost Ratio")
    mark = store.vocabulary().mark
    assert store.vocabulary_update(mark, {}) is not None
    assert store.vocabulary_update(TrailMark(change=mark.change + 3, at=mark.at), {}) is None
    assert store.vocabulary_update(TrailMark(change=mark.change, at=None), {}) is None


def test_a_vocabulary_knows_its_last_changes_and_no_others() -> None:
    first = found = Vocabulary(version="0", terms={}, names={})
    for number in range(1, MAX_STEPS + 2):
        found = found.updated(str(number), {"PLR": ("PLR",) if number % 2 else ()}, {})
    assert first.changed_since("0") is not None
    assert found.changed_since("0") is None
    assert found.changed_since(None) is None
    last = found.changed_since(str(MAX_STEPS))
    assert last is not None
    assert last.spellings == {"PLR"}
    assert dict(found.terms) == {"PLR": ("PLR",)}
    many = found.updated("many", {f"T{number}": ("T",) for number in range(MAX_CHANGED + 1)}, {})
    assert many.changed_since(str(MAX_STEPS + 1)) is None
