"""The page of reviewers: true to what is kept, and over a real database."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from contracts.answer import Answer, Citation
from contracts.case_runs import CaseResult, CaseRun, RunDetails, RunMeasure
from contracts.errors import InvalidInput, PreconditionFailed
from contracts.question import LOCAL_ACCOUNT
from contracts.records import Feedback, NamedDocument, Replay, Review, ReviewDetails
from serving.records.bodies import CaseFields
from tests.ui.hostile import answer_of_text, assert_harmless
from tests.ui.stored_records import RecordsHouse, open_house
from tests.ui.visits import Visitor, services_of, visit_of
from ui.pages import checked
from ui.review import page as review
from ui.review.page import Where, sent_fields
from ui.review.views import render, render_replay, render_runs

NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
VISIT = visit_of(services_of(), prefix="/prefix")


def citation_of(text: str, document_id: str, **fields: Any) -> Citation:
    return Citation(number=1, document_name=text, document_id=document_id, document_title=text, page=3, quote=text,
                    chunk_id="c", passage_text=text, **fields)  # fmt: skip


def turn_of(text: str = "What is VPP?", *, answer: Answer | None = None, **fields: Any) -> ReviewDetails:
    values: dict[str, Any] = {
        "id": "abc", "conversation_id": "c", "asked_at": NOON, "answer": answer or answer_of_text(text), "seconds": 1.5,
        "engine": text, "who": text, "department": text, "before": (),
        "feedback": Feedback(turn="abc", verdict="down", reason="wrong", text=text, changed_at=NOON),
        "review": Review(version=1, state="resolved", note=text, who=text, changed_at=NOON),
        "documents": (NamedDocument(id=text, name=text, there=False),),
    }  # fmt: skip
    return ReviewDetails(**{**values, **fields})


def run_of(run_id: str, *, passed: int, hour: int, text: str = "x", **fields: Any) -> CaseRun:
    values: dict[str, Any] = {
        "id": run_id, "state": "done", "started_at": NOON.replace(hour=hour), "who": text, "cases": 2, "done": 2,
        "passed": passed, "measure": RunMeasure(engine=text, settings="one"),
    }  # fmt: skip
    return CaseRun(**{**values, **fields})


def test_a_replay_says_what_became_another() -> None:
    now = Replay(turn="abc", seconds=1.0, answer=Answer(outcome="declined", text="Another.", question="VPP"))
    text = assert_harmless(render_replay(VISIT, turn_of("VPP"), now)).get_text(" ")
    assert "Outcome: Answered → Not answered" in text
    assert "Certainty: 40 % → –" in text
    assert "No longer cited: VPP, page 3" in text
    assert "No longer interpreted as: VPP = VPP (VPP)" in text
    withheld = turn_of("VPP", answer=Answer(outcome="answered", text="", question="VPP"), withheld="gone")
    shown = assert_harmless(render_replay(VISIT, withheld, now)).get_text(" ")
    assert "no longer in the library" in shown
    assert "What differs" not in shown


def test_a_citation_leads_to_its_page_of_the_document() -> None:
    cited = citation_of("ddr4.pdf", "a/b?c")
    answer = Answer(outcome="answered", text="It is 1.5 V [1].", question="Q", citations=(cited,))
    links = assert_harmless(render(VISIT, "turn", turn=turn_of(answer=answer), below=None)).select(".answer-view a")
    assert [each["href"] for each in links] == ["/prefix/api/documents/a%2Fb%3Fc/file#page=3"] * 2


def test_a_form_sends_what_stands_in_it() -> None:
    sent = sent_fields({"question": " Q ", "history": "a\n\n b ", "expect": "answered", "answer": "1.5 V", "page": "3",
                        "document": "", "accept": "1,5 V\n"})  # fmt: skip
    assert sent["history"] == ["a", "b"]
    assert (sent["question"], sent["page"], sent["document"], sent["accept"]) == ("Q", 3, None, ["1,5 V"])
    with pytest.raises(InvalidInput, match="page: Input should be a valid integer"):
        checked(CaseFields, sent_fields({"page": "three", "question": "Q", "expect": "declined"}))


def test_the_runs_say_what_changed_since_the_one_before_of_ones_own() -> None:
    new = run_of("new", passed=2, hour=11, measure=RunMeasure(engine="x", settings="two"))
    others = run_of("others", passed=0, hour=10, groups=frozenset({"lab"}))
    runs = (new, others, run_of("old", passed=1, hour=9))
    rows = assert_harmless(render_runs(VISIT, runs, groups=None)).select("tbody tr")
    changed = "Changed since the previous run: settings"
    assert [changed in each.get_text() for each in rows] == [True, False, False]
    bars = [each.select_one(".progress-bar span") for each in rows]
    assert [each["style"] for each in bars if each] == ["width:100%", "width:0%", "width:50%"]


def test_a_running_run_is_followed_and_can_be_stopped() -> None:
    failed = CaseResult(case_id="a", differs=("wording",), question="Q", expected="answered", outcome="answered",
                        gold='2.5 "V"', milliseconds=1.0)  # fmt: skip
    run = run_of("now", passed=0, hour=9, state="running", done=1)
    opened = RunDetails(**dict(run), results=(failed,))
    soup = assert_harmless(render_runs(VISIT, (run,), groups=None, opened=opened))
    assert soup.find(attrs={"data-follow": "now"}) is not None
    assert soup.find(attrs={"data-action": "stop_run"})["data-run"] == "now"  # type: ignore[index]
    assert soup.find(attrs={"data-action": "run"}).has_attr("disabled")  # type: ignore[union-attr]
    assert 'The answer does not contain: 2.5 "V"' in soup.get_text()


def test_what_an_address_should_not_say_counts_for_nothing() -> None:
    sent = {"tab": "x", "concern": "<b>", "state": "?", "turn": "../me", "run": "a b"}
    assert Where.of(sent) == Where.of({}) == Where()
    assert Where.of(sent).place() == {}


@pytest.fixture
def house(tmp_path: Path) -> RecordsHouse:
    opened = open_house(tmp_path)
    first, _ = opened.asked(("one", ["What is VPP?", "And DDR5?"]), days_ago=0)
    opened.feedback.give(LOCAL_ACCOUNT, first, "down", text="It is 2.5 V.")
    return opened


@pytest.fixture
def visitor(house: RecordsHouse) -> Visitor:
    return Visitor(page=review.ReviewPage(), visit=house.visit())


async def test_a_turn_is_opened_decided_and_made_a_case(visitor: Visitor) -> None:
    queue = await visitor.go()
    assert [each.get_text() for each in queue.select(".question")] == ["What is VPP?"]
    turn = str(queue.select_one(".question")["data-turn"])  # type: ignore[index]
    opened = await visitor.do("go", turn=turn)
    decide = opened.select_one("[data-verb=resolve]")
    assert decide is not None
    seen = {"turn": turn, "verb": "resolve", "etag": str(decide["data-etag"])}
    decided = await visitor.do("decide", {"note": "Fixed."}, **seen)
    assert visitor.notice
    assert "Fixed." in decided.get_text()
    with pytest.raises(PreconditionFailed):
        await visitor.do("decide", **seen)
    with pytest.raises(InvalidInput, match="at most"):
        await visitor.do("decide", {"note": "x" * 100_000}, turn=turn, verb="ignore")
    with pytest.raises(InvalidInput, match="few words"):
        await visitor.do("save_new", {"question": "Q", "expect": "answered"}, turn=turn)
    await visitor.do("save_new", {"question": "Q", "expect": "answered", "answer": "2.5 V"}, turn=turn)
    cases = await visitor.do("tab", tab="cases")
    assert [each.get_text() for each in cases.select(".case-list h2")] == ["Q"]
    for place in ({"first_day": "yesterday"}, {"certainty_below": "much"}):
        with pytest.raises(InvalidInput):
            await visitor.go(**place)


async def test_a_question_is_asked_again(visitor: Visitor) -> None:
    shown = await visitor.do("replay", turn="one-0-0")
    assert visitor.focus == "replayed"
    assert shown.select_one(".sides") is not None
