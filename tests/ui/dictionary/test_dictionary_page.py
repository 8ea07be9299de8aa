"""The dictionary's desk over the real API: what a manager does, tab by tab."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from contracts.errors import GoldenError
from contracts.jargon import Context, Correction, MinedTerm
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.migrations import LIBRARY
from library.store import LibraryStore
from serving.me import me_router
from tests.databases import open_new_sqlite
from tests.models import mined
from tests.servers import me_service
from tests.serving.dictionary.desk import build_app, service_of
from tests.ui.hostile import PAYLOADS
from tests.ui.visits import Visitor, services_of, visit_of
from ui.dictionary.page import DictionaryPage
from ui.dictionary.tabs import TABS, Where

pytestmark = pytest.mark.slow


@dataclass(kw_only=True)
class DictionaryVisitor(Visitor):
    """Somebody at the desk, beside what the page shows and the API that it sends sheets to."""

    store: JargonStore
    web: FastAPI

    async def send_sheet(self, content: bytes, **query: str) -> str:
        """Import a sheet over the API, as the page's script does; return what it says."""
        transport = httpx.ASGITransport(self.web)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            answer = await http.post(
                "/api/dictionary/import",
                params=query,
                files={"terms": ("terms.csv", content)},
                headers={"x-golden-request": "1"},
            )
        return answer.text


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[DictionaryVisitor]:
    """Open a desk over an empty dictionary."""
    engine = open_new_sqlite(tmp_path / "golden.db", LIBRARY, DICTIONARY)
    store, library = JargonStore(engine), LibraryStore(engine)

    async def contexts() -> tuple[Context, ...]:
        return tuple(each.context for each in store.context_entries())

    me = me_service(contexts=contexts)
    visit = visit_of(services_of(me=me, dictionary=service_of(store, library)))
    web = build_app(store, library, me_router(me))
    yield DictionaryVisitor(page=DictionaryPage(), visit=visit, store=store, web=web)
    engine.dispose()


async def test_a_term_is_added_filtered_edited_and_the_edit_undone(desk: DictionaryVisitor) -> None:
    await desk.go()
    await desk.press('[data-opened="new"]')
    assert desk.focus == "first-new"
    await desk.press('[data-key="form-new"] [data-submit]', {"term": "PLR", "extended_name": "Pump Level Register",
                                                             "aliases": "plr-reg; level reg"})  # fmt: skip
    assert desk.notice == "Added PLR: Pump Level Register."
    desk.store.add_sense("VDM", "Vane Drift Meter", context="Pumps")
    await desk.do("filter", {"text": "drift", "context": "=Pumps"})
    assert desk.text(".row .term") == "VDM"
    assert (desk.place["text"], desk.place["context"]) == ("drift", "=Pumps")
    await desk.do("filter", {"text": "level reg"})
    await desk.press(".row .term")
    assert desk.soup.select_one('input[name="aliases"]')["value"] == "plr-reg; level reg"  # type: ignore[index]
    await desk.press(".editor [data-submit]", {"extended_name": "Pump Level Recorder", "context": "Pumps"})
    assert desk.notice == "Saved PLR."
    assert desk.text(".row .name") == "Pump Level Recorder"
    await desk.press('[data-key="undo"]')
    (entry,) = desk.store.entries(term="PLR")
    assert (entry.sense.extended_name, entry.sense.context) == ("Pump Level Register", "")


async def test_an_edit_that_somebody_overtook_shows_both_and_lets_choose(desk: DictionaryVisitor) -> None:
    sense = desk.store.add_sense("PLR", "Pump Level Register")
    await desk.go(opened=str(sense.id))
    mine = {"extended_name": "Mine"}
    desk.store.acting_as("Bob").add_sense("VDM", "Vane Drift Meter")
    other = desk.store.acting_as("Bob").edit_sense(sense.id, {"extended_name": "Theirs", "notes": "By Bob."})
    await desk.press(".editor [data-submit]", mine)
    assert desk.store.entry(sense.id).sense == other
    assert "Bob has changed this in the meantime" in desk.text(".clash")
    assert "Mine" in desk.text(".clash tbody")
    assert "Theirs" in desk.text(".clash tbody")
    assert desk.soup.select_one('input[name="extended_name"]')["value"] == "Mine"  # type: ignore[index]
    kept_place = desk.place
    await desk.press('.clash [data-action="edit"]')
    assert desk.soup.select_one('input[name="extended_name"]')["value"] == "Theirs"  # type: ignore[index]
    desk.place = kept_place
    await desk.do("save", {"term": "PLR", "extended_name": "Mine"}, id=sense.id, etag=f'"{sense.id}.1"')
    await desk.press(".editor [data-submit]")
    assert desk.store.entry(sense.id).sense.extended_name == "Mine"


async def test_what_was_deleted_meanwhile_can_be_saved_as_new(desk: DictionaryVisitor) -> None:
    sense = desk.store.add_sense("PLR", "Pump Level Register")
    await desk.go(opened=str(sense.id))
    desk.store.remove_sense(sense.id)
    await desk.press(".editor [data-submit]")
    assert "deleted in the meantime" in desk.text(".clash")
    await desk.press(".editor [data-submit]")
    assert [each.sense.extended_name for each in desk.store.entries(term="PLR")] == ["Pump Level Register"]


