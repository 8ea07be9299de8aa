"""The list of conversations and the overview over the real routes: found, renamed, exported, deleted, counted."""

from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from bs4 import BeautifulSoup

from contracts.errors import NotFound
from contracts.jargon import Mention, Reading
from contracts.question import LOCAL_ACCOUNT
from contracts.text import Span
from tests.library.records.samples import citation_of
from tests.ui.hostile import assert_harmless
from tests.ui.stored_records import NOW, RecordsHouse, open_house
from tests.ui.visits import Visitor
from ui.conversations_list.page import A_PAGE, list_conversations
from ui.overview.page import OverviewPage
from ui.pages import Action, Visit

OURS = "<img src=x onerror=alert(1)> Supply of DDR4"


@pytest.fixture
def house(tmp_path: Path) -> RecordsHouse:
    return open_house(tmp_path)


async def act(visit: Visit, name: str, *, title: str = "", **values: str) -> BeautifulSoup:
    action = Action(name=name, values=values, fields={"title": title} if title else {})
    return assert_harmless(await list_conversations(visit, action))


def titles(shown: BeautifulSoup) -> list[str]:
    return [each.get_text() for each in shown.select("button.open")]


async def test_the_conversations_of_the_chat_are_listed_the_last_first(house: RecordsHouse) -> None:
    house.asked(("now", ["What is VPP?", "And VDD?"]))
    house.asked(("before", ["When does the DLL lock?"]), days_ago=1)
    house.asked(("foreign", ["Whose is this?"]), account="key:ada")
    house.asked(("api", ["And VDD?"]), channel="api")
    house.asked(("cli", ["And VSS?"]), channel="cli")
    found = await act(house.visit(), "list")
    assert titles(found) == ["What is VPP?", "When does the DLL lock?"]
    assert "Whose" not in found.get_text()
    assert "2 questions" in str(found.select_one("button.open")["title"])  # type: ignore[index]
    # What was asked elsewhere is neither listed nor deleted.
    assert "2 conversations deleted" in (await act(house.visit(), "delete_all")).get_text()
    assert [each.id for each in house.conversations.page(LOCAL_ACCOUNT)] == ["cli", "api"]


async def test_search_is_the_servers_and_finds_what_was_answered(house: RecordsHouse) -> None:
    house.asked(("one", ["What is VPP?"]), text="It is 2.5 V.")
    house.asked(("two", ["When does the DLL lock?"]), text="After 512 cycles.")
    found = await act(house.visit(), "list", text=" 512 cycles ")
    assert titles(found) == ["When does the DLL lock?"]
    nothing = await act(house.visit(), "list", text="<b>zebra</b>")
    assert "contains “<b>zebra</b>”" in nothing.get_text()
    assert nothing.select_one("input.search")["value"] == "<b>zebra</b>"  # type: ignore[index]


async def test_a_conversation_is_renamed(house: RecordsHouse) -> None:
    house.asked(("one", ["What is VPP?"]))
    visit = house.visit()
    renamed = await act(visit, "rename", id="one", title=f"  {OURS}\n ")
    assert titles(renamed) == [OURS]
    assert renamed.select_one("[role=status]").get_text() == f"Renamed to “{OURS}”."  # type: ignore[union-attr]
    assert house.conversations.find(LOCAL_ACCOUNT, "one").title == OURS
    await act(visit, "rename", id="one", title="  ")
    assert house.conversations.find(LOCAL_ACCOUNT, "one").title == OURS


async def test_one_is_deleted_then_all(house: RecordsHouse) -> None:
    house.asked(("one", ["What is VPP?"]), ("two", ["And VDD?"]), ("three", ["And VSS?"]))
    house.asked(("foreign", ["Whose is this?"]), account="key:ada")
    visit = house.visit()
    shown = await act(visit, "list")
    asked = shown.select_one('[data-action=delete][data-id="one"]')["data-confirm"]  # type: ignore[index]
    assert "What is VPP?" in str(asked)
    gone = await act(visit, "delete", id="one")
    assert gone.div["data-gone"] == "one"  # type: ignore[index]
    assert "VPP" not in gone.get_text()
    with pytest.raises(NotFound):
        house.conversations.find(LOCAL_ACCOUNT, "one")
    again = await act(visit, "rename", id="one", title="Back")
    assert "no longer exists" in again.get_text()
    foreign = await act(visit, "delete", id="foreign")
    assert "no longer exists" in foreign.get_text()
    every = await act(visit, "delete_all")
    assert (every.div["data-gone"], titles(every)) == ("*", [])  # type: ignore[index]
    assert "2 conversations deleted" in every.get_text()
    assert house.conversations.find("key:ada", "foreign").questions == 1


