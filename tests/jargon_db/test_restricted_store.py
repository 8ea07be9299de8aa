"""The dictionary for those who may read some documents, on SQLite and PostgreSQL."""

from collections.abc import Collection
from dataclasses import replace

import pytest
from sqlalchemy import Engine

from contracts.dictionary import SenseFilter, StateCounts
from contracts.errors import NotFound
from database.migrations import MigrationScope
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.library.samples import document_of, unit_vectors
from tests.models import mined


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    return (LIBRARY, DICTIONARY)


def limited(engine: Engine, *readable: str) -> JargonStore:
    def may_read(names: Collection[str]) -> frozenset[str]:
        return frozenset(names) & frozenset(readable)

    return JargonStore(engine, may_read=may_read)


def test_senses_only_in_unreadable_documents_are_hidden(engine: Engine) -> None:
    store = JargonStore(engine)
    for term, name, document in (
        ("OPN", "Open Pump Nozzle", "open.pdf"),
        ("SEC", "Secret Engine Cover", "s.pdf"),
        ("REJ", "Rejected", "s.pdf"),
    ):
        store.add_candidates([mined(term, name, document)])
    store.add_sense("PUB", "Public Name", description="Told by s.pdf.")
    numbers = {sense.term: sense.id for sense in store.senses()}
    store.set_state(numbers["REJ"], "rejected")
    view = limited(engine, "open.pdf").acting_as("Bob")
    page = view.page(SenseFilter())
    assert {entry.term for entry in page.items} == {"OPN", "PUB"}
    assert page.counts == StateCounts(draft=1, published=1)
    assert page.total == 2
    assert {entry.term for entry in view.entries()} == {"OPN", "PUB"}
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
    assert (view.candidates(), view.entries(), view.page(SenseFilter()).total) == ((), (), 0)
    with pytest.raises(NotFound):
        view.set_states([draft.id], "published")
    assert limited(engine, "o.pdf", "s.pdf").entry(draft.id).sense == draft


def test_document_name_is_readable_if_all_documents_of_that_name_are(engine: Engine) -> None:
    library = LibraryStore(engine)
    for name, group in (("a.pdf", "everyone"), ("b.pdf", "everyone"), ("b.pdf", "crew")):
        document = replace(document_of(name, group=group), id=f"{group} {name}", path=f"/{group}/{name}")
        library.replace_document(document, [], unit_vectors(0), embedder="m")
    names = ["a.pdf", "b.pdf", "gone.pdf"]
    assert library.names_in(names, frozenset({"everyone"})) == {"a.pdf"}
    assert library.names_in(names, frozenset({"everyone", "crew"})) == {"a.pdf", "b.pdf"}
    assert library.names_in([], frozenset({"everyone"})) == frozenset()
