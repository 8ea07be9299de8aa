"""The review desk's renderers: harmless whatever a text says, and true to what the API told."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.ui.hostile import PAYLOADS, assert_harmless
from ui.review.answers import render_answer
from ui.review.cases import fields_of, render_cases, render_form, sent_fields
from ui.review.comparing import changed, render_difference
from ui.review.listing import render_list
from ui.review.runs import render_runs
from ui.review.turn import render_replay, render_turn
from ui.review.where import Where
from ui.review.wire import Case, CaseFields, Measure, Result, Run, Said, Turn, TurnPage
from ui.words import words_in

NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
WORDS = words_in("en")


def path(given: str) -> str:
    return f"/prefix{given}"


def golden_of(text: str) -> dict[str, Any]:
    sense = {"term": text, "extended_name": text, "context": text}
    return {
        "readings": [{"text": text, "status": "chosen", "sense": sense}],
        "steps": [{"node": text, "finding": text, "milliseconds": 12.0}],
        "citations": [{"number": 1, "document": text, "document_id": text, "title": text, "page": 3, "quote": text}],
        "sentences": [{"text": text, "label": "unfaithful", "reason": text}],
        "missing": [text],
        "nearest": [{"document": text, "title": text, "page": 1}],
        "unknown_terms": [{"term": text}],
        "options": [sense],
        "degraded": [text],
        "refinement": {"policy": text, "signal_name": text, "signal": 0.4, "threshold": 0.5, "fired": True,
                       "reasons": [text], "kept": "rewrite", "kept_reason": text, "draft_before": text,
                       "draft_after": f"{text} more"},
    }  # fmt: skip


def turn_of(text: str = "What is VPP?", **fields: Any) -> Turn:
    values = {
        "id": "abc", "asked_at": NOON, "question": text, "answer": f"{text} [1]", "outcome": "answered",
        "certainty": 0.4, "seconds": 1.5, "engine": text, "golden": golden_of(text), "who": text, "department": text,
        "concerns": ["thumbs_down", text], "feedback": {"verdict": "down", "reason": text, "text": text},
        "review": {"state": "resolved", "note": text, "who": text, "changed_at": NOON}, "etag": text,
        "documents": [{"name": text, "there": False}],
    }  # fmt: skip
    return Turn.model_validate({**values, **fields})


def run_of(run_id: str, *, passed: int, hour: int, text: str = "x", **fields: Any) -> Run:
    values = {
        "id": run_id, "state": "done", "started_at": NOON.replace(hour=hour), "who": text, "cases": 2, "done": 2,
        "passed": passed, "score": passed / 2, "measure": {"engine": text, "settings": "one"},
    }  # fmt: skip
    return Run.model_validate({**values, **fields})


@pytest.mark.parametrize("text", PAYLOADS)
def test_hostile_texts_are_shown_and_do_nothing(text: str) -> None:
    turn = turn_of(text, before=[turn_of(text).model_dump()])
    result = {"case": "c", "differs": ["outcome", "wording", "error", text], "question": text, "expected": text,
              "outcome": text, "expected_answer": text, "answer": text, "citations": [text], "readings": [text],
              "error": text}  # fmt: skip
    case = Case(id="review-1", turn="abc", case=CaseFields(question=text, expect=text, answer=text, document=text,
                page=1, term=text, sense=text), made_by=text, made_at=NOON, etag=text)  # fmt: skip
    form = render_form(fields_of(turn), WORDS, title=text, action="save", case=text)
    run = run_of("run-1", passed=1, hour=9, text=text, reason=text, results=[result])
    for html in (
        render_list(TurnPage(items=(turn,), total=1, next=text), {}, Where(), WORDS),
        render_turn(turn, WORDS, path, below=form),
        render_replay(turn, Said(answer=f"{text} again", golden=turn.golden), WORDS, path),
        render_cases((case,), WORDS, path, form=None),
        render_runs((run,), WORDS, groups=None, opened=run),
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
    now = Said.model_validate(
        {"answer": "Another.", "outcome": "declined", "certainty": None, "golden": {"readings": [], "citations": []}}
    )
    text = assert_harmless(render_replay(turn_of("VPP"), now, WORDS, path)).get_text(" ")
    assert "Outcome: Answered → Declined" in text
    assert "Certainty: 40 % → –" in text
    assert "Not cited any more: VPP, page 3" in text
    assert "Not read so any more: VPP = VPP (VPP)" in text
    withheld = turn_of("VPP", answer="", withheld="gone")
    shown = assert_harmless(render_replay(withheld, now, WORDS, path)).get_text(" ")
    assert "not in the library any more" in shown
    assert "What differs" not in shown


def test_a_citation_leads_to_its_page_of_the_document() -> None:
    said = Said.model_validate({"answer": "It is 1.5 V [1].", "golden": {"citations": [
        {"number": 1, "document": "ddr4.pdf", "document_id": "a/b?c", "page": 3, "quote": "1.5 V"}]}})  # fmt: skip
    links = assert_harmless(render_answer(said, WORDS, path)).find_all("a")
    assert [each["href"] for each in links] == ["/prefix/api/documents/a%2Fb%3Fc/file#page=3"] * 2


def test_a_form_is_filled_from_an_answer_that_nobody_called_wrong() -> None:
    wrong = fields_of(turn_of("VPP?"))
    assert (wrong.question, wrong.expect, wrong.document, wrong.term) == ("VPP?", "answered", None, None)
    right = fields_of(turn_of("VPP?", feedback=None, outcome="declined", before=[turn_of("First?").model_dump()]))
    assert (right.expect, right.document, right.page, right.sense) == ("declined", "VPP?", 3, "VPP?")
    assert right.history == ("First?",)


def test_a_form_sends_what_stands_in_it() -> None:
    sent = sent_fields({"question": " Q ", "history": "a\n\n b ", "expect": "answered", "answer": "1.5 V", "page": "3",
                        "document": "", "accept": "1,5 V\n"})  # fmt: skip
    assert sent["history"] == ["a", "b"]
    assert (sent["question"], sent["page"], sent["document"], sent["accept"]) == ("Q", 3, None, ["1,5 V"])
    # What is no number is the API's to refuse, with its reason.
    assert sent_fields({"page": "three"})["page"] == "three"


def test_the_plot_holds_ones_own_runs_from_the_oldest_and_says_what_changed() -> None:
    new = run_of("new", passed=2, hour=11, measure={"engine": "x", "settings": "two"})
    others = run_of("others", passed=0, hour=10, groups=["lab"])
    soup = assert_harmless(render_runs((new, others, run_of("old", passed=1, hour=9)), WORDS, groups=None))
    columns = soup.find(class_="score-columns").find_all("button")  # type: ignore[union-attr]
    assert [each["data-run"] for each in columns] == ["old", "new"]
    assert [each.find(class_="filled")["style"] for each in columns] == ["height:50%", "height:100%"]
    assert "Changed since the run before: settings" in columns[1].get_text()
    assert len(soup.find("tbody").find_all("tr")) == 3  # type: ignore[union-attr]
    assert Measure(engine="a").changed_since(Measure()) == ("engine",)


def test_a_running_run_is_followed_and_can_be_stopped() -> None:
    failed = Result(case="a", differs=("wording",), question="Q", expected="answered", expected_answer="2.5 V")
    run = run_of("now", passed=0, hour=9, state="running", done=1, results=[failed.model_dump()])
    soup = assert_harmless(render_runs((run,), WORDS, groups=None, opened=run))
    assert soup.find(attrs={"data-follow": "now"}) is not None
    assert soup.find(attrs={"data-action": "stop_run"})["data-run"] == "now"  # type: ignore[index]
    assert soup.find(attrs={"data-action": "run"}).has_attr("disabled")  # type: ignore[union-attr]
    assert "These words are not in the answer: 2.5 V" in soup.get_text()


@pytest.mark.parametrize("sent", [{"tab": "x", "concern": "<b>", "state": "?", "turn": "../me", "run": "a b"}, {}])
def test_what_an_address_should_not_say_counts_for_nothing(sent: dict[str, str]) -> None:
    assert Where.of(sent) == Where()
    assert Where.of(sent).place() == {}
