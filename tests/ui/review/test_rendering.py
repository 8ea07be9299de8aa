"""What reviewers are shown: harmless whatever a text says, and true to what is kept."""

from datetime import UTC, datetime
from typing import Any

import pytest

from contracts.answer import Answer, CheckedSentence, Citation, ClarifyingOption, NearDocument, RefinementRecord, Step
from contracts.case_runs import CaseResult, CaseRun, ReviewCase, RunDetails, RunMeasure
from contracts.errors import InvalidInput
from contracts.jargon import Mention, Reading, Sense
from contracts.records import Answered, Feedback, NamedDocument, Replay, Review, ReviewDetails, ReviewPage  # fmt: skip
from contracts.text import Span
from library.records.cases import suggested_fields
from serving.records.bodies import CaseChange
from tests.ui.hostile import PAYLOADS, assert_harmless
from ui.review.answers import changed, render_answer, render_difference
from ui.review.cases import render_cases, render_form, sent_fields
from ui.review.listing import render_list
from ui.review.runs import render_runs
from ui.review.turn import render_replay, render_turn
from ui.review.where import Where, checked
from ui.words import words_in

NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
WORDS = words_in("en")


def path(given: str) -> str:
    return f"/prefix{given}"


def citation_of(text: str, document_id: str, **fields: Any) -> Citation:
    return Citation(number=1, document_name=text, document_id=document_id, document_title=text, page=3, quote=text,
                    chunk_id="c", passage_text=text, **fields)  # fmt: skip


def answer_of(text: str, /, **fields: Any) -> Answer:
    sense = Sense(id=1, term=text, extended_name=text, context=text)
    mention = Mention(text=text, span=Span(0, 1), term=text)
    refinement = RefinementRecord(policy=text, signal_name=text, signal=0.4, threshold=0.5, fired=True, reasons=(text,),
                                  kept="rewrite", kept_reason=text, draft_before=text,
                                  draft_after=f"{text} more")  # fmt: skip
    values: dict[str, Any] = {
        "outcome": "answered", "text": f"{text} [1]", "question": text, "certainty": 0.4,
        "readings": (Reading(mention=mention, status="chosen", sense=sense),),
        "steps": (Step(node=text, finding=text, milliseconds=12.0),),
        "citations": (citation_of(text, text),),
        "sentences": (CheckedSentence(text=text, citations=(1,), label="unfaithful", probability=0.5, reason=text),),
        "missing": (text,), "degraded": (text,), "refinement": refinement,
        "nearest": (NearDocument(document_id=text, document_name=text, document_title=text, page=1),),
        "unknown_terms": (Reading(mention=mention, status="unknown"),),
        "options": (ClarifyingOption(number=1, sense=sense),),
    }  # fmt: skip
    return Answer(**{**values, **fields})


def turn_of(text: str = "What is VPP?", *, answer: Answer | None = None, **fields: Any) -> ReviewDetails:
    values: dict[str, Any] = {
        "id": "abc", "conversation_id": "c", "asked_at": NOON, "answer": answer or answer_of(text), "seconds": 1.5,
        "engine": text, "who": text, "department": text, "before": (),
        "feedback": Feedback(turn="abc", verdict="down", reason="wrong", text=text, changed_at=NOON),
        "review": Review(version=1, state="resolved", note=text, who=text, changed_at=NOON),
        "documents": (NamedDocument(id=text, name=text, cited=True, there=False),),
    }  # fmt: skip
    return ReviewDetails(**{**values, **fields})


def run_of(run_id: str, *, passed: int, hour: int, text: str = "x", **fields: Any) -> CaseRun:
    values: dict[str, Any] = {
        "id": run_id, "state": "done", "started_at": NOON.replace(hour=hour), "who": text, "cases": 2, "done": 2,
        "passed": passed, "measure": RunMeasure(engine=text, settings="one"),
    }  # fmt: skip
    return CaseRun(**{**values, **fields})


@pytest.mark.parametrize("text", PAYLOADS)
def test_hostile_texts_are_shown_and_do_nothing(text: str) -> None:
    turn = turn_of(text, before=(turn_of(text),))
    result = CaseResult(case_id="c", differs=("outcome", "wording", "error"), question=text, expected=text,
                        outcome=text, gold=text, answer=text, citations=(text,), readings=(text,), error=text,
                        milliseconds=1.0)  # fmt: skip
    fields = {**suggested_fields(turn), "expect": text, "answer": text, "document": text, "page": 1, "term": text,
              "sense": text}  # fmt: skip
    case = ReviewCase(id="review-1", turn="abc", case=fields, made_by=text, made_at=NOON, asker_groups=None)
    form = render_form(fields, WORDS, title=text, action="save", case=text)
    run = run_of("run-1", passed=1, hour=9, text=text, reason=text)
    now = Replay(turn="abc", seconds=1.0, answer=answer_of(text, text=f"{text} again"))
    for html in (
        render_list(ReviewPage(items=(turn,), total=1, next=text), {}, Where(), WORDS),
        render_turn(turn, WORDS, path, below=form),
        render_replay(turn, now, WORDS, path),
        render_cases((case,), WORDS, path, form=None),
        render_runs((run,), WORDS, groups=None, opened=RunDetails(**dict(run), results=(result,))),
    ):
        assert_harmless(html)


