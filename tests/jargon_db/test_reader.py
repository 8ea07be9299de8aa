import pytest

from contracts.dictionary import SenseFilter, SensePage, StateCounts
from contracts.errors import Conflict
from contracts.jargon import Context
from jargon_db.store import JargonStore


@pytest.fixture
def filled(store: JargonStore) -> JargonStore:
    store.add_sense("DLL", "Delay-Locked Loop", context="Memory", aliases=["delay loop"])
    store.add_sense("DLL", "Dynamic-Link Library", context="Software", description="Shared code, 100% ours.")
    store.add_sense("Mb", "Megabit", notes="not a megabyte_")
    store.add_sense("MB", "Megabyte", state="draft")
    store.add_sense("tRC", "Straße", description="Die Straße zum Hof.", state="rejected")
    return store


def names(page: SensePage) -> list[str]:
    return [entry.extended_name for entry in page.items]


def test_pages_follow_one_another_in_order(filled: JargonStore) -> None:
    everything = SenseFilter()
    whole = filled.page(everything)
    assert names(whole) == ["Delay-Locked Loop", "Dynamic-Link Library", "Megabyte", "Megabit", "Straße"]
    assert whole.items == filled.with_last_changes(filled.entries())
    pages = [filled.page(everything, limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [name for page in pages for name in names(page)] == names(whole)
    assert {page.total for page in pages} == {5}


def test_a_filter_names_what_it_shows(filled: JargonStore, subtests: pytest.Subtests) -> None:
    for wanted, found in [
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
            page = filled.page(wanted)
            assert names(page) == found
            assert page.total == len(found)


def test_the_counts_say_what_the_other_states_would_show(filled: JargonStore) -> None:
    assert filled.page(SenseFilter(text="mega", state="draft")).counts == StateCounts(draft=1, published=1)


def test_the_history_goes_on_where_a_page_of_it_ended(store: JargonStore) -> None:
    for name in "ABCDE":
        store.add_sense(name, f"{name} name")
    newest = store.history(limit=2)
    older = store.history(limit=2, before=newest[-1].number)
    assert [change.name for change in (*newest, *older)] == ["E", "D", "C", "B"]
    assert [change.name for change in store.history("A", before=newest[-1].number)] == ["A"]


def test_what_must_be_new_overwrites_nothing(store: JargonStore) -> None:
    there = store.add_sense("PLR", "Physical Layer Retransmission", description="One.")
    with pytest.raises(Conflict, match=rf"already: change that sense \({there.id}\)"):
        store.add_sense("plr", "physical layer retransmission", description="Two.", only_new=True)
    assert store.senses() == (there,)
    assert store.add_sense("PLR", "Parts Lost Ratio", only_new=True) in store.senses()
    store.put_context(Context(name="Test"), version=0)
    with pytest.raises(Conflict, match="version 1"):
        store.put_context(Context(name="test", description="Mine."), version=0)
    assert store.contexts() == (Context(name="Test"),)
