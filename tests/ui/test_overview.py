"""The overview over the real routes: what is counted and told."""

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from contracts.jargon import Mention, Reading
from contracts.question import LOCAL_ACCOUNT
from contracts.text import Span
from contracts.usage import AskedTerm, CitedDocument, DayCount, UsageOverview
from serving.access import Actor, Forbidden
from tests.library.records.samples import citation_of
from tests.servers import me_service
from tests.ui.hostile import PAYLOADS, assert_harmless
from tests.ui.records_house import NOW, RecordsHouse, open_house
from tests.ui.visits import services_of, visit_of
from ui.overview.page import OverviewPage
from ui.pages import Action, Shown


@pytest.fixture
def house(tmp_path: Path) -> RecordsHouse:
    return open_house(tmp_path)


async def last_week(house: RecordsHouse) -> Shown:
    action = Action(name="range", values={"days": "7"})
    (shown,) = [each async for each in OverviewPage().act(house.visit(), {}, action)]
    return shown


def figures(shown: BeautifulSoup) -> dict[str, str]:
    return {
        each.dt.get_text(): each.strong.get_text() for each in shown.select(".figures > div") if each.dt and each.strong
    }


async def test_what_was_asked_is_counted_and_leads_to_its_review(house: RecordsHouse) -> None:
    unknown = (Reading(mention=Mention(text="PRL", span=Span(start=0, end=3), term="PRL", known=False),
                       status="unknown"),)  # fmt: skip
    ids = house.asked(("a", ["What?", "And?"]), days_ago=2, citations=(citation_of("pumps"),))
    house.asked(("b", ["Why?"]), days_ago=2, outcome="declined", certainty=None)
    house.asked(("c", ["PRL?"]), days_ago=20, outcome="unknown_term", unknown_terms=unknown, certainty=None)
    house.feedback.give(LOCAL_ACCOUNT, ids[0], "down")
    found = await OverviewPage().show(house.visit(), {})
    shown = assert_harmless(found.html)
    assert (found.place, found.title) == ({}, "Overview")
    assert figures(shown) == {"Questions": "4", "Answered": "2", "Closest passages": "0", "Not answered": "1",
                              "Unknown term": "1", "Clarifying question": "0", "Small talk": "0",
                              "Ratings": "0 / 1"}  # fmt: skip
    day = (NOW - timedelta(days=2, minutes=1)).date()
    path = f"/review?first_day={day}&last_day={day}"
    assert path in {str(each["href"]) for each in shown.select("table a")}
    assert [each.get_text() for each in shown.select(".bar-name")] == ["PRL", "pumps.pdf (no longer in the library)"]
    week = assert_harmless((await last_week(house)).html)
    assert figures(week)["Questions"] == "3"
    assert week.select_one("button[aria-pressed=true]").get_text() == "Last 7 days"  # type: ignore[union-attr]


async def test_who_may_only_ask_is_refused(house: RecordsHouse) -> None:
    with pytest.raises(Forbidden):
        await OverviewPage().show(house.visit(actor=Actor(name="Ada", scopes=frozenset({"ask"}))), {})


async def test_an_address_may_say_anything(house: RecordsHouse) -> None:
    for place in ({"days": "31"}, {"days": "x"}, {"first_day": "<b>"}):
        assert (await OverviewPage().show(house.visit(), place)).place == {}


async def test_hostile_names_do_nothing(subtests: pytest.Subtests) -> None:
    for hostile in PAYLOADS:
        with subtests.test(hostile=hostile):
            day = "2026-01-01"
            overview = UsageOverview(
                first_day=day, last_day=day, days=(DayCount(day=day, asked=3, answered=3, degraded=1),),
                terms=(AskedTerm(term=hostile, count=1),),
                documents=(CitedDocument(id=hostile, name=hostile, there=False, count=1),),
            )  # fmt: skip
            records = SimpleNamespace(overview=lambda *_, overview=overview: overview)
            for language in ("en", "de"):
                visit = visit_of(services_of(records=records, me=me_service()), Actor(name="ann"), language=language)
                assert "3" in assert_harmless((await OverviewPage().show(visit, {})).html).get_text()
