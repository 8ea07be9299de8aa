"""Every implementation of JargonDictionary keeps its contract."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.jargon import Context, Correction, Sense
from database.connection import open_database
from database.migrations import migrate
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from tools.jargon.base import JargonDictionary
from tools.jargon.sql import SqlJargonDictionary

SENSES = (
    Sense(id=1, term="PLR", extended_name="Physical Layer Retransmission", context="Protocols", aliases=("phy retry",)),
    Sense(id=2, term="PLR", extended_name="Parts Lost Ratio", context="Test"),
    Sense(id=3, term="MB", extended_name="Megabyte"),
    Sense(id=4, term="Mb", extended_name="Megabit"),
    Sense(id=5, term="DRAFT", extended_name="Not Yet", state="draft"),
    Sense(id=6, term="WRONG", extended_name="Not So", state="rejected"),
)
CONTEXTS = (Context(name="Test", description="Testing.", examples=("What is sort?",)), Context(name="Protocols"))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def dictionary(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[JargonDictionary]:
    on_postgres = request.param == "postgresql"
    engine = open_database(request.getfixturevalue("postgres_url") if on_postgres else f"sqlite:///{tmp_path}/a.db")
    migrate(engine, DICTIONARY)
    store = JargonStore(engine)
    store.put_all(SENSES, CONTEXTS)
    yield SqlJargonDictionary(store)
    engine.dispose()


async def _names(dictionary: JargonDictionary, *terms: str) -> list[list[str]]:
    found = await dictionary.senses(terms)
    assert list(found) == list(terms)
    return [[sense.extended_name for sense in found[term]] for term in terms]


async def test_vocabulary_contains_published_terms_only(dictionary: JargonDictionary) -> None:
    vocabulary = await dictionary.vocabulary()
    assert vocabulary.terms == {"MB": ("MB",), "Mb": ("Mb",), "PLR": ("PLR",), "phy retry": ("PLR",)}
    assert vocabulary.names == {
        "Megabit": ("Mb",), "Megabyte": ("MB",), "Parts Lost Ratio": ("PLR",), "Physical Layer Retransmission": ("PLR",)
    }  # fmt: skip
    assert vocabulary.version == await dictionary.version()
    assert await dictionary.vocabulary() == vocabulary
    assert await dictionary.contexts() == tuple(reversed(CONTEXTS))


async def test_senses_are_found_by_term_or_alias_with_exact_spelling_first(dictionary: JargonDictionary) -> None:
    both = ["Physical Layer Retransmission", "Parts Lost Ratio"]
    assert await _names(dictionary, "PLR", "plr", "Phy  RETRY", "absent") == [both, both, both[:1], []]
    assert await _names(dictionary, "DRAFT", "WRONG", "") == [[], [], []]
    assert await _names(dictionary, "MB", "Mb") == [["Megabyte", "Megabit"], ["Megabit", "Megabyte"]]
    sense = (await dictionary.senses(["phy retry"]))["phy retry"][0]
    assert (sense.term, sense.context, sense.aliases, sense.state) == ("PLR", "Protocols", ("phy retry",), "published")


async def test_near_spellings_come_from_published_terms(dictionary: JargonDictionary) -> None:
    assert await dictionary.near_spellings("PRL") == ("PLR",)
    assert await dictionary.near_spellings("phi retries") == ("phy retry",)
    assert await dictionary.near_spellings("M") == ("MB",)
    assert await dictionary.near_spellings("plr") == ()
    assert await dictionary.near_spellings("DRAFTS") == ()
    assert len(await dictionary.near_spellings("PLRMB", 1)) <= 1


async def test_any_string_is_looked_up_and_recorded(dictionary: JargonDictionary, subtests: pytest.Subtests) -> None:
    for number, term in enumerate(["", "'; DROP TABLE x; --", "\x00", "\ud800", "%", "😀", "x" * 10_000]):
        with subtests.test(term=term[:20]):
            assert await dictionary.senses([term]) == {term: ()}
            await dictionary.record_unknown(term, f"What is {term}?", "Test")
            await dictionary.record_correction(Correction(term=term, extended_name=term, context=term, question=term))
            assert len(await dictionary.corrections()) == number
            await dictionary.record_correction(_lost(f"What is {term} {number}?"))
            assert len(await dictionary.corrections()) == number + 1


async def test_concurrent_look_ups_and_records(dictionary: JargonDictionary) -> None:
    found = await asyncio.gather(*(dictionary.senses(["PLR", f"x{number}"]) for number in range(40)))
    assert all(len(each["PLR"]) == 2 for each in found)
    await asyncio.gather(*(dictionary.record_unknown("XQZ", "?", "") for _ in range(10)))
    assert await dictionary.corrections() == ()
    await asyncio.gather(*(dictionary.record_correction(_lost(f"{n}?")) for n in range(10)))
    assert len(await dictionary.corrections()) == 10


def _lost(question: str, *, term: str = "PLR", name: str = "Parts Lost Ratio", context: str = "Test") -> Correction:
    return Correction(term=term, extended_name=name, context=context, question=question)


async def test_corrections_are_newest_first_without_duplicates_or_missing_senses(dictionary: JargonDictionary) -> None:
    version = await dictionary.version()
    for unlike in (_lost("?", name="Parsley"), _lost("?", context="Protocols"), _lost("?", term="QQQ")):
        await dictionary.record_correction(unlike)
    assert await dictionary.corrections() == ()
    await dictionary.record_correction(_lost("How many PLR at sort?"))
    retried = _lost("PLR?", name="Physical Layer Retransmission", context="Protocols")
    await dictionary.record_correction(retried)
    assert await dictionary.corrections() == (retried, _lost("How many PLR at sort?"))
    again = _lost("how many  plr at SORT?", term="plr", name="PARTS LOST RATIO", context="test")
    await dictionary.record_correction(again)
    latest, older = await dictionary.corrections()
    assert (latest.term, latest.extended_name, latest.context) == ("PLR", "Parts Lost Ratio", "Test")
    assert older == retried
    assert await dictionary.version() == version
    # A correction under an alias is stored under its term.
    of_alias = _lost("?", term="phy retry", name="Physical Layer Retransmission", context="Protocols")
    await dictionary.record_correction(of_alias)
    assert [each.term for each in await dictionary.corrections()] == ["PLR"] * 3
