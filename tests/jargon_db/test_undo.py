"""An import, a merge or the mining of a document is one entry of the history, and is taken back as one."""

from pathlib import Path

import pytest

from contracts.dictionary import Batch
from contracts.errors import Conflict, NotFound
from contracts.jargon import Context, Sense
from jargon_db.import_export import import_files
from jargon_db.store import JargonStore
from tests.models import change_sense, mined, replace

# More than one statement takes.
MANY = 600


def plain(number: int, **fields: str) -> Sense:
    return Sense(id=0, term=f"T{number}", extended_name=f"Name {number}", **fields)  # type: ignore[arg-type]


def counts_of(batch: Batch) -> tuple[str, int, int, int, str]:
    return (batch.action, batch.added, batch.changed, batch.deleted, batch.origin)


def test_an_import_is_one_entry_of_the_history(store: JargonStore, tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("term,extended_name,context\nECC,Error-Correcting Code,Memory\nLUN,Logical Unit Number,Memory\n")
    ada = store.acting_as("Ada")
    import_files(ada, path)
    path.write_text("term,extended_name,context\nECC,Error-Correcting Code,Memory\nLUN,Logical unit number,Memory\n")
    import_files(ada, path)
    import_files(ada, path)
    ada.add_sense("MB", "Megabyte")
    single, second, first = store.batches()
    assert counts_of(single) == ("add", 1, 0, 0, "")
    assert counts_of(second) == ("import", 0, 1, 0, "terms.csv")
    # The context comes with the first sense that names it.
    assert counts_of(first) == ("import", 3, 0, 0, "terms.csv")
    assert first.who == "Ada"
    assert store.batches(limit=1) == (single,)
    assert [each.name for each in store.history() if each.batch == first.number] == ["LUN", "ECC", "Memory"]


def test_a_large_import_is_taken_back_and_comes_again(store: JargonStore) -> None:
    kept = store.add_sense("KEPT", "Kept Sense", context="Test")
    changed = store.add_sense("T7", "Name 7", context="Test", description="Old.", aliases=["seven"])
    before = store.senses(), store.contexts()
    wanted = [
        plain(number, context="Test" if number % 2 else "New", description="New.")
        if number == 7
        else replace(plain(number, context="Test" if number % 2 else "New"), aliases=(f"alias {number}",))
        for number in range(MANY)
    ]
    report = store.put_all(wanted).terms
    assert (report.added, report.changed) == (MANY - 1, 1)
    imported = store.senses(), store.contexts(), store.vocabulary().terms
    undone = store.acting_as("Bob").undo_batch(store.batches()[0].number)
    assert (undone.action, undone.who) == ("undo", "Bob")
    # The context New came with the import.
    assert (undone.added, undone.changed, undone.deleted) == (0, 1, MANY)
    assert (store.senses(), store.contexts()) == before
    assert store.look_up(["seven"])["seven"] == (changed,)
    assert all(change.undoes for change in store.history(limit=MANY) if change.batch == undone.number)
    store.undo_batch(undone.number)
    assert (store.senses(), store.contexts(), store.vocabulary().terms) == imported
    assert kept in store.senses()
    assert len(store.batches()) == 5


def test_an_import_that_was_edited_since_stays_whole(store: JargonStore) -> None:
    store.put_all([plain(number) for number in range(MANY)])
    imported = store.batches()[0].number
    senses = {sense.term: sense for sense in store.senses()}
    bob = store.acting_as("Bob")
    for number in (3, 4, 5, 6, 7):
        change_sense(bob, replace(senses[f"T{number}"], description="By Bob."))
    bob.remove_sense(senses["T550"].id)
    edited = store.senses()
    history = store.history()
    with pytest.raises(Conflict) as raised:
        store.undo_batch(imported)
    assert "'T3' has changed since change" in str(raised.value)
    assert "Bob made change" in str(raised.value)
    assert "'By Bob.'" in str(raised.value)
    assert "And 1 more." in str(raised.value)
    assert (store.senses(), store.history()) == (edited, history)
    for change in bob.history()[:6]:
        bob.undo(change.number)
    assert store.undo_batch(imported).deleted == MANY
    assert store.senses() == ()
    with pytest.raises(NotFound):
        store.undo_batch(99_999)


def test_what_a_document_gave_is_taken_back_with_its_evidence(store: JargonStore) -> None:
    store.add_candidates([mined("LUN", "Logical Unit Number"), mined("ECC", "Error-Correcting Code")])
    drafted = [(each.sense.sense, each.evidence) for each in store.candidates()]
    (batch,) = store.batches()
    assert counts_of(batch) == ("mine", 2, 0, 0, "a.pdf")
    undone = store.undo_batch(batch.number)
    assert store.candidates() == ()
    store.undo_batch(undone.number)
    assert [(each.sense.sense, each.evidence) for each in store.candidates()] == drafted


def test_contexts_and_terms_of_an_import_go_together(store: JargonStore) -> None:
    store.put_all([plain(1, context="Test")], [Context(name="Test", description="Tests."), Context(name="Other")])
    (batch,) = store.batches()
    assert batch.count == 3
    store.add_sense("MINE", "My own", context="Other")
    with pytest.raises(Conflict, match="has senses"):
        store.undo_batch(batch.number)
    assert len(store.contexts()) == 2
    store.undo(store.batches()[0].number)
    store.undo_batch(batch.number)
    assert (store.senses(), store.contexts()) == ((), ())
