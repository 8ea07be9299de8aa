"""The page of reviewers over a real database."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from contracts.errors import InvalidInput, PreconditionFailed
from contracts.question import LOCAL_ACCOUNT
from serving.access import Actor, Forbidden
from tests.ui.hostile import assert_harmless
from tests.ui.records_house import RecordsHouse, open_house
from ui.pages import Action
from ui.review.page import ReviewPage

ASKING = Actor(name="Ada", scopes=frozenset({"ask"}))


@pytest.fixture
def house(tmp_path: Path) -> RecordsHouse:
    opened = open_house(tmp_path)
    first, _ = opened.asked(("one", ["What is VPP?", "And DDR5?"]), days_ago=0)
    opened.feedback.give(LOCAL_ACCOUNT, first, "down", text="It is 2.5 V.")
    return opened


async def do(
    house: RecordsHouse, name: str, place: Mapping[str, str], fields: Mapping[str, str] | None = None, **values: str
) -> tuple[BeautifulSoup, str]:
    action = Action(name=name, values=values, fields=fields or {})
    (shown,) = [each async for each in ReviewPage().act(house.visit(), place, action)]
    return assert_harmless(str(shown.html)), shown.notice


async def test_a_turn_is_opened_decided_and_made_a_case(house: RecordsHouse) -> None:
    queue = assert_harmless(str((await ReviewPage().show(house.visit(), {})).html))
    assert [each.get_text() for each in queue.select(".question")] == ["What is VPP?"]
    turn = str(queue.select_one(".question")["data-turn"])  # type: ignore[index]
    opened, _ = await do(house, "go", {}, turn=turn)
    decide = opened.select_one("[data-verb=resolve]")
    assert decide is not None
    seen = {"turn": turn, "verb": "resolve", "etag": str(decide["data-etag"])}
    decided, notice = await do(house, "decide", {"turn": turn}, {"note": "Fixed."}, **seen)
    assert notice
    assert "Fixed." in decided.get_text()
    with pytest.raises(PreconditionFailed):
        await do(house, "decide", {"turn": turn}, **seen)
    with pytest.raises(InvalidInput, match="few words"):
        await do(house, "save_new", {"turn": turn}, {"question": "Q", "expect": "answered"}, turn=turn)
    await do(house, "save_new", {"turn": turn}, {"question": "Q", "expect": "answered", "answer": "2.5 V"}, turn=turn)
    cases, _ = await do(house, "tab", {}, tab="cases")
    assert [each.get_text() for each in cases.select(".case-list h2")] == ["Q"]
    for place in ({"first_day": "yesterday"}, {"certainty_below": "much"}):
        with pytest.raises(InvalidInput):
            await ReviewPage().show(house.visit(), place)


async def test_a_question_is_asked_again(house: RecordsHouse) -> None:
    action = Action(name="replay", values={"turn": "one-0-0"})
    shown = [each async for each in ReviewPage().act(house.visit(), {}, action)]
    assert shown[-1].focus == "replayed"
    assert assert_harmless(str(shown[-1].html)).select_one(".sides") is not None


async def test_who_may_only_ask_is_refused(house: RecordsHouse, subtests: pytest.Subtests) -> None:
    for name in ("decide", "save_new", "save", "remove", "run", "stop_run", "replay", "follow", "tab"):
        action = Action(name=name, values={"verb": "ignore", "turn": "a", "case": "a", "run": "a", "tab": "runs"},
                        fields={"question": "Q", "expect": "declined"})  # fmt: skip
        with subtests.test(name=name), pytest.raises(Forbidden):
            async for _ in ReviewPage().act(house.visit(ASKING), {"turn": "a"}, action):
                pass
