"""The dictionary's visitor over the real API: what a manager does, tab by tab."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from contracts.dictionary import SenseFilter
from contracts.errors import GoldenError
from contracts.jargon import Context
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tests.models import mined
from tests.servers import me_service
from tests.serving.dictionary.dictionary_client import service_of
from tests.ui.hostile import PAYLOADS
from tests.ui.visits import Visitor, services_of, visit_of
from ui.dictionary.page import DictionaryPage
from ui.dictionary.tabs import TABS, Where

pytestmark = pytest.mark.slow


@dataclass(kw_only=True)
class DictionaryVisitor(Visitor):
    """Somebody at the page, beside the dictionary behind it."""

    store: JargonStore


@pytest.fixture
async def visitor(tmp_path: Path) -> AsyncIterator[DictionaryVisitor]:
    """Open a visitor over an empty dictionary."""
    engine = open_new_sqlite(tmp_path / "golden.db", LIBRARY, DICTIONARY)
    store, library = JargonStore(engine), LibraryStore(engine)

    async def contexts() -> tuple[Context, ...]:
        return tuple(each.context for each in store.context_entries())

    me = me_service(contexts=contexts)
    visit = visit_of(services_of(me=me, dictionary=service_of(store, library)))
    yield DictionaryVisitor(page=DictionaryPage(), visit=visit, store=store)
    engine.dispose()


async def test_a_term_is_added_filtered_edited_and_the_edit_undone(visitor: DictionaryVisitor) -> None:
    await visitor.go()
    await visitor.press('[data-opened="new"]')
    assert visitor.focus == "first-new"
    await visitor.press('[data-key="form-new"] [data-submit]', {"term": "PLR", "extended_name": "Pump Level Register",
                                                             "aliases": "plr-reg; level reg"})  # fmt: skip
    assert visitor.notice == "Added PLR: Pump Level Register."
    visitor.store.add_sense("VDM", "Vane Drift Meter", context="Pumps")
    await visitor.do("filter", {"text": "drift", "context": "=Pumps"})
    assert visitor.text(".row .term") == "VDM"
    assert (visitor.place["text"], visitor.place["context"]) == ("drift", "=Pumps")
    await visitor.do("filter", {"text": "level reg"})
    await visitor.press(".row .term")
    assert visitor.soup.select_one('input[name="aliases"]')["value"] == "plr-reg; level reg"  # type: ignore[index]
    await visitor.press(".editor [data-submit]", {"extended_name": "Pump Level Recorder", "context": "Pumps"})
    assert visitor.notice == "Saved PLR."
    assert visitor.text(".row .name") == "Pump Level Recorder"
    await visitor.press('[data-key="undo"]')
    (entry,) = visitor.store.page(SenseFilter(term="PLR")).items
    assert (entry.sense.extended_name, entry.sense.context) == ("Pump Level Register", "")


async def test_an_edit_that_somebody_overtook_is_refused(visitor: DictionaryVisitor) -> None:
    sense = visitor.store.add_sense("PLR", "Pump Level Register")
    await visitor.go(opened=str(sense.id))
    other = visitor.store.acting_as("Bob").edit_sense(sense.id, {"extended_name": "Theirs", "notes": "By Bob."})
    with pytest.raises(GoldenError, match="Bob made change"):
        await visitor.press(".editor [data-submit]", {"extended_name": "Mine"})
    assert visitor.store.entry(sense.id).sense == other
    await visitor.press('[data-action="close"][data-row]')
    await visitor.press(".row .term")
    await visitor.press(".editor [data-submit]", {"extended_name": "Mine"})
    assert visitor.store.entry(sense.id).sense.extended_name == "Mine"


async def test_a_meaning_is_deleted_and_terms_are_merged(visitor: DictionaryVisitor) -> None:
    sense = visitor.store.add_sense("PLR", "Pump Level Register")
    visitor.store.add_sense("P.L.R.", "Power Loss Recovery")
    await visitor.go(opened=str(sense.id))
    await visitor.press('.editor [data-action="merge"]', {"into": "P.L.R."})
    assert {each.term for each in visitor.store.senses()} == {"P.L.R."}
    await visitor.press('[data-key="undo"]')
    await visitor.go(opened=str(sense.id))
    await visitor.press('.editor [data-action="delete"]')
    assert visitor.notice == "Deleted the meaning of PLR."
    assert {each.term for each in visitor.store.senses()} == {"P.L.R."}


async def test_a_large_dictionary_is_read_a_page_at_a_time(visitor: DictionaryVisitor) -> None:
    for number in range(61):
        visitor.store.add_sense(f"T{number:03}", "Name")
    await visitor.go()
    assert len(visitor.soup.select("li[data-key]")) == 50
    assert "1–50 of 61" in visitor.text(".pager")
    await visitor.press('.pager [data-key="next"]')
    assert visitor.text(".row .term").startswith("T050")
    assert visitor.place["start"] == "50"
    (far,) = visitor.store.senses(term="T003")
    await visitor.go(opened=str(far.id))
    assert visitor.soup.select_one('input[name="term"]')["value"] == "T003"  # type: ignore[index]


async def test_candidates_are_published_edited_rejected_one_by_one_and_by_score(visitor: DictionaryVisitor) -> None:
    names = {"LUN": 0.5, "PLR": 0.95, "RMA": 0.92, "VDM": 0.91, "QRS": 0.6}
    visitor.store.add_candidates([mined(term, f"{term} name", score=score) for term, score in names.items()])
    visitor.store.add_sense("RMA", "Remote Memory Access")
    await visitor.go(tab="candidates")
    assert "Remote Memory Access" in visitor.text(".conflicts")
    assert "The PLR name is here." in visitor.text(".evidence blockquote")
    await visitor.press('[data-key^="candidate-"]:first-child [data-action="publish"]')
    assert visitor.notice == "PLR published."
    await visitor.press('li:-soup-contains("LUN") .candidate [data-action="change"]')
    await visitor.press(".editor [data-submit]", {"extended_name": "Logical Unit"})
    await visitor.press('li:-soup-contains("QRS") .candidate [data-action="reject"]')
    await visitor.do("above", {"score": "0.9"})
    assert "1 candidate would be published. 1 contradicts" in visitor.text(".card p")
    await visitor.press('[data-action="publish_above"].primary')
    states = {each.extended_name: each.state for each in visitor.store.senses()}
    assert states == {
        "PLR name": "published", "Logical Unit": "published", "QRS name": "rejected", "VDM name": "published",
        "RMA name": "draft", "Remote Memory Access": "published",
    }  # fmt: skip
    await visitor.press('[data-key="undo"]')
    assert visitor.store.senses(term="VDM")[0].state == "draft"
    with pytest.raises(GoldenError, match="min_score"):
        await visitor.do("above", {"score": "much"})


async def test_unknown_terms_are_added_or_dismissed(visitor: DictionaryVisitor) -> None:
    visitor.store.add_sense("PLR", "Pump Level Register")
    for term, times in (("VDM", 3), ("A/B", 1)):
        for _ in range(times):
            visitor.store.record_unknown(term, f"What is {term}?", "")
    await visitor.go(tab="queue")
    assert visitor.text(".queue .term") == "VDM A/B"
    when = visitor.text(".queue li:first-child p.muted")
    line = "VDM asked 3 times Add Dismiss Last asked: What is VDM?"
    assert visitor.text(".queue li:first-child") == f"{line} {when}"
    await visitor.press('.queue li:first-child [data-action="go"].primary')
    await visitor.press(".editor [data-submit]", {"extended_name": "Vane Drift Meter"})
    assert visitor.store.look_up(["vdm"])["vdm"][0].extended_name == "Vane Drift Meter"
    await visitor.press('[data-action="redact"]')
    assert visitor.notice == "1 question deleted."
    await visitor.press('[data-action="dismiss"]')
    assert "There are no unknown terms" in visitor.text(".card.muted")
    assert visitor.store.unknown_terms() == ()


async def test_contexts_are_described_and_deleted(visitor: DictionaryVisitor) -> None:
    await visitor.go(tab="contexts")
    await visitor.press('[data-opened=" "]')
    await visitor.press(".editor [data-submit]")
    assert visitor.notice == "A context needs a name."
    await visitor.do("save_context", {"name": "A/B test", "description": "Trials.", "examples": "What is A?\n\nAnd B?"})
    (entry,) = visitor.store.context_entries()
    assert entry.context == Context(name="A/B test", description="Trials.", examples=("What is A?", "And B?"))
    await visitor.press('.rows [data-action="go"]')
    visitor.store.acting_as("Bob").put_context(Context(name="A/B test", description="Bob's."))
    with pytest.raises(GoldenError, match="Bob made change"):
        await visitor.press(".editor [data-submit]", {"description": "Mine."})
    with pytest.raises(GoldenError, match="is at version 2"):
        await visitor.do("save_context", {"name": "A/B test", "description": "Mine."}, etag='"v0"')
    assert visitor.store.context_entry("A/B test").context.description == "Bob's."
    await visitor.do("go", opened="A/B test")
    await visitor.press('.editor [data-action="delete_context"]')
    assert visitor.store.context_entries() == ()


async def test_the_history_tells_before_and_after_and_takes_back(visitor: DictionaryVisitor) -> None:
    sense = visitor.store.acting_as("Bob").add_sense("PLR", "Pump Level Register")
    visitor.store.set_state(sense.id, "rejected")
    await visitor.go(tab="history", text="PLR")
    assert visitor.text("li:first-child td") == "published rejected"
    assert "Bob" in visitor.text("li:last-child .candidate")
    assert "Pump Level Register" in visitor.text("li:last-child .field-values")
    await visitor.press('li:first-child [data-action="undo"]')
    assert visitor.store.entry(sense.id).sense.state == "published"


async def test_an_address_or_an_action_may_say_anything(visitor: DictionaryVisitor) -> None:
    visitor.store.add_sense("PLR", "Pump Level Register")
    for tab in TABS:
        await visitor.go(tab=tab, opened=PAYLOADS[0])
        assert visitor.text("[role=tabpanel]")
    await visitor.go(**dict.fromkeys(Where.__dataclass_fields__, PAYLOADS[2]), x="1")
    for action in ("filter", "go", "page", "undo_hide", "tab", "close", "nothing"):
        fields = {"text": PAYLOADS[1], "context": PAYLOADS[1]}
        await visitor.do(action, fields, id=PAYLOADS[0], tab=PAYLOADS[0], start="-1")
    for broken in ("", "[]", '{"terms": {"rows": 3}}', "{" * 5_000):
        with pytest.raises(GoldenError):
            await visitor.do("previewed", result=broken)
    await visitor.go()
    await visitor.do("try", {"q": "x" * 9_000})
    assert visitor.soup.select(".try .reading, .try [role=alert]")
    await visitor.do("try_clear")
    assert not visitor.soup.select(".reading")