async def test_a_meaning_is_deleted_and_terms_are_merged(desk: DictionaryVisitor) -> None:
    sense = desk.store.add_sense("PLR", "Pump Level Register")
    desk.store.add_sense("P.L.R.", "Power Loss Recovery")
    await desk.go(opened=str(sense.id))
    await desk.press('.editor [data-action="merge"]', {"into": "P.L.R."})
    assert {each.sense.term for each in desk.store.entries()} == {"P.L.R."}
    await desk.press('[data-key="undo"]')
    await desk.go(opened=str(sense.id))
    await desk.press('.editor [data-action="delete"]')
    assert desk.notice == "Deleted the meaning of PLR."
    assert {each.sense.term for each in desk.store.entries()} == {"P.L.R."}


async def test_a_large_dictionary_is_read_a_page_at_a_time(desk: DictionaryVisitor) -> None:
    for number in range(61):
        desk.store.add_sense(f"T{number:03}", "Name")
    await desk.go()
    assert len(desk.soup.select("li[data-key]")) == 50
    assert "1–50 of 61" in desk.text(".pager")
    await desk.press('.pager [data-key="next"]')
    assert desk.text(".row .term").startswith("T050")
    assert desk.place["start"] == "50"
    (far,) = desk.store.entries(term="T003")
    await desk.go(opened=str(far.sense.id))
    assert desk.soup.select_one('input[name="term"]')["value"] == "T003"  # type: ignore[index]


async def test_candidates_are_published_edited_rejected_one_by_one_and_by_score(desk: DictionaryVisitor) -> None:
    names = {"LUN": 0.5, "PLR": 0.95, "RMA": 0.92, "VDM": 0.91, "QRS": 0.6}
    desk.store.add_candidates([mined(term, f"{term} name", score=score) for term, score in names.items()])
    desk.store.add_sense("RMA", "Remote Memory Access")
    await desk.go(tab="candidates")
    assert "Remote Memory Access" in desk.text(".rivals")
    assert "The PLR name is here." in desk.text(".evidence blockquote")
    await desk.press('[data-key^="candidate-"]:first-child [data-action="publish"]')
    assert desk.notice == "PLR published."
    await desk.press('li:-soup-contains("LUN") .candidate [data-action="change"]')
    await desk.press(".editor [data-submit]", {"extended_name": "Logical Unit"})
    await desk.press('li:-soup-contains("QRS") .candidate [data-action="reject"]')
    await desk.do("above", {"score": "0.9"})
    assert "1 candidate would be published. 1 contradicts" in desk.text(".card p")
    await desk.press('[data-action="publish_above"].primary')
    states = {each.sense.extended_name: each.sense.state for each in desk.store.entries()}
    assert states == {
        "PLR name": "published", "Logical Unit": "published", "QRS name": "rejected", "VDM name": "published",
        "RMA name": "draft", "Remote Memory Access": "published",
    }  # fmt: skip
    await desk.press('[data-key="undo"]')
    assert desk.store.entries(term="VDM")[0].sense.state == "draft"
    with pytest.raises(GoldenError, match="min_score"):
        await desk.do("above", {"score": "much"})


async def test_unknown_terms_are_added_called_spellings_or_dismissed(desk: DictionaryVisitor) -> None:
    desk.store.add_sense("PLR", "Pump Level Register")
    for term, times in (("VDM", 3), ("PRL", 2), ("A/B", 1)):
        for _ in range(times):
            desk.store.record_unknown(term, f"What is {term}?", "")
    await desk.go(tab="queue")
    assert desk.text(".queue .term") == "VDM PRL A/B"
    assert desk.text(".queue li:first-child") == (
        "VDM asked 3 times Add Dismiss Last asked: What is VDM? " + desk.text(".queue li:first-child p.quiet")
    )
    await desk.press('.queue li:first-child [data-action="go"].primary')
    await desk.press(".editor [data-submit]", {"extended_name": "Vane Drift Meter"})
    assert desk.store.look_up(["vdm"])["vdm"][0].extended_name == "Vane Drift Meter"
    await desk.press('[data-action="spelling"][data-of="PLR"]')
    assert desk.store.look_up(["PRL"])["PRL"][0].term == "PLR"
    await desk.press('[data-action="redact"]')
    assert desk.notice == "1 question deleted."
    await desk.press('[data-action="dismiss"]')
    assert "There are no unknown terms" in desk.text(".card.quiet")
    assert desk.store.unknown_terms() == ()


