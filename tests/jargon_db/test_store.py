"""The dictionary in SQL, and what of it those see who may read some documents, on SQLite and PostgreSQL."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from contracts.dictionary import SenseFilter, StateCounts
from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.jargon import Context, Sense
from database.migrations import MigrationScope
from database.transactions import writing
from jargon_db.migrations import DICTIONARY
from jargon_db.normalization import fold, is_visible
from jargon_db.store import JargonStore
from jargon_db.unknown_terms import record_unknown
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.library.samples import document_of, unit_vectors
from tests.models import change_sense, mined, replace


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    return (LIBRARY, DICTIONARY)


def test_stored_sense_is_returned_unchanged(store: JargonStore) -> None:
    told = {"context": "Protocols", "description": "Repeats frames.", "notes": "See ACK.", "source": "handbook p. 3"}
    aliases = ["phy retry", "PHY Retry", "link retry"]
    sense = store.add_sense(" PLR ", "Physical  Layer Retransmission", **told, aliases=aliases)
    assert (sense.term, sense.extended_name) == ("PLR", "Physical Layer Retransmission")
    assert sense.aliases == ("phy retry", "link retry")
    assert sense.model_dump(include={*told}) == told
    assert store.senses() == (sense,)
    assert store.contexts() == (Context(name="Protocols"),)


def test_alias_can_belong_to_several_terms_but_drafts_are_not_found(store: JargonStore) -> None:
    store.add_sense("CE#", "Chip Enable", aliases=["select"])
    store.add_sense("CS#", "Chip Select", aliases=["select"])
    assert store.vocabulary().terms == {
        "CE#": ("CE#",), "CS#": ("CS#",), "select": ("CE#", "CS#"),
    }  # fmt: skip
    # Letter case and full-width letters do not matter; a draft is found if drafts are requested.
    assert [sense.term for sense in store.look_up(["\uff33elect"])["\uff33elect"]] == ["CE#", "CS#"]
    draft = store.add_sense("PLR", "Draft", state="draft")
    assert (store.look_up(["plr"]), store.look_up(["plr"], state="draft")) == ({"plr": ()}, {"plr": (draft,)})


def test_the_same_meaning_again_replaces_it(store: JargonStore) -> None:
    first = store.add_sense("PLR", "Physical Layer Retransmission", context="Protocols", aliases=["phy retry"])
    version = store.version()
    store.add_sense("PLR", "Physical Layer Retransmission", context="Protocols", aliases=["phy retry"])
    assert store.version() == version
    second = store.add_sense("Plr", "physical layer retransmission", context="PROTOCOLS", notes="new")
    assert second == replace(first, term="Plr", extended_name="physical layer retransmission", notes="new", aliases=())
    assert store.version() != version
    assert store.vocabulary().terms == {"Plr": ("Plr",)}
    assert store.look_up(["phy retry"]) == {"phy retry": ()}


def test_sense_cannot_be_changed_into_an_existing_one(store: JargonStore) -> None:
    sense = store.add_sense("PLR", "Physical Layer Retransmission", context="Protocols")
    store.add_sense("PLR", "Parts Lost Ratio", context="Test")
    with pytest.raises(Conflict, match="Parts Lost Ratio"):
        change_sense(store, replace(sense, extended_name="parts lost ratio", context="test"))
    with pytest.raises(InvalidInput):
        store.set_state(sense.id, "gone")  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        store.set_state(999, "draft")
    store.put_context(Context(name="New"), version=0)
    with pytest.raises(Conflict, match="version 1"):
        store.put_context(Context(name="new", description="Mine."), version=0)


def test_filters_select_senses(store: JargonStore, subtests: pytest.Subtests) -> None:
    store.add_sense("DLL", "Delay-Locked Loop", context="Memory", aliases=["delay loop"])
    store.add_sense("DLL", "Dynamic-Link Library", context="Software", description="Shared code, 100% ours.")
    store.add_sense("Mb", "Megabit", notes="not a megabyte_")
    store.add_sense("MB", "Megabyte", state="draft")
    store.add_sense("tRC", "Straße", description="Die Straße zum Hof.", state="rejected")
    for wanted, found in [
        (SenseFilter(), ["Delay-Locked Loop", "Dynamic-Link Library", "Megabyte", "Megabit", "Straße"]),
        (SenseFilter(context=""), ["Megabyte", "Megabit", "Straße"]),
        (SenseFilter(term="mb"), ["Megabyte", "Megabit"]),
        (SenseFilter(text="software"), ["Dynamic-Link Library"]),
        (SenseFilter(text="delay loop"), ["Delay-Locked Loop"]),
        (SenseFilter(text="STRASSE"), ["Straße"]),
        (SenseFilter(text="%"), ["Dynamic-Link Library"]),
        (SenseFilter(text="_"), ["Megabit"]),
        (SenseFilter(text="\\"), []),
        (SenseFilter(text="dll", context="Memory", state="published"), ["Delay-Locked Loop"]),
    ]:
        with subtests.test(wanted=wanted):
            page = store.page(wanted)
            assert [entry.extended_name for entry in page.items] == found
            assert page.total == len(found)
    assert store.page(SenseFilter(text="mega", state="draft")).counts == StateCounts(draft=1, published=1)
    second = store.page(SenseFilter(), limit=2, offset=2)
    assert [(entry.extended_name, second.total) for entry in second.items] == [("Megabyte", 5), ("Megabit", 5)]


def test_invalid_sense_is_refused_up_to_the_maximum_lengths(store: JargonStore, subtests: pytest.Subtests) -> None:
    for fields, field in [
        ({"term": " "}, "term"),
        ({"term": "x" * 201}, "term"),
        ({"extended_name": "x" * 401}, "extended_name"),
        ({"aliases": ["PLR"]}, "aliases"),
        ({"aliases": [f"alias {number}" for number in range(51)]}, "aliases"),
        ({"state": "final"}, "state"),
    ]:
        with subtests.test(fields=fields):
            with pytest.raises(InvalidInput) as raised:
                store.add_sense(**({"term": "PLR", "extended_name": "Physical Layer Retransmission"} | fields))  # type: ignore[arg-type]
            assert raised.value.field == field
            assert store.version() == "0"
    store.add_sense("\u4e00" * 200, "\U0001f600" * 400, context="\u4e01" * 200, aliases=["\u4e02" * 200])
    assert len(store.look_up(["\u4e02" * 200])["\u4e02" * 200]) == 1


def test_each_context_has_one_description(store: JargonStore) -> None:
    store.add_sense("PLR", "Physical Layer Retransmission", context="protocols")
    described = Context(name="Protocols", description="Serial links.", examples=("Who sends a NAK?", "And ACK?"))
    store.put_context(described)
    store.put_context(Context(name="Test"))
    version = store.version()
    store.put_context(described)
    assert store.version() == version
    assert store.contexts() == (described, Context(name="Test"))
    assert store.senses()[0].context == "Protocols"
    with pytest.raises(InvalidInput):
        store.put_context(Context(name=" "))


def test_unknown_terms_are_counted_until_somebody_defines_them(store: JargonStore) -> None:
    version = store.version()
    store.record_unknown("XQZ", "What is XQZ?", "Test")
    store.record_unknown("xqz", "And xqz?" + "x" * 10_000, "")
    store.record_unknown("ABC", "What is ABC?", "")
    store.record_unknown("  ", "?", "")
    store.record_unknown("\ufdfa" * 300, "?", "")
    assert store.version() == version
    first, *others = store.unknown_terms()
    assert (first.term, first.count, first.context) == ("XQZ", 2, "")
    assert first.last_question.startswith("And xqz?")
    assert len(first.last_question) == 500
    assert first.first_asked_at <= first.last_asked_at
    assert first.last_asked_at.utcoffset() is not None
    assert len(others) == 2
    store.add_sense("Something", "Else", aliases=["XQZ"])
    store.dismiss_unknown("abc")
    store.dismiss_unknown("\ufdfa" * 300)
    assert store.unknown_terms() == ()
    with pytest.raises(NotFound):
        store.dismiss_unknown("abc")


def test_rare_and_old_unknown_terms_are_deleted_beyond_the_limit(store: JargonStore, engine: Engine) -> None:
    def ask(*terms: str) -> set[str]:
        for term in terms:
            with writing(engine) as connection:
                record_unknown(connection, term, f"What is {term}?", "", most=3)
        return {each.term for each in store.unknown_terms()}

    assert ask("Often", "Often", "First", "Second") == {"Often", "First", "Second"}
    assert ask("Third") == {"Often", "Second", "Third"}
    assert ask("Fourth") == {"Often", "Third", "Fourth"}
    # If all terms were asked for again, there is still room for a new one.
    assert ask("Third", "Fourth", "New") == {"Third", "Fourth", "New"}
    assert ask("Newer") == {"Third", "Fourth", "Newer"}


def test_many_terms_at_once(store: JargonStore) -> None:
    store.put_all([Sense(id=0, term=f"T{number}", extended_name=f"Name {number}") for number in range(1_200)])
    terms = [f"t{number}" for number in range(1_400)]
    found = store.look_up(terms)
    assert list(found) == terms
    assert [len(found[term]) for term in terms] == [1] * 1_200 + [0] * 200


@given(term=st.text(max_size=30), name=st.text(max_size=30), alias=st.text(max_size=30))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_stored_sense_is_found(store: JargonStore, term: str, name: str, alias: str) -> None:
    try:
        sense = store.add_sense(term, name, aliases=[alias])
    except InvalidInput:
        shown = is_visible(term) and is_visible(name)
        assert not shown or len(fold(term + name + alias)) > 200 or fold(alias) == fold(term)
        return
    assert sense in store.look_up([term])[term]
    assert sense in store.look_up([term.upper()])[term.upper()] or fold(term.upper()) != fold(term)
    if is_visible(alias):
        assert sense in store.look_up([alias])[alias]


def test_concurrent_writers_lose_nothing(store: JargonStore, engine: Engine) -> None:
    def write(worker: int) -> None:
        for number in range(10):
            own = JargonStore(engine)
            own.add_sense(f"W{worker}N{number}", "Own", context="Shared context")
            own.add_sense("SHARED", "Same for all", notes=f"{worker} {number}")
            own.record_unknown("XQZ", f"{worker} {number}", "")

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(write, range(4))) == [None] * 4
    assert len(store.senses()) == 41
    assert store.unknown_terms()[0].count == 40
    assert len(store.contexts()) == 1
    assert int(store.version()) == 80


def limited(engine: Engine, *readable: str) -> JargonStore:
    return JargonStore(engine, may_read=frozenset(readable).intersection)


def test_senses_only_in_unreadable_documents_are_hidden(engine: Engine) -> None:
    store = JargonStore(engine)
    secret = [mined("SEC", "Secret Engine Cover", "s.pdf"), mined("REJ", "Rejected", "s.pdf")]
    store.add_candidates([mined("OPN", "Open Pump Nozzle", "open.pdf"), *secret])
    store.add_sense("PUB", "Public Name", description="Told by s.pdf.")
    numbers = {sense.term: sense.id for sense in store.senses()}
    store.set_state(numbers["REJ"], "rejected")
    view = limited(engine, "open.pdf").acting_as("Bob")
    page = view.page(SenseFilter())
    assert {entry.term for entry in page.items} == {"OPN", "PUB"}
    assert page.counts == StateCounts(draft=1, published=1)
    assert page.total == 2
    assert [each.sense.term for each in view.candidates()] == ["OPN"]
    assert view.page(SenseFilter(text="secret")).items == ()
    for term in ("SEC", "REJ"):
        for call in (view.entry, view.remove_sense, lambda number: view.set_state(number, "published")):
            with pytest.raises(NotFound, match=f"no sense {numbers[term]} "):
                call(numbers[term])
    choice = view.publish_drafts(0.0)
    assert [each.sense.term for each in choice.published] == ["OPN"]
    assert {sense.term for sense in store.senses(state="published")} == {"OPN", "PUB"}
    assert store.history("OPN")[0].who == "Bob"


def test_senses_also_found_in_unreadable_documents_are_hidden(engine: Engine) -> None:
    store = JargonStore(engine)
    store.add_candidates([mined("BLT", "Bilge Level Table", document) for document in ("s.pdf", "o.pdf")])
    (draft,) = store.senses()
    view = limited(engine, "o.pdf")
    assert (view.candidates(), view.page(SenseFilter()).total) == ((), 0)
    with pytest.raises(NotFound):
        view.set_states([draft.id], "published")
    assert limited(engine, "o.pdf", "s.pdf").entry(draft.id).sense == draft


def test_document_name_is_readable_if_all_documents_of_that_name_are(engine: Engine) -> None:
    library = LibraryStore(engine)
    for name, group in (("a.pdf", "everyone"), ("b.pdf", "everyone"), ("b.pdf", "crew")):
        document = dataclasses.replace(document_of(name, group=group), id=f"{group} {name}", path=f"/{group}/{name}")
        library.replace_document(document, [], unit_vectors(0), embedder="m")
    names = ["a.pdf", "b.pdf", "gone.pdf"]
    assert library.names_in(names, frozenset({"everyone"})) == {"a.pdf"}
    assert library.names_in(names, frozenset({"everyone", "crew"})) == {"a.pdf", "b.pdf"}
    assert library.names_in([], frozenset({"everyone"})) == frozenset()
