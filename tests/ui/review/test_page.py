"""The page of reviewers over a real database."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput, PreconditionFailed
from contracts.question import LOCAL_ACCOUNT
from serving.access import Actor, Forbidden
from tests.ui.records_house import RecordsHouse, open_house
from tests.ui.visits import Visitor
from ui.pages import Action
from ui.review.page import ReviewPage

ASKING = Actor(name="Ada", scopes=frozenset({"ask"}))


@pytest.fixture
def house(tmp_path: Path) -> RecordsHouse:
    opened = open_house(tmp_path)
    first, _ = opened.asked(("one", ["What is VPP?", "And DDR5?"]), days_ago=0)
    opened.feedback.give(LOCAL_ACCOUNT, first, "down", text="It is 2.5 V.")
    return opened


@pytest.fixture
def desk(house: RecordsHouse) -> Visitor:
    return Visitor(page=ReviewPage(), visit=house.visit())


async def test_a_turn_is_opened_decided_and_made_a_case(desk: Visitor) -> None:
    queue = await desk.go()
    assert [each.get_text() for each in queue.select(".question")] == ["What is VPP?"]
    turn = str(queue.select_one(".question")["data-turn"])  # type: ignore[index]
    opened = await desk.do("go", turn=turn)
    decide = opened.select_one("[data-verb=resolve]")
    assert decide is not None
    seen = {"turn": turn, "verb": "resolve", "etag": str(decide["data-etag"])}
    decided = await desk.do("decide", {"note": "Fixed."}, **seen)
    assert desk.notice
    assert "Fixed." in decided.get_text()
    with pytest.raises(PreconditionFailed):
        await desk.do("decide", **seen)
    with pytest.raises(InvalidInput, match="at most"):
        await desk.do("decide", {"note": "x" * 100_000}, turn=turn, verb="ignore")
    with pytest.raises(InvalidInput, match="few words"):
        await desk.do("save_new", {"question": "Q", "expect": "answered"}, turn=turn)
    await desk.do("save_new", {"question": "Q", "expect": "answered", "answer": "2.5 V"}, turn=turn)
    cases = await desk.do("tab", tab="cases")
    assert [each.get_text() for each in cases.select(".case-list h2")] == ["Q"]
    for place in ({"first_day": "yesterday"}, {"certainty_below": "much"}):
        with pytest.raises(InvalidInput):
            await desk.go(**place)


async def test_a_question_is_asked_again(desk: Visitor) -> None:
    shown = await desk.do("replay", turn="one-0-0")
    assert desk.focus == "replayed"
    assert shown.select_one(".sides") is not None


async def test_who_may_only_ask_is_refused(house: RecordsHouse, subtests: pytest.Subtests) -> None:
    for name in ("decide", "save_new", "save", "remove", "run", "stop_run", "replay", "follow", "tab"):
        action = Action(name=name, values={"verb": "ignore", "turn": "a", "case": "a", "run": "a", "tab": "runs"},
                        fields={"question": "Q", "expect": "declined"})  # fmt: skip
        with subtests.test(name=name), pytest.raises(Forbidden):
            async for _ in ReviewPage().act(house.visit(ASKING), {"turn": "a"}, action):
                pass