async def test_an_import_is_shown_before_it_is_made(desk: DictionaryVisitor) -> None:
    desk.store.add_sense("PLR", "Pump Level Register")
    desk.store.add_sense("VDM", "Vane Drift Meter")
    content = b"term,extended_name,notes\nPLR,Power Loss Recovery,\nVDM,Vane Drift Meter,New.\nLUN,Logical Unit,\n"
    answer = await desk.send_sheet(content, preview="true")
    await desk.go(tab="import")
    await desk.do("previewed", result=answer)
    assert desk.text(".tiles") == "1 new 1 changed 1 new, contradicts another meaning 0 unchanged"
    assert "Pump Level Register" in desk.text(".planned .rivals")
    assert desk.text(".planned td.after") == "New."
    done = await desk.send_sheet(content)
    await desk.do("imported", result=done)
    assert desk.notice == "Imported: 2 new, 1 changed, 0 unchanged."
    await desk.press('[data-key="undo"]')
    assert len(desk.store.entries()) == 2
    refused = {
        "error": {
            "type": "invalid_request_error",
            "message": "Nothing was imported.",
            "lines": [{"line": 3, "text": "There is no term."}],
        }
    }
    await desk.do("import_refused", result=json.dumps(refused))
    assert "Line 3 There is no term." in desk.text(".clash")
    for broken in ("", "[]", '{"terms": {"rows": 3}}', "{" * 5_000):
        with pytest.raises(GoldenError):
            await desk.do("previewed", result=broken)


async def test_contexts_are_described_and_deleted(desk: DictionaryVisitor) -> None:
    await desk.go(tab="contexts")
    await desk.press('[data-opened=" "]')
    await desk.press(".editor [data-submit]")
    assert desk.notice == "A context needs a name."
    await desk.do("save_context", {"name": "A/B test", "description": "Trials.", "examples": "What is A?\n\nAnd B?"})
    (entry,) = desk.store.context_entries()
    assert entry.context == Context(name="A/B test", description="Trials.", examples=("What is A?", "And B?"))
    await desk.press('.rows [data-action="go"]')
    desk.store.acting_as("Bob").put_context(Context(name="A/B test", description="Bob's."))
    await desk.press(".editor [data-submit]", {"description": "Mine."})
    assert "Bob's." in desk.text(".clash")
    await desk.press(".editor [data-submit]")
    assert desk.store.context_entry("A/B test").context.description == "Mine."
    await desk.do("go", opened="A/B test")
    await desk.press('.editor [data-action="delete_context"]')
    assert desk.store.context_entries() == ()


async def test_the_history_tells_before_and_after_and_takes_back(desk: DictionaryVisitor) -> None:
    sense = desk.store.acting_as("Bob").add_sense("PLR", "Pump Level Register")
    desk.store.set_state(sense.id, "rejected")
    await desk.go(tab="history", text="PLR")
    assert desk.text("li:first-child td") == "published rejected"
    assert "Bob" in desk.text("li:last-child .candidate")
    assert "Pump Level Register" in desk.text("li:last-child .filled")
    await desk.press('li:first-child [data-action="undo"]')
    assert desk.store.entry(sense.id).sense.state == "published"


async def test_a_question_is_tried_and_what_it_lacks_is_added(desk: DictionaryVisitor) -> None:
    desk.store.add_sense("DLL", "Delay-Locked Loop")
    await desk.go()
    await desk.do("try", {"q": "What does DLL mean?"})
    assert desk.text(".reading .tried") == "What does DLL mean?"
    assert desk.place["q"] == "What does DLL mean?"
    await desk.do("try_clear")
    assert not desk.soup.select(".reading")
    await desk.do("try", {"q": "x" * 9_000})
    assert desk.soup.select(".try .reading, .try [role=alert]")


async def test_hostile_texts_are_shown_as_texts_in_every_tab(desk: DictionaryVisitor) -> None:
    for number, text in enumerate(PAYLOADS):
        kept = text.replace("\ud800", "").replace("\x00", "")
        desk.store.record_unknown(kept, kept, kept[:40])
        desk.store.put_context(Context(name=f"{number} {kept}"[:90], description=kept, examples=(kept,)))
        sense = desk.store.add_sense(f"T{number} {kept}"[:90], kept, context=f"{number} {kept}"[:90], description=kept,
                                     notes=kept, source=kept, aliases=(f"a{number} {kept}"[:90],))  # fmt: skip
        desk.store.add_candidates([MinedTerm(term=f"C{number}", extended_name=kept, evidence=kept, page=1, score=0.9,
                                             document=kept, description=kept)])  # fmt: skip
        desk.store.record_correction(
            Correction(term=sense.term, extended_name=sense.extended_name, context=sense.context, question=kept)
        )
        if number % 3 == 0:
            await desk.go(opened=str(sense.id), q=kept, undo=kept)
    for tab in TABS:
        await desk.go(tab=tab, opened=PAYLOADS[0])
        assert desk.text("[role=tabpanel]")
    await desk.go(**dict.fromkeys(Where.__dataclass_fields__, PAYLOADS[2]), x="1")
    for action in ("filter", "go", "page", "undo_hide", "tab", "close", "nothing"):
        await desk.do(
            action, {"text": PAYLOADS[1], "context": PAYLOADS[1]}, id=PAYLOADS[0], tab=PAYLOADS[0], start="-1"
        )