async def test_older_ones_come_by_the_page(house: RecordsHouse) -> None:
    house.asked(*((f"c{number}", [f"Question {number}?"]) for number in range(A_PAGE + 3)))
    first = await act(house.visit(), "list")
    assert (len(first.select("li.conversation")), len(first.select("[data-action=more]"))) == (A_PAGE, 1)
    second = await act(house.visit(), "more", pages="2", requestNumber="7")
    assert (len(second.select("li.conversation")), second.select("[data-action=more]")) == (A_PAGE + 3, [])
    assert second.div["data-request-number"] == "7"  # type: ignore[index]


async def test_exports_lead_to_the_servers_files(house: RecordsHouse) -> None:
    house.asked(("a b%c?", ["What is VPP?"]))
    visit = house.visit(prefix="/help")
    shown = await act(visit, "list")
    paths = [str(each["href"]) for each in shown.select(".menu a")]
    assert len(paths) == 4
    assert all(path.startswith("/help/api/conversations") for path in paths)
    transport = httpx.ASGITransport(house.web)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http:
        for path in paths:
            answer = await http.get(path.removeprefix("/help"))
            assert "What is VPP?" in answer.text
            assert "attachment" in answer.headers["content-disposition"]


async def test_what_a_browser_sends_may_be_anything(house: RecordsHouse, subtests: pytest.Subtests) -> None:
    house.asked(("one", ["What is VPP?"]))
    sent: list[dict[str, str]] = [
        {"pages": "-3", "requestNumber": "²"}, {"pages": "9" * 40},
        {"text": "x" * 10_000},
        {"id": "../../me"}, {"pages": ""},
    ]  # fmt: skip
    for values in sent:
        with subtests.test(values=str(values)[:60]):
            for name in ("list", "nonsense", "rename", "delete"):
                await act(house.visit(), name, **{"id": "none", **values})
            assert house.conversations.find(LOCAL_ACCOUNT, "one").questions == 1


def figures(shown: BeautifulSoup) -> dict[str, str]:
    found = (each for each in shown.select(".figures > div") if each.dt and each.strong)
    return {each.dt.get_text(): each.strong.get_text() for each in found}


async def test_what_was_asked_is_counted_and_leads_to_its_review(house: RecordsHouse) -> None:
    unknown = (Reading(mention=Mention(text="PRL", span=Span(start=0, end=3), term="PRL", known=False),
                       status="unknown"),)  # fmt: skip
    ids = house.asked(("a", ["What?", "And?"]), days_ago=2, citations=(citation_of("pumps"),))
    house.asked(("b", ["Why?"]), days_ago=2, outcome="declined", certainty=None)
    house.asked(("c", ["PRL?"]), days_ago=20, outcome="unknown_term", unknown_terms=unknown, certainty=None)
    house.feedback.give(LOCAL_ACCOUNT, ids[0], "down")
    visitor = Visitor(page=OverviewPage(), visit=house.visit())
    shown = await visitor.go()
    assert (visitor.place, visitor.title) == ({}, "Overview")
    assert figures(shown) == {"Questions": "4", "Answered": "2", "Closest passages": "0", "Not answered": "1",
                              "Unknown term": "1", "Clarifying question": "0", "Small talk": "0",
                              "Ratings": "0 / 1"}  # fmt: skip
    day = (NOW - timedelta(days=2, minutes=1)).date()
    path = f"/review?first_day={day}&last_day={day}"
    assert path in {str(each["href"]) for each in shown.select("table a")}
    assert [each.get_text() for each in shown.select(".bar-name")] == ["PRL", "pumps.pdf (no longer in the library)"]
    week = await visitor.do("range", days=7)
    assert figures(week)["Questions"] == "3"
    assert week.select_one("button[aria-pressed=true]").get_text() == "Last 7 days"  # type: ignore[union-attr]


async def test_an_address_of_the_overview_may_say_anything(house: RecordsHouse) -> None:
    for place in ({"days": "31"}, {"days": "x"}, {"first_day": "<b>"}):
        assert (await OverviewPage().show(house.visit(), place)).place == {}
