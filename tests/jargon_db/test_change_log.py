"""Who changed what when, and taking it back: an edit, or an import, a merge or a mined document as a whole."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from contracts.dictionary import Change
from contracts.errors import Conflict, NotFound
from contracts.jargon import Context, Sense
from database.connection import open_database
from jargon_db.store import JargonStore
from tests.models import change_sense, mined, replace


def summary(changes: tuple[Change, ...]) -> list[tuple[str, str, str]]:
    return [(change.who, change.action, change.name) for change in changes]


@pytest.fixture
def ada(store: JargonStore) -> JargonStore:
    return store.acting_as("Ada")


@pytest.fixture
def bob(store: JargonStore) -> JargonStore:
    return store.acting_as("Bob")


def test_every_change_leaves_a_row(ada: JargonStore, bob: JargonStore) -> None:
    before = datetime.now(UTC)
    sense = ada.add_sense("PLR", "Physical Layer Retransmission", context="Protocols", aliases=["retry"])
    edited = change_sense(bob, replace(sense, term="PLRx", description="Repeats frames.", aliases=()))
    ada.add_sense("plrx", "physical layer retransmission", context="Protocols", notes="n")
    bob.set_state(sense.id, "rejected")
    bob.set_state(sense.id, "rejected")
    bob.remove_sense(sense.id)
    changes = ada.history()
    assert summary(changes) == [
        ("Bob", "delete", "plrx"),
        ("Bob", "reject", "plrx"),
        ("Ada", "edit", "plrx"),
        ("Bob", "edit", "PLRx"),
        ("Ada", "add", "PLR"),
        ("Ada", "add", "Protocols"),
    ]
    assert [change.version for change in changes] == [5, 4, 3, 2, 1, 1]
    assert changes[3].before == sense
    assert changes[3].after == edited
    assert [(each.field, each.before, each.after) for each in changes[3].differences] == [
        ("term", "PLR", "PLRx"),
        ("description", "", "Repeats frames."),
        ("aliases", ("retry",), ()),
    ]
    assert changes[0].after is None
    assert changes[4].before is None
    assert all(before <= change.at <= before + timedelta(minutes=1) for change in changes)
    assert all(change.at.utcoffset() == timedelta(0) for change in changes)
    assert ada.history("plr") == changes[:5]
    assert ada.history("PLRX", limit=2) == changes[:2]
    assert ada.history("PLRX", limit=2, before=changes[1].number) == changes[2:4]
    assert summary(ada.history("protocols")) == [("Ada", "add", "Protocols")]
    assert ada.history("absent") == ()


def test_imports_contexts_and_mining_leave_rows_too(store: JargonStore, ada: JargonStore) -> None:
    for _ in range(2):
        ada.put_all([Sense(id=0, term="A", extended_name="Alpha"), Sense(id=0, term="B", extended_name="Beta")])
    ada.put_context(Context(name="Test", description="Testing."))
    ada.put_all([], [Context(name="test", description="More.")])
    ada.remove_context("TEST")
    store.add_candidates([mined("LUN", "Logical Unit Number")])
    store.forget_document("a.pdf")
    assert summary(store.history()) == [
        ("", "forget", "LUN"),
        ("", "mine", "LUN"),
        ("Ada", "delete", "test"),
        ("Ada", "import", "test"),
        ("Ada", "add", "Test"),
        ("Ada", "import", "B"),
        ("Ada", "import", "A"),
    ]


def test_one_of_two_concurrent_edits_is_refused(store: JargonStore, database_url: str) -> None:
    sense = store.add_sense("PLR", "Physical Layer Retransmission")
    store.put_context(Context(name="Test"))
    together = threading.Barrier(2)

    def edit(who: str) -> list[str]:
        engine = open_database(database_url)
        own = JargonStore(engine, who=who)
        edits: list[Callable[[], object]] = [
            lambda: change_sense(own, replace(sense, description=f"By {who}."), version=1),
            lambda: own.put_context(Context(name="Test", description=f"By {who}."), version=1),
        ]
        refused = []
        for each in edits:
            together.wait(30)
            try:
                each()
            except Conflict as error:
                refused.append(str(error))
        engine.dispose()
        return refused

    with ThreadPoolExecutor(2) as threads:
        of_sense, of_context = sorted(each for of_one in threads.map(edit, ("Ada", "Bob")) for each in of_one)
    winner = store.history("PLR")[0].who
    assert (store.entry(sense.id).sense.description, store.entry(sense.id).version) == (f"By {winner}.", 2)
    assert f"{winner} made change" in of_sense
    assert "'Test'" in of_context
    assert store.context_entry("Test").version == 2


def test_an_addition_an_edit_and_a_deletion_are_undone(store: JargonStore, ada: JargonStore) -> None:
    sense = ada.add_sense("PLR", "Physical Layer Retransmission", aliases=["retry"])
    edited = change_sense(ada, replace(sense, extended_name="Parts Lost Ratio", context="Test", aliases=()))
    store.acting_as("Bob").undo(ada.history("PLR")[0].number)
    change = ada.history("PLR")[0]
    assert (change.who, change.action, change.undoes, change.after) == ("Bob", "undo", change.number - 1, sense)
    assert store.senses() == (sense,)
    assert store.look_up(["retry"])["retry"] == (sense,)
    ada.undo(change.number)
    assert store.senses() == (edited,)
    ada.remove_sense(sense.id)
    ada.undo(ada.history("PLR")[0].number)
    assert store.senses() == (edited,)
    assert store.entry(sense.id).version == 6
    ada.undo(ada.history("PLR")[0].number)
    assert store.senses() == ()
    added = ada.add_sense("NEW", "New")
    assert added.id != sense.id
    version = store.version()
    ada.undo(ada.history("NEW")[0].number)
    assert store.senses() == ()
    assert store.version() != version
    with pytest.raises(NotFound, match="no change 9999"):
        ada.undo(9999)


def test_change_followed_by_another_is_not_undone(store: JargonStore, ada: JargonStore, bob: JargonStore) -> None:
    sense = ada.add_sense("PLR", "Physical Layer Retransmission")
    change_sense(ada, replace(sense, notes="one"))
    change_sense(bob, replace(sense, notes="two"))
    edit = ada.history("PLR")[1].number
    with pytest.raises(Conflict, match=r"has changed since.*Bob made.*'one' -> 'two'"):
        ada.undo(edit)
    bob.remove_sense(sense.id)
    again = ada.add_sense("plr", "physical layer retransmission")
    with pytest.raises(Conflict, match=f"change that sense \\({again.id}\\)"):
        ada.undo(ada.history("PLR")[1].number)
    assert store.senses() == (again,)


def test_changes_of_contexts_are_undone(store: JargonStore, ada: JargonStore) -> None:
    ada.put_context(Context(name="Test", description="One.", examples=("What?",)))
    ada.put_context(Context(name="Test", description="Two."))
    ada.undo(ada.history("test")[0].number)
    assert store.contexts() == (Context(name="Test", description="One.", examples=("What?",)),)
    ada.remove_context("Test")
    deleted = ada.history("test")[0].number
    ada.undo(deleted)
    assert store.context_entry("Test").version == 5
    ada.remove_context("Test")
    ada.add_sense("A", "Alpha", context="Test")
    with pytest.raises(Conflict, match="context 'Test' exists again"):
        ada.undo(ada.history("test")[1].number)


def test_context_that_other_senses_have_stays(store: JargonStore) -> None:
    store.put_context(Context(name="Alone"))
    store.add_sense("A", "Alpha", context="Alone")
    with pytest.raises(Conflict, match="has senses"):
        store.undo(store.history("Alone")[0].number)
    added = store.add_sense("B", "Beta", context="Test")
    store.add_sense("C", "Gamma", context="Test")
    number = store.undo(store.history("B")[0].number)
    assert [each.name for each in store.history() if each.batch == number] == ["B"]
    assert (store.senses(term="B"), len(store.senses(context="Test"))) == ((), 1)
    store.undo(store.history("B")[0].number)
    assert store.senses(term="B") == (added,)


# More rows than fit into one statement.
MANY = 600


def plain(number: int, **fields: str) -> Sense:
    return Sense(id=0, term=f"T{number}", extended_name=f"Name {number}", **fields)  # type: ignore[arg-type]


def test_large_import_is_undone_and_redone(store: JargonStore) -> None:
    kept = store.add_sense("KEPT", "Kept Sense", context="Test")
    changed = store.add_sense("T7", "Name 7", context="Test", description="Old.", aliases=["seven"])
    before = store.senses(), store.contexts()
    wanted = [plain(number, context="Test" if number % 2 else "New") for number in range(MANY)]
    wanted = [replace(each, aliases=(f"alias {number}",)) for number, each in enumerate(wanted)]
    wanted[7] = replace(wanted[7], aliases=(), description="New.")
    report = store.put_all(wanted).terms
    assert (report.added, report.changed) == (MANY - 1, 1)
    imported = store.senses(), store.contexts(), store.vocabulary().terms
    undone = store.acting_as("Bob").undo(store.history()[0].number)
    assert {(each.action, each.who) for each in store.history(limit=MANY)} == {("undo", "Bob")}
    # The context "New" was created by the import.
    assert sum(each.batch == undone for each in store.history(limit=2 * MANY)) == MANY + 1
    assert (store.senses(), store.contexts()) == before
    assert store.look_up(["seven"])["seven"] == (changed,)
    assert all(change.undoes for change in store.history(limit=MANY) if change.batch == undone)
    store.undo(undone)
    assert (store.senses(), store.contexts(), store.vocabulary().terms) == imported
    assert kept in store.senses()


def test_import_that_was_edited_later_is_not_undone(store: JargonStore) -> None:
    store.put_all([plain(number) for number in range(MANY)])
    imported = store.history()[0].number
    senses = {sense.term: sense for sense in store.senses()}
    bob = store.acting_as("Bob")
    for number in (3, 4, 5, 6, 7):
        change_sense(bob, replace(senses[f"T{number}"], description="By Bob."))
    bob.remove_sense(senses["T550"].id)
    edited = store.senses()
    history = store.history()
    with pytest.raises(Conflict) as raised:
        store.undo(imported)
    assert "'T3' has changed since change" in str(raised.value)
    assert "Bob made change" in str(raised.value)
    assert "'By Bob.'" in str(raised.value)
    assert "And 1 more." in str(raised.value)
    assert (store.senses(), store.history()) == (edited, history)
    for change in bob.history()[:6]:
        bob.undo(change.number)
    store.undo(imported)
    assert store.senses() == ()
    with pytest.raises(NotFound):
        store.undo(99_999)


def test_mined_terms_are_undone_together_with_their_evidence(store: JargonStore) -> None:
    store.add_candidates([mined("LUN", "Logical Unit Number"), mined("ECC", "Error-Correcting Code")])
    drafted = [(each.sense.sense, each.evidence) for each in store.candidates()]
    mine, other = store.history()
    assert (mine.action, mine.origin, mine.batch) == ("mine", "a.pdf", other.number)
    undone = store.undo(mine.number)
    assert store.candidates() == ()
    store.undo(undone)
    assert [(each.sense.sense, each.evidence) for each in store.candidates()] == drafted
