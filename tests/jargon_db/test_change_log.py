"""Who changed what when, versions of entries, and taking a change back."""

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


def test_an_edit_of_an_old_version_is_refused_and_says_who_changed_what_when(
    store: JargonStore, ada: JargonStore, bob: JargonStore
) -> None:
    sense = ada.add_sense("PLR", "Physical Layer Retransmission")
    seen = store.entry(sense.id).version
    assert seen == 1
    change_sense(bob, replace(sense, description="By Bob."), version=seen)
    calls: list[Callable[[], object]] = [
        lambda: change_sense(ada, replace(sense, description="By Ada."), version=seen),
        lambda: ada.set_state(sense.id, "rejected", version=seen),
        lambda: ada.remove_sense(sense.id, version=seen),
    ]
    for call in calls:
        with pytest.raises(Conflict, match=r"version 2.*version 1.*Bob made.*UTC: description '' -> 'By Bob.'"):
            call()
    (entry,) = store.entries(term="plr")
    assert (entry.sense.description, entry.version) == ("By Bob.", 2)
    change_sense(ada, replace(sense, description="By Ada."), version=entry.version)
    assert store.entry(sense.id).version == 3
    bob.remove_sense(sense.id)
    with pytest.raises(Conflict, match=r"no longer exists.*Bob made change"):
        change_sense(ada, sense, version=3)
    with pytest.raises(NotFound):
        store.entry(sense.id)


def test_contexts_have_versions(store: JargonStore, ada: JargonStore, bob: JargonStore) -> None:
    bob.put_context(Context(name="Test", description="One."))
    bob.put_context(Context(name="Test", description="Two."), version=1)
    with pytest.raises(Conflict, match=r"version 2.*version 1.*Bob made.*'One.' -> 'Two.'"):
        ada.put_context(Context(name="test", description="Three."), version=1)
    with pytest.raises(Conflict, match="version 2"):
        ada.remove_context("Test", version=1)
    assert store.context_entry("TEST").context.description == "Two."
    ada.remove_context("test", version=2)
    with pytest.raises(Conflict, match="does not exist"):
        bob.put_context(Context(name="Test"), version=2)
    with pytest.raises(NotFound):
        store.context_entry("Test")
    store.add_sense("A", "Alpha", context="Kept")
    with pytest.raises(Conflict, match="has senses"):
        store.remove_context("kept")


def test_of_two_edits_at_once_one_is_refused(store: JargonStore, database_url: str) -> None:
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
    (change,) = store.acting_as("Bob").undo(ada.history("PLR")[0].number)
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


def test_what_has_changed_since_is_not_undone(store: JargonStore, ada: JargonStore, bob: JargonStore) -> None:
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
    with pytest.raises(Conflict, match="has senses"):
        ada.undo(ada.history("test")[0].number)
