"""The overview over the real routes: what is counted, plotted and told; and its plots alone."""

import itertools
from datetime import date, timedelta
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from contracts.errors import InvalidInput
from contracts.jargon import Mention, Reading
from contracts.overview import AskedTerm, CitedDocument, DayCount, Overview, StepTimes
from contracts.question import LOCAL_ACCOUNT
from contracts.text import Span
from serving.access import Actor, Forbidden
from tests.library.records.samples import citation_of
from tests.ui.hostile import PAYLOADS, assert_harmless
from tests.ui.records_house import NOW, RecordsHouse, open_house
from ui.overview import OverviewPage
from ui.overview.plots import ticks_of
from ui.overview.rendering import render_overview
from ui.overview.spans import Chosen, spans_of
from ui.pages import Action, Shown
from ui.words import words_in


@pytest.fixture
def house(tmp_path: Path) -> RecordsHouse:
    return open_house(tmp_path)


async def chosen(house: RecordsHouse, name: str, *, days: str = "", **fields: str) -> Shown:
    action = Action(name=name, values={"days": days}, fields=fields)
    (shown,) = [each async for each in OverviewPage().act(house.visit(), {}, action)]
    return shown


def figures(shown: BeautifulSoup) -> dict[str, str]:
    return {
        each.dt.get_text(): each.strong.get_text() for each in shown.select(".figures > div") if each.dt and each.strong
    }


async def test_what_was_asked_is_counted_and_plotted_and_leads_to_its_review(house: RecordsHouse) -> None:
    unknown = (Reading(mention=Mention(text="PRL", span=Span(start=0, end=3), term="PRL", known=False),
                       status="unknown"),)  # fmt: skip
    ids = house.asked(("a", ["What?", "And?"]), days_ago=2, citations=(citation_of("pumps"),))
    house.asked(("b", ["Why?"]), days_ago=2, outcome="declined", certainty=None)
    house.asked(("c", ["PRL?"]), days_ago=20, outcome="unknown_term", unknown_terms=unknown, certainty=None)
    house.feedback.give(LOCAL_ACCOUNT, ids[0], "down")
    found = await OverviewPage().show(house.visit(), {})
    shown = assert_harmless(found.html)
    assert (found.place, found.title) == ({}, "Overview")
    assert figures(shown) == {"Asked": "4", "Answered": "2", "Declined": "1", "Unknown term": "1", "Asked back": "0",
                              "Thumbs": "0 / 1"}  # fmt: skip
    assert len(shown.select(".columns.stack")[0].select(".column")) == 30
    day = (NOW - timedelta(days=2, minutes=1)).date()
    path = f"/review?first_day={day}&last_day={day}"
    assert path in {str(each["href"]) for each in shown.select("table a")}
    assert [each.get_text() for each in shown.select(".bar-name")][1:3] == [
        "PRL",
        "pumps.pdf (not in the library any more)",
    ]
    week = assert_harmless((await chosen(house, "range", days="7")).html)
    assert figures(week)["Asked"] == "3"
    assert week.select_one("button[aria-pressed=true]").get_text() == "Last 7 days"  # type: ignore[union-attr]


async def test_days_of_ones_own_stand_in_the_address(house: RecordsHouse) -> None:
    house.asked(("a", ["What?"]), days_ago=120)
    first, last = (NOW - timedelta(days=200)).date(), NOW.date()
    found = await chosen(house, "days", first_day=str(first), last_day=str(last))
    assert found.place == {"first_day": str(first), "last_day": str(last)}
    shown = assert_harmless(found.html)
    assert figures(shown)["Asked"] == "1"
    # So many days are put together by the week.
    assert len(shown.select(".columns.stack")[0].select(".column")) == 29
    again = await OverviewPage().show(house.visit(), found.place or {})
    assert again.html == found.html
    with pytest.raises(InvalidInput, match="400 days"):
        await chosen(house, "days", first_day="2020-01-01", last_day=str(last))


async def test_who_may_only_ask_is_refused(house: RecordsHouse) -> None:
    with pytest.raises(Forbidden):
        await OverviewPage().show(house.visit(actor=Actor(name="Ada", scopes=frozenset({"ask"}))), {})


async def test_an_address_may_say_anything(house: RecordsHouse) -> None:
    half = {"first_day": "2026-01-01"}
    for place in ({"days": "31"}, {"days": "x"}, {"first_day": "yesterday", "last_day": "<b>"}, half):
        assert (await OverviewPage().show(house.visit(), place)).place == {}


async def test_nothing_asked_and_nothing_kept_are_said(house: RecordsHouse, tmp_path: Path) -> None:
    assert "Nothing was asked" in (await OverviewPage().show(house.visit(), {})).html
    (tmp_path / "other").mkdir()
    unkept = open_house(tmp_path / "other", keeps=False)
    assert "keeps no questions" in (await OverviewPage().show(unkept.visit(), {})).html


@pytest.mark.parametrize(("most", "whole", "last", "least_lines"), [
    (1, True, 1, 2), (3, True, 3, 4), (31, True, 40, 5), (32, True, 40, 5), (1000, True, 1000, 3),
    (0.93, False, 1.0, 3), (0.004, False, 0.004, 5), (0, True, 1, 2),
])  # fmt: skip
def test_a_scale_reaches_its_most_with_few_round_lines(most: float, whole: bool, last: float, least_lines: int) -> None:
    ticks = ticks_of(most, whole=whole)
    assert ticks[0] == 0
    assert ticks[-1] == pytest.approx(last)
    assert least_lines <= len(ticks) <= 5 or len(ticks) == least_lines


def test_spans_cover_each_day_once() -> None:
    first = date(2026, 1, 1)
    for length in (1, 93, 94, 400):
        last = first + timedelta(days=length - 1)
        days = [DayCount(day=str(first + timedelta(days=at)), asked=1) for at in range(length)]
        spans = spans_of(days, first, last)
        assert sum(each.asked for each in spans) == length
        assert (spans[0].first, spans[-1].last) == (first, last)
        assert len(spans) <= 93
        assert all(after.first == before.last + timedelta(days=1) for before, after in itertools.pairwise(spans))


@pytest.mark.parametrize("hostile", PAYLOADS)
def test_hostile_names_do_nothing(hostile: str) -> None:
    day = date(2026, 1, 1)
    overview = Overview(
        first_day=str(day), last_day=str(day), days=(DayCount(day=str(day), asked=3, answered=3, degraded=1),),
        steps=(StepTimes(step=hostile, count=1, median_s=0.0, p95_s=0.0),), faces={hostile: 3}, certainty=(1,),
        terms=(AskedTerm(term=hostile, count=1),),
        documents=(CitedDocument(id=hostile, name=hostile, there=False, count=1),),
    )  # fmt: skip
    for language in ("en", "de"):
        html = render_overview(overview, Chosen(first=day, last=day), words_in(language), path=lambda path: path,
                               keeps=True)  # fmt: skip
        assert_harmless(html)