def test_a_difference_names_what_was_removed_and_what_was_added() -> None:
    soup = assert_harmless(render_difference("It is 1.5 V now.", "It is 2.5 V now.", WORDS))
    assert [each.get_text() for each in soup.find_all("del")] == [" [removed: 1.5 end of removed] "]
    assert [each.get_text() for each in soup.find_all("ins")] == [" [added: 2.5 end of added] "]
    for each in soup.find_all(class_="sr"):
        each.decompose()
    assert soup.get_text() == "It is 1.52.5 V now."
    assert "The text is the same" in render_difference("a", "a", WORDS)
    assert "too long" in render_difference("a " * 4_000, "b", WORDS)
    assert changed(["a", "b"], ["b", "c"]) == (("a",), ("c",))


def test_a_replay_says_what_became_another() -> None:
    now = Replay(turn="abc", seconds=1.0, answer=Answer(outcome="declined", text="Another.", question="VPP"))
    text = assert_harmless(render_replay(turn_of("VPP"), now, WORDS, path)).get_text(" ")
    assert "Outcome: Answered → Declined" in text
    assert "Certainty: 40 % → –" in text
    assert "Not cited any more: VPP, page 3" in text
    assert "Not read so any more: VPP = VPP (VPP)" in text
    withheld = turn_of("VPP", answer=Answer(outcome="answered", text="", question="VPP"), withheld="gone")
    shown = assert_harmless(render_replay(withheld, now, WORDS, path)).get_text(" ")
    assert "not in the library any more" in shown
    assert "What differs" not in shown


def test_a_citation_leads_to_its_page_of_the_document() -> None:
    cited = citation_of("ddr4.pdf", "a/b?c")
    answer = Answer(outcome="answered", text="It is 1.5 V [1].", question="Q", citations=(cited,))
    said = Answered(answer=answer, seconds=1.0)
    links = assert_harmless(render_answer(said, WORDS, path)).find_all("a")
    assert [each["href"] for each in links] == ["/prefix/api/documents/a%2Fb%3Fc/file#page=3"] * 2


def test_a_form_sends_what_stands_in_it() -> None:
    sent = sent_fields({"question": " Q ", "history": "a\n\n b ", "expect": "answered", "answer": "1.5 V", "page": "3",
                        "document": "", "accept": "1,5 V\n"})  # fmt: skip
    assert sent["history"] == ["a", "b"]
    assert (sent["question"], sent["page"], sent["document"], sent["accept"]) == ("Q", 3, None, ["1,5 V"])
    with pytest.raises(InvalidInput, match="page: Input should be a valid integer"):
        checked(CaseChange, sent_fields({"page": "three", "question": "Q", "expect": "declined"}))


def test_the_plot_holds_ones_own_runs_from_the_oldest_and_says_what_changed() -> None:
    new = run_of("new", passed=2, hour=11, measure=RunMeasure(engine="x", settings="two"))
    others = run_of("others", passed=0, hour=10, groups=frozenset({"lab"}))
    soup = assert_harmless(render_runs((new, others, run_of("old", passed=1, hour=9)), WORDS, groups=None))
    columns = soup.find(class_="score-columns").find_all("button")  # type: ignore[union-attr]
    assert [each["data-run"] for each in columns] == ["old", "new"]
    assert [each.find(class_="filled")["style"] for each in columns] == ["height:50%", "height:100%"]
    assert "Changed since the run before: settings" in columns[1].get_text()
    assert len(soup.find("tbody").find_all("tr")) == 3  # type: ignore[union-attr]
    assert RunMeasure(engine="a").changed_since(RunMeasure()) == ("engine",)


def test_a_running_run_is_followed_and_can_be_stopped() -> None:
    failed = CaseResult(case_id="a", differs=("wording",), question="Q", expected="answered", outcome="answered",
                        gold="2.5 V", milliseconds=1.0)  # fmt: skip
    run = run_of("now", passed=0, hour=9, state="running", done=1)
    opened = RunDetails(**dict(run), results=(failed,))
    soup = assert_harmless(render_runs((run,), WORDS, groups=None, opened=opened))
    assert soup.find(attrs={"data-follow": "now"}) is not None
    assert soup.find(attrs={"data-action": "stop_run"})["data-run"] == "now"  # type: ignore[index]
    assert soup.find(attrs={"data-action": "run"}).has_attr("disabled")  # type: ignore[union-attr]
    assert "These words are not in the answer: 2.5 V" in soup.get_text()


@pytest.mark.parametrize("sent", [{"tab": "x", "concern": "<b>", "state": "?", "turn": "../me", "run": "a b"}, {}])
def test_what_an_address_should_not_say_counts_for_nothing(sent: dict[str, str]) -> None:
    assert Where.of(sent) == Where()
    assert Where.of(sent).place() == {}
